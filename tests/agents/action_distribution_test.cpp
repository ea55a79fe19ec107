// Tests action distributions: closed forms, samples, the best action.
#include "agents/nets/action_distribution.h"

#include <cmath>

#include "sim/base/math.h"
#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

using Numbers = std::vector<double>;

TEST_CASE("a Gaussian's density sums to one and has its closed forms") {
  const Numbers mean = {0.3};
  const Numbers log_std = {std::log(0.7)};
  double sum = 0;
  double entropy = 0;
  constexpr double kStep = 0.01;
  for (int i = -1000; i < 1000; ++i) {
    const std::vector<float> action = {float(kStep * i)};
    const double log_prob =
        ProbabilityOf<double>(DistributionKind::kGaussian, {mean, log_std, action}).log_prob;
    sum += kStep * std::exp(log_prob);
    entropy -= kStep * std::exp(log_prob) * log_prob;
  }
  CHECK(sum == Approx(1).epsilon(1e-6));
  const std::vector<float> at_mean = {0.3f};
  const auto there = ProbabilityOf<double>(DistributionKind::kGaussian, {mean, log_std, at_mean});
  CHECK(there.log_prob == Approx(-std::log(0.7 * std::sqrt(2 * kPi))));
  CHECK(there.entropy == Approx(entropy).epsilon(1e-6));
  CHECK(there.entropy == Approx(0.5 * std::log(2 * kPi * std::exp(1.0) * 0.49)));
}

TEST_CASE("independent dimensions add up") {
  const Numbers mean = {0, 1};
  const Numbers log_std = {0, 0};
  const std::vector<float> action = {1, 3};  // one and two deviations away
  const auto both = ProbabilityOf<double>(DistributionKind::kGaussian, {mean, log_std, action});
  CHECK(both.log_prob == Approx(-0.5 - 2 - std::log(2 * kPi)));
  CHECK(both.entropy == Approx(1 + std::log(2 * kPi)));
}

TEST_CASE("a categorical's probabilities follow its logits, however large") {
  const double shift = GENERATE(0.0, 700.0, -700.0);
  const Numbers logits = {shift, shift + std::log(2.0), shift + std::log(5.0)};
  for (size_t k = 0; k < 3; ++k) {
    const std::vector<float> action = {float(k)};
    const double p = std::vector{0.125, 0.25, 0.625}[k];
    const auto result = ProbabilityOf<double>(DistributionKind::kCategorical, {logits, {}, action});
    CHECK(result.log_prob == Approx(std::log(p)));
    CHECK(result.entropy ==
          Approx(-0.125 * std::log(0.125) - 0.25 * std::log(0.25) - 0.625 * std::log(0.625)));
  }
  const Numbers equal(8, shift);
  const std::vector<float> action = {7};
  const auto uniform = ProbabilityOf<double>(DistributionKind::kCategorical, {equal, {}, action});
  CHECK(uniform.entropy == Approx(std::log(8.0)));
}

constexpr int kNumDraws = 40000;

TEST_CASE("Gaussian samples have the mean and the deviation asked for") {
  const std::vector<float> mean = {0.5f, -2};
  const std::vector<float> log_std = {std::log(0.1f), std::log(3.0f)};
  RngStream random(11, 0, 0, RngPurpose::kTest);
  Numbers sums(2);
  Numbers squares(2);
  double products = 0;
  std::vector<float> action(2);
  for (int i = 0; i < kNumDraws; ++i) {
    SampleAction(DistributionKind::kGaussian, mean, log_std, random, action);
    double product = 1;
    for (size_t k = 0; k < 2; ++k) {
      const double z = (action[k] - mean[k]) / std::exp(log_std[k]);
      sums[k] += z / kNumDraws;
      squares[k] += z * z / kNumDraws;
      product *= z;
    }
    products += product / kNumDraws;
  }
  // four standard errors
  for (const double sum : sums) CHECK(std::abs(sum) < 4 / std::sqrt(kNumDraws));
  for (const double square : squares) CHECK(std::abs(square - 1) < 4 * std::sqrt(2.0 / kNumDraws));
  CHECK(std::abs(products) < 4 / std::sqrt(kNumDraws));
}

TEST_CASE("categorical samples come as often as they should") {
  const std::vector<float> logits = {0, std::log(2.0f), std::log(5.0f)};
  RngStream random(12, 0, 0, RngPurpose::kTest);
  Numbers shares(3);
  std::vector<float> action(1);
  for (int i = 0; i < kNumDraws; ++i) {
    SampleAction(DistributionKind::kCategorical, logits, {}, random, action);
    shares.at(static_cast<size_t>(action[0])) += 1.0 / kNumDraws;
  }
  for (size_t k = 0; k < 3; ++k) {
    const double p = std::vector{0.125, 0.25, 0.625}[k];
    CHECK(std::abs(shares[k] - p) < 4 * std::sqrt(p * (1 - p) / kNumDraws));
  }
}

TEST_CASE("the best action is the mean, or the largest logit") {
  std::vector<float> pair(2);
  BestAction(DistributionKind::kGaussian, std::vector<float>{0.25f, -9}, pair);
  CHECK(pair == std::vector<float>{0.25f, -9});
  std::vector<float> index(1);
  BestAction(DistributionKind::kCategorical, std::vector<float>{-3, -1, -2}, index);
  CHECK(index[0] == 1);
}

}  // namespace
}  // namespace lapforge::agents
