// The student's update: minibatches from the newest frames, towards what the teacher would do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agents/algorithms/adam.h"
#include "agents/nets/action_distribution.h"
#include "agents/nets/network.h"
#include "agents/rollout/frame_ring.h"
#include "agents/train_options.h"
#include "sim/base/byte_buffer.h"
#include "sim/base/result.h"
#include "sim/base/thread_pool.h"

namespace lapforge::agents {

class Imitation {
 public:
  // Borrows the net and the pool. Fresh parameters come from the seed.
  Imitation(const DistillOptions& options, DistributionKind kind, const Network* net,
            ThreadPool* pool, uint64_t seed);
  ~Imitation();

  const std::vector<float>& parameters() const { return parameters_; }
  // As the net's workspaces take them.
  Parameters versioned_parameters() const { return {parameters_, version_}; }

  // The mean loss of one round's minibatches, drawn evenly from all frames of the ring. Empty:
  // `should_stop`, asked before each minibatch, said so. An error: a loss was not finite.
  // Parameters and moments are then somewhere inside: Restore what Save() gave before.
  Result<std::optional<double>> Update(const FrameRing& ring, double learning_rate,
                                       const std::function<bool()>& should_stop = {});

  // Parameters and moments.
  void Save(ByteWriter& writer) const;
  bool Restore(ByteReader& reader);

 private:
  struct Shard;

  double LearnMinibatch(const FrameRing& ring, double learning_rate);
  void ComputeShard(const FrameRing& ring, int index);

  DistillOptions options_;
  DistributionKind kind_;
  const Network* net_;
  ThreadPool* pool_;
  uint64_t seed_;
  std::vector<float> parameters_;
  uint64_t version_ = 1;  // rises with each change of them
  AdamState adam_;
  std::vector<int> samples_;  // of a minibatch, indices into the ring
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace lapforge::agents
