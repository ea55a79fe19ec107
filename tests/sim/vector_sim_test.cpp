// Tests VectorSim: phases and instants, independence of threads and neighbours, faults, laps.
#include "sim/vector_sim.h"

#include <algorithm>
#include <limits>

#include "sim/base/rng.h"
#include "sim/sensors/track_state_sensor.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

// Actions that depend on env and step only.
void FillActions(int step, std::vector<float>& actions) {
  for (size_t i = 0; i < actions.size() / 2; ++i) {
    RngStream random(7, static_cast<uint32_t>(i), static_cast<uint32_t>(step), RngPurpose::kTest);
    actions[2 * i] = static_cast<float>(random.Uniform(-0.6, 0.6));
    actions[2 * i + 1] = static_cast<float>(random.Uniform(-1, 0.5));
  }
}

void StepRandomly(SimRig& rig, int num_steps) {
  for (int step = 0; step < num_steps; ++step) {
    FillActions(step, rig.actions);
    rig.Step();
  }
}

TEST_CASE("results do not depend on the number of threads") {
  SimOptions options;
  options.num_envs = 13;
  const std::vector<tracks::Track> tracks = {CircleTrack(), StraightTrack()};
  SimRig one(options, tracks, 1);
  SimRig two(options, tracks, 2);
  SimRig four(options, tracks, 4);
  for (int step = 0; step < 300; ++step) {
    for (SimRig* rig : {&one, &two, &four}) {
      FillActions(step, rig->actions);
      rig->Step();
    }
    REQUIRE(one.sim().StateHash() == two.sim().StateHash());
    REQUIRE(one.sim().StateHash() == four.sim().StateHash());
    REQUIRE(one.observations == two.observations);
    REQUIRE(one.observations == four.observations);
  }
}

TEST_CASE("a step in parts, in any order, is the step") {
  SimOptions options;
  options.num_envs = 12;
  options.cars_per_world = 2;
  SimRig whole(options, {CircleTrack()}, 2);
  SimRig parts(options, {CircleTrack()}, 2);
  for (int step = 0; step < 200; ++step) {
    FillActions(step, whole.actions);
    FillActions(step, parts.actions);
    whole.Step();
    const StepBatch batch = {parts.actions, parts.observations, parts.final_observations,
                             parts.facts};
    for (const EnvRange& envs : {EnvRange{8, 12}, EnvRange{0, 2}, EnvRange{2, 8}}) {
      parts.sim().Step(batch, envs);
    }
    REQUIRE(parts.sim().StateHash() == whole.sim().StateHash());
    REQUIRE(parts.observations == whole.observations);
    REQUIRE(parts.final_observations == whole.final_observations);
  }
}

TEST_CASE("an env does not notice how many others there are") {
  SimOptions options;
  options.num_envs = 8;
  SimRig few(options, {CircleTrack()});
  options.num_envs = 64;
  SimRig many(options, {CircleTrack()});
  StepRandomly(few, 200);
  StepRandomly(many, 200);
  for (int i = 0; i < 8; ++i) CHECK(few.sim().StateHash(i) == many.sim().StateHash(i));
}

TEST_CASE("different seeds start differently, equal ones equally") {
  SimOptions options;
  options.num_envs = 4;
  const auto hash = [&] { return SimRig(options, {CircleTrack()}).sim().StateHash(); };
  const uint64_t first = hash();
  CHECK(hash() == first);
  options.seed = 2;
  CHECK(hash() != first);
}

TEST_CASE("reset starts over") {
  SimOptions options;
  options.num_envs = 4;
  SimRig rig(options, {CircleTrack()});
  const uint64_t start = rig.sim().StateHash();
  const std::vector<std::byte> observations = rig.observations;
  StepRandomly(rig, 100);
  CHECK(rig.sim().StateHash() != start);
  rig.sim().Reset(rig.observations);
  CHECK(rig.sim().StateHash() == start);
  CHECK(rig.observations == observations);
}

