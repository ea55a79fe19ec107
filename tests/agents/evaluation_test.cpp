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
  explicit Rig(const sim::SimOptions& options = SlowOptions(), int num_laps = 3)
      : evaluator(ValueOf(Evaluator::Create(options, ValueOf(sim::LoadCar("rc_1_18")), {track},
                                            num_laps, &pool))) {}
  ThreadPool pool{2};
  tracks::Track track = Oval();
  std::unique_ptr<Evaluator> evaluator;
};

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
  Rig rig(options, 2);
  TestDriver driver(1, CenterlineSteering);
  const RecordedEvaluation recorded = rig.evaluator->RunRecorded(driver);
  CHECK(recorded.evaluation.num_clean() == 2);
  CHECK(recorded.recording.options.episode.direction == sim::DirectionMode::kReversed);
}

TEST_CASE("a recorded evaluation replays to the same hashes and laps") {
  Rig rig;
  TestDriver driver(1, CenterlineSteering);
  const RecordedEvaluation recorded = rig.evaluator->RunRecorded(driver);
  ThreadPool pool(1);
  const sim::ReplayReport replay = ValueOf(sim::Replay(recorded.recording, &pool));
  CHECK(replay.first_different_step == -1);
  CHECK(replay.num_steps == recorded.recording.num_steps());
  REQUIRE(replay.laps.size() >= 3);
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<sim::StepFacts>& facts = recorded.facts_per_lap.at(i);
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
