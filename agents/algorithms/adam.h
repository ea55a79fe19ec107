// Adam (Kingma and Ba 2014, arXiv:1412.6980, algorithm 1) on a flat array, and what comes before a
// step: the gradients' sum and norm.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/byte_buffer.h"
#include "sim/base/thread_pool.h"

namespace lapforge::agents {

// Moments and step count of one parameter array; plain data, saved with checkpoints.
struct AdamState {
  std::vector<float> mean;    // first moment
  std::vector<float> square;  // second moment
  int64_t num_steps = 0;

  explicit AdamState(size_t num_parameters = 0) : mean(num_parameters), square(num_parameters) {}

  void Save(ByteWriter& writer) const;
  // What it reads may be of another size, or damaged: see Fits() and reader.ok().
  void Restore(ByteReader& reader);
  bool Fits(size_t num_parameters) const {
    return mean.size() == num_parameters && square.size() == num_parameters;
  }
};

struct AdamStepOptions {
  double learning_rate = 1e-3;
  double epsilon = 1e-8;
  float gradient_scale = 1;
};

// What follows shares large arrays out over the threads in blocks that depend on the size alone,
// and sums block by block: no result depends on the number of threads.

// One step with beta 0.9 and 0.999 against `gradients`, which are multiplied by `gradient_scale`
// first (for clipping by norm).
void AdamStep(const AdamStepOptions& options, std::span<const float> gradients,
              std::span<float> parameters, AdamState& state, ThreadPool& pool);

// Adds the other parts to the first, in their order. Returns the scale that brings the norm of the
// sum down to `max_norm`, at most 1; NaN where a number is not finite.
float SumAndClip(std::span<const std::span<float>> parts, double max_norm, ThreadPool& pool);

}  // namespace lapforge::agents