TEST_CASE("facts and observation describe the same instant") {
  SimOptions options;
  options.num_envs = 5;
  SimRig rig(options, {CircleTrack()});
  const TrackStateSensor sensor(options.sensors.look_ahead_m);
  std::vector<float> expected(static_cast<size_t>(sensor.size()));
  for (int step = 0; step < 200; ++step) {
    FillActions(step, rig.actions);
    rig.Step();
    for (int i = 0; i < 5; ++i) {
      const StepFacts& facts = rig.facts[i];
      sensor.Write(rig.track(i), facts, expected);
      const float* row = facts.ended() ? rig.FinalRow(i) : rig.Row(i);
      CHECK(std::equal(expected.begin(), expected.end(), row));
      if (!facts.ended()) CHECK(facts.car.yaw_rad == rig.sim().now(i).car.yaw_rad);

      // the facts are consistent in themselves
      const tracks::TrackPosition position = rig.track(i).Project(facts.front_point_m);
      CHECK(facts.position.arc_length_m == Approx(position.arc_length_m));
      CHECK(facts.all_wheels_on_track == std::all_of(facts.wheel_on_road.begin(),
                                                     facts.wheel_on_road.end(),
                                                     [](bool is_on) { return is_on; }));
      CHECK(facts.terminated ==
            (facts.reason == EndReason::kOffTrack || facts.reason == EndReason::kStuck ||
             facts.reason == EndReason::kReversed));
    }
  }
}

TEST_CASE("commands are scaled, reported and remembered") {
  SimRig rig(LineOptions(), {CircleTrack()});
  rig.SetActions(0.5f, -1);
  rig.Step();
  CHECK(rig.facts[0].steering_cmd_rad == Approx(RadFromDeg(15)));
  CHECK(rig.facts[0].speed_cmd_mps == Approx(0.5));
  CHECK(rig.facts[0].action == std::array<double, 2>{0.5, -1});
  CHECK(rig.facts[0].last_action == std::array<double, 2>{0, 0});
  CHECK(rig.facts[0].steps == 2);
  CHECK(rig.facts[0].sim_time_s == 0);
  rig.SetActions(-3, 1);  // clipped
  rig.Step();
  CHECK(rig.facts[0].steering_cmd_rad == Approx(RadFromDeg(-30)));
  CHECK(rig.facts[0].last_action == std::array<double, 2>{0.5, -1});
  CHECK(rig.facts[0].action == std::array<double, 2>{-1, 1});
  CHECK(rig.facts[0].steps == 3);
  CHECK(rig.facts[0].sim_time_s == Approx(1 / 15.0));
}

TEST_CASE("discrete actions pick rows of the table") {
  SimOptions options = LineOptions();
  options.actions.kind = ActionKind::kDiscrete;
  options.actions.discrete_steering_deg = {-20, 0, 30};
  options.actions.discrete_speed_mps = {1, 2, 1};
  SimRig rig(options, {CircleTrack()});
  rig.actions[0] = 1;
  rig.Step();
  CHECK(rig.facts[0].action_index == 1);
  CHECK(rig.facts[0].steering_cmd_rad == 0);
  CHECK(rig.facts[0].speed_cmd_mps == 2);
  CHECK(rig.facts[0].action[0] == Approx(-0.2));  // 0 lies 2/5 of the way from -20 to 30
  CHECK(rig.facts[0].action[1] == Approx(1));
}

