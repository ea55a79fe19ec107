#include "agents/evaluation.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lapforge::agents {
namespace {

constexpr double kSlowestLapMps = 0.3;  // slower cars are not driving: the lap is given up

// Standing starts spread over the lap, one lap each; what the car is and sees stays.
sim::SimOptions EvaluationOptions(const sim::SimOptions& training,
                                  const std::vector<tracks::Track>& tracks, int num_laps) {
  bool are_closed = true;
  double longest_m = 0;
  for (const tracks::Track& track : tracks) {
    are_closed = are_closed && track.is_closed();
    longest_m = std::max(longest_m, track.length_m());
  }
  sim::SimOptions options = training;
  options.num_envs = num_laps * static_cast<int>(tracks.size());
  options.facts = sim::FactsInstant::kMeasured;
  options.episode = sim::EpisodeOptions();
  options.episode.start = are_closed ? sim::StartMode::kSpread : sim::StartMode::kLine;
  options.episode.direction = training.episode.direction == sim::DirectionMode::kReversed
                                  ? sim::DirectionMode::kReversed
                                  : sim::DirectionMode::kForward;
  options.episode.max_laps = 1;
  options.episode.max_steps =
      static_cast<int>(std::ceil(longest_m / kSlowestLapMps * training.timing.control_hz));
  return options;
}

}  // namespace

int Evaluation::num_clean() const {
  return static_cast<int>(
      std::count_if(laps.begin(), laps.end(), [](const auto& lap) { return lap.is_clean; }));
}

bool Evaluation::all_clean() const {
  return !laps.empty() && num_clean() == static_cast<int>(laps.size());
}

double Evaluation::mean_lap_time_s() const {
  if (!all_clean()) return 0;
  double sum_us = 0;
  for (const EvaluatedLap& lap : laps) sum_us += static_cast<double>(lap.lap_time_us);
  return sum_us * 1e-6 / static_cast<double>(laps.size());
}

double Evaluation::mean_completion_pct() const {
  double sum_pct = 0;
  for (const EvaluatedLap& lap : laps) sum_pct += lap.completion_pct;
  return laps.empty() ? 0 : sum_pct / static_cast<double>(laps.size());
}

class Evaluator::Impl {
 public:
  explicit Impl(std::unique_ptr<sim::VectorSim> simulator)
      : sim(std::move(simulator)),
        num_laps(size_t(sim->num_envs())),
        observations(num_laps * sim->observation_spec().row_bytes),
        final_observations(observations.size()),
        actions(num_laps * size_t(sim->options().action_dim())),
        facts(num_laps) {}

  // Drives until each env has ended once. `on_start` runs after the reset, `on_step` after each
  // step with what had ended before it.
  template <class OnStart, class OnStep>
  Evaluation Drive(PolicyDriver& driver, OnStart&& on_start, OnStep&& on_step) {
    sim->Reset(observations);
    on_start();
    Evaluation evaluation;
    evaluation.laps.resize(num_laps);
    std::vector<bool> has_ended(num_laps, false);
    size_t num_left = num_laps;
    while (num_left > 0) {
      driver.Act(observations, actions);
      sim->Step({actions, observations, final_observations, facts});
      on_step(has_ended);
      for (size_t env = 0; env < num_laps; ++env) {
        if (has_ended[env] || !facts[env].ended()) continue;
        has_ended[env] = true;
        --num_left;
        evaluation.laps[env] = LapOf(facts[env]);
      }
    }
    return evaluation;
  }

  EvaluatedLap LapOf(const sim::StepFacts& end) const {
    const bool is_complete = end.reason == sim::EndReason::kLapComplete;
    EvaluatedLap lap;
    lap.track_index = size_t(end.track_index) / 2;  // views come in pairs, forward and reversed
    const double start_frac =
        end.start_arc_length_m / sim->tracks()[size_t(end.track_index)].length_m();
    lap.start_frac = start_frac < 0.9999 ? start_frac : 0;  // the seam is the start, not the end
    lap.is_clean = is_complete;                             // off the track ends an episode at once
    lap.lap_time_us = is_complete ? end.lap_time_us : 0;
    lap.completion_pct = is_complete ? 100 : std::max(end.progress_pct, 0.0);
    lap.reason = end.reason;
    return lap;
  }

  std::unique_ptr<sim::VectorSim> sim;
  size_t num_laps;
  std::vector<std::byte> observations;
  std::vector<std::byte> final_observations;
  std::vector<float> actions;
  std::vector<sim::StepFacts> facts;
};

Evaluator::Evaluator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Evaluator::~Evaluator() = default;

Result<std::unique_ptr<Evaluator>> Evaluator::Create(const sim::SimOptions& training,
                                                     const sim::CarSpec& car,
                                                     const std::vector<tracks::Track>& tracks,
                                                     int num_laps, ThreadPool* pool) {
  LAPFORGE_TRY(auto sim, sim::VectorSim::Create(EvaluationOptions(training, tracks, num_laps), car,
                                                tracks, pool));
  return std::unique_ptr<Evaluator>(new Evaluator(std::make_unique<Impl>(std::move(sim))));
}

Evaluation Evaluator::Run(PolicyDriver& driver) {
  return impl_->Drive(
      driver, [] {}, [](const std::vector<bool>&) {});
}

RecordedEvaluation Evaluator::RunRecorded(PolicyDriver& driver) {
  RecordedEvaluation recorded;
  recorded.facts_per_lap.resize(impl_->num_laps);
  std::optional<sim::Recorder> recorder;
  const auto start_recording = [&] { recorder.emplace(*impl_->sim); };
  const auto keep_step = [&](const std::vector<bool>& has_ended) {
    recorder->Add(impl_->actions);
    for (size_t env = 0; env < impl_->num_laps; ++env) {
      if (!has_ended[env]) recorded.facts_per_lap[env].push_back(impl_->facts[env]);
    }
  };
  recorded.evaluation = impl_->Drive(driver, start_recording, keep_step);
  recorded.recording = recorder->Take();
  return recorded;
}

}  // namespace lapforge::agents
