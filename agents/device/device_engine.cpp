#include "agents/device/device_engine.h"

#include <c10/util/Exception.h>

#include <exception>

#include "agents/device/device_collector.h"
#include "agents/device/device_ppo.h"
#include "agents/nets/torch_thread.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

// Runs what calls libtorch, whose operators throw.
template <class Function>
auto Guarded(const Function& function) -> decltype(function()) {
  UseOneTorchThread();
  try {
    return function();
  } catch (const c10::OutOfMemoryError&) {
    return ErrorOf(
        "the device has too little memory for this run: lower sim.num_envs, ppo.horizon, "
        "ppo.minibatch_size or the camera's size");
  } catch (const std::exception& error) {
    return ErrorOf("net.device: ", FirstLineOf(error));
  }
}

// The host's part of a rollout: observations are on the device.
EnvironmentSpec WithoutRows(EnvironmentSpec spec) {
  spec.row = {};
  return spec;
}

class DeviceEngine : public PpoEngine {
 public:
  DeviceEngine(const TrainOptions& options, const PpoParts& parts, const DevicePlace& place)
      : place_(place),
        nets_(parts.nets, parts.environment->spec(), place_.device),
        host_(options.ppo.horizon, WithoutRows(parts.environment->spec())),
        rollout_(options.ppo.horizon, parts.environment->spec(), place_.device),
        collector_(parts.environment, &nets_, parts.normalizer, &place_, options.seed),
        ppo_(options.ppo, parts.environment->spec(), &nets_, &place_, options.seed) {}

  Result<bool> Collect(const StopCheck& should_stop) override {
    return Guarded([&]() -> Result<bool> {
      place_.computing.Use();
      return collector_.Collect(host_, rollout_, should_stop);
    });
  }

  Result<std::optional<UpdateStats>> Update(double learning_rate,
                                            const StopCheck& should_stop) override {
    return Guarded([&]() -> Result<std::optional<UpdateStats>> {
      place_.computing.Use();
      return ppo_.Update(host_, rollout_, learning_rate, should_stop);
    });
  }

  void TakeNets() override {
    place_.computing.Use();
    nets_.UploadParameters();
  }

  void Save(ByteWriter& writer) const override {
    place_.computing.Use();
    collector_.Save(writer);
    ppo_.Save(writer);
  }

  bool Restore(ByteReader& reader) override {
    place_.computing.Use();
    return collector_.Restore(reader) && ppo_.Restore(reader);
  }

 private:
  DevicePlace place_;
  DeviceNets nets_;
  RolloutBuffer host_;
  DeviceRollout rollout_;
  DeviceCollector collector_;
  DevicePpo ppo_;
};

}  // namespace

Result<std::unique_ptr<PpoEngine>> MakeDeviceEngine(const TrainOptions& options,
                                                    const PpoParts& parts,
                                                    const DeviceChoice& choice) {
  return Guarded([&]() -> Result<std::unique_ptr<PpoEngine>> {
    const DevicePlace place = {choice.is_gpu ? at::kCUDA : at::kCPU, choice.table,
                               options.net.cuda_graphs, DeviceStream(choice.table),
                               DeviceStream(choice.table)};
    place.computing.Use();
    return std::unique_ptr<PpoEngine>(std::make_unique<DeviceEngine>(options, parts, place));
  });
}

}  // namespace lapforge::agents
