#include "sim/sensors/eye_output.h"

#include <algorithm>

namespace lapforge::sim {
namespace {

EyeFrames RoomFor(const EyeScenes& scenes) {
  EyeFrames frames;
  const size_t num_envs = static_cast<size_t>(scenes.num_envs);
  frames.cameras.resize(num_envs * static_cast<size_t>(scenes.images_per_env()));
  if (scenes.lidar != nullptr) frames.lidars.resize(num_envs);
  return frames;
}

}  // namespace

Result<std::unique_ptr<EyeOutput>> EyeOutput::Create(const EyeScenes& scenes,
                                                     std::unique_ptr<DeviceEyes> eyes) {
  LAPFORGE_CHECK_OK(eyes->SetUp(scenes));
  return std::unique_ptr<EyeOutput>(new EyeOutput(scenes, std::move(eyes)));
}

EyeOutput::EyeOutput(const EyeScenes& scenes, std::unique_ptr<DeviceEyes> eyes)
    : scenes_(scenes),
      eyes_(std::move(eyes)),
      now_(RoomFor(scenes)),
      ends_(RoomFor(scenes)),
      ended_(RoomFor(scenes)),
      rows_(static_cast<size_t>(scenes.num_envs)) {}

EyeFrameSpans EyeOutput::FramesOf(const EyeFrames& frames, int first, int count) const {
  const auto part = [&](const auto& all, int per_env) {
    return std::span(all).subspan(static_cast<size_t>(first * per_env),
                                  static_cast<size_t>(count * per_env));
  };
  return {part(frames.cameras, scenes_.images_per_env()),
          part(frames.lidars, scenes_.lidar == nullptr ? 0 : 1)};
}

void EyeOutput::Show(const EnvRange& envs, std::span<std::byte> observations) {
  const EyeFrameSpans frames = FramesOf(now_, envs.begin, envs.size());
  const size_t begin = static_cast<size_t>(envs.begin) * scenes_.row_bytes;
  if (device_rows_.first != nullptr) {
    Note(eyes_->DrawOnDevice(frames, {device_rows_.first + begin, device_rows_.stream}));
    return;
  }
  const size_t count = static_cast<size_t>(envs.size());
  for (size_t i = 0; i < count; ++i) rows_[i] = &observations[begin + i * scenes_.row_bytes];
  Note(eyes_->DrawOnHost(frames, std::span(rows_).first(count)));
}

void EyeOutput::ShowEnds(const EnvRange& envs, std::span<const StepFacts> facts,
                         std::span<std::byte> final_observations) {
  int count = 0;
  for (int env = envs.begin; env < envs.end; ++env) {
    if (!facts[static_cast<size_t>(env)].ended()) continue;
    const EyeFrameSpans frames = FramesOf(ends_, env, 1);
    std::ranges::copy(frames.cameras, ended_.cameras.begin() + count * std::ssize(frames.cameras));
    std::ranges::copy(frames.lidars, ended_.lidars.begin() + count * std::ssize(frames.lidars));
    rows_[static_cast<size_t>(count)] =
        &final_observations[static_cast<size_t>(env) * scenes_.row_bytes];
    ++count;
  }
  if (count == 0) return;
  Note(eyes_->DrawOnHost(FramesOf(ended_, 0, count),
                         std::span(rows_).first(static_cast<size_t>(count))));
}

void EyeOutput::Note(const Result<void>& drawn) {
  if (!drawn.ok() && !error_) error_ = drawn.error();
}

}  // namespace lapforge::sim
