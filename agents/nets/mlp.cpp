#include "agents/nets/mlp.h"

#include <ATen/ATen.h>

#include <cstring>

#include "agents/nets/tanh_kernel.h"
#include "agents/nets/torch_thread.h"
#include "sim/base/assert.h"

namespace lapforge::agents {
namespace {

template <class T>
constexpr at::ScalarType kScalarType = std::is_same_v<T, float> ? at::kFloat : at::kDouble;

// A view of borrowed numbers; libtorch never frees or resizes it.
template <class T>
at::Tensor ViewOf(const T* data, int64_t rows, int64_t columns) {
  return at::from_blob(const_cast<T*>(data), {rows, columns}, kScalarType<T>);
}

__attribute__((target_clones("default", "avx2", "avx512f"))) void AddBias(float* values,
                                                                          const float* bias,
                                                                          int rows, int columns) {
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < columns; ++i) values[row * columns + i] += bias[i];
  }
}

void AddBias(double* values, const double* bias, int rows, int columns) {
  for (int i = 0; i < rows * columns; ++i) values[i] += bias[i % columns];
}

// gradient *= 1 - tanh^2, the derivative of tanh from its value
template <class T>
void MultiplyByTanhSlope(T* gradients, const T* activations, size_t count) {
  for (size_t i = 0; i < count; ++i) gradients[i] *= 1 - activations[i] * activations[i];
}

template <class T>
void SumRows(const T* values, int rows, int columns, T* sums) {
  std::fill_n(sums, columns, T(0));
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < columns; ++i) sums[i] += values[row * columns + i];
  }
}

}  // namespace

template <class T>
struct MlpWorkspace<T>::Buffers {
  MlpShape shape;
  int max_rows = 0;
  std::vector<LayerPlace> places;
  std::vector<std::vector<T>> activations;  // [layer]: inputs of layer; the last: outputs
  std::vector<std::vector<T>> gradients;    // [layer]: d loss / d outputs of layer
};

template <class T>
MlpWorkspace<T>::MlpWorkspace(const MlpShape& shape, int max_rows)
    : buffers_(std::make_unique<Buffers>()) {
  buffers_->shape = shape;
  buffers_->max_rows = max_rows;
  const auto size = [max_rows](int columns) { return size_t(max_rows) * size_t(columns); };
  buffers_->activations.emplace_back(size(shape.num_inputs));
  for (int layer = 0; layer < shape.num_layers(); ++layer) {
    buffers_->places.push_back(PlaceOfLayer(shape, layer));
    buffers_->activations.emplace_back(size(shape.outputs_of(layer)));
    buffers_->gradients.emplace_back(size(shape.outputs_of(layer)));
  }
}

template <class T>
MlpWorkspace<T>::~MlpWorkspace() = default;
template <class T>
MlpWorkspace<T>::MlpWorkspace(MlpWorkspace&&) noexcept = default;

template <class T>
std::span<T> MlpWorkspace<T>::inputs() {
  return buffers_->activations.front();
}

template <class T>
std::span<const T> MlpWorkspace<T>::Forward(std::span<const T> parameters, int num_rows) {
  UseOneTorchThread();
  const at::InferenceMode no_autograd;
  const MlpShape& shape = buffers_->shape;
  LAPFORGE_ASSERT(num_rows <= buffers_->max_rows, "rows fit the workspace");
  for (int layer = 0; layer < shape.num_layers(); ++layer) {
    const int columns = shape.outputs_of(layer);
    const LayerPlace place = buffers_->places[size_t(layer)];
    T* const output = buffers_->activations[size_t(layer) + 1].data();
    at::Tensor result = ViewOf(output, num_rows, columns);
    at::mm_out(
        result,
        ViewOf(buffers_->activations[size_t(layer)].data(), num_rows, shape.inputs_of(layer)),
        ViewOf(&parameters[place.weight], columns, shape.inputs_of(layer)).t());
    AddBias(output, &parameters[place.bias], num_rows, columns);
    if (layer + 1 < shape.num_layers()) {
      TanhInPlace(std::span<T>(output, size_t(num_rows) * size_t(columns)));
    }
  }
  return std::span<const T>(buffers_->activations.back())
      .first(size_t(num_rows) * size_t(shape.num_outputs));
}

template <class T>
void MlpWorkspace<T>::Backward(std::span<const T> parameters, std::span<const T> output_gradients,
                               int num_rows, std::span<T> gradients) {
  UseOneTorchThread();
  const at::InferenceMode no_autograd;
  const MlpShape& shape = buffers_->shape;
  std::memcpy(buffers_->gradients.back().data(), output_gradients.data(),
              size_t(num_rows) * size_t(shape.num_outputs) * sizeof(T));
  for (int layer = shape.num_layers() - 1; layer >= 0; --layer) {
    const int columns = shape.outputs_of(layer);
    const int num_inputs = shape.inputs_of(layer);
    const LayerPlace place = buffers_->places[size_t(layer)];
    const T* const inputs = buffers_->activations[size_t(layer)].data();
    const at::Tensor delta = ViewOf(buffers_->gradients[size_t(layer)].data(), num_rows, columns);

    // this layer's parameters
    at::Tensor weight_gradient = ViewOf(&gradients[place.weight], columns, num_inputs);
    at::mm_out(weight_gradient, delta.t(), ViewOf(inputs, num_rows, num_inputs));
    SumRows(delta.const_data_ptr<T>(), num_rows, columns, &gradients[place.bias]);
    if (layer == 0) break;

    // through the layer, to the outputs of the one below
    T* const below = buffers_->gradients[size_t(layer) - 1].data();
    at::Tensor below_view = ViewOf(below, num_rows, num_inputs);
    at::mm_out(below_view, delta, ViewOf(&parameters[place.weight], columns, num_inputs));
    MultiplyByTanhSlope(below, inputs, size_t(num_rows) * size_t(num_inputs));
  }
}

template class MlpWorkspace<float>;
template class MlpWorkspace<double>;

}  // namespace lapforge::agents
