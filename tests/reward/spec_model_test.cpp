// The params against a model in plain Python (spec_model.py), written from spec/deepracer.md alone,
// over random drives: both directions, across the seam, backwards, from any start.
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "sim/base/rng.h"
#include "sim/vector_sim.h"
#include "tests/reward/reward_fixture.h"
#include "tracks/track_files.h"

namespace lapforge::reward {
namespace {

constexpr int kNumEnvs = 12;

nlohmann::json ToJson(const tracks::Track& forward) {
  nlohmann::json rows;
  for (int i = 0; i < forward.num_waypoints(); ++i) {
    const tracks::Waypoint row = forward.waypoint(i);
    const Vec2 inner_m = forward.inner_is_left() ? row.left_m : row.right_m;
    const Vec2 outer_m = forward.inner_is_left() ? row.right_m : row.left_m;
    rows["center"].push_back({row.center_m.x, row.center_m.y});
    rows["inner"].push_back({inner_m.x, inner_m.y});
    rows["outer"].push_back({outer_m.x, outer_m.y});
  }
  return rows;
}

// A place near the seam for a third of the cars, half of them facing backwards, every second one
// with its start line right there.
sim::Placement PlacementOf(int env, const tracks::Track& view, RngStream& random) {
  double arc_length_m = random.Uniform(0, view.length_m());
  if (env % 3 == 0) arc_length_m = view.WrapArcLength(random.Uniform(-0.3, 0.3));
  sim::Placement placement;
  placement.front_point_m = view.PointAt(arc_length_m, random.Uniform(-0.2, 0.2));
  placement.yaw_rad = view.TangentYawAt(arc_length_m) + (env % 2 == 0 ? 0 : kPi);
  placement.speed_mps = 2;
  placement.start_arc_length_m = env % 4 < 2 ? arc_length_m : random.Uniform(0, view.length_m());
  return placement;
}

struct Seen {
  int num_negative = 0;
  int num_seams = 0;
  int num_steps = 0;
};

// Drives all cars until one ends; a difference is the reward's error.
void DriveOnce(sim::VectorSim& sim, RewardFunction& reward, RngStream& random, Seen& seen) {
  const bool is_reversed = sim.options().episode.direction == sim::DirectionMode::kReversed;
  const tracks::Track& view = sim.tracks()[is_reversed ? 1 : 0];
  for (int env = 0; env < kNumEnvs; ++env) sim.Place(env, PlacementOf(env, view, random));
  std::vector<std::byte> observations(size_t(kNumEnvs) * sim.observation_spec().row_bytes);
  std::vector<std::byte> final_observations(observations.size());
  std::vector<float> actions(size_t(kNumEnvs) * 2), rewards(kNumEnvs);
  std::vector<sim::StepFacts> facts(kNumEnvs);
  std::vector<double> last_m(kNumEnvs, -1);
  for (bool is_over = false; !is_over;) {
    for (size_t i = 0; i < actions.size(); ++i) {
      actions[i] = float(i % 2 == 0 ? random.Uniform(-0.3, 0.3) : random.Uniform(0, 1));
    }
    sim.Step({actions, observations, final_observations, facts});
    const Result<void> agrees = reward.Evaluate(facts, rewards);
    if (!agrees.ok()) FAIL(agrees.error().message);
    for (size_t env = 0; env < facts.size(); ++env) {
      const double arc_length_m = facts[env].position.arc_length_m;
      seen.num_negative += facts[env].progress_pct < 0;
      seen.num_seams += last_m[env] >= 0 && std::abs(arc_length_m - last_m[env]) > 5;
      last_m[env] = arc_length_m;
      is_over |= facts[env].ended();
      ++seen.num_steps;
    }
  }
}

void CompareOn(const tracks::Track& track, sim::DirectionMode direction) {
  const UserFiles files;
  files.Write("borders.json", ToJson(track).dump());
  const std::string model =
      files
          .Write("spec_model.py",
                 ReadFile(LAPFORGE_SOURCE_DIR "/tests/reward/spec_model.py").value())
          .string();
  sim::SimOptions options;
  options.num_envs = kNumEnvs;
  options.facts = sim::FactsInstant::kDeepracer;
  options.episode.direction = direction;
  options.episode.reversed_steps = 0;
  ThreadPool pool(1);
  const auto sim =
      sim::VectorSim::Create(options, sim::LoadBuiltInCar(options.car).value(), {track}, &pool);
  if (!sim.ok()) FAIL(sim.error().message);
  const auto reward = LoadPythonReward(model, (*sim)->tracks());
  if (!reward.ok()) FAIL(reward.error().message);
  std::vector<std::byte> observations(size_t(kNumEnvs) * (*sim)->observation_spec().row_bytes);
  (*sim)->Reset(observations);

  RngStream random(11, 0, 0, RngPurpose::kTest);
  Seen seen;
  for (int i = 0; i < 12; ++i) DriveOnce(**sim, **reward, random, seen);
  CHECK(seen.num_negative > 20);
  CHECK(seen.num_seams > 5);
  CHECK(seen.num_steps > 500);
}

TEST_CASE("The params agree with the model on the square") {
  CompareOn(SquareTrack(), sim::DirectionMode::kForward);
  CompareOn(SquareTrack(), sim::DirectionMode::kReversed);
}

TEST_CASE("The params agree with the model on DeepRacer's tracks") {
  if (!std::filesystem::exists(LAPFORGE_SHARED_DATA_DIR)) {
    std::puts("SKIPPED: the shared track files are absent");
    return;
  }
  for (const char* name : {"reinvent_base", "Spain_track"}) {
    INFO(name);
    const std::filesystem::path folder = LAPFORGE_SHARED_DATA_DIR;
    const tracks::Track track =
        tracks::LoadTrackFile(folder / (std::string(name) + ".npy")).value();
    CompareOn(track, sim::DirectionMode::kForward);
    CompareOn(track, sim::DirectionMode::kReversed);
  }
}

}  // namespace
}  // namespace lapforge::reward
