// Tests the nets' forward, gradient and Adam against libtorch's own.
#include <ATen/ATen.h>

#include "agents/algorithms/adam.h"
#include "agents/nets/make_network.h"
#include "agents/nets/mlp.h"
#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

at::Tensor TensorOf(std::span<const float> values, at::IntArrayRef shape) {
  return at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat).clone();
}

// Largest difference against the largest number.
double RelativeError(const at::Tensor& expected, std::span<const float> values) {
  const at::Tensor actual = TensorOf(values, expected.sizes());
  return ((actual - expected).abs().max() / expected.abs().max()).item<double>();
}

void CheckAgainstAutograd(const MlpShape& shape, int num_rows) {
  const std::vector<float> parameters = RandomNumbers<float>(NumParameters(shape), 1);
  const auto inputs = RandomNumbers<float>(size_t(num_rows * shape.num_inputs), 2);
  const auto weights = RandomNumbers<float>(size_t(num_rows * shape.num_outputs), 3);
  const auto part = [&](size_t begin, std::vector<int64_t> sizes) {
    const size_t count = size_t(c10::multiply_integers(sizes));
    return TensorOf(std::span(parameters).subspan(begin, count), sizes).set_requires_grad(true);
  };

  // libtorch
  at::Tensor numbers = TensorOf(inputs, {num_rows, shape.num_inputs});
  std::vector<at::Tensor> leaves;
  for (int layer = 0; layer < shape.num_layers(); ++layer) {
    const LayerPlace place = PlaceOfLayer(shape, layer);
    leaves.push_back(part(place.weight, {shape.outputs_of(layer), shape.inputs_of(layer)}));
    leaves.push_back(part(place.bias, {shape.outputs_of(layer)}));
    numbers = at::linear(numbers, leaves[leaves.size() - 2], leaves.back());
    if (layer + 1 < shape.num_layers()) numbers = at::tanh(numbers);
  }
  (numbers * TensorOf(weights, numbers.sizes())).sum().backward();

  // ours
  MlpWorkspace<float> work(shape, num_rows);
  std::copy(inputs.begin(), inputs.end(), work.inputs().begin());
  CHECK(RelativeError(numbers.detach(), work.Forward(parameters, num_rows)) < 1e-5);
  std::vector<float> gradients(parameters.size());
  work.Backward(parameters, weights, num_rows, gradients);
  size_t begin = 0;
  for (const at::Tensor& leaf : leaves) {
    CAPTURE(begin);
    const size_t count = size_t(leaf.numel());
    CHECK(RelativeError(leaf.grad(), std::span(gradients).subspan(begin, count)) < 1e-5);
    begin += count;
  }
  CHECK(begin == gradients.size());
}

TEST_CASE("forward and gradients equal autograd's") {
  CheckAgainstAutograd({29, {64, 64}, 2}, 256);
  CheckAgainstAutograd({29, {64, 64}, 1}, 1);
  CheckAgainstAutograd({5, {}, 3}, 17);
  CheckAgainstAutograd({9, {33, 7, 20}, 21}, 50);
}

// DeepRacer's shallow net on 64 x 48 pixels, written with libtorch's own layers.
TEST_CASE("gradients of convolutions equal autograd's") {
  constexpr int kNumRows = 20;
  sim::SensorOptions sensors;
  sensors.kinds = {"camera"};
  sensors.camera.width_px = 64;
  sensors.camera.height_px = 48;
  NetOptions options;
  options.kind = NetKind::kDeepracerShallow;
  const auto network = ValueOf(MakeNetwork(options, sim::ObservationSpecOf(sensors), 3));
  std::vector<float> parameters(network->num_parameters());
  RngStream random(1, 0, 0, RngPurpose::kTest);
  network->Init(1, random, parameters);
  const auto work = network->MakeWorkspace(kNumRows);
  for (std::byte& pixel : work->inputs()) pixel = std::byte(random.Below(256));
  const std::vector<float> weights = RandomNumbers<float>(kNumRows * 3, 3);

  std::vector<at::Tensor> leaves;
  for (const ParameterTensor& tensor : network->tensors()) {
    const auto part = std::span(parameters).subspan(tensor.offset, tensor.size());
    leaves.push_back(TensorOf(part, tensor.shape).set_requires_grad(true));
  }
  at::Tensor numbers =
      at::from_blob(work->inputs().data(), {kNumRows, 1, 48, 64}, at::kByte).to(at::kFloat) / 255;
  const std::array<int64_t, 3> strides = {4, 2, 1};
  for (size_t i = 0; i < 3; ++i) {
    numbers = at::relu(at::conv2d(numbers, leaves[2 * i], leaves[2 * i + 1], strides.at(i)));
  }
  numbers = at::relu(at::linear(numbers.flatten(1), leaves[6], leaves[7]));
  numbers = at::linear(numbers, leaves[8], leaves[9]);
  (numbers * TensorOf(weights, numbers.sizes())).sum().backward();

  CHECK(RelativeError(numbers.detach(), work->Forward(parameters, kNumRows)) < 1e-5);
  std::vector<float> gradients(parameters.size());
  work->Backward(parameters, weights, kNumRows, gradients);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ParameterTensor tensor = network->tensors()[i];
    CAPTURE(tensor.name);
    const auto part = std::span(gradients).subspan(tensor.offset, tensor.size());
    CHECK(RelativeError(leaves[i].grad(), part) < 1e-5);
  }
}

TEST_CASE("Adam equals libtorch's fused one") {
  constexpr size_t kCount = 101;
  std::vector<float> parameters = RandomNumbers<float>(kCount, 1);
  ThreadPool pool(2);
  AdamState state(kCount);
  std::vector<at::Tensor> theta = {TensorOf(parameters, {kCount})};
  std::vector<at::Tensor> mean = {at::zeros({kCount})};
  std::vector<at::Tensor> square = {at::zeros({kCount})};
  std::vector<at::Tensor> steps = {at::zeros({})};
  for (uint64_t step = 0; step < 100; ++step) {
    const std::vector<float> gradients = RandomNumbers<float>(kCount, 100 + step);
    AdamStep({1e-3, 1e-5}, gradients, parameters, state, pool);
    steps[0] += 1;
    at::_fused_adam_(theta, {TensorOf(gradients, {kCount})}, mean, square, {}, steps, 1e-3, 0.9,
                     0.999, 0, 1e-5, false, false);
  }
  CHECK(RelativeError(theta[0], parameters) < 1e-5);
}

}  // namespace
}  // namespace lapforge::agents
