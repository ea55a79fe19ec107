// Any trainable net over observation rows, its parameters in one flat array: an MLP over float
// sensors, or convolutions over a camera's uint8 planes joined with what other sensors say.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "sim/base/rng.h"

namespace lapforge::agents {

// Buffers for up to the rows it was made for. One thread at a time; several workspaces may share
// the parameters.
class NetworkWorkspace {
 public:
  virtual ~NetworkWorkspace() = default;
  // Where to write the rows [max_rows, row_bytes] before Forward.
  virtual std::span<std::byte> inputs() = 0;
  // Outputs [num_rows, num_outputs], valid until the next call.
  virtual std::span<const float> Forward(std::span<const float> parameters, int num_rows) = 0;
  // After Forward of the same rows: d loss / d parameters, overwriting `gradients`, from
  // d loss / d outputs [num_rows, num_outputs].
  virtual void Backward(std::span<const float> parameters, std::span<const float> output_gradients,
                        int num_rows, std::span<float> gradients) = 0;
};

// The shape of a net; immutable, without parameters of its own. Same parameters and rows give the
// same bits, whichever thread computes them.
class Network {
 public:
  virtual ~Network() = default;
  virtual size_t row_bytes() const = 0;  // of one observation row
  virtual int num_outputs() const = 0;
  virtual size_t num_parameters() const = 0;
  // Orthogonal weights, zero biases; `last_gain` scales the output layer.
  virtual void Init(double last_gain, RngStream& random, std::span<float> parameters) const = 0;
  virtual std::unique_ptr<NetworkWorkspace> MakeWorkspace(int max_rows) const = 0;
};

}  // namespace lapforge::agents
