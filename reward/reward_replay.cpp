#include "reward/reward_replay.h"

#include <algorithm>
#include <array>
#include <memory>

#include "reward/check/summary.h"
#include "reward/guarded_run.h"
#include "reward/user_code.h"
#include "sim/base/strings.h"
#include "sim/base/thread_pool.h"
#include "sim/vector_sim.h"

namespace lapforge::reward {
namespace {

using sim::StepFacts;

// DeepRacer's pairing: what was seen when the action was chosen, and the action.
StepFacts Pair(const StepFacts& seen, const StepFacts& acted) {
  StepFacts facts = seen;
  facts.steps = acted.steps;
  facts.sim_time_s = acted.sim_time_s;
  facts.steering_cmd_rad = acted.steering_cmd_rad;
  facts.speed_cmd_mps = acted.speed_cmd_mps;
  facts.action = acted.action;
  facts.last_action = acted.last_action;
  facts.action_index = acted.action_index;
  return facts;
}

// The call after the last: the pose that ended the episode, seen one step later.
StepFacts LastCall(const StepFacts& end, double dt_s) {
  StepFacts facts = end;
  facts.steps += 1;
  facts.sim_time_s += dt_s;
  facts.last_action = end.action;
  return facts;
}

// True where DeepRacer would have seen the pose of the end. A limit ends an episode unseen.
bool HasLastCall(const StepFacts& facts) {
  return facts.ended() && facts.reason != sim::EndReason::kStepLimit &&
         facts.reason != sim::EndReason::kTimeUp;
}

RewardedStep Describe(const StepFacts& facts) {
  RewardedStep step;
  step.number = facts.steps - 1;
  step.time_s = facts.sim_time_s;
  step.front_point_m = facts.front_point_m;
  step.progress_pct = facts.progress_pct;
  step.lateral_offset_m = facts.position.lateral_offset_m;
  step.speed_mps = Length(Vec2{facts.car.velocity_body_mps.x, facts.car.velocity_body_mps.y});
  step.speed_cmd_mps = facts.speed_cmd_mps;
  step.steering_cmd_rad = facts.steering_cmd_rad;
  return step;
}

// The laps of one car, the one that it drives last.
struct CarLaps {
  std::vector<RewardedLap> laps;
  bool is_new_lap = true;
};

class RewardReplayer {
 public:
  static Result<RewardReplay> Run(const sim::Recording& recording,
                                  const RewardReplayOptions& options) {
    ThreadPool pool(1);
    LAPFORGE_TRY(
        std::unique_ptr<sim::VectorSim> sim,
        sim::VectorSim::Create(recording.options, recording.cars, recording.tracks, &pool));
    std::unique_ptr<RewardFunction> reward;
    {
      const WatchedCall call(options.reward.load_timeout_s, "loading");
      LAPFORGE_TRY(reward, MakeReward(options.reward, sim->tracks()));
    }
    RewardReplayer replayer(std::move(sim), std::move(reward));
    replayer.recording_name_ = options.recording_name;
    replayer.timeout_s_ = options.reward.timeout_s;
    replayer.is_paired_ = options.facts == sim::FactsInstant::kDeepracer &&
                          recording.options.facts == sim::FactsInstant::kMeasured;
    LAPFORGE_CHECK_OK(replayer.Drive(recording));
    return replayer.Take(options.discount);
  }

 private:
  RewardReplayer(std::unique_ptr<sim::VectorSim> sim, std::unique_ptr<RewardFunction> reward)
      : sim_(std::move(sim)), reward_(std::move(reward)), cars_(size_t(sim_->num_envs())) {}

  Result<void> Drive(const sim::Recording& recording) {
    const size_t num_envs = cars_.size();
    const size_t num_numbers = num_envs * size_t(recording.options.action_dim());
    std::vector<std::byte> observations(num_envs * sim_->observation_spec().row_bytes);
    std::vector<std::byte> final_observations(observations.size());
    std::vector<StepFacts> facts(num_envs), seen(num_envs);

    const UserTurn turn;
    sim_->Reset(observations);
    for (size_t env = 0; env < num_envs; ++env) seen[env] = sim_->now(int(env));
    for (int step = 0; step < recording.num_steps(); ++step) {
      const auto actions =
          std::span(recording.actions).subspan(size_t(step) * num_numbers, num_numbers);
      sim_->Step({actions, observations, final_observations, facts});
      if (sim_->StateHash() != recording.hashes[size_t(step) + 1]) {
        return ErrorOf(recording_name_, ": the drive differs from step ", step + 1,
                       " on; was it recorded by another version of the program?");
      }
      LAPFORGE_CHECK_OK(Show(seen, facts));
      for (size_t env = 0; env < num_envs; ++env) {
        seen[env] = facts[env].ended() ? sim_->now(int(env)) : facts[env];
      }
    }
    return {};
  }