TEST_CASE("steering follows the servo's lag and latency delays whole steps") {
  CarSpec car = TestCar();
  SimRig prompt(LineOptions(), car, {CircleTrack()});
  prompt.SetActions(1, -1);
  prompt.Step();
  const double target_rad = RadFromDeg(30);
  const double share = 1 - std::exp(-(1 / 15.0) / car.steering_lag_s);
  CHECK(prompt.facts[0].car.steering_rad == Approx(target_rad * share).epsilon(1e-6));

  car.control_latency_steps = 2;
  SimRig late(LineOptions(), car, {CircleTrack()});
  late.SetActions(1, -1);
  late.Step();
  late.Step();
  CHECK(late.facts[0].car.steering_rad == 0);
  late.Step();
  CHECK(late.facts[0].car.steering_rad == Approx(target_rad * share).epsilon(1e-6));
}

TEST_CASE("an option says how many wheels outside are off track") {
  for (int off_track_wheels = 1; off_track_wheels <= 4; ++off_track_wheels) {
    SimOptions options = LineOptions();
    options.episode.off_track_wheels = off_track_wheels;
    SimRig rig(options, {CircleTrack()});
    rig.SetActions(-0.3f, 0);
    for (int step = 0; step < 300 && !rig.facts[0].ended(); ++step) {
      rig.Step();
      const auto& on_road = rig.facts[0].wheel_on_road;
      const auto num_outside = std::count(on_road.begin(), on_road.end(), false);
      REQUIRE(rig.facts[0].is_off_track == (num_outside >= off_track_wheels));
    }
    CHECK(rig.facts[0].reason == EndReason::kOffTrack);
  }
}

TEST_CASE("leaving the road ends the episode with all four wheels outside, and the env respawns") {
  SimRig rig(LineOptions(), {CircleTrack()});
  rig.SetActions(-0.3f, 0);
  bool has_touched = false;
  int num_steps = 0;
  while (!rig.facts[0].ended() && num_steps < 300) {
    rig.Step();
    ++num_steps;
    has_touched |= !rig.facts[0].all_wheels_on_track && !rig.facts[0].is_off_track;
  }
  const StepFacts end = rig.facts[0];
  CHECK(has_touched);
  CHECK(end.reason == EndReason::kOffTrack);
  CHECK(end.terminated);
  CHECK(end.is_off_track);
  CHECK(end.steps == num_steps + 1);
  CHECK(rig.FinalRow()[0] < -1);                  // out to the right
  CHECK(rig.Row()[0] == Approx(0).margin(1e-4));  // the new start
  rig.Step();
  CHECK(rig.facts[0].episode_index == 1);
  CHECK(rig.facts[0].steps == 2);
}

TEST_CASE("in deepracer mode the facts are those seen when the action was chosen") {
  SimOptions options = LineOptions();
  SimRig measured(options, {CircleTrack()});
  options.facts = FactsInstant::kDeepracer;
  SimRig deepracer(options, {CircleTrack()});

  StepFacts before;
  int step = 0;
  for (; step < 300; ++step) {
    for (SimRig* rig : {&measured, &deepracer}) {
      rig->SetActions(step % 2 ? -0.3f : -0.25f, 0);
      rig->Step();
    }
    const StepFacts& facts = deepracer.facts[0];
    // pose of the step before, command of this one
    if (step == 0) {
      CHECK(facts.progress_pct == 0);
      CHECK(facts.progress_delta_m == 0);
    } else {
      CHECK(facts.front_point_m == before.front_point_m);
      CHECK(facts.progress_pct == before.progress_pct);
      CHECK(facts.progress_delta_m == before.progress_delta_m);
    }
    CHECK(facts.steps == step + 2);
    CHECK(facts.action[0] == Approx(step % 2 ? -0.3 : -0.25));
    if (measured.facts[0].ended()) break;
    CHECK(measured.sim().now(0).car.yaw_rad == deepracer.sim().now(0).car.yaw_rad);
    before = measured.facts[0];
  }
  // the end comes one step later, with the pose off the track
  REQUIRE(measured.facts[0].reason == EndReason::kOffTrack);
  CHECK(!deepracer.facts[0].ended());
  deepracer.Step();
  CHECK(deepracer.facts[0].reason == EndReason::kOffTrack);
  CHECK(deepracer.facts[0].front_point_m == measured.facts[0].front_point_m);
}

