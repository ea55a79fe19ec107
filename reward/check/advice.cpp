#include "reward/check/advice.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "reward/reward_keys.h"
#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

constexpr double kLarge = 1000;          // beyond this a value network learns slowly
constexpr double kClearlyRelated = 0.6;  // of a correlation
constexpr double kClearlyMore = 1.01;

class Advisor {
 public:
  Advisor(const std::vector<Drive>& drives, const Inspection& inspection,
          const std::vector<RewardedDrive>& rewarded, double discount)
      : drives_(drives), inspection_(inspection), rewarded_(rewarded), discount_(discount) {}

  std::vector<RewardFinding> Take() {
    Failures();
    UnknownKeys();
    Source();
    if (inspection_.is_cut_short) {
      Add(RewardSeverity::kWarning, 0, "too slow to be shown every step: ", inspection_.num_calls,
          " calls took too long, and training needs millions");
    }
    // figures of drives in which calls failed or were left out say nothing
    if (inspection_.failures.empty() && !inspection_.is_cut_short) {
      Constant();
      Standing();
      OffTrack();
      SlowAgainstFast();
      DistanceFromCenter();
      Size();
    }
    Prints();
    return std::move(findings_);
  }

 private:
  template <class... Parts>
  void Add(RewardSeverity severity, int line, const Parts&... parts) {
    findings_.push_back({severity, line, StrCat(parts...)});
  }

  const RewardedDrive& Of(DriveKind kind) const { return rewarded_[IndexOf(kind)]; }

  size_t IndexOf(DriveKind kind) const {
    const auto is_it = [&](const Drive& drive) { return drive.kind == kind; };
    return size_t(std::find_if(drives_.begin(), drives_.end(), is_it) - drives_.begin());
  }

  void Failures() {
    for (const FailedCall& failure : inspection_.failures) {
      Add(RewardSeverity::kError, 0, failure.message, " (", drives_[size_t(failure.drive)].name,
          ", step ", failure.step + 1,
          failure.count > 1 ? StrCat(", and ", failure.count - 1, " more") : "", ")");
    }
  }

  void UnknownKeys() {
    std::vector<std::string> known, deepracers;
    for (const RewardKey& key : RewardKeys()) {
      known.emplace_back(key.name);
      if (!key.is_extra) deepracers.emplace_back(key.name);
    }
    std::set<std::string> seen;
    for (const KeyUse& use : inspection_.keys_in_source) {
      const bool is_known = std::find(known.begin(), known.end(), use.key) != known.end();
      if (is_known || WasMissed(use.key) || !seen.insert(use.key).second) continue;
      Add(RewardSeverity::kWarning, use.line, "reads the key '", use.key,
          "', which the params do not have", DidYouMean(use.key, deepracers));
    }
  }

  // True where a call has failed for want of this key.
  bool WasMissed(const std::string& key) const {
    const std::string raised = StrCat("KeyError: '", key, "'");
    return std::any_of(inspection_.failures.begin(), inspection_.failures.end(),
                       [&](const FailedCall& failure) {
                         return failure.message.find(raised) != std::string::npos;
                       });
  }

  void Source() {
    for (const SourceRemark& remark : inspection_.never_true) {
      Add(RewardSeverity::kWarning, remark.line, remark.text);
    }
    for (const SourceRemark& remark : inspection_.remarks) {
      Add(RewardSeverity::kNote, remark.line, remark.text);
    }
    if (inspection_.is_params_changed) {
      Add(RewardSeverity::kNote, 0,
          "writes into params, which lasts for one call: the next one gets new ones");
    }
  }

