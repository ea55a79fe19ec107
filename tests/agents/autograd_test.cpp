// Tests the nets' forward, gradient and Adam against libtorch's own.
#include <ATen/ATen.h>

#include "agents/algorithms/adam.h"
#include "agents/nets/actor_critic.h"
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

sim::SensorOptions CameraOf(int width_px, int height_px) {
  sim::SensorOptions sensors;
  sensors.kinds = {"camera"};
  sensors.camera.width_px = width_px;
  sensors.camera.height_px = height_px;
  return sensors;
}

// Nets of convolutions with these strides and two dense layers, written with libtorch's own layers.
void CheckConvolutions(const Network& network, const sim::SensorOptions& sensors,
                       const std::vector<int64_t>& strides, bool is_deepracers) {
  constexpr int kNumRows = 20;
  const int64_t num_outputs = network.num_outputs();
  std::vector<float> parameters(network.num_parameters());
  RngStream random(1, 0, 0, RngPurpose::kTest);
  network.Init(1, random, parameters);
  const auto work = network.MakeWorkspace(kNumRows);
  for (std::byte& pixel : work->inputs()) pixel = std::byte(random.Below(256));
  const std::vector<float> weights = RandomNumbers<float>(size_t(kNumRows * num_outputs), 3);

  std::vector<at::Tensor> leaves;
  for (const ParameterTensor& tensor : network.tensors()) {
    const auto part = std::span(parameters).subspan(tensor.offset, tensor.size());
    leaves.push_back(TensorOf(part, tensor.shape).set_requires_grad(true));
  }
  at::Tensor numbers =
      at::from_blob(work->inputs().data(),
                    {kNumRows, 1, sensors.camera.height_px, sensors.camera.width_px}, at::kByte)
          .to(at::kFloat);
  numbers = is_deepracers ? numbers / 255 : numbers / 127.5 - 0.5;
  for (size_t i = 0; i < strides.size(); ++i) {
    numbers = at::relu(at::conv2d(numbers, leaves[2 * i], leaves[2 * i + 1], strides[i]));
  }
  const size_t dense = 2 * strides.size();
  numbers = at::relu(at::linear(numbers.flatten(1), leaves[dense], leaves[dense + 1]));
  numbers = at::linear(numbers, leaves[dense + 2], leaves[dense + 3]);
  (numbers * TensorOf(weights, numbers.sizes())).sum().backward();

  CHECK(RelativeError(numbers.detach(), work->Forward(parameters, kNumRows)) < 1e-5);
  std::vector<float> gradients(parameters.size());
  work->Backward(parameters, weights, kNumRows, gradients);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ParameterTensor tensor = network.tensors()[i];
    CAPTURE(tensor.name);
    const auto part = std::span(gradients).subspan(tensor.offset, tensor.size());
    CHECK(RelativeError(leaves[i].grad(), part) < 1e-5);
  }
}

TEST_CASE("gradients of convolutions equal autograd's") {
  NetOptions options;
  options.kind = NetKind::kDeepracerShallow;
  const sim::SensorOptions small = CameraOf(64, 48);
  CheckConvolutions(*ValueOf(MakeNetwork(options, sim::ObservationSpecOf(small), 3)), small,
                    {4, 2, 1}, true);
  options.kind = NetKind::kNano;
  const sim::SensorOptions odd = CameraOf(66, 46);  // the last pixels are seen by no filter
  CheckConvolutions(*ValueOf(MakeNetwork(options, sim::ObservationSpecOf(odd), 2)), odd, {4, 2},
                    false);
}

// The policy's net with the value behind its outputs: any loss of both is a weighted sum of them.
TEST_CASE("gradients of a shared trunk equal autograd's") {
  const sim::SensorOptions sensors = CameraOf(64, 48);
  const sim::ObservationSpec row = sim::ObservationSpecOf(sensors);
  const EnvironmentSpec spec = {4, row, DistributionKind::kGaussian, 2, 2};
  const ActorCritic nets = ValueOf(ActorCritic::Create(spec, {row, row}, {}, 1));
  REQUIRE(nets.has_shared_trunk());
  CheckConvolutions(nets.actor_network(), sensors, {4, 2}, false);
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
