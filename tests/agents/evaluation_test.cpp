// Tests evaluation laps with drivers whose laps are known: why they end, how long they take.
#include "agents/evaluation.h"

#include <cmath>
#include <cstring>

#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

constexpr size_t kNumNumbers = 29;
constexpr double kTopMps = 2;
const double kMaxSteeringRad = RadFromDeg(30);

// The same speed for all; `steer` sees the 29 numbers of a row.
class TestDriver : public PolicyDriver {
 public:
  using Steer = std::function<double(const float* row)>;
  TestDriver(double speed_mps, Steer steer) : speed_mps_(speed_mps), steer_(std::move(steer)) {}

  void Act(std::span<const std::byte> observations, std::span<float> actions) override {
    std::vector<float> row(kNumNumbers);
    for (size_t i = 0; i * 2 < actions.size(); ++i) {
      std::memcpy(row.data(), observations.data() + i * kNumNumbers * sizeof(float),
                  kNumNumbers * sizeof(float));
      actions[2 * i] = float(steer_(row.data()) / kMaxSteeringRad);
      actions[2 * i + 1] = float(2 * speed_mps_ / kTopMps - 1);
    }
  }
  void Outputs(std::span<const std::byte> observations, std::span<float> outputs) override {
    Act(observations, outputs);
  }

 private:
  double speed_mps_;
  Steer steer_;
};

// Along the curve of the road ahead, corrected in proportion to offset and heading error.
double CenterlineSteering(const float* row) {
  constexpr size_t kPoint = 9;  // x and y of the second point, 0.4 m ahead
  const double x_m = row[kPoint] * 0.7;
  const double y_m = row[kPoint + 1] * 0.7;
  const double curvature_1pm = 2 * y_m / (x_m * x_m + y_m * y_m);
  return std::atan(0.164 * curvature_1pm) - 0.05 * row[0] - 0.1 * row[1];
}

sim::SimOptions SlowOptions() {
  sim::SimOptions options;
  options.actions.speed_low_mps = 0;
  options.actions.speed_high_mps = kTopMps;
  return options;
}

struct Rig {
  explicit Rig(const sim::SimOptions& options = SlowOptions(), const EvaluationRules& rules = {})
      : evaluator(ValueOf(
            Evaluator::Create(options, ValueOf(sim::LoadCar("rc_1_18")), {track}, rules, &pool))) {}
  ThreadPool pool{2};
  tracks::Track track = Oval();
  std::unique_ptr<Evaluator> evaluator;
};

TEST_CASE("laps are of the car as it is, randomized only when asked for") {
  sim::SimOptions options = SlowOptions();
  options.randomize.speed_gain_frac = 0.3;
  options.randomize.steering_trim_deg = 2;
  options.randomize.track_width_frac = 0.1;
  ThreadPool pool(1);
  const auto laps = [&](const sim::SimOptions& training, Randomization randomization) {
    const auto evaluator =
        ValueOf(Evaluator::Create(training, ValueOf(sim::LoadCar("rc_1_18")), {Oval()},
                                  {.randomization = randomization}, &pool));
    TestDriver driver(1, CenterlineSteering);
    return evaluator->Run(driver).laps;
  };
  const auto plain = laps(SlowOptions(), Randomization::kAsTrained);
  const auto trained = laps(options, Randomization::kOff);
  const auto randomized = laps(options, Randomization::kAsTrained);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(trained[i].lap_time_us == plain[i].lap_time_us);
    CHECK(randomized[i].lap_time_us != plain[i].lap_time_us);
  }
}

