// Tests the rules of an episode: progress, judge, lap times, starts.
#include "sim/episode/episode.h"

#include "sim/episode/progress.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

TEST_CASE("progress follows DeepRacer's golden rows") {
  // spec/deepracer.md 1.8: projection, length, start, previous progress, progress
  struct Row {
    double projection_m, length_m, start, previous, progress;
  };
  const Row rows[] = {
      {0.05059, 17.70916, 0, 0, 0.2857},      {17.65978, 17.70916, 0, 0, -0.2788},
      {4.57047, 17.70916, 0, 0, 25.8085},     {13.13869, 17.70916, 0, 0, -25.8085},
      {9.59385, 17.70916, 0.25, 20, 29.1745}, {0.74920, 17.70916, 0.9, 10, 14.2306},
      {22.64202, 59.99785, 0, 0, 37.7380},    {37.35583, 59.99785, 0, 0, -37.7380},
      {27.46391, 50.30049, 0, 60, 54.5997},
  };
  for (const Row& row : rows) {
    CAPTURE(row.projection_m, row.length_m);
    CHECK(DeepRacerProgress(row.projection_m / row.length_m, row.start, row.previous) ==
          Approx(row.progress).margin(1e-4));
  }
}

TEST_CASE("progress is 0 at the start and exactly 100 at the end of a lap") {
  CHECK(DeepRacerProgress(0.3, 0.3, 0) == 0);
  CHECK(DeepRacerProgress(0.301, 0.3, 99.5) == 100);
  CHECK(DeepRacerProgress(0.301, 0.3, 0) == Approx(0.1));
  CHECK(DeepRacerProgress(0.299, 0.3, 0) == Approx(-0.1));
}

TEST_CASE("progress on an open track runs from the start to the end") {
  const tracks::Track track = StraightTrack(10);
  CHECK(ProgressAt(track, 2, 2, 0) == 0);
  CHECK(ProgressAt(track, 6, 2, 0) == Approx(50));
  CHECK(ProgressAt(track, 1, 2, 0) == Approx(-12.5));
  CHECK(ProgressAt(track, 10, 2, 99) == 100);
}

// Feeds one judge fact by fact.
class Judging {
 public:
  StepFacts Show(Vec2 point_m, double progress_pct, bool is_off_track = false) {
    StepFacts facts;
    facts.front_point_m = point_m;
    facts.progress_pct = progress_pct;
    facts.is_off_track = is_off_track;
    ++num_steps_;
    Judge(options, {num_steps_, 0.1 * num_steps_}, state_, facts);
    return facts;
  }

  EpisodeOptions options;

 private:
  JudgeState state_;
  int num_steps_ = 0;
};

TEST_CASE("leaving the track terminates") {
  Judging judge;
  CHECK(!judge.Show({0, 0}, 1).ended());
  const StepFacts facts = judge.Show({1, 0}, 2, true);
  CHECK(facts.terminated);
  CHECK(!facts.truncated);
  CHECK(facts.reason == EndReason::kOffTrack);
}

TEST_CASE("the last lap truncates, earlier ones go on, and the finish goes before off track") {
  Judging judge;
  judge.options.max_laps = 2;
  CHECK(judge.Show({0, 0}, 100).lap_count == 1);
  CHECK(!judge.Show({1, 0}, 5).ended());
  const StepFacts facts = judge.Show({2, 0}, 100, true);
  CHECK(facts.reason == EndReason::kLapComplete);
  CHECK(facts.truncated);
  CHECK(!facts.terminated);
  CHECK(facts.lap_count == 2);

  Judging endless;
  for (int lap = 1; lap < 5; ++lap) {
    CHECK(!endless.Show({0, double(lap)}, 50).ended());
    CHECK(endless.Show({1, double(lap)}, 100).lap_count == lap);
  }
  CHECK(endless.Show({9, 9}, 100, true).reason == EndReason::kOffTrack);
}

TEST_CASE("the step limit truncates") {
  Judging judge;
  judge.options.max_steps = 3;
  CHECK(!judge.Show({1, 0}, 1).ended());
  CHECK(!judge.Show({2, 0}, 2).ended());
  const StepFacts facts = judge.Show({3, 0}, 3);
  CHECK(facts.truncated);
  CHECK(facts.reason == EndReason::kStepLimit);
}