  void Constant() {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const RewardedDrive& drive : rewarded_) {
      low = std::min(low, drive.min_reward);
      high = std::max(high, drive.max_reward);
    }
    is_constant_ = high - low <= 1e-9 * std::max(1.0, std::abs(high));
    if (!is_constant_) return;
    Add(RewardSeverity::kWarning, 0, "the reward is ", FormatFixed(high, 4),
        " in every step of every drive: there is nothing to learn from");
  }

  void Standing() {
    const RewardedDrive& standing = Of(DriveKind::kStanding);
    const RewardedDrive& fast = Of(DriveKind::kFastLap);
    if (is_constant_ || standing.mean_reward <= 0 || standing.mean_reward < fast.mean_reward) {
      return;
    }
    Add(RewardSeverity::kWarning, 0, "standing still pays ", FormatFixed(standing.mean_reward, 3),
        " a step, a fast lap ", FormatFixed(fast.mean_reward, 3),
        ": a car that does not move earns as much");
  }

  // The mean over all steps with all wheels off, against that of a slow lap.
  void OffTrack() {
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < drives_.size(); ++i) {
      for (size_t step = 0; step < drives_[i].facts.size(); ++step) {
        if (!drives_[i].facts[step].is_off_track) continue;
        sum += inspection_.rewards[i][step];
        ++count;
      }
    }
    const double on_track = Of(DriveKind::kSlowLap).mean_reward;
    if (is_constant_ || count == 0 || sum / count < on_track) return;
    Add(RewardSeverity::kWarning, 0, "a step off the track pays ", FormatFixed(sum / count, 3),
        ", a step of a slow lap ", FormatFixed(on_track, 3), ": leaving the track costs nothing");
  }

  void SlowAgainstFast() {
    const RewardedDrive& slow = Of(DriveKind::kSlowLap);
    const RewardedDrive& fast = Of(DriveKind::kFastLap);
    if (is_constant_ || !slow.is_lap() || !fast.is_lap()) return;
    if (slow.lap_time_s < fast.lap_time_s * kClearlyMore) return;
    if (slow.mean_reward > 0 && slow.mean_reward * kClearlyMore >= fast.mean_reward) {
      Add(RewardSeverity::kWarning, 0, "a slow lap (", FormatFixed(slow.lap_time_s, 1), " s) pays ",
          FormatFixed(slow.mean_reward, 3), " a step, a fast one (",
          FormatFixed(fast.lap_time_s, 1), " s) ", FormatFixed(fast.mean_reward, 3),
          ": driving slowly is the best plan; pay for progress or speed");
    } else if (slow.discounted_return > fast.discounted_return) {
      Add(RewardSeverity::kNote, 0, "where a lap ends the episode, a slow lap is worth more (",
          FormatFixed(slow.discounted_return, 2), " against ",
          FormatFixed(fast.discounted_return, 2), ", discounted by ", FormatFixed(discount_, 3),
          "): it collects pay for longer");
    }
  }

  // Over the laps that leave the middle at the same speed.
  void DistanceFromCenter() {
    double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_yy = 0, sum_xy = 0;
    for (const DriveKind kind : {DriveKind::kSlowLap, DriveKind::kWeavingLap,
                                 DriveKind::kLeftEdgeLap, DriveKind::kRightEdgeLap}) {
      const size_t index = IndexOf(kind);
      for (size_t step = 0; step < drives_[index].facts.size(); ++step) {
        const sim::StepFacts& facts = drives_[index].facts[step];
        if (facts.ended() || facts.is_off_track) continue;
        const double x = std::abs(facts.position.lateral_offset_m);
        const double y = inspection_.rewards[index][step];
        n += 1, sum_x += x, sum_y += y, sum_xx += x * x, sum_yy += y * y, sum_xy += x * y;
      }
    }
    const double spread = (n * sum_xx - sum_x * sum_x) * (n * sum_yy - sum_y * sum_y);
    if (is_constant_ || spread <= 0) return;
    const double correlation = (n * sum_xy - sum_x * sum_y) / std::sqrt(spread);
    if (!(correlation > kClearlyRelated)) return;
    Add(RewardSeverity::kWarning, 0, "pays more the further the car is from the centerline ",
        "(correlation ", FormatFixed(correlation, 2), "): is a sign the wrong way round?");
  }

  void Size() {
    double largest = 0;
    for (const RewardedDrive& drive : rewarded_) {
      largest = std::max({largest, std::abs(drive.min_reward), std::abs(drive.max_reward)});
    }
    if (largest < kLarge) return;
    Add(RewardSeverity::kNote, 0, "rewards reach ", FormatFixed(largest, 0),
        ": values near 1 a step are learned faster");
  }

  void Prints() {
    if (inspection_.num_printed_lines == 0) return;
    Add(RewardSeverity::kNote, 0, "printed ", inspection_.num_printed_lines, " lines in ",
        inspection_.num_calls, " calls; training shows the first lines only, and prints cost time");
  }

  const std::vector<Drive>& drives_;
  const Inspection& inspection_;
  const std::vector<RewardedDrive>& rewarded_;
  double discount_;
  bool is_constant_ = false;
  std::vector<RewardFinding> findings_;
};

}  // namespace

std::vector<RewardFinding> Advise(const std::vector<Drive>& drives, const Inspection& inspection,
                                  const std::vector<RewardedDrive>& rewarded, double discount) {
  std::vector<RewardFinding> findings = Advisor(drives, inspection, rewarded, discount).Take();
  std::stable_sort(
      findings.begin(), findings.end(),
      [](const RewardFinding& a, const RewardFinding& b) { return a.severity < b.severity; });
  return findings;
}

}  // namespace lapforge::reward
