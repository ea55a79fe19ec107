// What a net of convolutions and dense layers is made of: which layers over which part of an
// observation row, and where their parameters lie. Numbers only; conv_network.h computes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agents/train_options.h"
#include "sim/base/result.h"
#include "sim/sensors.h"

namespace lapforge::agents {

// One layer, without padding; dense where `kernel` is 0. All but a net's last are followed by ReLU.
struct LayerPlan {
  std::string name;    // "camera.0"
  int num_inputs = 0;  // channels, or numbers
  int num_outputs = 0;
  int kernel = 0;
  int stride = 0;
  size_t weight = 0;  // [outputs, inputs(, kernel, kernel)] in the flat array
  size_t bias = 0;    // right after the weight

  bool is_dense() const { return kernel == 0; }
  // Of one output: a row of the weight.
  int num_weights() const { return is_dense() ? num_inputs : num_inputs * kernel * kernel; }
};

// What becomes of one sensor's part of a row.
struct EmbedderPlan {
  size_t offset_bytes = 0;
  bool is_image = false;
  std::vector<int> shape;         // [channels, height, width], or [numbers]
  std::vector<LayerPlan> layers;  // empty: the numbers go on as they are
  int num_outputs = 0;            // numbers that go on into the trunk
};

// Embedders side by side, their outputs joined in row order, then the trunk. The last layer of the
// trunk is linear.
struct NetPlan {
  size_t row_bytes = 0;
  float image_scale = 1;  // a pixel goes in as value * scale + shift
  float image_shift = 0;
  bool is_bfloat16 = false;  // arithmetic of the layers; parameters and gradients stay float32
  NetDevice device = NetDevice::kCpu;
  // Rows go to the device as bytes, and libtorch's layers compute there. Set for a GPU; on the CPU,
  // for tests.
  bool reads_on_device = false;
  std::vector<EmbedderPlan> embedders;
  std::vector<LayerPlan> trunk;
  size_t num_parameters = 0;

  int num_outputs() const { return trunk.back().num_outputs; }
  // Every layer once, in the order of the flat array.
  std::vector<const LayerPlan*> layers() const;
};

// What `kAuto` means for these rows: mlp without images; else the own net that is made for the
// camera's size or the next larger one.
NetKind ResolveNetKind(NetKind kind, const sim::ObservationSpec& row);

// Errors: a net that needs a camera without one, an image too small for the net's convolutions.
// `kind` is neither kAuto nor kMlp.
Result<NetPlan> MakeNetPlan(NetKind kind, const sim::ObservationSpec& row, int num_outputs);

}  // namespace lapforge::agents
