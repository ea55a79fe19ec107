#include "agents/training_run.h"

#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "agents/goal/goal.h"
#include "reward/user_code.h"
#include "sim/base/byte_buffer.h"
#include "sim/base/log.h"
#include "sim/base/stopwatch.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxRollbacks = 3;

// Of a reward's phase. Where there are lessons, their columns are there from the first row on.
std::vector<Metric> IterationMetrics(const IterationStats& stats, bool is_distilled) {
  std::vector<Metric> metrics = {
      {"rollout/episode_return", stats.episode_return},
      {"rollout/episode_steps", stats.episode_steps},
      {"rollout/completion_pct", stats.completion_pct},
      {"rollout/lap_time_s", stats.best_lap_time_s},
      {"loss/policy", stats.policy_loss},
      {"loss/value", stats.value_loss},
      {"loss/entropy", stats.entropy},
      {"loss/approx_kl", stats.approx_kl},
      {"loss/clip_fraction", stats.clip_fraction},
      {"loss/explained_variance", stats.explained_variance},
      {"train/learning_rate", stats.learning_rate},
      {"time/env_steps_per_s", stats.env_steps_per_s()},
      {"reward/errors", static_cast<double>(stats.num_reward_errors)},
  };
  for (const reward::RewardTerm& term : stats.reward_terms) {
    metrics.push_back({"reward/" + term.name, term.mean});
  }
  if (is_distilled) {
    metrics.push_back({"distill/is_student", stats.phase == LearningPhase::kTeacher ? 0.0 : 1.0});
    metrics.push_back({"distill/loss", std::numeric_limits<double>::quiet_NaN()});
  }
  return metrics;
}

// The columns are those of the teacher's phase, which comes first.
std::vector<Metric> StudentMetrics(const IterationStats& stats) {
  return {
      {"rollout/episode_steps", stats.episode_steps},
      {"rollout/completion_pct", stats.completion_pct},
      {"rollout/lap_time_s", stats.best_lap_time_s},
      {"train/learning_rate", stats.learning_rate},
      {"time/env_steps_per_s", stats.env_steps_per_s()},
      {"distill/is_student", 1},
      {"distill/loss", stats.distill_loss},
  };
}

std::vector<Metric> EvaluationMetrics(const EvaluationPoint& point, bool is_distilled) {
  std::vector<Metric> metrics = {
      {"env_steps", static_cast<double>(point.env_steps)},
      {"train_s", point.train_s},
      {"clean_laps", static_cast<double>(point.evaluation.num_clean())},
      {"laps", static_cast<double>(point.evaluation.laps.size())},
      {"completion_pct", point.evaluation.mean_completion_pct()},
      {"lap_time_s", point.evaluation.mean_lap_time_s()},
      {"is_best", point.is_best ? 1.0 : 0.0},
  };
  if (is_distilled) {
    metrics.push_back({"is_student", point.phase == LearningPhase::kTeacher ? 0.0 : 1.0});
  }
  return metrics;
}

bool IsKeptFile(const std::string& path) {
  return path == "run.track" || path == "run.more_tracks" || path == "reward.python_file" ||
         path == "reward.plugin_file" || path == "reward.native.raceline_file";
}

std::vector<Metric> LapMetrics(const EvaluationPoint& point, const EvaluatedLap& lap) {
  return {
      {"env_steps", static_cast<double>(point.env_steps)},
      {"track", static_cast<double>(lap.track_index + 1)},
      {"start_frac", lap.start_frac},
      {"clean", lap.is_clean ? 1.0 : 0.0},
      {"completion_pct", lap.completion_pct},
      {"lap_time_s", static_cast<double>(lap.lap_time_us) * 1e-6},
      {"top_speed_mps", lap.top_speed_mps},
  };
}

// "ppo.horizon" -> "64" for all that decides a run's bits. Budgets may change, and the copy of the
// reward's files goes where the folder goes.
std::map<std::string, std::string> DecidingOptions(const std::string& options_text) {
  std::map<std::string, std::string> values;
  std::vector<std::string> groups;
  for (const std::string_view line : Split(options_text, '\n')) {
    const std::string_view text = Trim(line);
    const size_t end = text.find_first_of(": ");
    const std::string path = StrCat(Join(groups, ""), text.substr(0, end));
    if (EndsWith(text, "{")) {
      groups.push_back(StrCat(text.substr(0, end), "."));
    } else if (text == "}") {
      groups.pop_back();
    } else if (!text.empty() && !MayChangeInRun(path) && !IsKeptFile(path)) {
      values[path] = Trim(text.substr(end + 1));
    }
  }
  return values;
}

