#include "agents/algorithms/adam.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace lapforge::agents {
namespace {

constexpr float kBeta1 = 0.9f;
constexpr float kBeta2 = 0.999f;

constexpr size_t kBlockSize = 1 << 15;  // fits the first caches; small nets are one block
constexpr size_t kMaxBlocks = 1024;

// Numbers [begin, end) of an array.
struct Block {
  size_t index = 0;
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// Small arrays are not worth a thread's waking.
template <class F>
void ForEachBlock(size_t count, ThreadPool& pool, F&& body) {
  const size_t block_size = std::max(kBlockSize, (count + kMaxBlocks - 1) / kMaxBlocks);
  const auto run = [&](int begin, int end, int) {
    for (size_t i = size_t(begin); i < size_t(end); ++i) {
      body(Block{i, i * block_size, std::min(count, (i + 1) * block_size)});
    }
  };
  const int num_blocks = static_cast<int>((count + block_size - 1) / block_size);
  if (num_blocks <= 1) return run(0, num_blocks, 0);
  pool.ParallelFor(num_blocks, run);
}

__attribute__((target_clones("default", "avx2", "avx512f"))) void AddBlock(
    const float* __restrict part, size_t count, float* __restrict sum) {
  for (size_t i = 0; i < count; ++i) sum[i] += part[i];
}

// Eight sums side by side, so that one addition need not wait for the one before; what is less
// than a block one by one.
double SumOfSquares(std::span<const float> values) {
  constexpr size_t kLanes = 8;
  std::array<double, kLanes> lanes{};
  size_t i = 0;
  for (const size_t end = values.size() / kBlockSize * kBlockSize; i < end; i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) {
      const double value = values[i + k];
      lanes[k] += value * value;
    }
  }
  double sum = std::accumulate(lanes.begin(), lanes.end(), 0.0);
  for (; i < values.size(); ++i) sum += static_cast<double>(values[i]) * values[i];
  return sum;
}

// What one step is for every parameter.
struct StepNumbers {
  float gradient_scale;
  float step_size;          // learning rate over the first moment's correction
  float square_correction;  // 1 / (1 - beta2^t)
  float epsilon;
};

__attribute__((target_clones("default", "avx2", "avx512f"))) void StepBlock(
    const StepNumbers step, const Block block, const float* __restrict gradients,
    float* __restrict parameters, AdamState& state) {
  float* __restrict const mean = state.mean.data();
  float* __restrict const square = state.square.data();
  for (size_t i = block.begin; i < block.end; ++i) {
    const float gradient = gradients[i] * step.gradient_scale;
    mean[i] = kBeta1 * mean[i] + (1 - kBeta1) * gradient;
    square[i] = kBeta2 * square[i] + (1 - kBeta2) * gradient * gradient;
    parameters[i] -= step.step_size * mean[i] /
                     (__builtin_sqrtf(square[i] * step.square_correction) + step.epsilon);
  }
}

}  // namespace

void AdamState::Save(ByteWriter& writer) const {
  writer.Write(mean);
  writer.Write(square);
  writer.Write(num_steps);
}

void AdamState::Restore(ByteReader& reader) {
  reader.Read(mean);
  reader.Read(square);
  reader.Read(num_steps);
}

void AdamStep(const AdamStepOptions& options, std::span<const float> gradients,
              std::span<float> parameters, AdamState& state, ThreadPool& pool) {
  ++state.num_steps;
  const double steps = static_cast<double>(state.num_steps);
  const double mean_correction = 1 - std::pow(0.9, steps);
  const double square_correction = 1 - std::pow(0.999, steps);
  const StepNumbers step = {
      options.gradient_scale, static_cast<float>(options.learning_rate / mean_correction),
      static_cast<float>(1 / square_correction), static_cast<float>(options.epsilon)};
  ForEachBlock(gradients.size(), pool, [&](const Block& block) {
    StepBlock(step, block, gradients.data(), parameters.data(), state);
  });
}

float SumAndClip(std::span<const std::span<float>> parts, double max_norm, ThreadPool& pool) {
  const std::span<float> sum = parts.front();
  std::array<double, kMaxBlocks> squares{};
  ForEachBlock(sum.size(), pool, [&](const Block& block) {
    for (const std::span<float> part : parts.subspan(1)) {
      AddBlock(part.data() + block.begin, block.size(), sum.data() + block.begin);
    }
    squares.at(block.index) = SumOfSquares(sum.subspan(block.begin, block.size()));
  });
  const double norm = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  if (!std::isfinite(norm)) return std::numeric_limits<float>::quiet_NaN();
  return norm <= max_norm ? 1.0f : static_cast<float>(max_norm / norm);
}

}  // namespace lapforge::agents