TEST_CASE("a placed car is where it was put, in DeepRacer's numbers") {
  // golden rows of spec/deepracer.md 1.8
  const std::string path = std::string(LAPFORGE_SHARED_DATA_DIR) + "/reinvent_base.npy";
  if (!std::filesystem::exists(path)) {
    std::cout << "SKIPPED: no track files in the shared data folder\n";
    return;
  }
  SimOptions options = LineOptions();
  options.facts = FactsInstant::kDeepracer;
  const tracks::Track track = ValueOf(tracks::LoadTrackFile(path));
  SimRig rig(options, {track});
  SimRig reversed(options, {track.Reversed()});
  struct Row {
    Vec2 point_m;
    double start, previous, projection_m, distance_m, progress;
    bool is_reversed;
  };
  const Row rows[] = {{{3.110, 0.783}, 0, 0, 0.05059, 0.10018, 0.2857, false},
                      {{3.010, 0.583}, 0, 0, 17.65978, 0.09983, -0.2788, false},
                      {{7.330, 1.467}, 0, 0, 4.57047, 0.08228, 25.8085, false},
                      {{7.330, 1.467}, 0, 0, 13.13869, 0.08228, -25.8085, true},
                      {{3.772, 4.118}, 0.25, 20, 9.59385, 0.22383, 29.1745, false},
                      {{3.809, 0.484}, 0.9, 10, 0.74920, 0.19952, 14.2306, false}};
  for (const Row& row : rows) {
    SimRig& used = row.is_reversed ? reversed : rig;
    used.sim().Place(0, {row.point_m, 0.7, 1, row.start * track.length_m(), row.previous});
    used.Step();
    const StepFacts& facts = used.facts[0];
    CHECK(facts.front_point_m.x == Approx(row.point_m.x).margin(2e-6));
    CHECK(facts.front_point_m.y == Approx(row.point_m.y).margin(2e-6));
    CHECK(facts.position.arc_length_m == Approx(row.projection_m).margin(2e-5));
    CHECK(std::abs(facts.position.lateral_offset_m) == Approx(row.distance_m).margin(2e-5));
    CHECK(facts.progress_pct == Approx(row.progress).margin(2e-4));
  }
}

TEST_CASE("laps are counted and timed at the start line of the episode") {
  // on a ring at a steady speed a lap takes what its length and the speed say
  SimOptions options = LineOptions();
  options.episode.start_offset_frac = 0.3;
  options.episode.max_laps = 3;
  CarSpec car = TestCar();
  car.rolling_resistance_frac = 0;
  SimRig rig(options, car, {CircleTrack(3)});
  rig.Step();
  std::vector<int64_t> lap_times_us;
  double speed_mps = 0;
  while (!rig.facts[0].ended()) {
    rig.Pursue(-0.5f);
    rig.Step();
    // smoothed over some steps: the ring has corners
    const double now_mps = rig.facts[0].progress_delta_m * options.timing.control_hz;
    speed_mps += 0.02 * (now_mps - speed_mps);
    REQUIRE(rig.facts[0].steps < 2000);
    if (rig.facts[0].lap_time_us > 0) {
      lap_times_us.push_back(rig.facts[0].lap_time_us);
      CHECK(rig.facts[0].progress_pct == 100);
      CHECK(rig.facts[0].lap_count == static_cast<int>(lap_times_us.size()));
    }
  }
  CHECK(rig.facts[0].reason == EndReason::kLapComplete);
  CHECK(rig.facts[0].truncated);
  REQUIRE(lap_times_us.size() == 3);
  const double length_m = rig.track().length_m();
  CHECK(lap_times_us[2] == Approx(length_m / speed_mps * 1e6).epsilon(0.002));
  CHECK(lap_times_us[0] > lap_times_us[1]);  // from standing
  // interpolated times add up to the way beyond the line, not to whole steps
  const int64_t total_us = lap_times_us[0] + lap_times_us[1] + lap_times_us[2];
  const double steps_us = (rig.facts[0].steps - 1) / options.timing.control_hz * 1e6;
  CHECK(total_us <= steps_us);
  CHECK(total_us > steps_us - 1e6 / options.timing.control_hz);
}