// An error that names an option which is no longer what it was.
Result<void> CheckOptions(const std::string& before_text, const std::string& now_text) {
  const auto before = DecidingOptions(before_text);
  for (const auto& [path, value] : DecidingOptions(now_text)) {
    const auto found = before.find(path);
    if (found == before.end() || found->second == value) continue;
    return ErrorOf(path, " was ", found->second, " so far and is now ", value,
                   ": only run.*, but not run.method, may change while a run goes on");
  }
  return {};
}

}  // namespace

Result<bool> TrainingRun::Resume() {
  LAPFORGE_TRY(const std::optional<Checkpoint> checkpoint, parts_.folder->LoadCheckpoint());
  if (!checkpoint) {
    if (parts_.observer != nullptr) parts_.observer->Restore({});
    return false;
  }

  ByteReader reader(checkpoint->state);
  TrainingProgress progress;
  std::vector<std::byte> learner_state;
  reader.Read(progress);
  reader.Read(learner_state);
  std::string options_text;  // absent in checkpoints of earlier versions, like what follows
  if (!reader.AtEnd()) reader.Read(options_text);
  std::vector<std::byte> observer_state;
  if (!reader.AtEnd()) reader.Read(observer_state);
  if (!reader.AtEnd()) {
    return ErrorOf(parts_.folder->path(), ": the checkpoint of iteration ", checkpoint->iteration,
                   " was written by another version of Lapforge");
  }
  const Result<void> checked = CheckOptions(options_text, OptionsToText(*parts_.options));
  if (!checked.ok()) return ErrorOf(parts_.folder->path(), ": ", checked.error().message);
  LAPFORGE_CHECK_OK(parts_.learner->Restore(learner_state));
  if (parts_.observer != nullptr) parts_.observer->Restore(observer_state);
  progress_ = progress;
  return true;
}

Result<TrainingSummary> TrainingRun::Run() {
  if (parts_.learner->iteration() == 0) first_state_ = parts_.learner->Save();
  if (const std::string& until = parts_.options->run.until; !until.empty()) {
    LAPFORGE_TRY(Goal goal, ParseGoal(until));
    goal_ = std::make_shared<const Goal>(std::move(goal));
  }
  const Result<void> outcome = IterateUntilStop();

  // whatever happened, what was learned is kept
  if (const Result<void> earlier = AwaitCheckpoint(); !earlier.ok()) {
    LogWarning(earlier.error().message);
  }
  LAPFORGE_CHECK_OK(BeginCheckpoint());
  LAPFORGE_CHECK_OK(AwaitCheckpoint());
  LAPFORGE_CHECK_OK(SavePolicy(parts_.learner->policy(), parts_.folder->path() / "last.policy"));
  if (!outcome.ok()) return outcome.error();
  return TrainingSummary{stop_reason_, parts_.learner->env_steps(), progress_, interrupted_reward_};
}

Result<void> TrainingRun::IterateUntilStop() {
  const double earlier_s = progress_.train_s;
  const Stopwatch watch;
  const StopCheck should_stop = [&] {
    progress_.train_s = earlier_s + watch.seconds();
    return ShouldStop();
  };
  while (!should_stop()) {
    const auto stats = Iterate(should_stop);
    if (!stats.ok() && parts_.stop_requested->load()) {
      LogWarning(stats.error().message);
      interrupted_reward_ = stats.error().message;
      continue;
    }
    if (!stats.ok() && parts_.learner->has_diverged()) {
      LAPFORGE_CHECK_OK(RollBack(stats.error()));
      continue;
    }
    if (!stats.ok()) return stats.error();
    if (!stats->has_value()) continue;

    progress_.train_s = earlier_s + watch.seconds();
    LAPFORGE_CHECK_OK(LogIteration(**stats));
    LAPFORGE_CHECK_OK(EvaluateIfDue());
    progress_.train_s = earlier_s + watch.seconds();
    if ((*stats)->iteration % parts_.options->run.checkpoint_every_iterations == 0) {
      LAPFORGE_CHECK_OK(BeginCheckpoint());
    } else if (IsCheckpointDone()) {
      LAPFORGE_CHECK_OK(AwaitCheckpoint());
    }
  }
  return {};
}

