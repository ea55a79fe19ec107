#include "agents/nets/policy_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

constexpr int kRowsAtOnce = 64;

// What a driver reads: the actor net [NumParameters] and, empty where there is none, the scaling.
struct DriverInputs {
  std::span<const float> parameters;
  std::span<const float> mean;
  std::span<const float> inverse_std;
};

// Forward passes of a fixed number of rows, so that a row's action does not depend on how many
// drive.
class ActorDriver {
 public:
  ActorDriver(const MlpShape& shape, DistributionKind kind, int action_dim)
      : kind_(kind), action_dim_(size_t(action_dim)), shape_(shape), work_(shape, kRowsAtOnce) {}

  void Act(const DriverInputs& from, std::span<const std::byte> observations,
           std::span<float> actions) {
    const size_t num_outputs = size_t(shape_.num_outputs);
    outputs_.resize(actions.size() / action_dim_ * num_outputs);
    Outputs(from, observations, outputs_);
    for (size_t row = 0; row * action_dim_ < actions.size(); ++row) {
      BestAction(kind_, std::span<const float>(outputs_).subspan(row * num_outputs, num_outputs),
                 actions.subspan(row * action_dim_, action_dim_));
    }
  }

  void Outputs(const DriverInputs& from, std::span<const std::byte> observations,
               std::span<float> outputs) {
    const size_t dim = size_t(shape_.num_inputs);
    const size_t num_rows = observations.size() / (dim * sizeof(float));
    for (size_t begin = 0; begin < num_rows; begin += kRowsAtOnce) {
      const size_t count = std::min(size_t(kRowsAtOnce), num_rows - begin);
      const std::span<float> inputs = work_.inputs();
      std::fill(inputs.begin(), inputs.end(), 0.0f);
      std::memcpy(inputs.data(), observations.data() + begin * dim * sizeof(float),
                  count * dim * sizeof(float));
      if (!from.mean.empty()) {
        ScaleRows(from.mean, from.inverse_std, inputs.first(count * dim));
      }
      const size_t num_outputs = size_t(shape_.num_outputs);
      const auto found = work_.Forward(from.parameters, kRowsAtOnce).first(count * num_outputs);
      std::copy(found.begin(), found.end(),
                outputs.begin() + std::ptrdiff_t(begin * num_outputs));
    }
  }

 private:
  DistributionKind kind_;
  size_t action_dim_;
  MlpShape shape_;
  MlpWorkspace<float> work_;
  std::vector<float> outputs_;
};

class NewestNetsDriver : public PolicyDriver {
 public:
  NewestNetsDriver(DistributionKind kind, const ActorCritic* nets,
                   const ObservationNormalizer* normalizer)
      : nets_(nets),
        normalizer_(normalizer),
        driver_(nets->actor_shape(), kind,
                kind == DistributionKind::kGaussian ? nets->actor_shape().num_outputs : 1) {}

  void Act(std::span<const std::byte> observations, std::span<float> actions) override {
    driver_.Act(Inputs(), observations, actions);
  }
  void Outputs(std::span<const std::byte> observations, std::span<float> outputs) override {
    driver_.Outputs(Inputs(), observations, outputs);
  }

 private:
  DriverInputs Inputs() const {
    DriverInputs from{nets_->actor_net(), {}, {}};
    if (normalizer_->is_on()) {
      from.mean = normalizer_->mean();
      from.inverse_std = normalizer_->inverse_std();
    }
    return from;
  }

  const ActorCritic* nets_;
  const ObservationNormalizer* normalizer_;
  ActorDriver driver_;
};

class StoredPolicyDriver : public PolicyDriver {
 public:
  StoredPolicyDriver(const MlpShape& shape, DistributionKind kind, int action_dim)
      : driver_(shape, kind, action_dim) {}

  void Act(std::span<const std::byte> observations, std::span<float> actions) override {
    driver_.Act({parameters, mean, inverse_std}, observations, actions);
  }
  void Outputs(std::span<const std::byte> observations, std::span<float> outputs) override {
    driver_.Outputs({parameters, mean, inverse_std}, observations, outputs);
  }

  std::vector<float> parameters;
  std::vector<float> mean;
  std::vector<float> inverse_std;

 private:
  ActorDriver driver_;
};

