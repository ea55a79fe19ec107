#include "agents/device/device_engine.h"
#include "agents/device/learner_plugin.h"

namespace lapforge::agents {

Result<DeviceChoice> ChooseDevice(NetDevice device) {
  if (device != NetDevice::kCuda) return DeviceChoice{false, &TwinTable()};
  LAPFORGE_TRY(const DeviceTable* const table, LoadLearnerPlugin());
  return DeviceChoice{true, table};
}

}  // namespace lapforge::agents
