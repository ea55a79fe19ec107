// A net over observation rows as libtorch operators, on any device; autograd has its derivative.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "agents/nets/net_plan.h"
#include "agents/nets/network.h"
#include "sim/sensors.h"

namespace lapforge::agents {

class TensorNet {
 public:
  // The same net as `network`, which reads rows of `own` sensors; they lie in rows of `carried`.
  TensorNet(const Network& network, const sim::ObservationSpec& own,
            const sim::ObservationSpec& carried);

  // Weight and bias of each layer as views of the flat array [num_parameters] on any device.
  std::vector<at::Tensor> LayersIn(const at::Tensor& flat) const;

  // Outputs, float32 [num_rows, num_outputs], for `rows`: bytes [num_rows, bytes of a carried
  // row]. `layers` as LayersIn gives them, on the same device.
  at::Tensor Forward(at::TensorList layers, const at::Tensor& rows) const;

 private:
  at::Tensor ReadSensor(const EmbedderPlan& embedder, const at::Tensor& rows) const;
  at::Tensor RunLayer(const LayerPlan& plan, const at::Tensor& weight, const at::Tensor& bias,
                      const at::Tensor& numbers) const;

  NetPlan plan_;
  at::ScalarType type_;  // of the arithmetic
  bool is_tanh_;         // behind hidden layers; else ReLU
};

}  // namespace lapforge::agents