TEST_CASE("standing still for 15 steps terminates, a move in between starts anew") {
  Judging judge;
  CHECK(!judge.Show({0, 0}, 1).ended());
  for (int i = 0; i < 14; ++i) CHECK(!judge.Show({0.0002, 0}, 1).ended());
  CHECK(!judge.Show({1, 0}, 2).ended());
  for (int i = 0; i < 14; ++i) CHECK(!judge.Show({1.0002, 0}, 2).ended());
  CHECK(judge.Show({1.0002, 0}, 2).reason == EndReason::kStuck);
}

TEST_CASE("a car that rocks between two points stands still") {
  Judging judge;
  judge.Show({0, 0}, 1);
  judge.Show({0.01, 0}, 1);
  for (int i = 0; i < 7; ++i) {
    CHECK(!judge.Show({0, 0}, 1).ended());
    CHECK(!judge.Show({0.01, 0}, 1).ended());
  }
  CHECK(judge.Show({0, 0}, 1).reason == EndReason::kStuck);
}

TEST_CASE("15 steps of falling progress terminate, and a finished lap is no fall") {
  Judging judge;
  judge.Show({0, 0}, 100);
  CHECK(!judge.Show({0.1, 0}, 1).ended());
  for (int i = 1; i <= 14; ++i) CHECK(!judge.Show({0.1 + i, 0}, 1 - 0.01 * i).ended());
  CHECK(judge.Show({50, 0}, 0.5).reason == EndReason::kReversed);

  Judging lenient;
  lenient.options.reversed_steps = 0;
  lenient.options.stuck_steps = 0;
  for (int i = 0; i < 40; ++i) CHECK(!lenient.Show({0, 0}, -i).ended());
}

TEST_CASE("with resets left a violation puts the car back, then it ends the episode") {
  Judging judge;
  judge.options.max_resets = 2;
  for (int reset = 1; reset <= 2; ++reset) {
    CHECK(judge.Show({0, 0}, 1).reset_reason == EndReason::kNone);
    const StepFacts facts = judge.Show({1, 0}, 2, true);
    CHECK(!facts.ended());
    CHECK(facts.reason == EndReason::kNone);
    CHECK(facts.reset_reason == EndReason::kOffTrack);
    CHECK(facts.reset_count == reset);
  }
  const StepFacts facts = judge.Show({3, 0}, 2, true);
  CHECK(facts.reason == EndReason::kOffTrack);
  CHECK(facts.reset_reason == EndReason::kNone);

  // standing still is counted anew after a reset
  Judging parked;
  parked.options.max_resets = 1;
  for (int i = 0; i < 15; ++i) CHECK(parked.Show({0, 0}, 1).reset_count == 0);
  CHECK(parked.Show({0, 0}, 1).reset_reason == EndReason::kStuck);
  for (int i = 0; i < 14; ++i) CHECK(!parked.Show({0, 0}, 1).ended());
  CHECK(parked.Show({0, 0}, 1).reason == EndReason::kStuck);
}

TEST_CASE("a finished lap goes before a reset, and time that is up goes before one, too") {
  Judging judge;
  judge.options.max_laps = 1;
  judge.options.max_resets = 5;
  CHECK(judge.Show({0, 0}, 100, true).reason == EndReason::kLapComplete);

  // ten steps a second; a reset costs two seconds of the three
  Judging timed;
  timed.options.max_resets = 5;
  timed.options.max_time_s = 3;
  CHECK(timed.Show({0, 0}, 1, true).reset_reason == EndReason::kOffTrack);
  for (int i = 1; i < 9; ++i) CHECK(!timed.Show({double(i), 0}, 1 + i).ended());
  const StepFacts facts = timed.Show({9, 0}, 20);
  CHECK(facts.reason == EndReason::kTimeUp);
  CHECK(facts.truncated);
}

TEST_CASE("penalties are those of the violation") {
  EpisodeOptions options;
  options.stuck_penalty_s = 0.25;
  CHECK(PenaltyUs(options, EndReason::kOffTrack) == 2000000);
  CHECK(PenaltyUs(options, EndReason::kReversed) == 2000000);
  CHECK(PenaltyUs(options, EndReason::kCrashed) == 5000000);
  CHECK(PenaltyUs(options, EndReason::kStuck) == 250000);
}

