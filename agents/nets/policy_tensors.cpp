#include "agents/nets/policy_tensors.h"

#include <algorithm>
#include <cmath>

#include "agents/nets/make_network.h"
#include "agents/nets/net_plan.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

// Of a forward pass: few for images, where a pass of three laps shall not cost that of 64.
constexpr int kRowsAtOnce = 64;
constexpr int kImageRowsAtOnce = 4;

// What a driver reads: the actor net's parameters and, empty where there is none, the scaling.
struct DriverInputs {
  std::span<const float> parameters;
  std::span<const float> mean;
  std::span<const float> inverse_std;
};

// Forward passes of a fixed number of rows, so that a row's action does not depend on how many
// drive.
class ActorDriver {
 public:
  ActorDriver(DistributionKind kind, const Network& net, int rows_at_once)
      : kind_(kind),
        row_bytes_(net.row_bytes()),
        num_outputs_(size_t(net.num_outputs())),
        rows_at_once_(size_t(rows_at_once)),
        work_(net.MakeWorkspace(rows_at_once)) {}

  void Act(const DriverInputs& from, std::span<const std::byte> observations,
           std::span<float> actions) {
    const size_t num_rows = observations.size() / row_bytes_;
    const size_t action_dim = actions.size() / num_rows;
    outputs_.resize(num_rows * num_outputs_);
    Outputs(from, observations, outputs_);
    for (size_t row = 0; row < num_rows; ++row) {
      BestAction(kind_, std::span<const float>(outputs_).subspan(row * num_outputs_, num_outputs_),
                 actions.subspan(row * action_dim, action_dim));
    }
  }

  void Outputs(const DriverInputs& from, std::span<const std::byte> observations,
               std::span<float> outputs) {
    const size_t num_rows = observations.size() / row_bytes_;
    const std::span<std::byte> inputs = work_->inputs();
    for (size_t begin = 0; begin < num_rows; begin += rows_at_once_) {
      const size_t count = std::min(rows_at_once_, num_rows - begin);
      const auto seen = observations.subspan(begin * row_bytes_, count * row_bytes_);
      std::fill(std::copy(seen.begin(), seen.end(), inputs.begin()), inputs.end(), std::byte{0});
      if (!from.mean.empty()) {
        ScaleRows(from.mean, from.inverse_std, FloatsOf(inputs.first(seen.size())));
      }
      const auto found = work_->Forward(from.parameters, static_cast<int>(rows_at_once_));
      std::copy_n(found.begin(), count * num_outputs_,
                  outputs.begin() + std::ptrdiff_t(begin * num_outputs_));
    }
  }

 private:
  DistributionKind kind_;
  size_t row_bytes_;
  size_t num_outputs_;
  size_t rows_at_once_;
  std::unique_ptr<NetworkWorkspace> work_;
  std::vector<float> outputs_;
};

// The part of the normaliser that the actor sees: its row comes first.
std::span<const float> ActorPart(const ActorCritic& nets, const std::vector<float>& numbers) {
  return std::span(numbers).first(nets.actor_view().row_bytes() / sizeof(float));
}

class NewestNetsDriver : public PolicyDriver {
 public:
  NewestNetsDriver(DistributionKind kind, const ActorCritic* nets,
                   const ObservationNormalizer* normalizer)
      : nets_(nets),
        normalizer_(normalizer),
        driver_(kind, nets->driving_network(), RowsAtOnce(nets->actor_row())) {}

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
      from.mean = ActorPart(*nets_, normalizer_->mean());
      from.inverse_std = ActorPart(*nets_, normalizer_->inverse_std());
    }
    return from;
  }

  const ActorCritic* nets_;
  const ObservationNormalizer* normalizer_;
  ActorDriver driver_;
};

class NetworkDriver : public PolicyDriver {
 public:
  NetworkDriver(DistributionKind kind, const Network& net, const std::vector<float>* parameters,
                int rows_at_once)
      : parameters_(parameters), driver_(kind, net, rows_at_once) {}