TEST_CASE("a driver along the centerline drives clean laps in length over speed") {
  Rig rig;
  TestDriver driver(1, CenterlineSteering);
  const Evaluation evaluation = rig.evaluator->Run(driver);
  REQUIRE(evaluation.laps.size() == 3);
  CHECK(evaluation.num_clean() == 3);
  CHECK(evaluation.all_clean());
  CHECK(evaluation.mean_lap_time_s() == Approx(rig.track.length_m() / 1.0).epsilon(0.05));
  double sum_s = 0;
  for (size_t i = 0; i < 3; ++i) {
    const EvaluatedLap& lap = evaluation.laps[i];
    CHECK(lap.start_frac == Approx(double(i) / 3).margin(1e-3));
    CHECK(lap.is_clean);
    CHECK(lap.reason == sim::EndReason::kLapComplete);
    CHECK(lap.completion_pct == 100);
    sum_s += double(lap.lap_time_us) * 1e-6;
  }
  CHECK(evaluation.mean_lap_time_s() == Approx(sum_s / 3));
}

TEST_CASE("several tracks get the same number of laps each, all of them recorded") {
  const std::vector<tracks::Track> tracks = {Oval(), ValueOf(tracks::LoadBuiltInTrack("kidney"))};
  ThreadPool pool(2);
  const auto evaluator = ValueOf(Evaluator::Create(SlowOptions(), ValueOf(sim::LoadCar("rc_1_18")),
                                                   tracks, {.num_trials = 2}, &pool));
  TestDriver driver(1, CenterlineSteering);
  const RecordedEvaluation recorded = evaluator->RunRecorded(driver);
  REQUIRE(recorded.evaluation.laps.size() == 4);
  CHECK(recorded.evaluation.all_clean());
  REQUIRE(recorded.recording.tracks.size() == 2);
  for (size_t i = 0; i < 4; ++i) {
    const EvaluatedLap& lap = recorded.evaluation.laps[i];
    const size_t track_index = size_t(lap.track_index);
    CHECK(track_index == i % 2);
    CHECK(recorded.recording.tracks[track_index].name() == tracks[track_index].name());
    CHECK(double(lap.lap_time_us) * 1e-6 ==
          Approx(tracks[track_index].length_m() / 1.0).epsilon(0.08));
  }
}

TEST_CASE("laps that are not driven say why") {
  Rig rig;
  const auto check = [&](const Evaluation& evaluation, sim::EndReason reason) {
    CHECK(evaluation.num_clean() == 0);
    CHECK_FALSE(evaluation.all_clean());
    CHECK(evaluation.mean_lap_time_s() == 0);
    for (const EvaluatedLap& lap : evaluation.laps) {
      CHECK_FALSE(lap.is_clean);
      CHECK(std::string(sim::EndReasonName(lap.reason)) == sim::EndReasonName(reason));
      CHECK(lap.lap_time_us == 0);
      CHECK(lap.completion_pct >= 0);
      CHECK(lap.completion_pct < 60);
    }
  };
  SECTION("standing still") {
    TestDriver driver(0, [](const float*) { return 0.0; });
    check(rig.evaluator->Run(driver), sim::EndReason::kStuck);
  }
  SECTION("to the left at all times") {
    TestDriver driver(1, [](const float*) { return RadFromDeg(10); });
    check(rig.evaluator->Run(driver), sim::EndReason::kOffTrack);
  }
  SECTION("too slow") {
    TestDriver driver(0.15, CenterlineSteering);
    check(rig.evaluator->Run(driver), sim::EndReason::kStepLimit);
  }
}

TEST_CASE("an evaluation neither learns from nor depends on the one before") {
  Rig rig;
  TestDriver driver(1, CenterlineSteering);
  TestDriver left(1, [](const float*) { return RadFromDeg(10); });
  const int64_t first_us = rig.evaluator->Run(driver).laps[1].lap_time_us;
  rig.evaluator->Run(left);
  CHECK(rig.evaluator->Run(driver).laps[1].lap_time_us == first_us);
}