// What the user's reward does to the process is undone before anything is written.
Result<std::optional<IterationStats>> TrainingRun::Iterate(const StopCheck& should_stop) {
  const reward::UserTurn turn;
  return parts_.learner->RunIteration(should_stop);
}

Result<void> TrainingRun::LogIteration(const IterationStats& stats) {
  parts_.observer->OnIteration(stats, progress_.train_s);
  return parts_.folder->LogMetrics(stats.env_steps,
                                   stats.phase == LearningPhase::kStudent
                                       ? StudentMetrics(stats)
                                       : IterationMetrics(stats, IsDistilled(*parts_.options)));
}

Result<void> TrainingRun::EvaluateIfDue() {
  const RunOptions& run = parts_.options->run;
  const int64_t env_steps = parts_.learner->env_steps();
  const bool is_last = env_steps >= run.total_env_steps;
  const bool is_due = is_last || env_steps >= progress_.next_evaluation_env_steps;
  if (!is_due && !parts_.learner->awaits_evaluation()) return {};
  const LearningPhase phase = parts_.learner->phase();
  LAPFORGE_CHECK_OK(Evaluate());

  // the learner may have gone on to another phase, or may want to
  if (parts_.learner->phase() != phase || (IsPatienceOver() && parts_.learner->BeginNextPhase())) {
    progress_.evaluations_since_faster = 0;
  }
  progress_.next_evaluation_env_steps =
      env_steps + (parts_.learner->phase() == LearningPhase::kStudent
                       ? parts_.options->distill.evaluate_every_env_steps
                       : run.evaluate_every_env_steps);
  return {};
}

Result<void> TrainingRun::Evaluate() {
  EvaluationPoint point;
  point.phase = parts_.learner->phase();
  point.env_steps = parts_.learner->env_steps();
  point.train_s = progress_.train_s;
  const bool is_teacher = point.phase == LearningPhase::kTeacher;
  Evaluator& evaluator = is_teacher ? *parts_.teacher_evaluator : *parts_.evaluator;
  point.evaluation = evaluator.Run(parts_.learner->driver());
  if (!is_teacher) CountEvaluation(point);
  parts_.learner->OnEvaluation(point.evaluation);
  parts_.observer->OnEvaluation(point);
  for (const EvaluatedLap& lap : point.evaluation.laps) {
    LAPFORGE_CHECK_OK(parts_.folder->LogRow("evaluation_laps", LapMetrics(point, lap)));
  }
  return parts_.folder->LogRow("evaluations",
                               EvaluationMetrics(point, IsDistilled(*parts_.options)));
}

// What counts for the run: a teacher does not.
void TrainingRun::CountEvaluation(EvaluationPoint& point) {
  if (point.evaluation.all_clean() && !progress_.has_clean_laps()) {
    progress_.first_clean_env_steps = point.env_steps;
    progress_.first_clean_s = point.train_s;
  }
  KeepIfBest(point);
  if (!goal_) return;
  const bool is_met = goal_->IsMetBy(point.evaluation);
  progress_.evaluations_at_goal = is_met ? progress_.evaluations_at_goal + 1 : 0;
  progress_.is_goal_reached = progress_.evaluations_at_goal >= goal_->num_evaluations;
}

// Better means: more clean laps; then, all clean, a faster mean; else a longer way.
void TrainingRun::KeepIfBest(EvaluationPoint& point) {
  const int num_clean = point.evaluation.num_clean();
  const double completion_pct = point.evaluation.mean_completion_pct();
  const double lap_time_s = point.evaluation.mean_lap_time_s();
  const double previous_lap_time_s = progress_.best_lap_time_s;
  const bool is_same_class = num_clean == progress_.best_num_clean;
  const bool is_faster = lap_time_s > 0 && lap_time_s < previous_lap_time_s;
  const bool is_further = lap_time_s == 0 && completion_pct > progress_.best_completion_pct;
  point.is_best =
      num_clean > progress_.best_num_clean || (is_same_class && (is_faster || is_further));

  // small gains are kept, but do not count as still learning
  const double wanted_s = previous_lap_time_s * (1 - parts_.options->run.min_improvement_frac);
  const bool is_progress = point.is_best && (previous_lap_time_s == 0 || lap_time_s < wanted_s);
  progress_.evaluations_since_faster = is_progress ? 0 : progress_.evaluations_since_faster + 1;
  if (!point.is_best) return;

  progress_.best_env_steps = point.env_steps;
  progress_.best_num_clean = num_clean;
  progress_.best_completion_pct = completion_pct;
  progress_.best_lap_time_s = lap_time_s;
  best_policy_ = std::make_shared<const Policy>(parts_.learner->policy());
}

