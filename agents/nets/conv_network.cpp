#include "agents/nets/conv_network.h"

#include <ATen/ATen.h>

#include <cmath>

#include "agents/nets/cpu/cpu_workspace.h"
#include "agents/nets/torch_thread.h"
#include "sim/base/assert.h"

namespace lapforge::agents {
namespace {

// A view of borrowed numbers; libtorch never frees or resizes it.
at::Tensor ViewOf(std::span<const float> numbers, at::IntArrayRef shape) {
  return at::from_blob(const_cast<float*>(numbers.data()), shape, at::kFloat);
}

std::vector<int64_t> WeightShape(const LayerPlan& layer) {
  if (layer.is_dense()) return {layer.num_outputs, layer.num_inputs};
  return {layer.num_outputs, layer.num_inputs, layer.kernel, layer.kernel};
}

size_t WeightSize(const LayerPlan& layer) { return layer.bias - layer.weight; }

// One layer's part of a flat array.
at::Tensor WeightIn(const at::Tensor& flat, const LayerPlan& layer) {
  return flat.narrow(0, int64_t(layer.weight), int64_t(WeightSize(layer)));
}
at::Tensor BiasIn(const at::Tensor& flat, const LayerPlan& layer) {
  return flat.narrow(0, int64_t(layer.bias), layer.num_outputs);
}

// A chain of layers: numbers[i] goes into layer i, numbers.back() comes out.
struct Chain {
  const std::vector<LayerPlan>* plans = nullptr;
  std::vector<at::Tensor> weights;
  std::vector<at::Tensor> numbers;
};

// By libtorch's layers, on any device that it knows.
class DeviceWorkspace : public NetworkWorkspace {
 public:
  DeviceWorkspace(std::shared_ptr<const NetPlan> plan, int max_rows)
      : plan_(std::move(plan)),
        device_(plan_->device == NetDevice::kCuda ? at::kCUDA : at::kCPU),
        type_(plan_->is_bfloat16 ? at::kBFloat16 : at::kFloat),
        max_rows_(max_rows),
        rows_(at::empty({max_rows, static_cast<int64_t>(plan_->row_bytes)},
                        at::TensorOptions(at::kByte).pinned_memory(device_.is_cuda()))),
        outputs_(size_t(max_rows) * size_t(plan_->num_outputs())) {
    for (const EmbedderPlan& embedder : plan_->embedders) {
      embedders_.push_back({&embedder.layers, {}, {}});
    }
    trunk_.plans = &plan_->trunk;
  }

  std::span<std::byte> inputs() override {
    return {reinterpret_cast<std::byte*>(rows_.data_ptr<uint8_t>()), size_t(rows_.numel())};
  }

  std::span<const float> Forward(const Parameters& parameters, int num_rows) override {
    LAPFORGE_ASSERT(num_rows <= max_rows_, "rows fit the workspace");
    UseOneTorchThread();
    const at::InferenceMode no_autograd;
    const at::Tensor flat =
        ViewOf(parameters.numbers, {int64_t(parameters.numbers.size())}).to(device_);
    device_rows_ = rows_.narrow(0, 0, num_rows).to(device_, true);
    std::vector<at::Tensor> joined;
    for (size_t i = 0; i < embedders_.size(); ++i) {
      RunChain(flat, ReadOnDevice(i, num_rows).to(type_), embedders_[i]);
      joined.push_back(embedders_[i].numbers.back().reshape({num_rows, -1}));
    }
    RunChain(flat, joined.size() == 1 ? joined.front() : at::cat(joined, 1), trunk_);
    ViewOf(outputs_, {num_rows, plan_->num_outputs()}).copy_(trunk_.numbers.back());
    return std::span<const float>(outputs_).first(size_t(num_rows) * size_t(plan_->num_outputs()));
  }

