// PPO whose rollouts, nets and Adam live on a device (agents/cuda/README.md).
#pragma once

#include <memory>

#include "agents/algorithms/ppo_engine.h"
#include "agents/device/device_table.h"
#include "sim/base/result.h"

namespace lapforge::agents {

// What decides where numbers are. With the twin's table everything is on the CPU.
struct DeviceChoice {
  bool is_gpu = false;
  const DeviceTable* table = nullptr;  // stays valid as long as the process
};

// For net.device cuda or cuda_twin: loads what it needs. One line where there is no driver, plug-in
// or GPU.
Result<DeviceChoice> ChooseDevice(NetDevice device);

// Resets the environment. An error where the device has too little memory.
Result<std::unique_ptr<PpoEngine>> MakeDeviceEngine(const TrainOptions& options,
                                                    const PpoParts& parts,
                                                    const DeviceChoice& choice);

}  // namespace lapforge::agents
