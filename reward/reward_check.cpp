#include "reward/reward_check.h"

#include <algorithm>
#include <cmath>

#include "reward/check/advice.h"
#include "reward/check/drives.h"
#include "reward/check/inspection.h"
#include "reward/check/report.h"
#include "reward/check/summary.h"
#include "reward/python/params_dict.h"

namespace lapforge::reward {
namespace {

RewardedDrive Summarize(const Drive& drive, const std::vector<double>& rewards, double discount) {
  RewardedDrive summary = SummarizeRewards(rewards, discount);
  summary.name = drive.name;
  summary.lap_time_s = double(drive.facts.back().lap_time_us) * 1e-6;
  return summary;
}

std::array<double, 7> QuantilesOf(const std::vector<std::vector<double>>& rewards) {
  std::vector<double> all;
  for (const auto& drive : rewards) all.insert(all.end(), drive.begin(), drive.end());
  std::sort(all.begin(), all.end());
  std::array<double, 7> quantiles{};
  for (size_t i = 0; i < quantiles.size(); ++i) {
    const double rank = double(all.size() - 1) * kRewardQuantilesPct[i] / 100;
    quantiles[i] = all[static_cast<size_t>(std::lround(rank))];
  }
  return quantiles;
}

std::vector<std::string> UnreadKeys(const std::vector<std::string>& read) {
  std::vector<std::string> unread;
  for (const char* key : kParamKeys) {
    if (std::find(read.begin(), read.end(), key) == read.end()) unread.emplace_back(key);
  }
  std::sort(unread.begin(), unread.end());
  return unread;
}

}  // namespace

const char* RewardSeverityName(RewardSeverity severity) {
  switch (severity) {
    case RewardSeverity::kError:
      return "error";
    case RewardSeverity::kWarning:
      return "warning";
    case RewardSeverity::kNote:
      return "note";
  }
  return "";
}

int RewardCheckReport::CountOf(RewardSeverity severity) const {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const RewardFinding& finding) { return finding.severity == severity; }));
}

Result<RewardCheckReport> CheckOnDrives(const std::string& python_file,
                                        const std::vector<Drive>& drives, double discount) {
  LAPFORGE_TRY(Inspection inspection, Inspect(python_file, drives));

  RewardCheckReport report;
  for (size_t i = 0; i < drives.size(); ++i) {
    report.drives.push_back(Summarize(drives[i], inspection.rewards[i], discount));
  }
  report.findings = Advise(drives, inspection, report.drives, discount);
  report.reward_quantiles = QuantilesOf(inspection.rewards);
  report.num_calls = inspection.num_calls;
  report.keys_unread = UnreadKeys(inspection.keys_read);
  report.keys_read = std::move(inspection.keys_read);
  report.branches = std::move(inspection.branches);
  if (inspection.failures.empty() && !inspection.is_cut_short) {
    report.us_per_call = MeasureCall(python_file, drives.front());
  }
  return report;
}

Result<RewardCheckReport> CheckReward(const RewardCheckOptions& options) {
  LAPFORGE_TRY(const std::vector<Drive> drives, MakeDrives(options));
  return CheckOnDrives(options.python_file, drives, options.discount);
}

}  // namespace lapforge::reward
