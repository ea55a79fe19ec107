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
constexpr size_t kMaxBytes = size_t{1} << 30;

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
              {"episode_status", TraceStatusOf(episode.reason).label},
              {"env_steps", episode.env_steps}}
      .dump();
}

// What a line says; null where it is no entry.
Json EntryOf(const std::string& line) {
  Json entry = Json::parse(line, nullptr, false);
  const bool is_entry = entry.is_object() && entry.contains("phase") &&
                        entry.contains("env_steps") && entry["env_steps"].is_number();
  return is_entry ? entry : Json();
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

Result<std::vector<std::string>> MetricsFile::Lines() const {
  LAPFORGE_TRY(const std::string text, ReadFile(path_, kMaxBytes));
  std::vector<std::string> lines;
  for (std::string_view line : Split(text, '\n')) {
    if (EndsWith(line, ",")) line.remove_suffix(1);
    if (!EntryOf(std::string(line)).is_null()) lines.emplace_back(line);
  }
  return lines;
}

Result<int64_t> MetricsFile::CountTo(int64_t env_steps) const {
  LAPFORGE_TRY(const std::vector<std::string> lines, Lines());
  int64_t count = 0;
  for (const std::string& line : lines) {
    const Json entry = EntryOf(line);
    if (entry["phase"] == "training" && entry["env_steps"] <= env_steps) ++count;
  }
  return count;
}

Result<void> MetricsFile::CutTo(int64_t num_episodes) {
  LAPFORGE_TRY(const std::vector<std::string> lines, Lines());
  std::string text(kHead);
  bool is_first = true;
  for (const std::string& line : lines) {
    const Json entry = EntryOf(line);
    if (entry["phase"] == "training" && num_episodes-- == 0) break;
    text += StrCat(is_first ? "" : ",\n", line);
    is_first = false;
  }
  if (!is_first) return WriteQuickly(path_, text += kTail);
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  return {};
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
