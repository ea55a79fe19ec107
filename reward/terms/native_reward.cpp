// The native reward: a table of terms, each a function of one step's facts.
#include "reward/terms/native_reward.h"

#include <algorithm>
#include <cmath>

#include "sim/base/assert.h"

namespace lapforge::reward {
namespace {

using Lines = std::vector<LineOffsets>;

double ProgressM(const sim::StepFacts& facts, const Lines&) { return facts.progress_delta_m; }

double OffTrack(const sim::StepFacts& facts, const Lines&) {
  return facts.is_off_track ? -1.0 : 0.0;
}

double Smoothness(const sim::StepFacts& facts, const Lines&) {
  return -std::abs(facts.action[0] - facts.last_action[0]);
}

double Center(const sim::StepFacts& facts, const Lines&) {
  const double offset_m = facts.position.lateral_offset_m;
  const Vec2 border_m = offset_m > 0 ? facts.borders.left_m : facts.borders.right_m;
  const double share = offset_m / Length(border_m - facts.position.nearest_center_m);
  return std::max(0.0, 1.0 - share * share);  // 0 also for 0 / 0, where a road has no width
}

double SpeedMps(const sim::StepFacts& facts, const Lines&) {
  return Length(Vec2{facts.car.velocity_body_mps.x, facts.car.velocity_body_mps.y});
}

double Heading(const sim::StepFacts& facts, const Lines&) {
  return std::cos(facts.heading_error_rad);
}

double Termination(const sim::StepFacts& facts, const Lines&) {
  return facts.terminated ? -1.0 : 0.0;
}

double Lap(const sim::StepFacts& facts, const Lines&) { return facts.lap_time_us > 0 ? 1.0 : 0.0; }

double Raceline(const sim::StepFacts& facts, const Lines& lines) {
  const LineOffsets& line = lines[static_cast<size_t>(facts.track_index)];
  const double distance_m = facts.position.lateral_offset_m - line.At(facts.position.arc_length_m);
  const double share = distance_m / (0.5 * Length(facts.borders.left_m - facts.borders.right_m));
  return std::max(0.0, 1.0 - share * share);  // 0 also for 0 / 0, where a road has no width
}

struct Term {
  const char* name;
  double factor;
  double (*value)(const sim::StepFacts& facts, const Lines& lines);
  double sum = 0;  // of factor * value since the means were taken
};

class NativeReward : public RewardFunction {
 public:
  NativeReward(const NativeRewardOptions& options, Lines lines) : lines_(std::move(lines)) {
    LAPFORGE_ASSERT(options.raceline == 0 || !lines_.empty(), "a racing line for its term");
    const Term all_terms[] = {
        {"progress", options.progress_per_m, ProgressM},
        {"off_track", options.off_track_penalty, OffTrack},
        {"smoothness", options.smoothness, Smoothness},
        {"center", options.center, Center},
        {"speed", options.speed_per_mps, SpeedMps},
        {"heading", options.heading, Heading},
        {"termination", options.termination_penalty, Termination},
        {"lap", options.lap_bonus, Lap},
        {"raceline", options.raceline, Raceline},
    };
    for (Term term : all_terms) {
      term.factor *= options.scale;
      if (term.factor != 0) terms_.push_back(term);
    }
  }

  Result<void> Evaluate(std::span<const sim::StepFacts> facts, std::span<float> rewards) override {
    LAPFORGE_ASSERT(rewards.size() == facts.size(), "one reward for each env");
    for (size_t i = 0; i < facts.size(); ++i) rewards[i] = static_cast<float>(RewardOf(facts[i]));
    num_steps_ += static_cast<int64_t>(facts.size());
    return {};
  }

  std::vector<RewardTerm> TakeTermMeans() override {
    std::vector<RewardTerm> means;
    if (num_steps_ == 0) return means;
    for (Term& term : terms_) {
      means.push_back({term.name, term.sum / static_cast<double>(num_steps_)});
      term.sum = 0;
    }
    num_steps_ = 0;
    return means;
  }

 private:
  double RewardOf(const sim::StepFacts& facts) {
    if (facts.reason == sim::EndReason::kFault) return 0;
    double reward = 0;
    for (Term& term : terms_) {
      const double part = term.factor * term.value(facts, lines_);
      term.sum += part;
      reward += part;
    }
    return reward;
  }

  Lines lines_;
  std::vector<Term> terms_;
  int64_t num_steps_ = 0;
};

}  // namespace

std::unique_ptr<RewardFunction> MakeNativeReward(const NativeRewardOptions& options,
                                                 std::vector<LineOffsets> lines) {
  return std::make_unique<NativeReward>(options, std::move(lines));
}

std::unique_ptr<RewardFunction> MakeNativeReward(const NativeRewardOptions& options) {
  return MakeNativeReward(options, {});
}

}  // namespace lapforge::reward
