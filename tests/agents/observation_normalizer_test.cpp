// Tests running observation statistics against sums over all rows at once.
#include "agents/nets/observation_normalizer.h"

#include <cmath>

#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

constexpr size_t kDim = 3;
constexpr size_t kNumRows = 500;

std::vector<float> Rows() {
  std::vector<float> rows = RandomNumbers<float>(kDim * kNumRows, 1);
  for (size_t i = 0; i < rows.size(); i += kDim) {
    rows[i] = 1000 + rows[i];  // far from 0
    rows[i + 2] = 5;           // constant
  }
  return rows;
}

TEST_CASE("rows come out with mean 0 and deviation 1, whatever the parts they were counted in") {
  const std::vector<float> rows = Rows();
  ObservationNormalizer normalizer(kDim, true);
  const std::span<const float> all(rows);
  normalizer.Count(all.first(kDim));
  normalizer.Count(all.subspan(kDim, 99 * kDim));
  normalizer.Count(all.subspan(100 * kDim));

  for (size_t i = 0; i < 2; ++i) {
    double mean = 0;
    double variance = 0;
    for (size_t row = 0; row < kNumRows; ++row) mean += rows[row * kDim + i] / double(kNumRows);
    for (size_t row = 0; row < kNumRows; ++row) {
      variance += std::pow(rows[row * kDim + i] - mean, 2) / double(kNumRows);
    }
    CHECK(normalizer.mean()[i] == Approx(mean));
    CHECK(normalizer.inverse_std()[i] == Approx(1 / std::sqrt(variance)));
  }

  std::vector<float> some = {rows[0], 1e6f, 5, rows[0], -1e6f, 5};
  normalizer.Normalize(some);
  CHECK(some[1] == 10);  // clipped
  CHECK(some[4] == -10);
  CHECK(some[2] == 0);
}

TEST_CASE("before anything was counted, and switched off, rows pass through") {
  std::vector<float> row = {0.5f, -2, 7};
  ObservationNormalizer(kDim, true).Normalize(row);
  CHECK(row == std::vector<float>{0.5f, -2, 7});
  ObservationNormalizer off(kDim, false);
  off.Count(Rows());
  off.Normalize(row);
  CHECK(row == std::vector<float>{0.5f, -2, 7});
}

}  // namespace
}  // namespace lapforge::agents
