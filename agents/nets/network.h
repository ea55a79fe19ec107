// Any trainable net over observation rows, its parameters in one flat array: an MLP over float
// sensors, or convolutions over a camera's uint8 planes joined with what other sensors say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/rng.h"

namespace lapforge::agents {

struct NetPlan;
// A net's numbers, borrowed, and which they are: what a workspace has made of them (in another
// order or precision) it keeps while the version stays. Version 0 is always new.
struct Parameters {
  std::span<const float> numbers;  // [num_parameters]
  uint64_t version = 0;

  Parameters(std::span<const float> values, uint64_t number = 0)
      : numbers(values), version(number) {}
  Parameters(const std::vector<float>& values, uint64_t number = 0)
      : numbers(values), version(number) {}
};

// Buffers for up to the rows it was made for. One thread at a time; several workspaces may share
// the parameters.
class NetworkWorkspace {
 public:
  virtual ~NetworkWorkspace() = default;
  // Where to write the rows [max_rows, row_bytes] before Forward.
  virtual std::span<std::byte> inputs() = 0;
  // Outputs [num_rows, num_outputs], valid until the next call.
  virtual std::span<const float> Forward(const Parameters& parameters, int num_rows) = 0;
  // After Forward of the same rows and parameters: d loss / d parameters, overwriting `gradients`,
  // from d loss / d outputs [num_rows, num_outputs].
  virtual void Backward(const Parameters& parameters, std::span<const float> output_gradients,
                        int num_rows, std::span<float> gradients) = 0;
};

// A layer's weight or bias: where it lies in the flat array, under which name it is stored.
struct ParameterTensor {
  std::string name;            // "0.weight"; "camera.0.weight"
  std::vector<int64_t> shape;  // row-major; [outputs, inputs] or [filters, channels, height, width]
  size_t offset = 0;
  size_t size() const {
    size_t product = 1;
    for (const int64_t length : shape) product *= static_cast<size_t>(length);
    return product;
  }
};

// The shape of a net; immutable, without parameters of its own. Same parameters and rows give the
// same bits, whichever thread computes them.
class Network {
 public:
  virtual ~Network() = default;
  virtual size_t row_bytes() const = 0;  // of one observation row
  virtual int num_outputs() const = 0;
  virtual size_t num_parameters() const = 0;
  // Its layers, valid as long as the network; null for an mlp, whose tensors() say all.
  virtual const NetPlan* plan() const { return nullptr; }
  // All parameters, in the order of the flat array, without gaps.
  virtual std::vector<ParameterTensor> tensors() const = 0;
  // Orthogonal weights, zero biases; `last_gain` scales the output layer.
  virtual void Init(double last_gain, RngStream& random, std::span<float> parameters) const = 0;
  virtual std::unique_ptr<NetworkWorkspace> MakeWorkspace(int max_rows) const = 0;
};

}  // namespace lapforge::agents
