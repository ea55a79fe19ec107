#include "agents/evaluation.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lapforge::agents {
namespace {

constexpr double kSlowestLapMps = 0.3;  // slower cars are not driving: the lap is given up

// What the car is and sees stays as in training.
sim::SimOptions EvaluationOptions(const sim::SimOptions& training,
                                  const std::vector<tracks::Track>& tracks,
                                  const EvaluationRules& rules) {
  double longest_m = 0;
  for (const tracks::Track& track : tracks) {
    longest_m = std::max(longest_m, track.length_m());
  }
  sim::SimOptions options = training;
  options.num_envs = rules.num_trials * static_cast<int>(tracks.size());
  options.cars_per_world = 1;  // each has the road for itself
  options.facts = sim::FactsInstant::kMeasured;
  if (rules.randomization == Randomization::kOff) options.randomize = {};
  options.episode = sim::EpisodeOptions();
  options.episode.start = sim::StartMode::kSpread;
  options.episode.direction = training.episode.direction == sim::DirectionMode::kReversed
                                  ? sim::DirectionMode::kReversed
                                  : sim::DirectionMode::kForward;
  options.episode.max_laps = rules.laps_per_trial;
  options.episode.max_steps = static_cast<int>(
      std::ceil(rules.laps_per_trial * longest_m / kSlowestLapMps * training.timing.control_hz));
  options.episode.max_resets = rules.max_resets;
  options.episode.off_track_penalty_s = rules.off_track_penalty_s;
  options.episode.crash_penalty_s = rules.crash_penalty_s;
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
  Impl(std::unique_ptr<sim::VectorSim> simulator, size_t tracks)
      : sim(std::move(simulator)), rows(*sim), num_tracks(tracks), num_trials(rows.facts.size()) {}

  // Drives until each env has ended once. `on_start` runs after the reset, `on_step` after each
  // step with what had ended before it.
  template <class OnStart, class OnStep>
  Evaluation Drive(PolicyDriver& driver, OnStart&& on_start, OnStep&& on_step) {
    sim->Reset(rows.observations);
    on_start();
    sim::LapCollector collector(*sim, num_tracks);
    Evaluation evaluation;
    std::vector<bool> has_ended(num_trials, false);
    size_t num_left = num_trials;
    while (num_left > 0) {
      driver.Act(rows.observations, rows.actions);
      sim->Step(rows.batch());
      on_step(has_ended);
      for (const sim::StepFacts& facts : rows.facts) {
        const sim::LapResult* const lap = collector.Add(facts);
        const size_t env = static_cast<size_t>(facts.env_index);
        if (has_ended[env]) continue;
        if (lap != nullptr) evaluation.laps.push_back(*lap);
        has_ended[env] = facts.ended();
        num_left -= has_ended[env] ? 1 : 0;
      }
    }
    std::stable_sort(evaluation.laps.begin(), evaluation.laps.end(),
                     [](const auto& a, const auto& b) { return a.env_index < b.env_index; });
    return evaluation;
  }

  std::unique_ptr<sim::VectorSim> sim;
  sim::StepRows rows;
  size_t num_tracks;
  size_t num_trials;  // on all of them
};

Evaluator::Evaluator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Evaluator::~Evaluator() = default;

Result<std::unique_ptr<Evaluator>> Evaluator::Create(const sim::SimOptions& training,
                                                     const sim::CarSpec& car,
                                                     const std::vector<tracks::Track>& tracks,
                                                     const EvaluationRules& rules,
                                                     ThreadPool* pool) {
  LAPFORGE_TRY(auto sim, sim::VectorSim::Create(EvaluationOptions(training, tracks, rules), car,
                                                tracks, pool));
  auto impl = std::make_unique<Impl>(std::move(sim), tracks.size());
  return std::unique_ptr<Evaluator>(new Evaluator(std::move(impl)));
}

Evaluation Evaluator::Run(PolicyDriver& driver) {
  return impl_->Drive(
      driver, [] {}, [](const std::vector<bool>&) {});
}

RecordedEvaluation Evaluator::RunRecorded(PolicyDriver& driver, const RecordingWishes& wishes) {
  RecordedEvaluation recorded;
  recorded.facts_per_trial.resize(wishes.keeps_facts ? impl_->num_trials : 0);
  recorded.views.assign(impl_->sim->tracks().begin(), impl_->sim->tracks().end());
  std::optional<sim::Recorder> recorder;
  const auto start_recording = [&] { recorder.emplace(*impl_->sim); };
  const auto keep_step = [&](const std::vector<bool>& has_ended) {
    recorder->Add(impl_->rows.actions);
    if (wishes.on_step) {
      wishes.on_step(std::count(has_ended.begin(), has_ended.end(), true), impl_->num_trials);
    }
    for (size_t env = 0; env < recorded.facts_per_trial.size(); ++env) {
      if (!has_ended[env]) recorded.facts_per_trial[env].push_back(impl_->rows.facts[env]);
    }
  };
  recorded.evaluation = impl_->Drive(driver, start_recording, keep_step);
  recorded.recording = recorder->Take();
  return recorded;
}

}  // namespace lapforge::agents