TEST_CASE("a lap with resets goes on, on the road, and its time has the penalties") {
  SimOptions options = LineOptions();
  options.episode.max_laps = 1;
  options.episode.max_resets = 50;
  SimRig rig(options, {CircleTrack(2)});
  rig.Step();
  int num_resets = 0;
  bool was_put_back = false;
  while (!rig.facts[0].ended()) {
    rig.Pursue(-0.5f);
    if (rig.facts[0].steps % 60 > 45) rig.SetActions(-0.6f, 0);  // now and then to the outside
    rig.Step();
    const StepFacts& facts = rig.facts[0];
    REQUIRE(facts.steps < 2000);
    CHECK(facts.episode_index == 0);
    if (was_put_back) {
      CHECK(facts.all_wheels_on_track);
      CHECK(std::abs(facts.car.velocity_body_mps.x) < 0.6);
      CHECK(std::abs(facts.progress_delta_m) < 0.1);
    }
    was_put_back = facts.reset_reason == EndReason::kOffTrack;
    num_resets += was_put_back ? 1 : 0;
    CHECK(facts.reset_count == num_resets);
    if (was_put_back) CHECK(facts.is_off_track);
  }
  CHECK(num_resets >= 2);
  CHECK(rig.facts[0].reason == EndReason::kLapComplete);
  const int64_t driven_us = std::llround((rig.facts[0].steps - 1) / 15.0 * 1e6);
  const int64_t with_penalties_us = driven_us + 2000000 * num_resets;
  CHECK(rig.facts[0].lap_time_us <= with_penalties_us);
  CHECK(rig.facts[0].lap_time_us > with_penalties_us - 70000);
}

TEST_CASE("an open road is driven from its start to its end, once") {
  SimRig rig(LineOptions(), {StraightTrack(8)});
  rig.Step();
  CHECK(rig.facts[0].all_wheels_on_track);
  double last_pct = -1;
  while (!rig.facts[0].ended()) {
    rig.Pursue(0.2f);
    rig.Step();
    CHECK(rig.facts[0].progress_pct >= last_pct);
    last_pct = rig.facts[0].progress_pct;
    REQUIRE(rig.facts[0].steps < 500);
  }
  CHECK(rig.facts[0].reason == EndReason::kLapComplete);
  CHECK(rig.facts[0].progress_pct == 100);
  CHECK(rig.facts[0].lap_count == 1);
  CHECK(rig.facts[0].lap_time_us > 2000000);
}

TEST_CASE("reversed and alternating episodes drive the other way") {
  SimOptions options = LineOptions(2);
  options.episode.direction = DirectionMode::kAlternate;
  options.episode.max_steps = 5;
  SimRig rig(options, {CircleTrack()});
  for (int step = 0; step < 5; ++step) rig.Step();
  CHECK(rig.facts[0].reason == EndReason::kStepLimit);
  CHECK(rig.facts[0].truncated);
  CHECK(rig.facts[0].track_index == 0);
  rig.Step();
  CHECK(rig.facts[0].track_index == 1);
  CHECK(rig.track().is_reversed());
  CHECK(std::abs(rig.facts[0].heading_error_rad) < 0.1);
}

