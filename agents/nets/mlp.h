// A tanh multi-layer perceptron with its parameters in one flat array, and its derivative by hand.
//
// Autograd's fixed cost of a third of a millisecond a step is more than the arithmetic of these
// small nets; the matrix products come from libtorch's BLAS. Checked against autograd and finite
// differences in the tests.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/base/rng.h"

namespace lapforge::agents {

// Layer sizes; hidden layers are tanh, the output layer is linear.
struct MlpShape {
  int num_inputs = 0;
  std::vector<int> hidden;
  int num_outputs = 0;

  int num_layers() const { return static_cast<int>(hidden.size()) + 1; }
  int inputs_of(int layer) const { return layer == 0 ? num_inputs : hidden[size_t(layer) - 1]; }
  int outputs_of(int layer) const {
    return layer + 1 == num_layers() ? num_outputs : hidden[size_t(layer)];
  }
};

// Where one layer's parameters lie in the flat array: weight [outputs, inputs] row-major, then
// bias.
struct LayerPlace {
  size_t weight = 0;
  size_t bias = 0;
};
LayerPlace PlaceOfLayer(const MlpShape& shape, int layer);
size_t NumParameters(const MlpShape& shape);

// Orthogonal weights (Saxe et al. 2014, arXiv:1312.6120), gain sqrt 2 in hidden layers and
// `last_gain` in the last one; zero biases. `parameters` [NumParameters].
void InitMlp(const MlpShape& shape, double last_gain, RngStream& random,
             std::span<float> parameters);

// Buffers for up to `max_rows` samples, made once; T is float, or double for tests of gradients.
// One thread at a time; several workspaces may share the parameters.
template <class T>
class MlpWorkspace {
 public:
  MlpWorkspace(const MlpShape& shape, int max_rows);
  ~MlpWorkspace();
  MlpWorkspace(MlpWorkspace&&) noexcept;

  // Where to write the inputs [max_rows, num_inputs] before Forward.
  std::span<T> inputs();
  // Outputs [num_rows, num_outputs], valid until the next call. Parameters [NumParameters].
  std::span<const T> Forward(std::span<const T> parameters, int num_rows);
  // After Forward of the same rows: d loss / d parameters, overwriting `gradients`, from
  // d loss / d outputs [num_rows, num_outputs].
  void Backward(std::span<const T> parameters, std::span<const T> output_gradients, int num_rows,
                std::span<T> gradients);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

extern template class MlpWorkspace<float>;
extern template class MlpWorkspace<double>;

}  // namespace lapforge::agents
