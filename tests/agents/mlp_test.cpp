// Tests the nets: forward against a plain loop, gradients against differences, the first weights.
#include "agents/nets/mlp.h"

#include <cmath>

#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

constexpr int kNumRows = 5;

const std::vector<MlpShape> kShapes = {
    {3, {}, 2}, {1, {1}, 1}, {4, {6}, 3}, {5, {7, 4}, 2}, {2, {3, 5, 4}, 1}};

std::vector<double> PlainForward(const MlpShape& shape, const std::vector<double>& parameters,
                                 const std::vector<double>& inputs) {
  std::vector<double> numbers = inputs;
  size_t next = 0;  // parameters lie layer by layer: weight, then bias
  for (int layer = 0; layer < shape.num_layers(); ++layer) {
    const size_t num_inputs = size_t(shape.inputs_of(layer));
    const size_t num_outputs = size_t(shape.outputs_of(layer));
    const size_t bias = next + num_inputs * num_outputs;
    std::vector<double> outputs;
    for (size_t row = 0; row < size_t(kNumRows); ++row) {
      for (size_t output = 0; output < num_outputs; ++output) {
        double sum = parameters[bias + output];
        for (size_t i = 0; i < num_inputs; ++i) {
          sum += parameters[next + output * num_inputs + i] * numbers[row * num_inputs + i];
        }
        outputs.push_back(layer + 1 < shape.num_layers() ? std::tanh(sum) : sum);
      }
    }
    numbers = outputs;
    next = bias + num_outputs;
  }
  CHECK(next == parameters.size());
  return numbers;
}

TEST_CASE("forward and backward equal plain loops and finite differences") {
  for (const MlpShape& shape : kShapes) {
    CAPTURE(shape.num_layers(), shape.num_inputs);
    std::vector<double> parameters = RandomNumbers<double>(NumParameters(shape), 1);
    const auto inputs = RandomNumbers<double>(size_t(kNumRows * shape.num_inputs), 2);
    const auto weights = RandomNumbers<double>(size_t(kNumRows * shape.num_outputs), 3);

    // more room than rows: only the rows count
    MlpWorkspace<double> work(shape, kNumRows + 3);
    std::copy(inputs.begin(), inputs.end(), work.inputs().begin());
    const auto outputs = work.Forward(parameters, kNumRows);
    const std::vector<double> expected = PlainForward(shape, parameters, inputs);
    REQUIRE(outputs.size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) CHECK(outputs[i] == Approx(expected[i]));

    std::vector<double> gradients(parameters.size(), 77);
    work.Backward(parameters, weights, kNumRows, gradients);
    const auto loss = [&] {
      const std::vector<double> now = PlainForward(shape, parameters, inputs);
      double sum = 0;
      for (size_t i = 0; i < now.size(); ++i) sum += weights[i] * now[i];
      return sum;
    };
    const std::vector<double> slopes = FiniteDifferences(parameters, loss);
    for (size_t i = 0; i < slopes.size(); ++i) {
      CAPTURE(i);
      CHECK(gradients[i] == Approx(slopes[i]).epsilon(1e-6).margin(1e-8));
    }
  }
}

// W W^T of a wide matrix, W^T W of a tall one, shall be gain^2 times the identity.
void CheckOrthogonal(const MlpShape& shape, int layer, double gain,
                     std::span<const float> parameters) {
  const size_t rows = size_t(shape.outputs_of(layer));
  const size_t columns = size_t(shape.inputs_of(layer));
  const LayerPlace place = PlaceOfLayer(shape, layer);
  const size_t count = std::min(rows, columns);
  const auto element = [&](size_t vector, size_t i) {
    return rows <= columns ? double(parameters[place.weight + vector * columns + i])
                           : double(parameters[place.weight + i * columns + vector]);
  };
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = 0; b < count; ++b) {
      double dot = 0;
      for (size_t i = 0; i < std::max(rows, columns); ++i) dot += element(a, i) * element(b, i);
      REQUIRE(dot == Approx(a == b ? gain * gain : 0.0).epsilon(1e-5).margin(1e-6));
    }
  }
  for (size_t row = 0; row < rows; ++row) CHECK(parameters[place.bias + row] == 0);
}

TEST_CASE("first weights are orthogonal, with gain sqrt 2 and a small last layer") {
  for (const MlpShape& shape : {MlpShape{29, {64, 64}, 2}, MlpShape{3, {}, 5}, kShapes[4]}) {
    std::vector<float> parameters(NumParameters(shape), 77);
    RngStream random(3, 0, 0, RngPurpose::kTest);
    InitMlp(shape, 0.01, random, parameters);
    for (int layer = 0; layer < shape.num_layers(); ++layer) {
      const bool is_last = layer + 1 == shape.num_layers();
      CheckOrthogonal(shape, layer, is_last ? 0.01 : std::sqrt(2.0), parameters);
    }
  }
}

}  // namespace
}  // namespace lapforge::agents
