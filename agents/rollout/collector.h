// Collects rollouts: the current policy drives all envs for `horizon` control steps.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "agents/nets/actor_critic.h"
#include "agents/nets/observation_normalizer.h"
#include "agents/rollout/environment.h"
#include "agents/rollout/rollout_buffer.h"
#include "sim/base/result.h"
#include "sim/base/thread_pool.h"

namespace lapforge::agents {

class Collector {
 public:
  // Borrows everything; resets the environment.
  Collector(Environment* environment, ActorCritic* nets, ObservationNormalizer* normalizer,
            ThreadPool* pool, uint64_t seed);

  // Fills the buffer but for advantages and value targets. False: `should_stop`, asked before each
  // control step, said so; the rollout is then lost, and what Save() saves somewhere inside it.
  Result<bool> Collect(RolloutBuffer& buffer, const std::function<bool()>& should_stop = {});

  // Control steps since the start of the run; with the raw observations now, the whole state.
  void Save(ByteWriter& writer) const;
  bool Restore(ByteReader& reader);

 private:
  void KeepFinalRows(const RolloutBuffer& buffer, int step);
  void ComputeFinalValues(RolloutBuffer& buffer);

  Environment* environment_;
  ActorCritic* nets_;
  ObservationNormalizer* normalizer_;
  ThreadPool* pool_;
  uint64_t seed_;
  uint32_t control_step_ = 0;
  std::vector<std::byte> observations_;        // raw, [num_envs, row_bytes], what is seen now
  std::vector<std::byte> final_observations_;  // raw, [num_envs, row_bytes], of one step
  std::vector<std::byte> raw_rollout_;         // raw rows of this rollout, for the normaliser
  std::vector<std::byte> final_rows_;          // the last rows of truncated episodes
  std::vector<size_t> final_samples_;          // and their samples
};

}  // namespace lapforge::agents
