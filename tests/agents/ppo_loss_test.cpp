// Tests PPO's losses against the formulas written out, and their gradients against differences.
#include "agents/algorithms/ppo_loss.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/math.h"
#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

constexpr size_t kNumRows = 24;
constexpr size_t kNumOutputs = 3;
constexpr int kMinibatchRows = 40;  // more than the rows: this is a shard

// What the formulas give: sums over the rows, divided by the minibatch.
struct Expected {
  double surrogate = 0;
  double entropy = 0;
  double approx_kl = 0;
  double clip_fraction = 0;
};

struct Case {
  DistributionKind kind = DistributionKind::kGaussian;
  std::vector<double> outputs = RandomNumbers<double>(kNumRows * kNumOutputs, 1);
  std::vector<double> log_std = {-0.5, 0.2, -1};
  std::vector<float> actions;
  std::vector<float> old_log_probs = std::vector<float>(kNumRows);
  std::vector<float> advantages = RandomNumbers<float>(kNumRows, 3);

  explicit Case(DistributionKind distribution) : kind(distribution) {
    actions = RandomNumbers<float>(is_gaussian() ? kNumRows * kNumOutputs : kNumRows, 2);
    if (!is_gaussian()) {
      for (size_t row = 0; row < kNumRows; ++row) actions[row] = float(row % kNumOutputs);
    }
    // ratios inside, above and below 0.8 .. 1.2, each with both signs of the advantage
    constexpr double kLogRatios[] = {0.05, 0.6, -0.6, -0.1};
    for (size_t row = 0; row < kNumRows; ++row) {
      old_log_probs[row] = float(LogProb(row) - kLogRatios[row % 4]);
      advantages[row] = (row / 4) % 2 == 0 ? std::abs(advantages[row]) : -std::abs(advantages[row]);
    }
  }

  bool is_gaussian() const { return kind == DistributionKind::kGaussian; }

  double ProbabilityOfIndex(size_t row, size_t k) const {
    double sum = 0;
    for (size_t i = 0; i < kNumOutputs; ++i) sum += std::exp(outputs[row * kNumOutputs + i]);
    return std::exp(outputs[row * kNumOutputs + k]) / sum;
  }

  double LogProb(size_t row) const {
    if (!is_gaussian()) return std::log(ProbabilityOfIndex(row, size_t(actions[row])));
    double product = 1;
    for (size_t i = 0; i < kNumOutputs; ++i) {
      const double sigma = std::exp(log_std[i]);
      const double away = actions[row * kNumOutputs + i] - outputs[row * kNumOutputs + i];
      product *= std::exp(-away * away / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * kPi));
    }
    return std::log(product);
  }

  double Entropy(size_t row) const {
    double entropy = 0;
    for (size_t i = 0; i < kNumOutputs; ++i) {
      const double p = is_gaussian() ? 0 : ProbabilityOfIndex(row, i);
      const double sigma = std::exp(log_std[i]);
      entropy += is_gaussian() ? 0.5 * std::log(2 * kPi * std::exp(1.0) * sigma * sigma)
                               : -p * std::log(p);
    }
    return entropy;
  }

  Expected Formula(double clip_range) const {
    Expected sums;
    for (size_t row = 0; row < kNumRows; ++row) {
      const double ratio = std::exp(LogProb(row) - old_log_probs[row]);
      const double clipped = std::min(std::max(ratio, 1 - clip_range), 1 + clip_range);
      sums.surrogate += std::min(ratio * advantages[row], clipped * advantages[row]);
      sums.entropy += Entropy(row);
      sums.approx_kl += ratio - 1 - std::log(ratio);
      sums.clip_fraction += clipped != ratio;
    }
    for (double* sum : {&sums.surrogate, &sums.entropy, &sums.approx_kl, &sums.clip_fraction}) {
      *sum /= kMinibatchRows;
    }
    return sums;
  }
};

