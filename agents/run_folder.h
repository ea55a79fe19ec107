// A training run on disk: one folder holds everything (DESIGN.md section 5).
//
//   options.textproto      as resolved; reading it back gives the same run
//   reward_function.py     the user's file as it was (absent with the native reward)
//   track.npy              the track as it was read
//   metrics.csv            one row an iteration; events.out.tfevents.* the same for TensorBoard
//   evaluations.csv        one row an evaluation
//   checkpoints/           content-addressed blobs, manifests, LATEST
//   best.policy, last.policy
//   recordings/            evaluation laps, replayable
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace lapforge::agents {

struct Metric {
  std::string name;  // "rollout/episode_return"
  double value = 0;
};

struct Checkpoint {
  int64_t iteration = 0;
  std::vector<std::byte> state;
};

class RunFolder {
 public:
  // A new run: the folder must not exist or be empty. One process writes a run at a time (a lock).
  static Result<std::unique_ptr<RunFolder>> Create(const std::filesystem::path& path);
  // An existing run, for going on (locks) or for reading (does not lock).
  static Result<std::unique_ptr<RunFolder>> OpenForWriting(const std::filesystem::path& path);
  static Result<std::unique_ptr<RunFolder>> OpenForReading(const std::filesystem::path& path);
  ~RunFolder();

  const std::filesystem::path& path() const;
  Result<void> WriteText(const std::string& name, std::string_view text);
  Result<std::string> ReadText(const std::string& name) const;
  bool Has(const std::string& name) const;

  // Appends one row of metrics to metrics.csv and to the TensorBoard events. The first row fixes
  // the columns of the CSV; a metric that is absent later leaves its cell empty.
  Result<void> LogMetrics(int64_t env_steps, std::span<const Metric> metrics);
  // Appends one row to `name`.csv with the given columns (fixed by the first row).
  Result<void> LogRow(const std::string& name, std::span<const Metric> columns);

  // Commits a state with the protocol of spec/operations.md 1.2 (local part): blob under its
  // SHA-256, manifest, LATEST; then prunes to the newest `keep`. Log files are flushed and their
  // lengths stored in the manifest first.
  Result<void> SaveCheckpoint(const Checkpoint& checkpoint, int keep);
  // The newest checkpoint whose digests verify, stepping over damaged ones (each named in a
  // warning), and cuts the log files back to the lengths it stored. Empty: there is none.
  Result<std::optional<Checkpoint>> LoadCheckpoint();

 private:
  class Impl;
  explicit RunFolder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::agents
