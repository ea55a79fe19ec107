// What the simulator's tests share: tracks, cars, a simulator with its buffers, a driver.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/math.h"
#include "sim/episode/measure.h"
#include "sim/physics/car_world.h"
#include "sim/pure_pursuit.h"
#include "sim/vector_sim.h"
#include "tracks/track_files.h"

namespace lapforge::sim {

template <class T>
T ValueOf(Result<T> result) {
  INFO((result.ok() ? "" : result.error().message));
  REQUIRE(result.ok());
  return std::move(result).value();
}

inline CarSpec TestCar() { return ValueOf(LoadCar("rc_1_18")); }

/// A counter-clockwise ring around the origin that starts at (radius, 0), inner border on the left.
inline tracks::Track CircleTrack(double radius_m = 3, double width_m = 0.8) {
  constexpr int kNumSegments = 120;
  tracks::TrackRows rows;
  rows.name = "circle";
  for (int i = 0; i <= kNumSegments; ++i) {
    const Vec2 direction = DirectionOf(2 * kPi * (i % kNumSegments) / kNumSegments);
    rows.center_m.push_back(radius_m * direction);
    rows.inner_m.push_back((radius_m - width_m / 2) * direction);
    rows.outer_m.push_back((radius_m + width_m / 2) * direction);
  }
  return ValueOf(tracks::Track::FromRows(rows));
}

/// An open road along x from the origin.
inline tracks::Track StraightTrack(double length_m = 10, double width_m = 0.8) {
  tracks::TrackRows rows;
  rows.name = "straight";
  for (int i = 0; i <= 20; ++i) {
    const double x = length_m * i / 20;
    rows.center_m.push_back({x, 0});
    rows.inner_m.push_back({x, width_m / 2});
    rows.outer_m.push_back({x, -width_m / 2});
  }
  return ValueOf(tracks::Track::FromRows(rows));
}

/// DeepRacer's files; empty, and the test says that it is skipped, where they are absent.
inline std::vector<std::filesystem::path> SharedTrackFiles() {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(LAPFORGE_SHARED_DATA_DIR, error)) {
    if (entry.path().extension() == ".npy") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) std::cout << "SKIPPED: no track files in the shared data folder\n";
  return files;
}

/// Few envs that start at the line, one after the other, and never end by time.
inline SimOptions LineOptions(int num_envs = 1) {
  SimOptions options;
  options.num_envs = num_envs;
  options.episode.start = StartMode::kLine;
  options.episode.max_steps = 0;
  return options;
}

/// A simulator with its buffers.
class SimRig {
 public:
  SimRig(const SimOptions& options, std::vector<tracks::Track> tracks, int num_threads = 1)
      : SimRig(options, TestCar(), std::move(tracks), num_threads) {}
  SimRig(const SimOptions& options, const CarSpec& car, std::vector<tracks::Track> tracks,
         int num_threads = 1)
      : SimRig(options, std::vector<CarSpec>{car}, std::move(tracks), num_threads) {}
  SimRig(const SimOptions& options, std::vector<CarSpec> cars, std::vector<tracks::Track> tracks,
         int num_threads = 1)
      : pool_(std::make_unique<ThreadPool>(num_threads)),
        sim_(ValueOf(VectorSim::Create(options, std::move(cars), std::move(tracks), pool_.get()))) {
    const size_t num_envs = static_cast<size_t>(options.num_envs);
    actions.resize(num_envs * static_cast<size_t>(options.action_dim()));
    facts.resize(num_envs);
    observations.resize(num_envs * sim_->observation_spec().row_bytes);
    final_observations.resize(observations.size());
    sim_->Reset(observations);
  }

  VectorSim& sim() { return *sim_; }
  const tracks::Track& track(int env_index = 0) {
    return sim_->tracks()[static_cast<size_t>(facts[env_index].track_index)];
  }
  StepBatch batch() { return {actions, observations, final_observations, facts}; }
  void Step() { sim_->Step(batch()); }
  void SetActions(float steering, float speed) {
    for (size_t i = 0; i < actions.size(); i += 2) {
      actions[i] = steering;
      actions[i + 1] = speed;
    }
  }
  const float* Row(int env_index = 0) const { return RowOf(observations, env_index); }
  const float* FinalRow(int env_index = 0) const { return RowOf(final_observations, env_index); }

  /// The built-in driver steers every env; the speed is `speed` in [-1, 1].
  void Pursue(float speed) {
    if (driver_ == nullptr) driver_ = std::make_unique<PurePursuit>(*sim_);
    driver_->Decide(actions);
    for (size_t i = 1; i < actions.size(); i += 2) actions[i] = speed;
  }

  std::vector<float> actions;
  std::vector<std::byte> observations;
  std::vector<std::byte> final_observations;
  std::vector<StepFacts> facts;

 private:
  const float* RowOf(const std::vector<std::byte>& rows, int env_index) const {
    const size_t row_bytes = sim_->observation_spec().row_bytes;
    return reinterpret_cast<const float*>(rows.data() + row_bytes * env_index);
  }

  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<VectorSim> sim_;
  std::unique_ptr<PurePursuit> driver_;
};

/// A car alone on an endless floor, without actuators between the test and the wheels.
class CarRig {
 public:
  explicit CarRig(const CarSpec& car, double substep_hz = 120)
      : model_(std::make_shared<const VehicleModel>(car, 1 / substep_hz)),
        world_(model_, nullptr),
        substep_hz_(substep_hz) {
    Start(0);
  }

  void Start(double speed_mps) { world_.set_state(StandingBody(*model_, {0, 0}, 0, speed_mps)); }
  void SetBody(const BodyState& body) { world_.set_state(body); }

  void Drive(double steering_rad, double speed_mps, double duration_s) {
    const int num_substeps = static_cast<int>(std::lround(duration_s * substep_hz_));
    for (int i = 0; i < num_substeps; ++i) {
      world_.Substep({static_cast<float>(steering_rad), static_cast<float>(speed_mps)});
    }
  }

  BodyState body() const { return world_.state(); }
  CarState car() const {
    StepFacts facts;
    MeasureCar(*model_, world_.state(), {}, facts);
    return facts.car;
  }
  const VehicleModel& model() const { return *model_; }

 private:
  std::shared_ptr<const VehicleModel> model_;
  CarWorld world_;
  double substep_hz_;
};

}  // namespace lapforge::sim
