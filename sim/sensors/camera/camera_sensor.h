// The camera: the painted ground, boxes and sky, as the car's body carries its lens.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/episode/variation.h"
#include "sim/sensors.h"
#include "sim/sensors/camera/camera_effects.h"
#include "sim/sensors/camera/camera_frame.h"
#include "sim/sensors/camera/camera_ground.h"
#include "sim/sensors/camera/camera_kernels.h"
#include "sim/sensors/camera/camera_lens.h"
#include "sim/sim_options.h"
#include "sim/step_facts.h"

namespace lapforge::sim {

// Where a lens is and how it looks: `rotation` turns its frame (x forward, y left, z up) into the
// world's.
struct CameraPose {
  Vec3 position_m;
  Rotation3 rotation;
};

class CameraSensor {
 public:
  // `grounds` of one colour format, all with the same texels, borrowed; at least one.
  CameraSensor(const SimOptions& options, const CarSpec& car,
               std::span<const CameraGround> grounds);

  // What one image shows (stereo: 0 left, 1 right), for Paint and for GPUs. Draws a word for each
  // plane where there is noise.
  CameraFrame FrameOf(const StepFacts& facts, const EpisodeVariation& variation,
                      const CameraGround& ground, RngStream& random, int image_index) const;

  // Writes the image(s) of one observation, [channels, height, width].
  void Write(const StepFacts& facts, const EpisodeVariation& variation, const CameraGround& ground,
             RngStream& random, std::span<uint8_t> image) const;

  int num_images() const { return options_.stereo ? 2 : 1; }

  // For a GPU: what all frames share, in this processor's memory. Fills `levels`, to which the
  // scene points, as it does to this sensor and `grounds`; CameraFrame::ground_index is theirs.
  CameraScene SceneOf(std::span<const CameraGround> grounds,
                      std::vector<CameraLevel>& levels) const;

  size_t num_noise_bytes() const { return effector_.noise().size(); }

  // `side_m`: of the lens to the left of the mount (stereo).
  CameraPose PoseOf(const CarState& car, const EpisodeVariation& variation, double side_m) const;

  const CameraLens& lens() const { return lens_; }
  // For tests: which of RunnableCameraKernels() paints; the last one otherwise.
  void UseKernels(const CameraKernels& kernels) { kernels_ = kernels; }

 private:
  CameraScene SceneOf(int num_planes) const;  // without levels
  void Paint(const CameraFrame& frame, const CameraGround& ground, uint8_t* image) const;
  void AddBoxes(const StepFacts& facts, const CameraPose& pose, float fov_factor,
                CameraFrame& frame) const;
  ImageEffects EffectsOf(const EpisodeVariation& variation, int num_planes, int plane) const;
  // Pixels that may see something, ends included.
  struct PixelRect {
    int first_column, last_column;
    int first_row, last_row;
  };

  static Vec3 MiddleOf(const ObjectFacts& box) {
    return {box.position_m.x, box.position_m.y, box.height_m / 2};
  }
  std::optional<PixelRect> CoverOf(const ObjectFacts& box, const CameraPose& pose,
                                   float fov_factor) const;
  CameraBoxJob BoxJobOf(const ObjectFacts& box, const PixelRect& cover, const CameraPose& pose,
                        float fov_factor) const;

  CameraOptions options_;
  ObjectOptions objects_;
  Vec3 mount_m_;  // from the centre of mass at rest
  CameraLens lens_;
  std::vector<Vec3> outline_;  // of a box, each axis from -1 to 1
  std::vector<uint8_t> block_levels_;
  ImageEffector effector_;
  CameraKernels kernels_;
};

}  // namespace lapforge::sim
