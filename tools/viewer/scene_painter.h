// One moment of a drive as a picture: facts in, pixels out; for videos and live displays alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/base/math.h"
#include "sim/car.h"
#include "sim/sim_options.h"
#include "sim/step_facts.h"
#include "tracks/canvas.h"
#include "tracks/track.h"
#include "tracks/track_picture.h"

namespace lapforge::viewer {

struct SceneCar {
  Vec2 position_m;  // of the centre of mass
  double yaw_rad = 0;
  double steering_rad = 0;
  double speed_mps = 0;  // forward
};

SceneCar CarIn(const sim::StepFacts& facts);
// `share` of the way from one moment to the next; turns the short way.
SceneCar Between(const SceneCar& before, const SceneCar& after, double share);

// Where a car was. One that is not finite breaks the line.
struct TrailPoint {
  Vec2 position_m;
  double speed_mps = 0;
};

// What a camera sees, as observation rows hold it: planes [num_channels, height, width].
struct CameraImage {
  int width_px = 0;
  int height_px = 0;
  int num_channels = 0;  // 1 gray, 3 red, green, blue; 0: there is no camera
  std::span<const std::byte> planes;
};

// A moment. The first car is the one that all numbers are of; the others are drawn paler.
struct Scene {
  std::vector<SceneCar> cars;
  std::span<const sim::ObjectFacts> objects;
  std::vector<TrailPoint> trail;
  CameraImage camera;
  int lap_number = 1;
  int64_t lap_clock_us = 0;
  int64_t last_lap_us = 0;  // 0: none yet
  int64_t best_lap_us = 0;  // 0: none yet
  double progress_pct = 0;
  std::string notice;  // a few words about what just happened
};

// What stays from scene to scene.
struct SceneSetting {
  std::string title;
  int height_px = 720;       // even, 180 .. 2160; pictures are 16 to 9
  double top_speed_mps = 4;  // red in trails, a full bar
  bool has_camera = false;   // leaves room for its image
};

// The width of pictures so high; even.
int WidthOf(int height_px);

// Paints scenes of one track and one kind of car: the whole track, beside it what the camera sees,
// a close-up, lap clock, speed, steering and progress. The same scene gives the same pixels. Cars
// are drawn to scale, on the map at least so large that they can be seen.
class ScenePainter {
 public:
  ScenePainter(const tracks::Track& track, const sim::CarSpec& car, const SceneSetting& setting);

  int width_px() const { return backdrop_.width_px(); }
  int height_px() const { return backdrop_.height_px(); }
  // Scenes have at least one car.
  tracks::PixelCanvas Paint(const Scene& scene) const;

 private:
  struct Box {
    double left_px, top_px, width_px, height_px;
  };

  void PaintBackdrop();
  void PaintWorld(const Scene& scene, const tracks::MapView& view, tracks::Canvas& canvas) const;
  void PaintCar(const SceneCar& car, tracks::Color color, const tracks::MapView& view,
                tracks::Canvas& canvas) const;
  void PaintCloseUp(const Scene& scene, tracks::PixelCanvas& canvas) const;
  void PaintCamera(const CameraImage& image, tracks::PixelCanvas& canvas) const;
  void PaintReadings(const Scene& scene, tracks::Canvas& canvas) const;

  tracks::Track track_;
  sim::CarSpec car_;
  SceneSetting setting_;
  double unit_px_;  // of sizes: one pixel in a picture 720 pixels high
  tracks::MapView map_;
  Box camera_box_{};
  Box close_up_box_{};
  Box readings_box_{};
  tracks::PixelCanvas backdrop_;
};

}  // namespace lapforge::viewer