TEST_CASE("training's starts, laps and limits do not matter, its direction does") {
  sim::SimOptions options = SlowOptions();
  options.episode.max_steps = 20;
  options.episode.start_offset_frac = 0.3;
  options.num_envs = 7;
  options.facts = sim::FactsInstant::kDeepracer;
  options.episode.direction = sim::DirectionMode::kReversed;
  Rig rig(options, {.num_trials = 2});
  TestDriver driver(1, CenterlineSteering);
  const RecordedEvaluation recorded = rig.evaluator->RunRecorded(driver);
  CHECK(recorded.evaluation.num_clean() == 2);
  CHECK(recorded.recording.options.episode.direction == sim::DirectionMode::kReversed);
}

TEST_CASE("laps of a trial follow one another, all but the first with a flying start") {
  Rig rig(SlowOptions(), {.num_trials = 2, .laps_per_trial = 3});
  TestDriver driver(1, CenterlineSteering);
  const Evaluation evaluation = rig.evaluator->Run(driver);
  REQUIRE(evaluation.laps.size() == 6);
  CHECK(evaluation.all_clean());
  for (size_t i = 0; i < 6; ++i) {
    const EvaluatedLap& lap = evaluation.laps[i];
    CHECK(lap.env_index == int(i / 3));
    CHECK(lap.lap_index == int(i % 3));
    CHECK(lap.start_frac == Approx(lap.env_index / 2.0).margin(1e-3));
    // 1 m/s all the way; the car reaches it in a fraction of a second
    const double lap_s = double(lap.lap_time_us) * 1e-6;
    CHECK(lap_s == Approx(rig.track.length_m()).epsilon(0.05));
    if (lap.lap_index > 0) CHECK(lap.lap_time_us < evaluation.laps[i - 1].lap_time_us + 20000);
  }
}

TEST_CASE("a car that leaves the road is put back as often as the rules allow") {
  // straight on: off the oval in its first bend, wherever it is put back
  TestDriver driver(1, [](const float*) { return 0.0; });
  for (const int max_resets : {0, 2}) {
    Rig rig(SlowOptions(), {.num_trials = 2, .max_resets = max_resets});
    const RecordedEvaluation recorded = rig.evaluator->RunRecorded(driver);
    for (const EvaluatedLap& lap : recorded.evaluation.laps) {
      CHECK(lap.reason == sim::EndReason::kOffTrack);
      CHECK(lap.num_resets == max_resets);
      CHECK(lap.num_off_tracks == max_resets + 1);
      CHECK_FALSE(lap.is_clean);
    }
    CHECK(recorded.recording.options.episode.max_resets == max_resets);
  }
}

TEST_CASE("a recorded evaluation replays to the same hashes and laps") {
  Rig rig;
  TestDriver driver(1, CenterlineSteering);
  size_t num_ended = 0;
  const RecordedEvaluation recorded = rig.evaluator->RunRecorded(
      driver, {.keeps_facts = true, .on_step = [&](size_t ended, size_t all) {
                 CHECK(all == 3);
                 CHECK(ended >= num_ended);
                 num_ended = ended;
               }});
  CHECK(num_ended < 3);  // as before the last step
  ThreadPool pool(1);
  const sim::ReplayReport replay = ValueOf(sim::Replay(recorded.recording, &pool));
  CHECK(replay.first_different_step == -1);
  CHECK(replay.num_steps == recorded.recording.num_steps());
  REQUIRE(replay.laps.size() >= 3);
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<sim::StepFacts>& facts = recorded.facts_per_trial.at(i);
    CHECK(facts.back().ended());
    CHECK_FALSE(facts[facts.size() - 2].ended());
    CHECK(facts.back().lap_time_us == recorded.evaluation.laps[i].lap_time_us);
    const auto lap = std::find_if(replay.laps.begin(), replay.laps.end(),
                                  [&](const auto& other) { return other.env_index == int(i); });
    REQUIRE(lap != replay.laps.end());
    CHECK(lap->lap_time_us == facts.back().lap_time_us);
    CHECK(lap->is_clean);
  }
}

}  // namespace
}  // namespace lapforge::agents