  void Backward(const Parameters&, std::span<const float> output_gradients, int num_rows,
                std::span<float> gradients) override {
    UseOneTorchThread();
    const at::InferenceMode no_autograd;
    const at::Tensor at_outputs =
        ViewOf(output_gradients, {num_rows, plan_->num_outputs()}).to(device_);
    const at::Tensor host = ViewOf(gradients, {int64_t(gradients.size())});
    const at::Tensor flat = device_.is_cpu() ? host : at::empty_like(host, device_);
    const bool has_embedders =
        std::any_of(embedders_.begin(), embedders_.end(),
                    [](const Chain& chain) { return !chain.plans->empty(); });
    at::Tensor at_joined = BackThrough(trunk_, at_outputs.to(type_), has_embedders, flat);
    int64_t column = 0;
    for (size_t i = 0; i < embedders_.size(); ++i) {
      const int64_t count = plan_->embedders[i].num_outputs;
      if (!embedders_[i].plans->empty()) {
        const at::Tensor part = at_joined.narrow(1, column, count).contiguous();
        BackThrough(embedders_[i], part.view(embedders_[i].numbers.back().sizes()), false, flat);
      }
      column += count;
    }
    if (!device_.is_cpu()) host.copy_(flat);
  }

 private:
  // One sensor's numbers, from rows that were carried to the device as bytes.
  at::Tensor ReadOnDevice(size_t index, int num_rows) const {
    const EmbedderPlan& embedder = plan_->embedders[index];
    const std::vector<int64_t> shape = ShapeOf(embedder, num_rows);
    const int64_t count = c10::multiply_integers(shape) / num_rows;
    const int64_t num_bytes = embedder.is_image ? count : count * int64_t(sizeof(float));
    const at::Tensor bytes =
        device_rows_.narrow(1, int64_t(embedder.offset_bytes), num_bytes).contiguous();
    if (!embedder.is_image) return bytes.view(at::kFloat).view(shape);
    return bytes.to(at::kFloat).mul_(plan_->image_scale).add_(plan_->image_shift).view(shape);
  }

  static std::vector<int64_t> ShapeOf(const EmbedderPlan& embedder, int num_rows) {
    std::vector<int64_t> shape(embedder.shape.begin(), embedder.shape.end());
    shape.insert(shape.begin(), num_rows);
    return shape;
  }

  bool IsOutput(const LayerPlan& layer) const { return &layer == &plan_->trunk.back(); }

  // Parameters: the flat array on the device.
  void RunChain(const at::Tensor& parameters, at::Tensor numbers, Chain& chain) const {
    chain.weights.clear();
    chain.numbers.assign(1, numbers);
    for (const LayerPlan& layer : *chain.plans) {
      const at::Tensor weight = WeightIn(parameters, layer).view(WeightShape(layer)).to(type_);
      const at::Tensor bias = BiasIn(parameters, layer).to(type_);
      if (layer.is_dense()) {
        numbers = at::linear(numbers.flatten(1), weight, bias);
      } else {
        numbers = at::conv2d(numbers, weight, bias, layer.stride);
      }
      if (!IsOutput(layer)) numbers.relu_();
      chain.weights.push_back(weight);
      chain.numbers.push_back(numbers);
    }
  }

  // From d loss / d what comes out of a chain to its parameters and, where wanted, to what goes in.
  at::Tensor BackThrough(const Chain& chain, at::Tensor delta, bool wants_inputs,
                         const at::Tensor& gradients) const {
    for (size_t i = chain.plans->size(); i-- > 0;) {
      const LayerPlan& layer = (*chain.plans)[i];
      const at::Tensor& inputs = chain.numbers[i];
      const at::Tensor& outputs = chain.numbers[i + 1];
      delta = delta.reshape(outputs.sizes());
      if (!IsOutput(layer)) delta = at::threshold_backward(delta, outputs, 0);

      const bool goes_on = i > 0 || wants_inputs;
      at::Tensor weight_gradient;
      at::Tensor bias_gradient;
      at::Tensor below;
      if (layer.is_dense()) {
        weight_gradient = at::mm(delta.t(), inputs.flatten(1));
        bias_gradient = at::sum(delta, {0}, false, at::kFloat);
        if (goes_on) below = at::mm(delta, chain.weights[i]);
      } else {
        std::tie(below, weight_gradient, bias_gradient) = at::convolution_backward(
            delta, inputs, chain.weights[i], at::IntArrayRef({layer.num_outputs}),
            {layer.stride, layer.stride}, {0, 0}, {1, 1}, false, {0, 0}, 1, {goes_on, true, true});
      }
      WeightIn(gradients, layer).copy_(weight_gradient.reshape(-1));
      BiasIn(gradients, layer).copy_(bias_gradient);
      delta = below;
    }
    return delta;
  }