TEST_CASE("a car is put back in the middle of the nearer lane, one step behind") {
  const tracks::Track track = CircleTrack(3, 0.8);
  StepFacts facts;
  facts.progress_delta_m = 0.2;
  for (const double offset_m : {0.5, -0.5}) {
    facts.position = track.Project(track.PointAt(0.1, offset_m));
    const RoadSpot spot = ChooseResetSpot(track, facts);
    CHECK(spot.arc_length_m == Approx(track.length_m() - 0.1).epsilon(1e-3));
    CHECK(spot.lateral_offset_m == Approx(offset_m > 0 ? 0.2 : -0.2).epsilon(0.01));
  }
}

TEST_CASE("a crossing is timed inside its substep") {
  // 1 m per substep along the straight ring part is too coarse for a ring: use an open road's end
  const tracks::Track open = StraightTrack(10);
  const std::vector<Vec2> points = {{9.0, 0}, {9.4, 0}, {9.8, 0}, {10.2, 0}, {10.6, 0}};
  // between the 2nd and the 3rd substep, half way: 2.5 substeps of 10 ms after 1 s
  CHECK(CrossingTimeUs(open, 0, {points, 1.0, 0.01}) == 1025000);

  // on a ring: a quarter of the substep before the line
  const tracks::Track ring = CircleTrack(3);
  const double step_m = 0.02;
  std::vector<Vec2> round;
  for (int i = 0; i < 4; ++i) round.push_back(ring.CenterAt(5 + step_m * (i - 1.25)));
  CHECK(CrossingTimeUs(ring, 5, {round, 2.0, 0.008}) == 2000000 + 10000);
}

TEST_CASE("start modes place cars as they say") {
  const tracks::Track track = CircleTrack().WithStart(2);
  SimOptions options = LineOptions(8);
  options.episode.start_offset_frac = 0.25;
  const double length_m = track.length_m();
  const auto start_m = [&](int env, uint32_t episode) {
    return ChooseStart(options, track, env, episode, 0.22).spot.arc_length_m;
  };

  CHECK(start_m(3, 5) == Approx(2 + 0.25 * length_m));
  options.episode.start = StartMode::kSpread;
  CHECK(start_m(2, 5) == Approx(2 + 0.5 * length_m));
  options.episode.start = StartMode::kRoundRobin;
  CHECK(start_m(2, 5) == Approx(2 + 0.5 * length_m));

  options.episode.start = StartMode::kAnywhere;
  double least_speed_mps = 9, most_speed_mps = 0, most_offset_m = 0, most_heading_rad = 0;
  for (uint32_t episode = 0; episode < 400; ++episode) {
    const EpisodeStart start = ChooseStart(options, track, 1, episode, 0.22);
    least_speed_mps = std::min(least_speed_mps, start.speed_mps);
    most_speed_mps = std::max(most_speed_mps, start.speed_mps);
    most_offset_m = std::max(most_offset_m, std::abs(start.spot.lateral_offset_m));
    most_heading_rad = std::max(most_heading_rad, std::abs(start.heading_error_rad));
  }
  CHECK(least_speed_mps < 0.1);
  CHECK(most_speed_mps == Approx(2).margin(0.1));
  CHECK(most_offset_m == Approx(0.2).margin(0.01));
  CHECK(most_heading_rad == Approx(0.2).margin(0.01));
}

TEST_CASE("on an open road every start leaves room behind and ahead") {
  const tracks::Track track = StraightTrack(10);
  SimOptions options = LineOptions();
  CHECK(ChooseStart(options, track, 0, 0, 0.22).spot.arc_length_m == Approx(0.32));
  options.episode.start = StartMode::kAnywhere;
  for (uint32_t episode = 0; episode < 100; ++episode) {
    const double start_m = ChooseStart(options, track, 0, episode, 0.22).spot.arc_length_m;
    CHECK(start_m >= 0.32 - 1e-9);
    CHECK(start_m <= 9 + 1e-9);
  }
}

TEST_CASE("directions alternate by episode") {
  CHECK(!IsReversedEpisode(DirectionMode::kForward, 3));
  CHECK(IsReversedEpisode(DirectionMode::kReversed, 2));
  CHECK(!IsReversedEpisode(DirectionMode::kAlternate, 2));
  CHECK(IsReversedEpisode(DirectionMode::kAlternate, 3));
}

TEST_CASE("every reason has its word") {
  for (int i = 0; i <= static_cast<int>(EndReason::kRewardError); ++i) {
    CHECK(std::string(EndReasonName(static_cast<EndReason>(i))).size() > 3);
  }
}

}  // namespace
}  // namespace lapforge::sim
