#include "agents/nets/mlp_network.h"

#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

class MlpNetworkWorkspace : public NetworkWorkspace {
 public:
  MlpNetworkWorkspace(const MlpShape& shape, int max_rows) : work_(shape, max_rows) {}

  std::span<std::byte> inputs() override { return std::as_writable_bytes(work_.inputs()); }
  std::span<const float> Forward(const Parameters& parameters, int num_rows) override {
    return work_.Forward(parameters.numbers, num_rows);
  }
  void Backward(const Parameters& parameters, std::span<const float> output_gradients, int num_rows,
                std::span<float> gradients) override {
    work_.Backward(parameters.numbers, output_gradients, num_rows, gradients);
  }

 private:
  MlpWorkspace<float> work_;
};

class MlpNetwork : public Network {
 public:
  explicit MlpNetwork(const MlpShape& shape) : shape_(shape) {}

  size_t row_bytes() const override { return size_t(shape_.num_inputs) * sizeof(float); }
  int num_outputs() const override { return shape_.num_outputs; }
  size_t num_parameters() const override { return NumParameters(shape_); }

  std::vector<ParameterTensor> tensors() const override {
    std::vector<ParameterTensor> tensors;
    for (int layer = 0; layer < shape_.num_layers(); ++layer) {
      const LayerPlace place = PlaceOfLayer(shape_, layer);
      const int64_t outputs = shape_.outputs_of(layer);
      tensors.push_back(
          {StrCat(layer, ".weight"), {outputs, shape_.inputs_of(layer)}, place.weight});
      tensors.push_back({StrCat(layer, ".bias"), {outputs}, place.bias});
    }
    return tensors;
  }

  void Init(double last_gain, RngStream& random, std::span<float> parameters) const override {
    InitMlp(shape_, last_gain, random, parameters);
  }

  std::unique_ptr<NetworkWorkspace> MakeWorkspace(int max_rows) const override {
    return std::make_unique<MlpNetworkWorkspace>(shape_, max_rows);
  }

 private:
  MlpShape shape_;
};

}  // namespace

std::unique_ptr<Network> MakeMlpNetwork(const MlpShape& shape) {
  return std::make_unique<MlpNetwork>(shape);
}

}  // namespace lapforge::agents
