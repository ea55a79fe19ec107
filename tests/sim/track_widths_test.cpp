// Tests tracks of random width: which widths there are, that all of a step knows them, and what
// roads allow.
#include "sim/episode/track_widths.h"

#include <set>

#include "sim/recording.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

RandomizeOptions Widths(double frac) {
  RandomizeOptions randomize;
  randomize.track_width_frac = frac;
  return randomize;
}

// Standing cars; an episode takes two steps.
SimOptions StandingOptions(int num_envs) {
  SimOptions options = LineOptions(num_envs);
  options.actions.speed_low_mps = 0;
  options.episode.max_steps = 2;
  options.randomize = Widths(0.25);
  return options;
}

double WidthAt(const tracks::Track& track, double arc_length_m) {
  const tracks::HalfWidths half = track.HalfWidthsAt(arc_length_m);
  return half.left_m + half.right_m;
}

// There, half a circle of 0.5 m to the left, and back; the road is 0.8 m wide.
tracks::Track Hairpin() {
  tracks::TrackRows rows;
  rows.name = "hairpin";
  const auto add = [&](Vec2 center_m, double yaw_rad) {
    const Vec2 left = LeftNormal(DirectionOf(yaw_rad));
    rows.center_m.push_back(center_m);
    rows.inner_m.push_back(center_m + 0.4 * left);
    rows.outer_m.push_back(center_m - 0.4 * left);
  };
  for (int i = 0; i < 15; ++i) add({0.2 * i, 0}, 0);
  for (int i = 0; i <= 20; ++i) {
    const double yaw_rad = kPi * i / 20;
    add(Vec2{3, 0.5} - 0.5 * LeftNormal(DirectionOf(yaw_rad)), yaw_rad);
  }
  for (int i = 14; i >= 0; --i) add({0.2 * i, 1}, kPi);
  return ValueOf(tracks::Track::FromRows(rows));
}

TEST_CASE("without the option there is the track itself alone") {
  const auto copies = ValueOf(InAllWidths(CircleTrack(), TestCar(), Widths(0)));
  CHECK(copies.size() == 1);
}

TEST_CASE("the copies are as wide as asked for, and the line between stays") {
  for (const tracks::Track& track :
       {CircleTrack(3, 0.8).WithStart(2), CircleTrack(3, 0.8).WithStart(2).Reversed(),
        StraightTrack(10, 0.8)}) {
    const auto copies = ValueOf(InAllWidths(track, TestCar(), Widths(0.25)));
    REQUIRE(copies.size() == 5);
    const std::array<double, 5> widths_m = {0.8, 0.6, 0.7, 0.9, 1.0};
    for (size_t i = 0; i < 5; ++i) {
      CAPTURE(i);
      CHECK(WidthAt(copies[i], 1) == Approx(widths_m[i]).epsilon(1e-3));
      CHECK(copies[i].length_m() == Approx(track.length_m()));
      CHECK(copies[i].start_m() == Approx(track.start_m()));
      CHECK(copies[i].is_reversed() == track.is_reversed());
      CHECK(copies[i].is_counter_clockwise() == track.is_counter_clockwise());
      CHECK(copies[i].inner_is_left() == track.inner_is_left());
    }
  }
}

TEST_CASE("facts, judge and lidar of an episode see its width, another one another") {
  SimOptions options = StandingOptions(8);
  options.sensors.kinds = {"lidar"};
  options.sensors.lidar.num_beams = 3;  // right, ahead, left
  options.sensors.lidar.fov_deg = 180;
  options.sensors.lidar.noise_m = 0;
  SimRig rig(options, {StraightTrack(20, 0.8), StraightTrack(20, 1.6)});
  rig.SetActions(0, -1);
  std::set<long> seen_mm;
  for (int step = 0; step < 60; ++step) {
    for (int env = 0; env < 8; ++env) {
      const StepFacts& now = rig.sim().now(env);
      const double width_m = WidthAt(rig.sim().tracks()[static_cast<size_t>(now.track_index)], 5);
      CHECK(Length(now.borders.left_m - now.borders.right_m) == Approx(width_m));
      CHECK(rig.Row(env)[0] + rig.Row(env)[2] == Approx(width_m).epsilon(1e-3));
      CHECK(std::abs(width_m / (env % 2 == 0 ? 0.8 : 1.6) - 1) < 0.2501);
      if (env == 0) seen_mm.insert(std::lround(1000 * width_m));
    }
    rig.Step();
  }
  CHECK(seen_mm == std::set<long>{600, 700, 800, 900, 1000});
}

TEST_CASE("a recording over several widths replays to the same bits") {
  SimOptions options = StandingOptions(4);
  SimRig rig(options, {CircleTrack(), StraightTrack()});
  Recorder recorder(rig.sim());
  rig.SetActions(0.1f, 0.5f);
  for (int step = 0; step < 30; ++step) {
    rig.Step();
    recorder.Add(rig.actions);
  }
  const Recording recording = recorder.Take();
  CHECK(recording.tracks.size() == 2);
  ThreadPool pool(1);
  CHECK(ValueOf(Replay(recording, &pool)).first_different_step == -1);
}

TEST_CASE("a road that would fold or be too narrow changes its width as far as it can") {
  // copies lie behind the track from the narrowest to the widest
  const auto narrow = ValueOf(InAllWidths(StraightTrack(10, 0.3), TestCar(), Widths(0.5)));
  CHECK(WidthAt(narrow[1], 1) > TestCar().body_width_m);
  CHECK(WidthAt(narrow[1], 1) < 0.3);
  CHECK(WidthAt(narrow[4], 1) == Approx(0.45).epsilon(1e-3));
  // the ways of a hairpin 1 m apart would lie over each other beyond a width of 1 m
  const auto folded = ValueOf(InAllWidths(Hairpin(), TestCar(), Widths(0.5)));
  CHECK(WidthAt(folded[1], 1) == Approx(0.4).epsilon(1e-3));
  CHECK(WidthAt(folded[4], 1) > 0.8);
  CHECK(WidthAt(folded[4], 1) < 1.0);
}

TEST_CASE("walls and random widths exclude each other") {
  SimOptions options;
  options.walls = true;
  options.randomize = Widths(0.1);
  CHECK(Validate(options).error().message ==
        "randomize.track_width_frac 0.1 needs walls: false; walls stay where they are");
}

}  // namespace
}  // namespace lapforge::sim
