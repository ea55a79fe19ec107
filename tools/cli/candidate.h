// A trained policy with all that belongs to it, as eval and race take it from the command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agents/policy.h"
#include "sim/base/result.h"
#include "sim/sim_options.h"
#include "tracks/track.h"

namespace lapforge::cli {

// What is evaluated: a policy, and the simulation it drives in.
struct Candidate {
  std::filesystem::path policy_path;
  agents::Policy policy;
  sim::SimOptions options;            // of its training; what it sees and does is the policy's
  std::vector<tracks::Track> tracks;  // of its training; none where it belongs to no run
  std::filesystem::path run_folder;   // empty where the policy belongs to none
  bool has_tree = false;              // the run keeps DeepRacer's files
};

// `path` is the folder of a run, and `policy` says which of it as --policy does; or `path` is a
// policy file, which is driven as the run's that it lies in.
Result<Candidate> OpenCandidate(const std::filesystem::path& path, const std::string& policy);

}  // namespace lapforge::cli
