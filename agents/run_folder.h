// A training run on disk: one folder holds everything (DESIGN.md section 5).
//
//   options.textproto      as resolved; reading it back gives the same run
//   reward_function.py     the user's file as it was (absent with the native reward), or
//   reward.so              the user's compiled reward
//   reward_modules/        what the Python file imports from beside it
//   reward_errors.txt      what the reward did wrong, where that stopped the run
//   raceline.csv           the line that the native reward follows, where it has one
//   track.npy              the track as it was read; track_2.npy, ... where there are more
//   model_metadata.json, hyperparameters.json   DeepRacer's files, where the run was made from them
//   deepracer/             traces and metrics as DeepRacer writes them (agents/deepracer/README.md)
//   inputs.xxh64           hashes of reward and tracks, as they were when the run began
//   metrics.csv            one row an iteration; events.out.tfevents.* the same for TensorBoard
//   evaluations.csv        one row an evaluation; evaluation_laps.csv one row a lap of them
//   checkpoints/           content-addressed blobs, manifests, LATEST
//   best.policy, last.policy
//   recordings/            evaluation laps, replayable: best.lfrec of the best policy, others
//   best_lap.png           a picture of best.lfrec
//   lock                   held by the one process that writes
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace lapforge::agents {

struct Metric {
  std::string name;  // "rollout/episode_return"; no comma, quote or line break
  double value = 0;  // NaN: nothing to say this time
};

/// What a run goes on from. `state` is the learner's business.
struct Checkpoint {
  int64_t iteration = 0;
  std::vector<std::byte> state;
};

/// True where a run writes `path` itself (the list above, but for recordings other than
/// best.lfrec): what other commands make must not replace it. Links are followed; the file need not
/// exist.
bool IsFileOfRun(const std::filesystem::path& path);

/// One run. Calls block on the disk; one thread at a time, but for PrepareCheckpoint. After an
/// error nothing is half-written and the call may be repeated.
class RunFolder {
 public:
  /// A new run: the folder must not exist or be empty. One process writes a run at a time: a lock,
  /// held until the RunFolder is destroyed or the process ends, however it ends.
  static Result<std::unique_ptr<RunFolder>> Create(const std::filesystem::path& path);
  /// An existing run, to go on with. Takes the lock and clears away what a killed writer left.
  static Result<std::unique_ptr<RunFolder>> OpenForWriting(const std::filesystem::path& path);
  /// An existing run, to look at, also while another process writes it. Changes nothing: what
  /// would write is an error.
  static Result<std::unique_ptr<RunFolder>> OpenForReading(const std::filesystem::path& path);
  ~RunFolder();

  const std::filesystem::path& path() const;

  /// Makes or replaces a file of the run. `name` is relative to the folder, with '/', without "..".
  Result<void> WriteText(const std::string& name, std::string_view text);
  Result<std::string> ReadText(const std::string& name) const;
  bool Has(const std::string& name) const;

  /// Appends one row to metrics.csv, env_steps first, and the same to the TensorBoard events. The
  /// first row fixes the columns of the CSV: a metric that is absent later leaves its cell empty, a
  /// new one is an error.
  Result<void> LogMetrics(int64_t env_steps, std::span<const Metric> metrics);
  /// Appends one row to `name`.csv with the given columns (fixed by the first row).
  Result<void> LogRow(const std::string& name, std::span<const Metric> columns);

  /// Commits a state with the protocol of spec/operations.md 1.2 (local part): logs flushed and
  /// their lengths noted, blob under its SHA-256, manifest, LATEST, all read back; then prunes to
  /// the newest `keep` (at least one). Newest is what was committed last, whatever its iteration.
  Result<void> SaveCheckpoint(const Checkpoint& checkpoint, int keep);
  /// The same in two parts: now the lengths of the logs are noted; what is returned waits for the
  /// disk and commits. It may run in another thread while rows are logged, before the next
  /// checkpoint is prepared or loaded.
  Result<std::function<Result<void>()>> PrepareCheckpoint(const Checkpoint& checkpoint, int keep);
  /// The newest checkpoint whose digests verify, stepping over damaged ones (each named in a
  /// warning). Empty: none was ever saved. Errors: there are some but none is intact, or a newer
  /// Lapforge wrote them. A writer's logs are cut back to the lengths in it; without one they start
  /// anew. Files that are not the run's own logs are left alone.
  Result<std::optional<Checkpoint>> LoadCheckpoint();

 private:
  class Impl;
  explicit RunFolder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::agents
