// Tests the student's loss: known values, gradients against finite differences, targets.
#include "agents/algorithms/imitation_loss.h"

#include <cmath>

#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

TEST_CASE("the squared error is the mean over rows and numbers") {
  const std::vector<double> outputs = {0.5, -1, 0, 1};
  const std::vector<float> targets = {0, -1, 0, 0.5f};
  std::vector<double> gradients(4);
  const double loss =
      ImitationLoss<double>({DistributionKind::kGaussian, 2, 2, outputs, targets, gradients});
  CHECK(loss == Approx((0.25 + 0.25) / 4));
  CHECK(gradients == std::vector<double>{0.25, 0, 0, 0.25});
}

TEST_CASE("the divergence of two known distributions") {
  // KL((3/4, 1/4) || (1/2, 1/2)) = ln 2 - H(3/4, 1/4)
  const std::vector<double> logits = {0.3, 0.3};
  const std::vector<float> targets = {0.75f, 0.25f};
  std::vector<double> gradients(2);
  const double loss =
      ImitationLoss<double>({DistributionKind::kCategorical, 2, 1, logits, targets, gradients});
  CHECK(loss == Approx(std::log(2) + 0.75 * std::log(0.75) + 0.25 * std::log(0.25)));
  CHECK(gradients[0] == Approx(-0.25));
  CHECK(gradients[1] == Approx(0.25));

  // a student that is right loses nothing, also where an action is impossible
  const std::vector<double> sure = {1000, 0};
  const std::vector<float> one = {1, 0};
  CHECK(ImitationLoss<double>({DistributionKind::kCategorical, 2, 1, sure, one, gradients}) ==
        Approx(0));
  CHECK(gradients[0] == Approx(0).margin(1e-12));
}

TEST_CASE("gradients are the slopes of the loss") {
  const auto kind = GENERATE(DistributionKind::kGaussian, DistributionKind::kCategorical);
  constexpr int kOutputs = 5;
  constexpr int kRows = 4;
  std::vector<double> outputs = RandomNumbers<double>(kRows * kOutputs, 1);
  std::vector<float> targets = RandomNumbers<float>(kRows * kOutputs, 2);
  TargetsFromOutputs(kind, kOutputs, targets);
  std::vector<double> gradients(outputs.size());
  const auto loss = [&] {
    return ImitationLoss<double>({kind, kOutputs, 7, outputs, targets, gradients});
  };
  const std::vector<double> expected = FiniteDifferences(outputs, loss);
  loss();
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(gradients[i] == Approx(expected[i]).margin(1e-9));
  }
}

TEST_CASE("targets are clipped means, or probabilities") {
  std::vector<float> means = {-3, -0.5f, 0.25f, 9};
  TargetsFromOutputs(DistributionKind::kGaussian, 2, means);
  CHECK(means == std::vector<float>{-1, -0.5f, 0.25f, 1});

  std::vector<float> logits = {0, std::log(3.0f), 1000, 0};
  TargetsFromOutputs(DistributionKind::kCategorical, 2, logits);
  CHECK(logits[0] == Approx(0.25));
  CHECK(logits[1] == Approx(0.75));
  CHECK(logits[2] == Approx(1));
  CHECK(logits[3] == Approx(0));
}

}  // namespace
}  // namespace lapforge::agents
