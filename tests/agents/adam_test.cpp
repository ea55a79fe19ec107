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
  AdamState state(kCount);
  for (int t = 1; t <= 100; ++t) {
    const std::vector<float> gradients = RandomNumbers<float>(kCount, 100 + uint64_t(t));
    AdamStep(kRate, kEpsilon, float(kScale), gradients, parameters, state);
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

TEST_CASE("clipping scales a norm down, never up") {
  const std::vector<float> gradients = {3, -4};
  CHECK(ClipScale(gradients, 10) == 1);
  CHECK(ClipScale(gradients, 5) == 1);
  CHECK(ClipScale(gradients, 1) == Approx(0.2));
  CHECK(ClipScale(std::vector<float>(3), 1) == 1);
  CHECK(ClipScale(std::vector<float>{3e30f, 4e30f}, 5) == Approx(1e-30));  // squares in double
}

TEST_CASE("the scale of gradients that are not finite is not finite") {
  CHECK(std::isnan(ClipScale(std::vector<float>{1, NAN}, 1)));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CHECK_FALSE(std::isfinite(ClipScale(std::vector<float>{1, -kInfinity}, 1)));
}

}  // namespace
}  // namespace lapforge::agents
