// From the steps of a replay to scenes at the times of a film's frames.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sim/recording.h"
#include "sim/vector_sim.h"
#include "tools/viewer/scene_painter.h"

namespace lapforge::viewer {

// How often a film shows its last scene, to give time to look at it.
int NumLastScenes(double fps);

// Follows one car. Facts move like this: the simulator after step k - 1 and the facts of step k are
// the ends of an interval; scenes of the frames within it lie between them.
class Director {
 public:
  using Sink = std::function<void(const Scene&)>;

  // `sink` is shown each scene once, in order.
  Director(const sim::Recording& recording, int env_index, double fps, Sink sink);

  // A StepObserver of sim::Replay.
  void OnStep(const sim::VectorSim& sim, const sim::StepRows& rows, int step);
  // The last scene for a while longer.
  void Finish();

 private:
  bool IsInPicture(size_t i) const;
  void ShowInterval(const sim::VectorSim& sim, const sim::StepRows& rows, int step);
  void CloseInterval(const sim::StepFacts& facts);
  void OpenInterval(const sim::VectorSim& sim, const sim::StepRows& rows);
  void ReadCamera(const sim::VectorSim& sim, std::span<const std::byte> rows);
  void Announce(const std::string& words);

  const size_t env_;
  const size_t num_tracks_;
  const size_t cars_per_world_;
  const double fps_;
  const double dt_s_;
  const bool is_rgb_;
  const Sink sink_;

  Scene scene_;
  std::vector<std::byte> camera_;  // what scene_.camera shows
  std::vector<sim::ObjectFacts> objects_;
  std::vector<SceneCar> before_;  // [num_envs]
  std::vector<char> has_ended_;   // [num_envs]
  int64_t clock_before_us_ = 0;
  double progress_before_pct_ = 0;
  bool begins_lap_ = false;  // with the next interval
  int next_frame_ = 0;
  int notice_end_frame_ = 0;
};

}  // namespace lapforge::viewer
