#include "agents/deepracer/tree/metrics_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/file_io.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kHead = "{\"metrics\": [\n";
constexpr std::string_view kTail = "\n], \"version\": 2.0, \"best_model_metric\": \"progress\"}\n";

int64_t MillisecondsOf(double seconds) { return std::llround(seconds * 1000); }

std::string LineOf(const EpisodeMetrics& episode) {
  return Json{{"reward_score", std::llround(episode.reward)},
              {"metric_time", MillisecondsOf(episode.end_s)},
              {"start_time", MillisecondsOf(episode.start_s)},
              {"elapsed_time_in_milliseconds", MillisecondsOf(episode.elapsed_s)},
              {"episode", episode.episode},
              {"trial", episode.trial},
              {"phase", episode.is_evaluation ? "evaluation" : "training"},
              {"completion_percentage", static_cast<int>(episode.completion_pct)},
              {"episode_status", TraceStatusOf(episode.reason).label}}
      .dump();
}

}  // namespace

EpisodeMetrics MetricsOf(std::span<const TraceRow> rows) {
  EpisodeMetrics metrics;
  for (const TraceRow& row : rows) metrics.reward += row.reward;
  metrics.episode = rows.front().episode + 1;
  metrics.start_s = rows.front().wall_clock_s;
  metrics.end_s = rows.back().wall_clock_s;
  metrics.elapsed_s = rows.back().time_s - rows.front().time_s;
  metrics.completion_pct = std::max(rows.back().progress_pct, 0.0);
  metrics.reason = rows.back().reason;
  return metrics;
}

Result<void> MetricsFile::Append(std::span<const EpisodeMetrics> episodes) {
  LAPFORGE_TRY(AppendFile file, AppendFile::Open(path_));
  const bool is_new = file.size() < kHead.size() + kTail.size();
  if (!is_new) LAPFORGE_CHECK_OK(file.Truncate(file.size() - kTail.size()));
  std::string text(is_new ? kHead : "");
  for (size_t i = 0; i < episodes.size(); ++i) {
    text += StrCat(is_new && i == 0 ? "" : ",\n", LineOf(episodes[i]));
  }
  return file.Append(text += kTail);
}

uint64_t MetricsFile::num_bytes() const {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path_, error);
  return error ? 0 : size;
}

Result<void> MetricsFile::CutTo(uint64_t num_bytes) {
  if (num_bytes == 0) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    return {};
  }
  LAPFORGE_TRY(AppendFile file, AppendFile::Open(path_));
  if (file.size() < num_bytes || num_bytes < kTail.size()) {
    return ErrorOf(path_, " has lost what was in it");
  }
  LAPFORGE_CHECK_OK(file.Truncate(num_bytes - kTail.size()));
  return file.Append(kTail);
}

std::string EvaluationMetricsText(std::span<const EpisodeMetrics> laps) {
  Json entries = Json::array();
  const auto count = [](bool is_so) { return is_so ? 1 : 0; };
  for (const EpisodeMetrics& lap : laps) {
    entries.push_back({{"completion_percentage", static_cast<int>(lap.completion_pct)},
                       {"metric_time", MillisecondsOf(lap.end_s)},
                       {"start_time", MillisecondsOf(lap.start_s)},
                       {"elapsed_time_in_milliseconds", MillisecondsOf(lap.elapsed_s)},
                       {"episode_status", TraceStatusOf(lap.reason).label},
                       {"crash_count", count(lap.reason == sim::EndReason::kCrashed)},
                       {"immobilized_count", count(lap.reason == sim::EndReason::kStuck)},
                       {"off_track_count", count(lap.reason == sim::EndReason::kOffTrack)},
                       {"reversed_count", count(lap.reason == sim::EndReason::kReversed)},
                       {"reset_count", 0},
                       {"trial", lap.trial}});
  }
  return Json{{"metrics", entries}}.dump(1) + "\n";
}

Result<void> WriteQuickly(const std::filesystem::path& path, std::string_view text) {
  LAPFORGE_TRY(AppendFile file, AppendFile::Open(path));
  LAPFORGE_CHECK_OK(file.Truncate(0));
  return file.Append(text);
}

}  // namespace lapforge::agents
