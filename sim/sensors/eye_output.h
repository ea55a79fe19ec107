// Where a simulator's frames go when a device draws them: from the observe phase of all envs to
// rows on the host or on the device.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/sensors/device_eyes.h"
#include "sim/step_facts.h"
#include "sim/vector_sim.h"

namespace lapforge::sim {

class EyeOutput {
 public:
  static Result<std::unique_ptr<EyeOutput>> Create(const EyeScenes& scenes,
                                                   std::unique_ptr<DeviceEyes> eyes);

  // Written by the observe phase, one place an env: what is seen now, and what an episode saw last.
  EyeFrames* now() { return &now_; }
  EyeFrames* ends() { return &ends_; }

  // VectorSim::DrawInto.
  void DrawInto(const DeviceRows& rows) { device_rows_ = rows; }

  // Draws the newest frames of some envs.
  void Show(const EnvRange& envs, std::span<std::byte> observations);
  // And those of episodes that ended, always into the host's rows.
  void ShowEnds(const EnvRange& envs, std::span<const StepFacts> facts,
                std::span<std::byte> final_observations);

  // The first thing that went wrong on the device; what was drawn since is of no use.
  const std::optional<Error>& error() const { return error_; }

 private:
  EyeOutput(const EyeScenes& scenes, std::unique_ptr<DeviceEyes> eyes);
  EyeFrameSpans FramesOf(const EyeFrames& frames, int first, int count) const;
  void Note(const Result<void>& drawn);

  EyeScenes scenes_;
  std::unique_ptr<DeviceEyes> eyes_;
  EyeFrames now_;
  EyeFrames ends_;
  EyeFrames ended_;  // those of ends_ that a step needs, side by side
  std::vector<std::byte*> rows_;
  DeviceRows device_rows_;
  std::optional<Error> error_;
};

}  // namespace lapforge::sim