// The thread's paths hold whatever folder a user's code has gone to meanwhile.
// Flushing to disk can take seconds on a busy one: best.policy is written with the checkpoints
// only. It comes first: a run killed in between finds the same best policy again.
Result<void> TrainingRun::BeginCheckpoint() {
  LAPFORGE_CHECK_OK(AwaitCheckpoint());
  ByteWriter writer;
  writer.Write(progress_);
  writer.Write(parts_.learner->Save());
  writer.Write(OptionsToText(*parts_.options));
  writer.Write(parts_.observer->Save());
  LAPFORGE_TRY(auto commit,
               parts_.folder->PrepareCheckpoint({parts_.learner->iteration(), writer.Take()},
                                                parts_.options->run.keep_checkpoints));
  saving_best_policy_ = best_policy_;
  checkpoint_ =
      std::async(std::launch::async,
                 [commit = std::move(commit), best = best_policy_,
                  path = fs::absolute(parts_.folder->path()) / "best.policy"]() -> Result<void> {
                   if (best) LAPFORGE_CHECK_OK(SavePolicy(*best, path));
                   return commit();
                 });
  return {};
}

// A best policy that could not be written is written with the next checkpoint.
Result<void> TrainingRun::AwaitCheckpoint() {
  if (!checkpoint_.valid()) return {};
  LAPFORGE_CHECK_OK(checkpoint_.get());
  if (best_policy_ == saving_best_policy_) best_policy_.reset();
  saving_best_policy_.reset();
  return {};
}

bool TrainingRun::IsCheckpointDone() const {
  return checkpoint_.valid() &&
         checkpoint_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

// The checkpoint that follows keeps the lower rate, also where the run is killed.
Result<void> TrainingRun::RollBack(const Error& cause) {
  const TrainingProgress before = progress_;
  if (before.num_rollbacks == kMaxRollbacks) {
    return ErrorOf(cause.message, "; ", kMaxRollbacks,
                   " times half the learning rate did not help");
  }
  LAPFORGE_CHECK_OK(AwaitCheckpoint());
  best_policy_.reset();
  LAPFORGE_TRY(const bool is_resumed, Resume());
  if (!is_resumed) {
    progress_ = TrainingProgress();
    LAPFORGE_CHECK_OK(parts_.learner->Restore(first_state_));
  }
  progress_.train_s = before.train_s;
  progress_.num_rollbacks = before.num_rollbacks + 1;
  parts_.learner->ScaleLearningRate(0.5);
  LogWarning(cause.message, ": back to step ", parts_.learner->env_steps(),
             " and on with half the learning rate");
  return BeginCheckpoint();
}

bool TrainingRun::IsPatienceOver() const {
  const int patience_evaluations = parts_.options->run.patience_evaluations;
  return patience_evaluations > 0 && progress_.has_clean_laps() &&
         progress_.evaluations_since_faster >= patience_evaluations;
}

bool TrainingRun::ShouldStop() {
  const RunOptions& run = parts_.options->run;
  if (parts_.stop_requested->load()) {
    stop_reason_ = StopReason::kInterrupted;
  } else if (parts_.learner->env_steps() >= run.total_env_steps) {
    stop_reason_ = StopReason::kBudget;
  } else if (progress_.is_goal_reached) {
    stop_reason_ = StopReason::kGoal;
  } else if (IsPatienceOver()) {
    stop_reason_ = StopReason::kNoFaster;
  } else if (run.max_time_s > 0 && progress_.train_s >= run.max_time_s) {
    stop_reason_ = StopReason::kTime;
  } else {
    return false;
  }
  return true;
}

}  // namespace lapforge::agents
