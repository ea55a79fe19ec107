// PPO's collecting and learning as one, on the host or on a device.
#pragma once

#include <memory>
#include <optional>

#include "agents/algorithms/ppo.h"
#include "agents/learner.h"
#include "agents/nets/observation_normalizer.h"
#include "agents/rollout/environment.h"
#include "sim/base/byte_buffer.h"
#include "sim/base/thread_pool.h"

namespace lapforge::agents {

class PpoEngine {
 public:
  virtual ~PpoEngine() = default;

  // One rollout with the present nets. False: `should_stop`, asked before each control step, said
  // so.
  virtual Result<bool> Collect(const StopCheck& should_stop) = 0;
  // Learns from it, as Ppo::Update; then the host's nets are the new ones.
  virtual Result<std::optional<UpdateStats>> Update(double learning_rate,
                                                    const StopCheck& should_stop) = 0;

  // Call after the host's nets were changed from outside.
  virtual void TakeNets() {}

  // All but the nets' parameters. Restore takes those that the host's nets have by then.
  virtual void Save(ByteWriter& writer) const = 0;
  virtual bool Restore(ByteReader& reader) = 0;
};

// What an engine works with, all borrowed.
struct PpoParts {
  Environment* environment;
  ActorCritic* nets;
  ObservationNormalizer* normalizer;
  ThreadPool* pool;
};

// On the CPU; resets the environment.
std::unique_ptr<PpoEngine> MakeHostEngine(const TrainOptions& options, const PpoParts& parts);

}  // namespace lapforge::agents
