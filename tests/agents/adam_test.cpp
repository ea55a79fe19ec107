// Tests Adam against the paper's algorithm in double, and gradient clipping.
#include "agents/algorithms/adam.h"

#include <cmath>
#include <limits>

#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

TEST_CASE("a hundred steps equal algorithm 1 of the paper") {
  constexpr size_t kCount = 37;
  constexpr double kRate = 0.01;
  constexpr double kEpsilon = 1e-5;
  constexpr double kScale = 0.25;
  std::vector<float> parameters = RandomNumbers<float>(kCount, 1);
  std::vector<double> theta(parameters.begin(), parameters.end());
  std::vector<double> m(kCount);
  std::vector<double> v(kCount);
  ThreadPool pool(2);
  AdamState state(kCount);
  for (int t = 1; t <= 100; ++t) {
    const std::vector<float> gradients = RandomNumbers<float>(kCount, 100 + uint64_t(t));
    AdamStep({kRate, kEpsilon, float(kScale)}, gradients, parameters, state, pool);
    for (size_t i = 0; i < kCount; ++i) {
      const double g = kScale * gradients[i];
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.999 * v[i] + 0.001 * g * g;
      const double m_hat = m[i] / (1 - std::pow(0.9, t));
      const double v_hat = v[i] / (1 - std::pow(0.999, t));
      theta[i] -= kRate * m_hat / (std::sqrt(v_hat) + kEpsilon);
    }
  }
  CHECK(state.num_steps == 100);
  for (size_t i = 0; i < kCount; ++i) {
    CHECK(parameters[i] == Approx(theta[i]).epsilon(1e-5).margin(1e-5));
    CHECK(state.mean[i] == Approx(m[i]).epsilon(1e-4).margin(1e-7));
    CHECK(state.square[i] == Approx(v[i]).epsilon(1e-4).margin(1e-9));
  }
}

// The scale, after which `parts` front is the sum.
float ScaleOf(std::vector<std::vector<float>>& parts, double max_norm, int num_threads = 1) {
  ThreadPool pool(num_threads);
  std::vector<std::span<float>> spans(parts.begin(), parts.end());
  return SumAndClip(spans, max_norm, pool);
}

float ScaleOf(std::vector<float> gradients, double max_norm) {
  std::vector<std::vector<float>> parts = {std::move(gradients)};
  return ScaleOf(parts, max_norm);
}

TEST_CASE("clipping scales a norm down, never up") {
  CHECK(ScaleOf({3, -4}, 10) == 1);
  CHECK(ScaleOf({3, -4}, 5) == 1);
  CHECK(ScaleOf({3, -4}, 1) == Approx(0.2));
  CHECK(ScaleOf(std::vector<float>(3), 1) == 1);
  CHECK(ScaleOf(std::vector<float>(), 1) == 1);
  CHECK(ScaleOf({3e30f, 4e30f}, 5) == Approx(1e-30));  // squares in double
}

TEST_CASE("the scale of gradients that are not finite is not finite") {
  CHECK(std::isnan(ScaleOf({1, NAN}, 1)));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CHECK_FALSE(std::isfinite(ScaleOf({1, -kInfinity}, 1)));
}

TEST_CASE("large arrays give the same bits on any number of threads") {
  constexpr size_t kCount = 300001;  // some blocks and a rest
  std::vector<std::vector<std::vector<float>>> sums;
  std::vector<float> scales;
  std::vector<std::vector<float>> parameters;
  for (const int num_threads : {1, 2, 3}) {
    std::vector<std::vector<float>> parts;
    for (uint64_t seed : {1, 2, 3}) parts.push_back(RandomNumbers<float>(kCount, seed));
    double squares = 0;
    for (size_t i = 0; i < kCount; ++i) {
      const double sum = double(parts[0][i]) + parts[1][i] + parts[2][i];
      squares += sum * sum;
    }
    scales.push_back(ScaleOf(parts, 1, num_threads));
    CHECK(scales.back() == Approx(1 / std::sqrt(squares)).epsilon(1e-6));
    ThreadPool pool(num_threads);
    parameters.emplace_back(kCount);
    AdamState state(kCount);
    AdamStep({1e-3, 1e-5, scales.back()}, parts.front(), parameters.back(), state, pool);
    sums.push_back(std::move(parts));
  }
  for (size_t i : {1, 2}) {
    const bool is_same = sums[i] == sums[0] && parameters[i] == parameters[0];
    CHECK(is_same);
    CHECK(scales[i] == scales[0]);
  }
}

}  // namespace
}  // namespace lapforge::agents
