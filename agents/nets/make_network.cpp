#include "agents/nets/make_network.h"

#include "agents/nets/conv_network.h"
#include "agents/nets/mlp_network.h"
#include "agents/nets/net_plan.h"
#include "agents/nets/torch_device.h"

namespace lapforge::agents {
namespace {

bool UsesBfloat16(const NetOptions& options) {
  const bool is_fast = options.device == NetDevice::kCuda || __builtin_cpu_supports("avx512bf16");
  return options.precision == NetPrecision::kBfloat16 ||
         (options.precision == NetPrecision::kAuto && is_fast);
}

}  // namespace

NetOptions AsPoliciesDrive(NetOptions options) {
  options.precision = NetPrecision::kFloat32;
  options.device = NetDevice::kCpu;
  return options;
}

Result<std::unique_ptr<Network>> MakeNetwork(const NetOptions& options,
                                             const sim::ObservationSpec& row, int num_outputs) {
  const NetKind kind = ResolveNetKind(options.kind, row);
  if (kind != NetKind::kMlp) {
    LAPFORGE_TRY(NetPlan plan, MakeNetPlan(kind, row, num_outputs));
    plan.is_bfloat16 = UsesBfloat16(options);
    plan.device = options.device;
    plan.reads_on_device = options.device != NetDevice::kCpu;
    if (options.device == NetDevice::kCuda) LAPFORGE_CHECK_OK(LoadCuda());
    return MakeConvNetwork(std::move(plan));
  }
  if (!row.is_all_float()) {
    return ErrorOf("net.kind mlp cannot take images, and sim.sensors.kinds has a camera; ",
                   "expected auto, nano, slim80, slim160 or one of the deepracer nets");
  }
  MlpShape shape;
  shape.num_inputs = static_cast<int>(row.row_bytes / sizeof(float));
  for (const int64_t units : options.hidden_units) shape.hidden.push_back(static_cast<int>(units));
  shape.num_outputs = num_outputs;
  return MakeMlpNetwork(shape);
}

}  // namespace lapforge::agents