// The tensor of this name and shape, or an error that says what is there instead.
Result<std::span<const float>> FindTensor(const Policy& policy, const std::string& name,
                                          const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  for (const NamedTensor& tensor : policy.tensors) {
    if (tensor.name != name) continue;
    if (tensor.shape != shape || tensor.values.size() != size_t(count)) {
      return ErrorOf("the policy's tensor '", name, "' has another shape than its nets need");
    }
    for (const float value : tensor.values) {
      if (!std::isfinite(value)) {
        return ErrorOf("the policy's tensor '", name, "' holds a number that is not finite");
      }
    }
    return std::span<const float>(tensor.values);
  }
  return ErrorOf("the policy has no tensor '", name, "'");
}

bool HasNormalizer(const Policy& policy) {
  return std::any_of(policy.tensors.begin(), policy.tensors.end(),
                     [](const NamedTensor& tensor) { return tensor.name == "normalizer.mean"; });
}

}  // namespace

Policy PolicyFromNets(const ActorCritic& nets, const ObservationNormalizer& normalizer) {
  Policy policy;
  const MlpShape& shape = nets.actor_shape();
  const std::span<const float> parameters = nets.actor_net();
  for (int layer = 0; layer < shape.num_layers(); ++layer) {
    const LayerPlace place = PlaceOfLayer(shape, layer);
    const size_t outputs = size_t(shape.outputs_of(layer));
    const auto weight = parameters.subspan(place.weight, place.bias - place.weight);
    const auto bias = parameters.subspan(place.bias, outputs);
    policy.tensors.push_back({StrCat("actor.", layer, ".weight"),
                              {shape.outputs_of(layer), shape.inputs_of(layer)},
                              {weight.begin(), weight.end()}});
    policy.tensors.push_back(
        {StrCat("actor.", layer, ".bias"), {shape.outputs_of(layer)}, {bias.begin(), bias.end()}});
  }
  if (normalizer.is_on()) {
    const std::vector<int64_t> dim = {shape.num_inputs};
    policy.tensors.push_back({"normalizer.mean", dim, normalizer.mean()});
    policy.tensors.push_back({"normalizer.inverse_std", dim, normalizer.inverse_std()});
  }
  return policy;
}

std::unique_ptr<PolicyDriver> MakePolicyDriver(DistributionKind kind, const ActorCritic* nets,
                                               const ObservationNormalizer* normalizer) {
  return std::make_unique<NewestNetsDriver>(kind, nets, normalizer);
}

Result<std::unique_ptr<PolicyDriver>> MakeDriver(const Policy& policy) {
  const bool is_continuous = policy.actions.kind == sim::ActionKind::kContinuous;
  MlpShape shape;
  LAPFORGE_CHECK_OK(sim::Validate(policy.sensors));
  const sim::ObservationSpec row = sim::ObservationSpecOf(policy.sensors);
  if (!row.is_all_float()) return ErrorOf("the policy sees images, which its nets cannot take");
  shape.num_inputs = static_cast<int>(row.row_bytes / sizeof(float));
  for (const int64_t units : policy.hidden_units) shape.hidden.push_back(static_cast<int>(units));
  shape.num_outputs =
      is_continuous ? 2 : static_cast<int>(policy.actions.discrete_speed_mps.size());

  auto driver = std::make_unique<StoredPolicyDriver>(
      shape, is_continuous ? DistributionKind::kGaussian : DistributionKind::kCategorical,
      is_continuous ? 2 : 1);
  for (int layer = 0; layer < shape.num_layers(); ++layer) {
    const int64_t outputs = shape.outputs_of(layer);
    LAPFORGE_TRY(
        const std::span<const float> weight,
        FindTensor(policy, StrCat("actor.", layer, ".weight"), {outputs, shape.inputs_of(layer)}));
    LAPFORGE_TRY(const std::span<const float> bias,
                 FindTensor(policy, StrCat("actor.", layer, ".bias"), {outputs}));
    driver->parameters.insert(driver->parameters.end(), weight.begin(), weight.end());
    driver->parameters.insert(driver->parameters.end(), bias.begin(), bias.end());
  }
  if (HasNormalizer(policy)) {
    LAPFORGE_TRY(const std::span<const float> mean,
                 FindTensor(policy, "normalizer.mean", {shape.num_inputs}));
    LAPFORGE_TRY(const std::span<const float> inverse_std,
                 FindTensor(policy, "normalizer.inverse_std", {shape.num_inputs}));
    driver->mean.assign(mean.begin(), mean.end());
    driver->inverse_std.assign(inverse_std.begin(), inverse_std.end());
  }
  return std::unique_ptr<PolicyDriver>(std::move(driver));
}

}  // namespace lapforge::agents
