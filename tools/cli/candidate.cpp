#include "tools/cli/candidate.h"

#include <algorithm>
#include <cmath>

#include "agents/run_folder.h"
#include "agents/training_run.h"
#include "tools/cli/command.h"
#include "tools/cli/run_setup.h"

namespace lapforge::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPolicyEnding = ".policy";

// Of the newest checkpoint: the run may still go on, or have been killed.
Result<agents::Policy> CheckpointPolicy(const StoredRun& run, agents::RunFolder& folder) {
  LAPFORGE_TRY(const RunParts parts, BuildRun(run.options, run.tracks, DefaultThreads()));
  agents::TrainingRun training(
      {&parts.options, parts.learner.get(), nullptr, nullptr, &folder, nullptr, nullptr});
  LAPFORGE_TRY(const bool is_found, training.Resume());
  if (!is_found) return ErrorOf(folder.path(), ": there is no checkpoint yet");
  return parts.learner->policy();
}

// `policy` as --policy says it.
Result<Candidate> OpenRun(const fs::path& path, const std::string& policy) {
  LAPFORGE_TRY(const auto folder, agents::RunFolder::OpenForReading(path));
  LAPFORGE_TRY(const StoredRun run, ReadStoredRun(*folder));
  const bool keeps_tree = run.options.run.deepracer_workers > 0;
  if (policy == "checkpoint") {
    LAPFORGE_TRY(agents::Policy newest, CheckpointPolicy(run, *folder));
    return Candidate{
        path / "checkpoints", std::move(newest), run.options.sim, run.tracks, path, keeps_tree};
  }
  const bool is_own = policy == "best" || policy == "last";
  const fs::path policy_path = is_own ? path / (policy + kPolicyEnding) : fs::path(policy);
  if (policy == "best" && !folder->Has("best.policy")) {
    return ErrorOf(path, " has no best.policy yet: it ended before the first was saved",
                   folder->Has("last.policy") ? "; --policy last drives the newest" : "");
  }
  LAPFORGE_TRY(agents::Policy stored, agents::LoadPolicy(policy_path));
  return Candidate{policy_path, std::move(stored), run.options.sim, run.tracks, path, keeps_tree};
}

Result<Candidate> OpenPath(const fs::path& path, const std::string& policy) {
  std::error_code error;
  if (path.extension() != kPolicyEnding || !fs::is_regular_file(path, error)) {
    return OpenRun(path, policy);
  }
  if (policy != "best") return ErrorOf("--policy ", policy, ": ", path, " is a policy already");
  const fs::path folder = fs::absolute(path, error).parent_path();
  if (agents::RunFolder::OpenForReading(folder).ok()) return OpenRun(folder, path.string());
  LAPFORGE_TRY(agents::Policy stored, agents::LoadPolicy(path));
  return Candidate{path, std::move(stored), {}, {}, {}};
}

// A policy alone does not say how finely its world was computed: at least as finely as usual.
void SetUsualSubsteps(sim::TimingOptions& timing) {
  const sim::TimingOptions usual;
  const double usual_hz = usual.control_hz * usual.substeps_per_control;
  const auto substeps = static_cast<int>(std::ceil(usual_hz / timing.control_hz));
  timing.substeps_per_control =
      std::clamp(substeps, usual.substeps_per_control, sim::kMaxSubstepsPerControl);
}

}  // namespace

Result<Candidate> OpenCandidate(const fs::path& path, const std::string& policy) {
  LAPFORGE_TRY(Candidate candidate, OpenPath(path, policy));
  candidate.options.actions = candidate.policy.actions;
  candidate.options.sensors = candidate.policy.sensors;
  candidate.options.timing.control_hz = candidate.policy.control_hz;
  if (candidate.run_folder.empty()) SetUsualSubsteps(candidate.options.timing);
  return candidate;
}

}  // namespace lapforge::cli