  std::shared_ptr<const NetPlan> plan_;
  at::Device device_;
  at::ScalarType type_;
  int max_rows_;
  at::Tensor rows_;         // bytes, on the host: [max_rows, row_bytes]
  at::Tensor device_rows_;  // those of the last Forward
  std::vector<float> outputs_;
  std::vector<Chain> embedders_;
  Chain trunk_;
};

// `gain` times a matrix whose rows, or columns where there are fewer, are orthonormal.
void InitOrthogonal(double gain, int rows, int columns, RngStream& random,
                    std::span<float> weight) {
  const bool is_tall = rows > columns;
  at::Tensor normal = at::empty({std::max(rows, columns), std::min(rows, columns)}, at::kFloat);
  float* const numbers = normal.data_ptr<float>();
  for (int64_t i = 0; i < normal.numel(); ++i) numbers[i] = static_cast<float>(random.Normal());
  const auto [q, r] = at::linalg_qr(normal);

  // the signs of a QR are the library's choice; these make it unique
  const at::Tensor orthogonal = q * at::sgn(at::diagonal(r)) * gain;
  ViewOf(weight, {rows, columns}).copy_(is_tall ? orthogonal : orthogonal.t());
}

class ConvNetwork : public Network {
 public:
  explicit ConvNetwork(NetPlan plan) : plan_(std::make_shared<const NetPlan>(std::move(plan))) {}

  size_t row_bytes() const override { return plan_->row_bytes; }
  int num_outputs() const override { return plan_->num_outputs(); }
  size_t num_parameters() const override { return plan_->num_parameters; }
  const NetPlan* plan() const override { return plan_.get(); }

  std::vector<ParameterTensor> tensors() const override {
    std::vector<ParameterTensor> tensors;
    for (const LayerPlan* const layer : plan_->layers()) {
      tensors.push_back({layer->name + ".weight", WeightShape(*layer), layer->weight});
      tensors.push_back({layer->name + ".bias", {layer->num_outputs}, layer->bias});
    }
    return tensors;
  }

  void Init(double last_gain, RngStream& random, std::span<float> parameters) const override {
    UseOneTorchThread();
    const at::InferenceMode no_autograd;
    std::fill(parameters.begin(), parameters.end(), 0.0f);
    for (const LayerPlan* const layer : plan_->layers()) {
      const bool is_output = layer == &plan_->trunk.back();
      InitOrthogonal(is_output ? last_gain : std::sqrt(2.0), layer->num_outputs,
                     layer->num_weights(), random,
                     parameters.subspan(layer->weight, WeightSize(*layer)));
    }
  }

  std::unique_ptr<NetworkWorkspace> MakeWorkspace(int max_rows) const override {
    if (!plan_->reads_on_device) return MakeCpuWorkspace(plan_, max_rows);
    return std::make_unique<DeviceWorkspace>(plan_, max_rows);
  }

 private:
  std::shared_ptr<const NetPlan> plan_;
};

}  // namespace

std::unique_ptr<Network> MakeConvNetwork(NetPlan plan) {
  return std::make_unique<ConvNetwork>(std::move(plan));
}

}  // namespace lapforge::agents
