// Progress as the user sees it against spec/deepracer.md 1.3 written out literally, over random
// drives: both directions, across the seam, backwards, from any start.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/base/rng.h"
#include "sim/vector_sim.h"
#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

// The formula of the page, one car.
struct LiteralProgress {
  double start_ndist = 0;
  double prev = 0;

  double Next(double ndist) {
    double cur = 100 * (ndist - start_ndist);
    if (cur <= 0) cur += 100;
    if (prev > cur + 50) cur += 100;
    if (cur > prev + 50) cur -= 100;
    cur = std::min(cur, 100.0);
    prev = cur == 100 ? 0 : cur;
    return cur;
  }
};

// Cars on random drives, with the literal formula beside each.
class Drives {
 public:
  Drives(sim::DirectionMode direction, sim::FactsInstant instant) {
    sim::SimOptions options;
    options.num_envs = kNumEnvs;
    options.facts = instant;
    options.episode.direction = direction;
    options.episode.reversed_steps = 0;
    options.episode.max_steps = 0;
    auto sim = sim::VectorSim::Create(options, sim::LoadBuiltInCar(options.car).value(),
                                      {SquareTrack()}, &pool_);
    if (!sim.ok()) FAIL(sim.error().message);
    sim_ = std::move(*sim);
    observations_.resize(size_t(kNumEnvs) * sim_->observation_spec().row_bytes);
    final_observations_.resize(observations_.size());
    sim_->Reset(observations_);
    view_index_ = direction == sim::DirectionMode::kReversed ? 1 : 0;
  }

  // Puts every car somewhere: half of them facing backwards, a third near the seam, a quarter at
  // its own start line and a quarter at the end of a lap.
  void PlaceAnywhere() {
    const tracks::Track& view = sim_->tracks()[size_t(view_index_)];
    for (int env = 0; env < kNumEnvs; ++env) {
      double arc_length_m = rng_.Uniform(0, view.length_m());
      if (env % 3 == 0) arc_length_m = view.WrapArcLength(rng_.Uniform(-0.3, 0.3));
      sim::Placement placement{.front_point_m = view.PointAt(arc_length_m, rng_.Uniform(-0.2, 0.2)),
                               .yaw_rad = view.TangentYawAt(arc_length_m) + (env % 2 ? kPi : 0),
                               .speed_mps = 2,
                               .start_arc_length_m = rng_.Uniform(0, view.length_m())};
      if (env % 4 == 0) placement.start_arc_length_m = arc_length_m;
      if (env % 4 == 2) {
        placement.start_arc_length_m = view.WrapArcLength(arc_length_m + 0.3);
        placement.previous_progress_pct = 98;
      }
      sim_->Place(env, placement);

      // in measured facts the start itself is a sample before those of the steps
      LiteralProgress& expected = expected_[size_t(env)];
      expected = {placement.start_arc_length_m / view.length_m(), placement.previous_progress_pct};
      if (sim_->options().facts == sim::FactsInstant::kMeasured) {
        expected.Next(view.Project(placement.front_point_m).arc_length_m / view.length_m());
      }
    }
  }

  // One step with mild steering; compares every env.
  void StepAndCompare() {
    for (size_t env = 0; env < kNumEnvs; ++env) {
      actions_[2 * env] = float(rng_.Uniform(-0.3, 0.3));
      actions_[2 * env + 1] = float(rng_.Uniform(0, 1));
    }
    sim_->Step({actions_, observations_, final_observations_, facts_});
    for (size_t env = 0; env < kNumEnvs; ++env) {
      const sim::StepFacts& facts = facts_[env];
      const tracks::Track& view = sim_->tracks()[size_t(facts.track_index)];
      const double ndist = view.Project(facts.front_point_m).arc_length_m / view.length_m();
      const double expected_pct = expected_[env].Next(ndist);
      REQUIRE(facts.progress_pct == Approx(expected_pct).margin(1e-9).epsilon(0));
      num_negative_ += expected_pct < 0;
      num_laps_ += expected_pct == 100;
      if (facts.ended()) is_done_ = true;
    }
  }

  // Drives until a car ends its episode.
  void Drive(int max_steps) {
    PlaceAnywhere();
    is_done_ = false;
    for (int i = 0; i < max_steps && !is_done_; ++i) StepAndCompare();
  }

  int num_negative() const { return num_negative_; }
  int num_laps() const { return num_laps_; }

 private:
  static constexpr int kNumEnvs = 12;

  ThreadPool pool_{1};
  std::unique_ptr<sim::VectorSim> sim_;
  RngStream rng_{7, 0, 0, RngPurpose::kTest};
  std::vector<std::byte> observations_, final_observations_;
  std::vector<float> actions_ = std::vector<float>(size_t(kNumEnvs) * 2);
  std::vector<sim::StepFacts> facts_ = std::vector<sim::StepFacts>(kNumEnvs);
  std::vector<LiteralProgress> expected_ = std::vector<LiteralProgress>(kNumEnvs);
  int view_index_ = 0;
  int num_negative_ = 0;
  int num_laps_ = 0;
  bool is_done_ = false;
};

TEST_CASE("Progress equals the literal formula over random drives") {
  const auto direction = GENERATE(sim::DirectionMode::kForward, sim::DirectionMode::kReversed);
  const auto instant = GENERATE(sim::FactsInstant::kMeasured, sim::FactsInstant::kDeepracer);
  Drives drives(direction, instant);
  for (int i = 0; i < 60; ++i) drives.Drive(100);
  CHECK(drives.num_negative() > 100);
  CHECK(drives.num_laps() > 10);
}

}  // namespace
}  // namespace lapforge::reward
