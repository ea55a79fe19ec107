#include "tools/cli/device_eyes.h"

#include "sim/base/log.h"
#include "sim/base/plugin_file.h"
#include "sim/cuda/cuda_eyes.h"
#include "sim/cuda/cuda_observer.h"

namespace lapforge::cli {

Result<SetUpEyes> EyesOf(agents::NetDevice device) {
  if (device == agents::NetDevice::kCudaTwin) {
    return SetUpEyes(
        [](sim::VectorSim& sim) { return sim::UseCudaEyes(sim::CudaPlugin::Twin(), sim); });
  }
  LAPFORGE_CHECK_OK(CheckNvidiaDriver());
  const Result<sim::CudaPlugin> plugin = sim::CudaPlugin::Load();
  const Result<int> count = plugin.ok() ? plugin->CountDevices() : Result<int>(plugin.error());
  if (!count.ok()) return ErrorOf("net.device cuda: ", count.error().message);
  return SetUpEyes([plugin](sim::VectorSim& sim) { return sim::UseCudaEyes(*plugin, sim); });
}

Result<void> UseEyesOnDevice(const agents::NetOptions& net, sim::VectorSim& sim) {
  const sim::SensorOptions& sensors = sim.options().sensors;
  if (net.device == agents::NetDevice::kCpu || !net.cuda_eyes) return {};
  if (!sensors.Has(sim::SensorKind::kCamera) && !sensors.Has(sim::SensorKind::kLidar)) return {};
  LAPFORGE_TRY(const SetUpEyes set_up, EyesOf(net.device));
  if (const Result<void> used = set_up(sim); !used.ok()) {
    LogInfo("cameras and lidars are drawn on the CPU: ", used.error().message);
  }
  return {};
}

}  // namespace lapforge::cli
