#include "agents/device/tensor_net.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tanh.h>

#include <algorithm>

#include "sim/base/assert.h"

namespace lapforge::agents {
namespace {

// An mlp as a plan: sensors as they are, then dense layers.
NetPlan PlanOfMlp(const Network& network, const sim::ObservationSpec& own) {
  NetPlan plan;
  plan.row_bytes = own.row_bytes;
  plan.num_parameters = network.num_parameters();
  for (const sim::SensorSpec& sensor : own.sensors) {
    const int count = static_cast<int>(sensor.size_bytes / sizeof(float));
    plan.embedders.push_back({sensor.offset_bytes, false, {count}, {}, count});
  }
  const std::vector<ParameterTensor> tensors = network.tensors();
  for (size_t i = 0; i < tensors.size(); i += 2) {
    const std::vector<int64_t>& shape = tensors[i].shape;
    plan.trunk.push_back({tensors[i].name, static_cast<int>(shape[1]), static_cast<int>(shape[0]),
                          0, 0, tensors[i].offset, tensors[i + 1].offset});
  }
  return plan;
}

}  // namespace

TensorNet::TensorNet(const Network& network, const sim::ObservationSpec& own,
                     const sim::ObservationSpec& carried)
    : plan_(network.plan() != nullptr ? *network.plan() : PlanOfMlp(network, own)),
      type_(plan_.is_bfloat16 ? at::kBFloat16 : at::kFloat),
      is_tanh_(network.plan() == nullptr) {
  LAPFORGE_ASSERT(plan_.embedders.size() == own.sensors.size(), "an embedder reads a sensor");
  for (size_t i = 0; i < own.sensors.size(); ++i) {
    const auto found =
        std::ranges::find(carried.sensors, own.sensors[i].name, &sim::SensorSpec::name);
    LAPFORGE_ASSERT(found != carried.sensors.end(), "a net's sensors are carried");
    plan_.embedders[i].offset_bytes = found->offset_bytes;
  }
}

std::vector<at::Tensor> TensorNet::LayersIn(const at::Tensor& flat) const {
  std::vector<at::Tensor> layers;
  for (const LayerPlan* const layer : plan_.layers()) {
    std::vector<int64_t> shape = {layer->num_outputs, layer->num_inputs};
    if (!layer->is_dense()) shape.insert(shape.end(), {layer->kernel, layer->kernel});
    const int64_t size = int64_t(layer->bias - layer->weight);
    layers.push_back(flat.narrow(0, int64_t(layer->weight), size).view(shape));
    layers.push_back(flat.narrow(0, int64_t(layer->bias), layer->num_outputs));
  }
  return layers;
}

at::Tensor TensorNet::Forward(at::TensorList layers, const at::Tensor& rows) const {
  size_t next = 0;
  const auto run = [&](const LayerPlan& plan, const at::Tensor& numbers) {
    const at::Tensor& weight = layers[next++];
    return RunLayer(plan, weight, layers[next++], numbers);
  };

  std::vector<at::Tensor> joined;
  for (const EmbedderPlan& embedder : plan_.embedders) {
    at::Tensor numbers = ReadSensor(embedder, rows);
    for (const LayerPlan& layer : embedder.layers) numbers = run(layer, numbers);
    joined.push_back(numbers.flatten(1));
  }
  at::Tensor numbers = joined.size() == 1 ? joined.front() : at::cat(joined, 1);
  for (const LayerPlan& layer : plan_.trunk) numbers = run(layer, numbers);
  return numbers.to(at::kFloat);
}

// Bytes become numbers here and nowhere earlier.
at::Tensor TensorNet::ReadSensor(const EmbedderPlan& embedder, const at::Tensor& rows) const {
  int64_t count = 1;
  std::vector<int64_t> shape = {rows.size(0)};
  for (const int length : embedder.shape) {
    shape.push_back(length);
    count *= length;
  }
  const int64_t num_bytes = embedder.is_image ? count : count * int64_t(sizeof(float));
  const at::Tensor bytes = rows.narrow(1, int64_t(embedder.offset_bytes), num_bytes).contiguous();
  if (!embedder.is_image) return bytes.view(at::kFloat).view(shape).to(type_);
  const at::Tensor pixels = bytes.view(shape).to(at::kFloat);
  return pixels.mul(plan_.image_scale).add(plan_.image_shift).to(type_);
}

at::Tensor TensorNet::RunLayer(const LayerPlan& plan, const at::Tensor& weight,
                               const at::Tensor& bias, const at::Tensor& numbers) const {
  const at::Tensor w = weight.to(type_);
  const at::Tensor b = bias.to(type_);
  const at::Tensor outputs = plan.is_dense() ? at::linear(numbers.flatten(1), w, b)
                                             : at::conv2d(numbers, w, b, plan.stride);
  if (&plan == &plan_.trunk.back()) return outputs;
  return is_tanh_ ? at::tanh(outputs) : at::relu(outputs);
}

}  // namespace lapforge::agents
