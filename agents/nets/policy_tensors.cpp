#include "agents/nets/policy_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "agents/nets/make_network.h"
#include "agents/nets/net_plan.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

// What a driver reads: the actor net [num_parameters] and, empty where there is none, the scaling.
struct DriverInputs {
  Parameters parameters;
  std::span<const float> mean;
  std::span<const float> inverse_std;
};

// Forward passes of a fixed number of rows, so that a row's action does not depend on how many
// drive. Few where a row is an image and costs much.
int RowsAtOnce(const Network& network) { return network.row_bytes() < 2048 ? 64 : 4; }

class ActorDriver {
 public:
  ActorDriver(const Network* network, DistributionKind kind, int rows_at_once)
      : network_(network),
        kind_(kind),
        rows_at_once_(size_t(rows_at_once)),
        work_(network->MakeWorkspace(rows_at_once)) {}

  void Act(const DriverInputs& from, std::span<const std::byte> observations,
           std::span<float> actions) {
    const size_t num_outputs = size_t(network_->num_outputs());
    const size_t action_dim = kind_ == DistributionKind::kGaussian ? num_outputs : 1;
    outputs_.resize(actions.size() / action_dim * num_outputs);
    Outputs(from, observations, outputs_);
    for (size_t row = 0; row * action_dim < actions.size(); ++row) {
      BestAction(kind_, std::span<const float>(outputs_).subspan(row * num_outputs, num_outputs),
                 actions.subspan(row * action_dim, action_dim));
    }
  }

  void Outputs(const DriverInputs& from, std::span<const std::byte> observations,
               std::span<float> outputs) {
    const size_t row_bytes = network_->row_bytes();
    const size_t num_outputs = size_t(network_->num_outputs());
    const size_t num_rows = observations.size() / row_bytes;
    for (size_t begin = 0; begin < num_rows; begin += rows_at_once_) {
      const size_t count = std::min(rows_at_once_, num_rows - begin);
      const std::span<std::byte> inputs = work_->inputs();
      std::fill(inputs.begin(), inputs.end(), std::byte{0});
      std::memcpy(inputs.data(), observations.data() + begin * row_bytes, count * row_bytes);
      if (!from.mean.empty()) {
        ScaleRows(from.mean, from.inverse_std, FloatsOf(inputs.first(count * row_bytes)));
      }
      const auto found = work_->Forward(from.parameters, static_cast<int>(rows_at_once_));
      std::copy_n(found.begin(), count * num_outputs,
                  outputs.begin() + std::ptrdiff_t(begin * num_outputs));
    }
  }

 private:
  const Network* network_;
  DistributionKind kind_;
  size_t rows_at_once_;
  std::unique_ptr<NetworkWorkspace> work_;
  std::vector<float> outputs_;
};

// Drives by what `Inputs` says at the time.
class BorrowingDriver : public PolicyDriver {
 public:
  BorrowingDriver(const Network* network, DistributionKind kind, int rows_at_once = 0)
      : driver_(network, kind, rows_at_once > 0 ? rows_at_once : RowsAtOnce(*network)) {}

  void Act(std::span<const std::byte> observations, std::span<float> actions) override {
    driver_.Act(Inputs(), observations, actions);
  }
  void Outputs(std::span<const std::byte> observations, std::span<float> outputs) override {
    driver_.Outputs(Inputs(), observations, outputs);
  }

 protected:
  virtual DriverInputs Inputs() = 0;

 private:
  ActorDriver driver_;
};

// The part of the normaliser that the actor sees: its row comes first.
std::span<const float> ActorPart(const ActorCritic& nets, const std::vector<float>& numbers) {
  return std::span(numbers).first(nets.actor_view().row_bytes() / sizeof(float));
}

class NewestNetsDriver : public BorrowingDriver {
 public:
  NewestNetsDriver(DistributionKind kind, const ActorCritic* nets,
                   const ObservationNormalizer* normalizer)
      : BorrowingDriver(&nets->driving_network(), kind), nets_(nets), normalizer_(normalizer) {}

 private:
  DriverInputs Inputs() override {
    if (version_ != nets_->version()) {
      version_ = nets_->version();
      parameters_ = nets_->DrivingParameters();
    }
    DriverInputs from{{parameters_, version_}, {}, {}};
    if (normalizer_->is_on()) {
      from.mean = ActorPart(*nets_, normalizer_->mean());
      from.inverse_std = ActorPart(*nets_, normalizer_->inverse_std());
    }
    return from;
  }

  const ActorCritic* nets_;
  const ObservationNormalizer* normalizer_;
  std::vector<float> parameters_;
  uint64_t version_ = 0;
};

class NetworkDriver : public BorrowingDriver {
 public:
  NetworkDriver(DistributionKind kind, const Network* network,
                std::function<Parameters()> parameters, int rows_at_once)
      : BorrowingDriver(network, kind, rows_at_once), parameters_(std::move(parameters)) {}