  void Act(std::span<const std::byte> observations, std::span<float> actions) override {
    driver_.Act({*parameters_, {}, {}}, observations, actions);
  }
  void Outputs(std::span<const std::byte> observations, std::span<float> outputs) override {
    driver_.Outputs({*parameters_, {}, {}}, observations, outputs);
  }

 private:
  const std::vector<float>* parameters_;
  ActorDriver driver_;
};

class StoredPolicyDriver : public PolicyDriver {
 public:
  StoredPolicyDriver(DistributionKind kind, std::unique_ptr<Network> net, int rows_at_once)
      : net_(std::move(net)), driver_(kind, *net_, rows_at_once) {}

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
  std::unique_ptr<Network> net_;
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
  Policy policy = PolicyFromNetwork(nets.actor_network(), nets.actor_net());
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

Policy PolicyFromNetwork(const Network& net, std::span<const float> parameters) {
  Policy policy;
  for (const ParameterTensor& tensor : net.tensors()) {
    const auto values = parameters.subspan(tensor.offset, tensor.size());
    policy.tensors.push_back(
        {"actor." + tensor.name, tensor.shape, {values.begin(), values.end()}});
  }
  return policy;
}

void FillPolicyOptions(const TrainOptions& options, Policy& policy) {
  policy.actions = options.sim.actions;
  policy.sensors = options.sim.sensors;
  policy.control_hz = options.sim.timing.control_hz;
  policy.hidden_units = options.net.hidden_units;
  policy.net_kind = ResolveNetKind(options.net.kind, sim::ObservationSpecOf(options.sim.sensors));
}

std::unique_ptr<PolicyDriver> MakePolicyDriver(DistributionKind kind, const ActorCritic* nets,
                                               const ObservationNormalizer* normalizer) {
  return std::make_unique<NewestNetsDriver>(kind, nets, normalizer);
}

std::unique_ptr<PolicyDriver> MakeNetworkDriver(DistributionKind kind, const Network& net,
                                                const std::vector<float>* parameters,
                                                int rows_at_once) {
  return std::make_unique<NetworkDriver>(kind, net, parameters, rows_at_once);
}

Result<std::unique_ptr<PolicyDriver>> MakeDriver(const Policy& policy) {
  LAPFORGE_CHECK_OK(sim::Validate(policy.sensors));
  const sim::ObservationSpec row = sim::ObservationSpecOf(policy.sensors);
  const bool is_continuous = policy.actions.kind == sim::ActionKind::kContinuous;
  NetOptions options;
  options.kind = policy.net_kind;
  options.hidden_units = policy.hidden_units;
  LAPFORGE_TRY(
      std::unique_ptr<Network> net,
      MakeNetwork(options, row,
                  is_continuous ? 2 : static_cast<int>(policy.actions.discrete_speed_mps.size())));
  const std::vector<ParameterTensor> tensors = net->tensors();
  auto driver = std::make_unique<StoredPolicyDriver>(
      is_continuous ? DistributionKind::kGaussian : DistributionKind::kCategorical, std::move(net),
      RowsAtOnce(row));
  for (const ParameterTensor& tensor : tensors) {
    LAPFORGE_TRY(const std::span<const float> values,
                 FindTensor(policy, "actor." + tensor.name, tensor.shape));
    driver->parameters.insert(driver->parameters.end(), values.begin(), values.end());
  }
  if (HasNormalizer(policy)) {
    if (!row.is_all_float()) return ErrorOf("the policy scales images, which no net does");
    const std::vector<int64_t> dim = {static_cast<int64_t>(row.row_bytes / sizeof(float))};
    LAPFORGE_TRY(const std::span<const float> mean, FindTensor(policy, "normalizer.mean", dim));
    LAPFORGE_TRY(const std::span<const float> inverse_std,
                 FindTensor(policy, "normalizer.inverse_std", dim));
    driver->mean.assign(mean.begin(), mean.end());
    driver->inverse_std.assign(inverse_std.begin(), inverse_std.end());
  }
  return std::unique_ptr<PolicyDriver>(std::move(driver));
}

int RowsAtOnce(const sim::ObservationSpec& row) {
  return row.is_all_float() ? kRowsAtOnce : kImageRowsAtOnce;
}

}  // namespace lapforge::agents