TEST_CASE("the policy's loss and gradient are those of the formula") {
  const auto kind = GENERATE(DistributionKind::kGaussian, DistributionKind::kCategorical);
  PpoOptions options;
  options.entropy_coef = GENERATE(0.0, 0.03);
  Case test(kind);
  CAPTURE(int(kind), options.entropy_coef);

  std::vector<double> gradients(test.outputs.size(), 77);
  std::vector<double> log_std_gradients(test.is_gaussian() ? kNumOutputs : 0, 77);
  LossSums sums;
  PolicyLoss<double>(
      options,
      {test.actions, test.old_log_probs, test.advantages, {}, {}, int(kNumRows), kMinibatchRows},
      {kind, test.outputs, test.log_std, gradients, log_std_gradients}, sums);

  const Expected expected = test.Formula(options.clip_range);
  CHECK(sums.policy_loss == Approx(-expected.surrogate));
  CHECK(sums.entropy == Approx(expected.entropy));
  CHECK(sums.approx_kl == Approx(expected.approx_kl));
  CHECK(sums.clip_fraction == Approx(expected.clip_fraction));
  CHECK(sums.clip_fraction == Approx(12.0 / kMinibatchRows));  // half of the rows

  const auto loss = [&] {
    const Expected now = test.Formula(options.clip_range);
    return -now.surrogate - options.entropy_coef * now.entropy;
  };
  const std::vector<double> slopes = FiniteDifferences(test.outputs, loss);
  for (size_t i = 0; i < slopes.size(); ++i) {
    CAPTURE(i);
    CHECK(gradients[i] == Approx(slopes[i]).epsilon(1e-6).margin(1e-9));
  }
  if (!test.is_gaussian()) return;
  const std::vector<double> log_std_slopes = FiniteDifferences(test.log_std, loss);
  for (size_t i = 0; i < kNumOutputs; ++i) {
    CHECK(log_std_gradients[i] == Approx(log_std_slopes[i]).epsilon(1e-6).margin(1e-9));
  }
}

TEST_CASE("a clipped sample whose ratio went the good way gives no gradient") {
  Case test(DistributionKind::kCategorical);
  std::vector<double> gradients(test.outputs.size());
  LossSums sums;
  PolicyLoss<double>(
      PpoOptions(),
      {test.actions, test.old_log_probs, test.advantages, {}, {}, int(kNumRows), kMinibatchRows},
      {test.kind, test.outputs, {}, gradients, {}}, sums);
  const auto slope = [&](size_t row) { return gradients[row * kNumOutputs]; };
  CHECK(slope(1) == 0);  // ratio e^0.6, advantage above 0
  CHECK(slope(6) == 0);  // ratio e^-0.6, advantage below 0
  CHECK(slope(2) != 0);
  CHECK(slope(5) != 0);
}

double LossOfValue(const PpoOptions& options, double value, double target, double old_value) {
  const auto loss = [&](double error) {
    if (options.value_loss == ValueLoss::kSquared) return error * error / 2;
    return std::abs(error) <= 1 ? error * error / 2 : std::abs(error) - 0.5;
  };
  const double plain = loss(value - target);
  if (options.value_clip_range == 0) return plain;
  const double low = old_value - options.value_clip_range;
  const double high = old_value + options.value_clip_range;
  return std::max(plain, loss(std::min(std::max(value, low), high) - target));
}

TEST_CASE("the value's loss and gradient are those of the formula") {
  PpoOptions options;
  options.value_loss = GENERATE(ValueLoss::kSquared, ValueLoss::kHuber);
  options.value_clip_range = GENERATE(0.0, 0.3);
  constexpr size_t kNumValues = 200;
  std::vector<double> values = RandomNumbers<double>(kNumValues, 4);
  const std::vector<float> targets = RandomNumbers<float>(kNumValues, 5);
  const std::vector<float> old_values = RandomNumbers<float>(kNumValues, 6);

  std::vector<double> gradients(kNumValues);
  LossSums sums;
  ValueLossOf<double>(options, {{}, {}, {}, targets, old_values, kNumValues, kMinibatchRows},
                      values, gradients, sums);
  const auto loss = [&] {
    double sum = 0;
    for (size_t i = 0; i < kNumValues; ++i) {
      sum += LossOfValue(options, values[i], targets[i], old_values[i]);
    }
    return sum / kMinibatchRows;
  };
  CHECK(sums.value_loss == Approx(loss()));
  const std::vector<double> slopes = FiniteDifferences(values, loss);
  for (size_t i = 0; i < kNumValues; ++i) {
    CAPTURE(i);
    CHECK(gradients[i] == Approx(slopes[i]).epsilon(1e-6).margin(1e-8));
  }
}

}  // namespace
}  // namespace lapforge::agents
