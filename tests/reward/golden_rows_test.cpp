// The golden rows of spec/deepracer.md 1.8, every column: from a car placed in the simulator to the
// params that a user's Python function sees.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/vector_sim.h"
#include "tests/reward/reward_fixture.h"
#include "tracks/track_files.h"

namespace lapforge::reward {
namespace {

struct GoldenRow {
  const char* track;
  bool is_reversed;
  Vec2 front_point_m;
  double start_frac;
  double previous_progress_pct;
  size_t num_waypoints;
  double track_length_m;
  double projection_distance_m;
  double distance_from_center_m;
  double track_width_m;
  std::array<int, 2> closest_waypoints;
  bool is_left;
  double progress_pct;
};

const GoldenRow kRows[] = {
    {"reinvent_base",
     false,
     {3.110, 0.783},
     0.0,
     0.0,
     119,
     17.70916,
     0.05059,
     0.10018,
     0.76200,
     {0, 1},
     true,
     0.2857},
    {"reinvent_base",
     false,
     {3.010, 0.583},
     0.0,
     0.0,
     119,
     17.70916,
     17.65978,
     0.09983,
     0.76199,
     {117, 118},
     false,
     -0.2788},
    {"reinvent_base",
     false,
     {7.330, 1.467},
     0.0,
     0.0,
     119,
     17.70916,
     4.57047,
     0.08228,
     0.75979,
     {30, 31},
     false,
     25.8085},
    {"reinvent_base",
     true,
     {7.330, 1.467},
     0.0,
     0.0,
     119,
     17.70916,
     13.13869,
     0.08228,
     0.75979,
     {87, 88},
     true,
     -25.8085},
    {"reinvent_base",
     false,
     {3.772, 4.118},
     0.25,
     20.0,
     119,
     17.70916,
     9.59385,
     0.22383,
     0.76200,
     {63, 64},
     false,
     29.1745},
    {"reinvent_base",
     false,
     {3.809, 0.484},
     0.9,
     10.0,
     119,
     17.70916,
     0.74920,
     0.19952,
     0.76200,
     {5, 6},
     false,
     14.2306},
    {"Spain_track",
     false,
     {-4.647, 1.969},
     0.0,
     0.0,
     258,
     59.99785,
     22.64202,
     0.10529,
     0.88916,
     {97, 98},
     true,
     37.7380},
    {"Spain_track",
     true,
     {-4.647, 1.969},
     0.0,
     0.0,
     258,
     59.99785,
     37.35583,
     0.10529,
     0.88916,
     {159, 160},
     false,
     -37.7380},
    {"2022_april_open",
     false,
     {-0.939, 5.145},
     0.0,
     60.0,
     168,
     50.30049,
     27.46391,
     0.13093,
     1.06112,
     {91, 92},
     false,
     54.5997},
};

// The table rounds to 5 decimals, progress to 4.
constexpr double kTolerance = 2e-5;
constexpr double kProgressTolerance = 5e-5 + 2e-5;

Result<tracks::Track> LoadSharedTrack(const std::string& name) {
  return tracks::LoadTrackFile(std::filesystem::path(LAPFORGE_SHARED_DATA_DIR) / (name + ".npy"));
}

// The facts of the first step of a car that was placed as the row says.
sim::StepFacts FactsOf(const GoldenRow& row, sim::VectorSim& sim) {
  const tracks::Track& view = sim.tracks()[row.is_reversed ? 1 : 0];
  std::vector<std::byte> observations(sim.observation_spec().row_bytes);
  sim.Reset(observations);
  sim.Place(0, {.front_point_m = row.front_point_m,
                .yaw_rad = view.Project(row.front_point_m).tangent_yaw_rad,
                .start_arc_length_m = row.start_frac * view.length_m(),
                .previous_progress_pct = row.previous_progress_pct});

  const std::vector<float> actions = {-0.5F, 1.0F};
  std::vector<std::byte> final_observations(observations.size());
  std::vector<sim::StepFacts> facts(1);
  sim.Step({actions, observations, final_observations, facts});
  return facts.front();
}

void CheckRow(const GoldenRow& row, const nlohmann::json& params) {
  const auto check = [&](const char* key, double expected, double tolerance) {
    INFO(key);
    CHECK(params[key].get<double>() == Approx(expected).margin(tolerance).epsilon(0));
  };
  check("x", row.front_point_m.x, kTolerance);
  check("y", row.front_point_m.y, kTolerance);
  check("track_length", row.track_length_m, kTolerance);
  check("projection_distance", row.projection_distance_m, kTolerance);
  check("distance_from_center", row.distance_from_center_m, kTolerance);
  check("track_width", row.track_width_m, kTolerance);
  check("progress", row.progress_pct, kProgressTolerance);
  CHECK(params["waypoints"].size() == row.num_waypoints);
  CHECK(params["closest_waypoints"] == nlohmann::json(row.closest_waypoints));
  CHECK(params["is_left_of_center"] == row.is_left);
  CHECK(params["is_reversed"] == row.is_reversed);
}

TEST_CASE("Golden rows through simulator, facts and Python") {
  if (!std::filesystem::exists(LAPFORGE_SHARED_DATA_DIR)) {
    std::puts("SKIPPED: the shared track files are absent");
    return;
  }
  sim::SimOptions options;
  options.num_envs = 1;
  options.facts = sim::FactsInstant::kDeepracer;
  const sim::CarSpec car = sim::LoadBuiltInCar(options.car).value();
  ThreadPool pool(1);
  for (const GoldenRow& row : kRows) {
    INFO(row.track << (row.is_reversed ? " reversed" : "") << " at " << row.projection_distance_m);
    options.episode.direction =
        row.is_reversed ? sim::DirectionMode::kReversed : sim::DirectionMode::kForward;
    const auto sim =
        sim::VectorSim::Create(options, car, {LoadSharedTrack(row.track).value()}, &pool);
    if (!sim.ok()) FAIL(sim.error().message);
    const sim::StepFacts facts = FactsOf(row, **sim);
    const nlohmann::json params =
        UserFiles().Params((*sim)->tracks()[size_t(facts.track_index)], facts);
    CheckRow(row, params);

    // the pairing of spec/deepracer.md 1.4: the pose before the action, with the action
    CHECK(params["steps"] == 2.0);
    CHECK(params["steering_angle"] == -15.0);
    CHECK(params["speed"] == 4.0);
  }
}

}  // namespace
}  // namespace lapforge::reward
