// Dense layers one after the other on the CPU, with their derivative by hand.
#pragma once

#include <span>
#include <vector>

#include "agents/nets/cpu/gemm.h"
#include "agents/nets/cpu/kernels.h"
#include "agents/nets/net_plan.h"

namespace lapforge::agents {

// Numbers T are float or BFloat16; parameters and gradients are float always. Without layers, what
// goes in comes out.
template <class T>
class DenseStack {
 public:
  // Borrows the layers. `is_last_linear`: no ReLU behind the last one.
  DenseStack(const std::vector<LayerPlan>& plans, int num_inputs, int max_rows, bool is_last_linear)
      : num_inputs_(size_t(num_inputs)),
        is_last_linear_(is_last_linear),
        inputs_(num_inputs_ * size_t(max_rows)),
        input_deltas_(inputs_.size()) {
    for (const LayerPlan& plan : plans) {
      const size_t size = size_t(plan.num_outputs) * size_t(max_rows);
      layers_.push_back({&plan, {}, std::vector<T>(size), std::vector<T>(size)});
    }
  }

  bool empty() const { return layers_.empty(); }
  T* inputs() { return inputs_.data(); }  // [max_rows, num_inputs]
  // [max_rows, num_outputs]: what came out, and where its deltas (d loss / d outputs) go.
  const T* outputs() const { return empty() ? inputs_.data() : layers_.back().outputs.data(); }
  T* output_deltas() { return empty() ? input_deltas_.data() : layers_.back().deltas.data(); }

  // Call when parameters are new.
  void LoadWeights(std::span<const float> parameters) {
    if constexpr (std::is_same_v<T, float>) return;
    for (Layer& layer : layers_) {
      const size_t size = layer.plan->bias - layer.plan->weight;
      layer.weight.resize(size);
      Convert(&parameters[layer.plan->weight], size, layer.weight.data());
    }
  }

  void Forward(std::span<const float> parameters, int num_rows) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      Layer& layer = layers_[i];
      const size_t num_outputs = size_t(layer.plan->num_outputs);
      Multiply<T>(InputsOf(i, num_rows), WeightOf(i, parameters).Transposed(),
                  {layer.outputs.data(), num_rows, layer.plan->num_outputs});
      const float* const bias = &parameters[layer.plan->bias];
      if (IsLinear(i)) {
        AddBias(bias, size_t(num_rows), num_outputs, layer.outputs.data());
      } else {
        AddBiasRelu(bias, size_t(num_rows), num_outputs, layer.outputs.data());
      }
    }
  }

  // From output_deltas to gradients; returns the deltas of the inputs, where wanted.
  const T* Backward(std::span<const float> parameters, int num_rows, bool wants_inputs,
                    std::span<float> gradients) {
    for (size_t i = layers_.size(); i-- > 0;) {
      Layer& layer = layers_[i];
      const size_t num_outputs = size_t(layer.plan->num_outputs);
      T* const deltas = layer.deltas.data();
      if (!IsLinear(i)) {
        MaskByOutputs(layer.outputs.data(), deltas, size_t(num_rows) * num_outputs, deltas);
      }
      std::fill_n(&gradients[layer.plan->bias], num_outputs, 0.0f);
      AddColumns(deltas, size_t(num_rows), num_outputs, &gradients[layer.plan->bias]);
      const Matrix<const T> by_rows = {deltas, num_rows, layer.plan->num_outputs};
      WeightGradient(by_rows.Transposed(), InputsOf(i, num_rows), &gradients[layer.plan->weight]);
      if (i == 0 && !wants_inputs) break;
      T* const below = i == 0 ? input_deltas_.data() : layers_[i - 1].deltas.data();
      Multiply<T>(by_rows, WeightOf(i, parameters), {below, num_rows, layer.plan->num_inputs});
    }
    return input_deltas_.data();
  }

 private:
  struct Layer {
    const LayerPlan* plan;
    std::vector<T> weight;  // as T; empty where the parameters are read
    std::vector<T> outputs;
    std::vector<T> deltas;
  };

  bool IsLinear(size_t index) const { return is_last_linear_ && index + 1 == layers_.size(); }

  Matrix<const T> InputsOf(size_t index, int num_rows) const {
    const T* const data = index == 0 ? inputs_.data() : layers_[index - 1].outputs.data();
    return {data, num_rows, layers_[index].plan->num_inputs};
  }

  Matrix<const T> WeightOf(size_t index, std::span<const float> parameters) const {
    const LayerPlan& plan = *layers_[index].plan;
    if constexpr (std::is_same_v<T, float>) {
      return {&parameters[plan.weight], plan.num_outputs, plan.num_inputs};
    } else {
      return {layers_[index].weight.data(), plan.num_outputs, plan.num_inputs};
    }
  }

  void WeightGradient(const Matrix<const T>& deltas, const Matrix<const T>& inputs, float* to) {
    if constexpr (std::is_same_v<T, float>) {
      Multiply<float>(deltas, inputs, {to, deltas.columns, inputs.columns});
    } else {
      const size_t size = size_t(deltas.columns) * size_t(inputs.columns);
      if (product_.size() < size) product_.resize(size);
      Multiply<T>(deltas, inputs, {product_.data(), deltas.columns, inputs.columns});
      Convert(product_.data(), size, to);
    }
  }

  size_t num_inputs_;
  bool is_last_linear_;
  std::vector<T> inputs_;
  std::vector<T> input_deltas_;
  std::vector<Layer> layers_;
  std::vector<T> product_;  // a weight's gradient before it is float
};

}  // namespace lapforge::agents
