// Tests the fast tanh against the C library's in double.
#include "agents/nets/tanh_kernel.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace lapforge::agents {
namespace {

TEST_CASE("tanh is within 3e-7 of the truth, odd, and within -1 .. 1") {
  std::vector<float> points;
  for (int i = -150000; i <= 150000; ++i) points.push_back(static_cast<float>(i) * 1e-4f);
  for (float tiny = 1; tiny > 0; tiny /= 2) points.push_back(tiny);
  std::vector<float> values = points;
  TanhInPlace(std::span<float>(values));
  std::vector<float> mirrored = points;
  for (float& point : mirrored) point = -point;
  TanhInPlace(std::span<float>(mirrored));

  double largest_error = 0;
  bool is_odd = true;
  bool is_bounded = true;
  for (size_t i = 0; i < points.size(); ++i) {
    const double truth = std::tanh(static_cast<double>(points[i]));
    largest_error = std::max(largest_error, std::abs(values[i] - truth));
    is_odd = is_odd && values[i] == -mirrored[i];
    is_bounded = is_bounded && std::abs(values[i]) <= 1;
  }
  CHECK(largest_error < 3e-7);
  CHECK(is_odd);
  CHECK(is_bounded);
}

TEST_CASE("a value does not depend on its neighbours") {
  std::vector<float> points;
  for (int i = 0; i < 67; ++i) points.push_back(0.1f * static_cast<float>(i - 30));
  std::vector<float> together = points;
  TanhInPlace(std::span<float>(together));
  for (size_t i = 0; i < points.size(); ++i) {
    TanhInPlace(std::span<float>(&points[i], 1));
    CHECK(points[i] == together[i]);
  }
}

TEST_CASE("tanh at the edges") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = {0.0f, -0.0f, kInfinity, -kInfinity, 1e30f, -1e30f, 20.0f, NAN};
  TanhInPlace(std::span<float>(values));
  CHECK((values[0] == 0 && !std::signbit(values[0])));
  CHECK((values[1] == 0 && std::signbit(values[1])));
  for (size_t i : {2u, 4u, 6u}) CHECK(values[i] == 1);
  for (size_t i : {3u, 5u}) CHECK(values[i] == -1);
  CHECK(std::isnan(values[7]));
}

}  // namespace
}  // namespace lapforge::agents
