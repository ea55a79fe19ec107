#include <algorithm>

#include "agents/learner.h"
#include "agents/nets/mlp.h"
#include "agents/nets/net_plan.h"
#include "agents/nets/row_layout.h"
#include "agents/train_options.h"

namespace lapforge::agents {
namespace {

// Measured as the growth of the whole program: cars, their worlds and saved states; parameters with
// gradients, Adam's moments and saved states.
constexpr double kBytesPerCar = 56e3;
constexpr double kBytesOfObjects = 16e3;
constexpr double kBytesPerParameter = 80;

struct NetSize {
  double num_parameters = 0;
  double num_activations = 0;  // of one row
};

NetSize operator+(const NetSize& a, const NetSize& b) {
  return {a.num_parameters + b.num_parameters, a.num_activations + b.num_activations};
}

NetSize SizeOfMlp(const NetOptions& options, const sim::ObservationSpec& row) {
  NetSize size;
  double num_inputs = static_cast<double>(row.row_bytes / sizeof(float));
  for (const int64_t units : options.hidden_units) {
    const double num_outputs = static_cast<double>(units);
    size = size + NetSize{(num_inputs + 1) * num_outputs, num_outputs};
    num_inputs = num_outputs;
  }
  return size;
}

double ActivationsOf(const EmbedderPlan& embedder) {
  double sum = 0;
  int height = embedder.is_image ? embedder.shape[1] : 1;
  int width = embedder.is_image ? embedder.shape[2] : 1;
  for (const LayerPlan& layer : embedder.layers) {
    if (layer.is_dense()) {
      height = width = 1;
    } else {
      height = (height - layer.kernel) / layer.stride + 1;
      width = (width - layer.kernel) / layer.stride + 1;
    }
    sum += double(layer.num_outputs) * height * width;
  }
  return sum;
}

// Nothing for rows that the net cannot take: that is said where the net is made.
NetSize SizeOfPolicy(const TrainOptions& options, const sim::ObservationSpec& row) {
  const NetKind kind = ResolveNetKind(options.net.kind, row);
  if (kind == NetKind::kMlp) return SizeOfMlp(options.net, row);
  const Result<NetPlan> plan = MakeNetPlan(kind, row, 1);
  if (!plan.ok()) return {};
  NetSize size = {static_cast<double>(plan->num_parameters), 0};
  for (const EmbedderPlan& embedder : plan->embedders) {
    size.num_activations += ActivationsOf(embedder);
  }
  return size;
}

}  // namespace

double BytesPerCar(const sim::SimOptions& options) {
  const double row_bytes = static_cast<double>(sim::ObservationSpecOf(options.sensors).row_bytes);
  return kBytesPerCar + (options.objects.count > 0 ? kBytesOfObjects : 0) + 2 * row_bytes;
}

std::vector<MemoryPart> EstimateMemory(const TrainOptions& options, size_t num_tracks) {
  const bool is_distilled = IsDistilled(options);
  const bool has_image = options.sim.sensors.Has(sim::SensorKind::kCamera);
  const double num_cars = options.sim.num_envs;
  const sim::ObservationSpec seen = sim::ObservationSpecOf(options.sim.sensors);
  const sim::SensorOptions privileged = PrivilegedSensors(options.sim);
  sim::SimOptions sim = options.sim;
  sim.sensors = is_distilled ? privileged : options.sim.sensors;

  // the policy, and a critic or teacher that sees numbers
  const NetSize nets =
      SizeOfPolicy(options, seen) + SizeOfMlp(options.net, sim::ObservationSpecOf(privileged));
  const double num_rows =
      num_cars + (is_distilled ? options.distill.minibatch_size : options.ppo.minibatch_size);
  const double net_bytes =
      kBytesPerParameter * nets.num_parameters + 8 * nets.num_activations * num_rows;

  // what a rollout holds of each sample beside its row: actions, log-probabilities, values
  constexpr double kBytesOfSample = 40;
  const double row_bytes =
      static_cast<double>(sim::ObservationSpecOf(sim.sensors).row_bytes) + kBytesOfSample;
  const bool is_on_device = options.net.device == NetDevice::kCuda && !is_distilled;
  const double rollout_bytes = is_on_device ? 0 : (options.ppo.horizon + 1) * num_cars * row_bytes;

  std::vector<MemoryPart> parts = {
      {has_image ? "net.kind or the camera's image" : "net.hidden_units", net_bytes},
      {"ppo.horizon or sim.num_envs", rollout_bytes},
      {"sim.num_envs", num_cars * BytesPerCar(sim)},
      {"run.evaluation_laps",
       double(options.run.evaluation_laps) * double(num_tracks) * BytesPerCar(options.sim)}};
  if (is_distilled) {
    parts[2].bytes += num_cars * BytesPerCar(options.sim);
    const double num_frames =
        static_cast<double>(options.distill.ring_frames) + options.distill.horizon * num_cars;
    parts.push_back({"distill.ring_frames", num_frames * static_cast<double>(seen.row_bytes)});
  }
  return parts;
}

}  // namespace lapforge::agents
