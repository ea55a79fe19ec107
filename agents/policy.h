// A trained policy as plain numbers, and the drivers that use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/train_options.h"
#include "sim/base/result.h"
#include "sim/car.h"
#include "sim/sim_options.h"

namespace lapforge::agents {

struct NamedTensor {
  std::string name;  // "actor.0.weight"
  std::vector<int64_t> shape;
  std::vector<float> values;  // row-major
};

// What a policy file holds: enough to drive without the run that made it.
struct Policy {
  sim::ActionOptions actions;
  sim::SensorOptions sensors;
  double control_hz = 15;
  NetKind net_kind = NetKind::kMlp;   // not kAuto
  std::vector<int64_t> hidden_units;  // of an mlp
  std::vector<NamedTensor> tensors;
  int64_t env_steps = 0;  // of training, for people
};

// Protobuf with a format version and a checksum, written atomically.
Result<void> SavePolicy(const Policy& policy, const std::filesystem::path& path);
Result<Policy> LoadPolicy(const std::filesystem::path& path);

// Drives a batch by the mean (or most likely) action.
class PolicyDriver {
 public:
  virtual ~PolicyDriver() = default;
  // observations [num_rows, row_bytes] as the sensors of the policy give them;
  // actions [num_rows, action_dim].
  virtual void Act(std::span<const std::byte> observations, std::span<float> actions) = 0;
  // What the actions come from: means, or logits of a discrete choice; [num_rows, num_outputs].
  virtual void Outputs(std::span<const std::byte> observations, std::span<float> outputs) = 0;
};
// For any number of rows at a time; an error where tensors are missing, misshapen or not finite.
Result<std::unique_ptr<PolicyDriver>> MakeDriver(const Policy& policy);

}  // namespace lapforge::agents