  // One step of all cars, and the last calls of those whose episode it ended.
  Result<void> Show(const std::vector<StepFacts>& seen, const std::vector<StepFacts>& facts) {
    if (!is_paired_) return Reward(facts);
    std::vector<StepFacts> pairs, last_calls;
    for (size_t env = 0; env < facts.size(); ++env) {
      pairs.push_back(Pair(seen[env], facts[env]));
      if (HasLastCall(facts[env])) {
        last_calls.push_back(LastCall(facts[env], sim_->options().control_dt_s()));
      } else {
        // a limit ended the episode
        pairs.back().terminated = facts[env].terminated;
        pairs.back().truncated = facts[env].truncated;
        pairs.back().reason = facts[env].reason;
      }
    }
    LAPFORGE_CHECK_OK(Reward(pairs));
    return last_calls.empty() ? Result<void>() : Reward(last_calls);
  }

  Result<void> Reward(const std::vector<StepFacts>& batch) {
    std::vector<float> rewards(batch.size());
    {
      const WatchedCall calls(timeout_s_ * double(batch.size()),
                              StrCat("step ", batch.front().steps - 1, " of ", recording_name_));
      LAPFORGE_CHECK_OK(reward_->Evaluate(batch, rewards));
    }
    const bool has_terms = !reward_->TakeTermMeans().empty();
    for (size_t i = 0; i < batch.size(); ++i) {
      RewardedStep step = Describe(batch[i]);
      step.reward = rewards[i];
      if (has_terms) {
        LAPFORGE_TRY(step.terms, TermsOf(batch[i]));
      }
      Add(batch[i], std::move(step));
    }
    return {};
  }

  // Terms come as means over calls; those of a call with one step are the step's own.
  Result<std::vector<double>> TermsOf(const StepFacts& facts) {
    std::array<float, 1> ignored;
    LAPFORGE_CHECK_OK(reward_->Evaluate({&facts, 1}, ignored));
    std::vector<double> values;
    term_names_.clear();
    for (const RewardTerm& term : reward_->TakeTermMeans()) {
      term_names_.push_back(term.name);
      values.push_back(term.mean);
    }
    return values;
  }

  void Add(const StepFacts& facts, RewardedStep step) {
    CarLaps& car = cars_[size_t(facts.env_index)];
    if (car.is_new_lap) {
      RewardedLap& lap = car.laps.emplace_back();
      lap.env_index = facts.env_index;
      lap.track_index = facts.track_index;
      lap.summary.name = StrCat("car ", facts.env_index + 1, ", lap ", car.laps.size());
    }
    RewardedLap& lap = car.laps.back();
    lap.steps.push_back(std::move(step));
    lap.summary.lap_time_s = double(facts.lap_time_us) * 1e-6;
    lap.reason = facts.reason;
    car.is_new_lap = facts.ended() || facts.lap_time_us > 0;
  }

  RewardReplay Take(double discount) {
    RewardReplay replay{{sim_->tracks().begin(), sim_->tracks().end()}, term_names_, {}};
    for (CarLaps& car : cars_) {
      if (!car.is_new_lap && car.laps.size() > 1) car.laps.pop_back();
      for (RewardedLap& lap : car.laps) {
        std::vector<double> rewards;
        for (const RewardedStep& step : lap.steps) rewards.push_back(step.reward);
        RewardedDrive summary = SummarizeRewards(rewards, discount);
        summary.name = lap.summary.name;
        summary.lap_time_s = lap.summary.lap_time_s;
        lap.summary = std::move(summary);
        replay.laps.push_back(std::move(lap));
      }
    }
    return replay;
  }

  std::unique_ptr<sim::VectorSim> sim_;
  std::unique_ptr<RewardFunction> reward_;
  std::vector<CarLaps> cars_;  // [num_envs]
  std::vector<std::string> term_names_;
  std::string recording_name_;
  double timeout_s_ = 0;  // of a call
  bool is_paired_ = false;
};

}  // namespace

Result<RewardReplay> ReplayReward(const sim::Recording& recording,
                                  const RewardReplayOptions& options) {
  return RewardReplayer::Run(recording, options);
}

}  // namespace lapforge::reward