TEST_CASE("an episode ended from outside starts the next one as a limit would") {
  SimOptions options = LineOptions(3);
  SimRig rig(options, {CircleTrack()});
  options.episode.max_steps = 7;
  SimRig limited(options, {CircleTrack()});
  StepRandomly(rig, 7);
  StepRandomly(limited, 7);
  REQUIRE(limited.facts[1].reason == EndReason::kStepLimit);
  const std::vector<std::byte> before = rig.observations;
  const std::array<uint64_t, 2> others = {rig.sim().StateHash(0), rig.sim().StateHash(2)};
  rig.sim().EndEpisode(1, rig.observations);
  CHECK(rig.sim().StateHash(1) == limited.sim().StateHash(1));
  CHECK(rig.sim().StateHash(0) == others[0]);
  CHECK(rig.sim().StateHash(2) == others[1]);

  // only its own row has changed, to what the new start shows
  const size_t row_bytes = rig.sim().observation_spec().row_bytes;
  for (size_t i = 0; i < before.size(); ++i) {
    const bool is_own = i / row_bytes == 1;
    REQUIRE(rig.observations[i] == (is_own ? limited.observations[i] : before[i]));
  }

  // and a saved state goes on to the same bits
  SimRig copy(LineOptions(3), {CircleTrack()});
  REQUIRE(copy.sim().Restore(rig.sim().Save()).ok());
  StepRandomly(rig, 50);
  StepRandomly(copy, 50);
  CHECK(copy.sim().StateHash() == rig.sim().StateHash());
}

TEST_CASE("an action that is not a number is a fault of its env alone") {
  SimOptions options = LineOptions(3);
  SimRig rig(options, {CircleTrack()});
  SimRig calm(options, {CircleTrack()});
  for (int step = 0; step < 20; ++step) {
    rig.SetActions(0, 0);
    calm.SetActions(0, 0);
    if (step == 10) rig.actions[2] = std::numeric_limits<float>::quiet_NaN();
    rig.Step();
    calm.Step();
    for (const float* row : {rig.Row(1), rig.FinalRow(1)}) {
      for (int k = 0; k < 29; ++k) CHECK(std::isfinite(row[k]));
    }
    CHECK(rig.facts[1].ended() == (step == 10));
    CHECK(std::isfinite(rig.facts[1].front_point_m.x + rig.facts[1].action[0]));
    if (step != 10) continue;
    CHECK(rig.facts[1].reason == EndReason::kFault);
    CHECK(rig.facts[1].terminated);
  }
  CHECK(rig.sim().num_faults() == 1);
  CHECK(calm.sim().num_faults() == 0);
  CHECK(rig.sim().StateHash(0) == calm.sim().StateHash(0));
  CHECK(rig.sim().StateHash(2) == calm.sim().StateHash(2));
  CHECK(rig.facts[1].episode_index == 1);
}

TEST_CASE("walls keep the car on the road") {
  SimOptions options = LineOptions();
  options.walls = true;
  options.episode.stuck_steps = 0;
  options.episode.reversed_steps = 0;
  SimRig rig(options, {CircleTrack(3, 1.2)});
  rig.SetActions(-0.5f, 0.2f);
  for (int step = 0; step < 300; ++step) {
    rig.Step();
    REQUIRE(!rig.facts[0].ended());
    REQUIRE(std::abs(rig.facts[0].position.lateral_offset_m) < 0.7);
    REQUIRE(std::abs(rig.facts[0].car.position_world_m.z) < 0.3);
  }
}

TEST_CASE("setting up reports what is wrong") {
  ThreadPool pool(1);
  SimOptions options;
  const auto message = [&](const SimOptions& used, const CarSpec& car,
                           std::vector<tracks::Track> tracks) {
    const auto sim = VectorSim::Create(used, car, std::move(tracks), &pool);
    REQUIRE(!sim.ok());
    return sim.error().message;
  };
  CHECK(message(options, TestCar(), {}).find("track") != std::string::npos);
  CHECK(message(options, CarSpec{}, {CircleTrack()}).find("mass_kg") != std::string::npos);
  options.num_envs = 0;
  CHECK(message(options, TestCar(), {CircleTrack()}).find("num_envs") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::sim
