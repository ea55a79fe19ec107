// Collects a rollout onto a device: the host simulates one half of the cars while the device thinks
// about the other.
//
//   host    simulate A | simulate B | simulate A | ...        into pinned rows
//   copies      rows A ->    rows B ->                        their own stream
//   device            act A        act B                      observations stay there
//   copies              actions A ->  actions B ->
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "agents/device/device_nets.h"
#include "agents/device/device_rollout.h"
#include "agents/device/device_work.h"
#include "agents/learner.h"
#include "agents/nets/observation_normalizer.h"
#include "agents/rollout/environment.h"
#include "agents/rollout/rollout_buffer.h"
#include "sim/base/byte_buffer.h"

namespace lapforge::agents {

// Where the learner computes, and the streams that it uses.
struct DevicePlace {
  at::Device device;
  const DeviceTable* table;
  bool plays_back;         // net.cuda_graphs
  DeviceStream computing;  // what is not said to be elsewhere
  DeviceStream copying;    // between host and device
};

class DeviceCollector {
 public:
  // Borrows everything; resets the environment.
  DeviceCollector(Environment* environment, const DeviceNets* nets,
                  ObservationNormalizer* normalizer, const DevicePlace* place, uint64_t seed);

  // Fills the rollout but for advantages and value targets, and of `host` what the simulator said
  // (rewards, ends). False: stopped, as Collector::Collect.
  Result<bool> Collect(RolloutBuffer& host, DeviceRollout& rollout, const StopCheck& should_stop);

  // The same bytes as Collector's.
  void Save(ByteWriter& writer) const;
  bool Restore(ByteReader& reader);

 private:
  // Some of the cars: what is on its way for them.
  struct Part {
    EnvRange envs;
    DeviceEvent uploaded;
    DeviceEvent acted;
    DeviceEvent downloaded;
    RepeatedWork act;
    // on the device, always the same memory
    at::Tensor rows;   // uint8 [envs, row_bytes], of rows_
    at::Tensor sent;   // uint8 [envs, bytes of sent_]
    at::Tensor noise;  // [envs, action_dim]
    at::Tensor actions;
    at::Tensor log_probs;
    at::Tensor values;
  };

  // Columns of a row that the host sends to the device, side by side.
  struct Columns {
    int64_t offset;
    int64_t size;
  };

  void ListColumns();
  void StageRows(const EnvRange& envs);
  void Upload(Part& part);
  void DrawNoise(const EnvRange& envs);
  void StartActing(Part& part, int step, DeviceRollout& rollout);
  void Act(Part& part) const;
  Result<void> Drive(const Part& part, int step, RolloutBuffer& host);
  void KeepFinalRows(const Part& part, int step, const RolloutBuffer& host);
  void Finish(DeviceRollout& rollout);
  void ComputeFinalValues(DeviceRollout& rollout);
  std::span<std::byte> RowsOf(const at::Tensor& rows, const EnvRange& envs) const;

  Environment* environment_;
  const DeviceNets* nets_;
  ObservationNormalizer* normalizer_;
  const DevicePlace* place_;
  uint64_t seed_;
  uint32_t control_step_ = 0;
  std::vector<Part> parts_;
  at::Tensor rows_;                     // on the device, uint8 [num_envs, row_bytes]
  std::vector<sim::SensorSpec> drawn_;  // sensors that are drawn there and never sent
  std::vector<Columns> columns_;        // the others, where there are drawn ones
  at::Tensor sent_;                     // pinned, uint8 [num_envs, bytes of columns_]
  at::Tensor seen_;     // pinned, uint8 [num_envs, row_bytes], raw: what is seen now
  at::Tensor scaled_;   // pinned, the same as the nets want it; `seen_` itself without scales
  at::Tensor noise_;    // pinned [num_envs, action_dim]
  at::Tensor actions_;  // pinned [num_envs, action_dim]
  std::vector<std::byte> final_observations_;  // raw, of one step
  std::vector<std::byte> raw_rollout_;         // raw rows of this rollout, for the normaliser
  std::vector<std::byte> final_rows_;          // the last rows of truncated episodes
  std::vector<int64_t> final_samples_;         // and their samples
};

}  // namespace lapforge::agents
