// DeepRacer's metrics of a training worker, one JSON object an episode (spec/deepracer.md 6.2).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "agents/deepracer/tree/trace.h"
#include "sim/base/result.h"

namespace lapforge::agents {

// One episode, or lap of an evaluation.
struct EpisodeMetrics {
  int64_t episode = 0;  // from 1, over the whole training
  int trial = 0;        // from 1, in its iteration
  bool is_evaluation = false;
  double reward = 0;
  double start_s = 0;  // wall clock
  double end_s = 0;
  double elapsed_s = 0;  // simulated
  double completion_pct = 0;
  sim::EndReason reason = sim::EndReason::kNone;
};

// Of the rows of one episode; the prepare row comes first.
EpisodeMetrics MetricsOf(std::span<const TraceRow> rows);

// A TrainingMetrics file that grows, an entry a line.
class MetricsFile {
 public:
  explicit MetricsFile(std::filesystem::path path) : path_(std::move(path)) {}

  Result<void> Append(std::span<const EpisodeMetrics> episodes);
  // Its length; 0 where there is none.
  uint64_t num_bytes() const;
  // Back to what it was when it had so many bytes. An error where it is shorter.
  Result<void> CutTo(uint64_t num_bytes);

 private:
  std::filesystem::path path_;
};

// The file of an evaluation; it has other keys than those of a training.
std::string EvaluationMetricsText(std::span<const EpisodeMetrics> laps);

// Replaces a file without waiting for the disk: none of these decides anything.
Result<void> WriteQuickly(const std::filesystem::path& path, std::string_view text);

}  // namespace lapforge::agents