 private:
  DriverInputs Inputs() override { return {parameters_(), {}, {}}; }

  std::function<Parameters()> parameters_;
};

// What a stored policy is made of.
struct StoredNets {
  std::unique_ptr<Network> network;
  std::vector<float> parameters;
  std::vector<float> mean;
  std::vector<float> inverse_std;
};

class StoredPolicyDriver : public BorrowingDriver {
 public:
  StoredPolicyDriver(DistributionKind kind, StoredNets nets)
      : BorrowingDriver(nets.network.get(), kind), nets_(std::move(nets)) {}

 private:
  DriverInputs Inputs() override {
    // these never change
    return {{nets_.parameters, 1}, nets_.mean, nets_.inverse_std};
  }

  StoredNets nets_;
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

std::vector<NamedTensor> ActorTensors(const Network& network, std::span<const float> parameters) {
  std::vector<NamedTensor> tensors;
  for (const ParameterTensor& tensor : network.tensors()) {
    const auto values = parameters.subspan(tensor.offset, tensor.size());
    tensors.push_back({"actor." + tensor.name, tensor.shape, {values.begin(), values.end()}});
  }
  return tensors;
}

Policy PolicyFromNets(const ActorCritic& nets, const ObservationNormalizer& normalizer) {
  Policy policy;
  policy.tensors = ActorTensors(nets.driving_network(), nets.DrivingParameters());
  if (normalizer.is_on()) {
    const auto mean = ActorPart(nets, normalizer.mean());
    const auto inverse_std = ActorPart(nets, normalizer.inverse_std());
    const std::vector<int64_t> dim = {static_cast<int64_t>(mean.size())};
    policy.tensors.push_back({"normalizer.mean", dim, {mean.begin(), mean.end()}});
    policy.tensors.push_back(
        {"normalizer.inverse_std", dim, {inverse_std.begin(), inverse_std.end()}});
  }
  return policy;
}

void FillPolicyOptions(const TrainOptions& options, Policy& policy) {
  policy.actions = options.sim.actions;
  policy.sensors = options.sim.sensors;
  policy.control_hz = options.sim.timing.control_hz;
  policy.net_kind = ResolveNetKind(options.net.kind, sim::ObservationSpecOf(options.sim.sensors));
  policy.hidden_units = options.net.hidden_units;
}

std::unique_ptr<PolicyDriver> MakePolicyDriver(DistributionKind kind, const ActorCritic* nets,
                                               const ObservationNormalizer* normalizer) {
  return std::make_unique<NewestNetsDriver>(kind, nets, normalizer);
}

std::unique_ptr<PolicyDriver> MakeNetworkDriver(DistributionKind kind, const Network* network,
                                                std::function<Parameters()> parameters,
                                                int rows_at_once) {
  return std::make_unique<NetworkDriver>(kind, network, std::move(parameters), rows_at_once);
}

Result<std::unique_ptr<PolicyDriver>> MakeDriver(const Policy& policy) {
  LAPFORGE_CHECK_OK(sim::Validate(policy.sensors));
  const bool is_continuous = policy.actions.kind == sim::ActionKind::kContinuous;
  const sim::ObservationSpec row = sim::ObservationSpecOf(policy.sensors);
  NetOptions options;
  options.kind = policy.net_kind;
  options.hidden_units = policy.hidden_units;
  StoredNets nets;
  LAPFORGE_TRY(
      nets.network,
      MakeNetwork(options, row,
                  is_continuous ? 2 : static_cast<int>(policy.actions.discrete_speed_mps.size())));
  for (const ParameterTensor& tensor : nets.network->tensors()) {
    LAPFORGE_TRY(const std::span<const float> values,
                 FindTensor(policy, "actor." + tensor.name, tensor.shape));
    nets.parameters.insert(nets.parameters.end(), values.begin(), values.end());
  }
  if (HasNormalizer(policy)) {
    if (!row.is_all_float()) return ErrorOf("the policy scales images, which no net does");
    const int64_t dim = static_cast<int64_t>(row.row_bytes / sizeof(float));
    LAPFORGE_TRY(const std::span<const float> mean, FindTensor(policy, "normalizer.mean", {dim}));
    LAPFORGE_TRY(const std::span<const float> inverse_std,
                 FindTensor(policy, "normalizer.inverse_std", {dim}));
    nets.mean.assign(mean.begin(), mean.end());
    nets.inverse_std.assign(inverse_std.begin(), inverse_std.end());
  }
  return std::unique_ptr<PolicyDriver>(std::make_unique<StoredPolicyDriver>(
      is_continuous ? DistributionKind::kGaussian : DistributionKind::kCategorical,
      std::move(nets)));
}

}  // namespace lapforge::agents
