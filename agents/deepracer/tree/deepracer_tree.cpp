#include "agents/deepracer/deepracer_tree.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "agents/deepracer/files/json_object.h"
#include "agents/deepracer/tree/input_files.h"
#include "agents/deepracer/tree/metrics_file.h"
#include "agents/deepracer/tree/trace.h"
#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = "deepracer";
constexpr int32_t kFirstStep = 2;  // StepFacts::steps

// An env's episodes since the last iteration of the folder.
struct Worker {
  std::vector<std::vector<TraceRow>> done;
  std::vector<TraceRow> running;  // empty until an episode begins
};

// How deepracer_checkpoints.json describes a model.
Json CheckpointEntry(int64_t iteration, int64_t env_steps, double completion_pct) {
  return {{"name", StrCat(iteration, "_Step-", env_steps, ".ckpt")},
          {"avg_eval_metric", completion_pct},
          {"time_stamp", WallClockS()}};
}

// "evaluation-20261130112233", of this moment or the next second without one.
std::string FreshEvaluationName(const fs::path& tree) {
  std::time_t now = std::time(nullptr);
  for (;; ++now) {
    std::tm utc{};
    gmtime_r(&now, &utc);
    char digits[16];
    std::strftime(digits, sizeof(digits), "%Y%m%d%H%M%S", &utc);
    std::error_code error;
    std::string name = StrCat("evaluation-", digits);
    if (!fs::exists(tree / name, error)) return name;
  }
}

// DeepRacer's reward of evaluations, by the distance from the centerline (spec/deepracer.md 1.5).
double EvaluationReward(const sim::StepFacts& facts) {
  const double width_m = Length(facts.borders.left_m - facts.borders.right_m);
  const double distance_m = std::abs(facts.position.lateral_offset_m);
  if (distance_m <= 0.1 * width_m) return 1;
  if (distance_m <= 0.25 * width_m) return 0.5;
  return distance_m <= 0.5 * width_m ? 0.1 : 1e-3;
}

}  // namespace

class DeepRacerTree::Impl {
 public:
  Impl(const fs::path& run_folder, const TrainOptions& train_options, TracedReward* reward)
      : options(train_options),
        tree(run_folder / kFolder),
        trace(reward),
        workers(
            static_cast<size_t>(std::min(options.run.deepracer_workers, options.sim.num_envs))) {}

  size_t episodes_per_iteration() const {
    const size_t all = static_cast<size_t>(options.run.deepracer_episodes);
    return std::max<size_t>(1, all / workers.size());
  }

  // One worker has no folder of its own, as in DeepRacer for Cloud.
  fs::path TraceFolder(size_t worker) const {
    const fs::path folder = workers.size() > 1 ? tree / StrCat(worker) : tree;
    return folder / "training-simtrace";
  }
  fs::path TracePath(size_t worker, int64_t number) const {
    return TraceFolder(worker) / StrCat(number, "-iteration.csv");
  }
  MetricsFile Metrics(size_t worker) const {
    const std::string number = worker > 0 ? StrCat("_", worker) : "";
    return MetricsFile(tree / "metrics" / StrCat("TrainingMetrics", number, ".json"));
  }

  Result<void> Begin(const fs::path& run_folder, int64_t steps) {
    LAPFORGE_CHECK_OK(WriteInputFiles(run_folder, tree, options));
    LAPFORGE_CHECK_OK(MakeFolders(tree / "metrics"));
    RemoveOtherLayout();
    for (size_t worker = 0; worker < workers.size(); ++worker) {
      LAPFORGE_CHECK_OK(MakeFolders(TraceFolder(worker)));
    }
    ReadBestCheckpoint();
    return GoBackTo(steps);
  }

  // Traces of another number of workers lie elsewhere and do not go together with ours.
  void RemoveOtherLayout() const {
    std::error_code error;
    const bool is_same = fs::exists(TracePath(workers.size() - 1, 0), error) &&
                         !fs::exists(tree / StrCat(workers.size()), error);
    if (is_same) return;
    fs::remove_all(tree / "training-simtrace", error);
    for (size_t worker = 0; worker < 10; ++worker) {
      fs::remove_all(tree / StrCat(worker), error);
      const std::string number = worker > 0 ? StrCat("_", worker) : "";
      fs::remove(tree / "metrics" / StrCat("TrainingMetrics", number, ".json"), error);
    }
  }

  void ReadBestCheckpoint() {
    const Result<JsonObject> file = ReadJsonObject(checkpoints_path().string());
    if (file.ok() && file->Find("best_checkpoint") != nullptr) {
      best = *file->Find("best_checkpoint");
    }
  }

  // Forgets what happened after `steps`, in memory and on disk.
  Result<void> GoBackTo(int64_t steps) {
    const auto episodes = static_cast<int64_t>(episodes_per_iteration());
    num_iterations = -1;
    for (size_t worker = 0; worker < workers.size(); ++worker) {
      const Result<int64_t> count = Metrics(worker).CountTo(steps);  // an error: no file yet
      const int64_t whole = count.ok() ? *count / episodes : 0;
      num_iterations = num_iterations < 0 ? whole : std::min(num_iterations, whole);
    }
    std::error_code error;
    for (size_t worker = 0; worker < workers.size(); ++worker) {
      workers[worker] = Worker();
      if (Metrics(worker).CountTo(steps).ok()) {
        LAPFORGE_CHECK_OK(Metrics(worker).CutTo(num_iterations * episodes));
      }
      for (int64_t i = num_iterations; fs::remove(TracePath(worker, i), error); ++i) {
      }
    }
    env_steps = steps;
    return {};
  }

  void Add(Worker& worker, TraceRow row) {
    row.episode = num_iterations * static_cast<int64_t>(episodes_per_iteration()) +
                  static_cast<int64_t>(worker.done.size());
    if (row.steps == kFirstStep && worker.done.size() < episodes_per_iteration()) {
      worker.running = {PrepareRow(row)};
      Print(worker.running.back());
    }
    if (worker.running.empty()) return;  // begun before we looked, or others are to catch up
    worker.running.push_back(row);
    Print(row);
    if (row.is_last) worker.done.push_back(std::exchange(worker.running, {}));
  }

  void Print(const TraceRow& row) {
    if (!print) return;
    std::string line;
    AppendLogLine(row, line);
    print(line);
  }

  bool IsIterationWhole() const {
    return std::all_of(workers.begin(), workers.end(), [&](const Worker& worker) {
      return worker.done.size() >= episodes_per_iteration();
    });
  }

  // The files of the next iteration, `num_episodes` of each worker.
  Result<void> WriteIteration(size_t num_episodes) {
    for (size_t index = 0; index < workers.size(); ++index) {
      std::string text(kTraceHeader);
      std::vector<EpisodeMetrics> metrics;
      for (size_t i = 0; i < num_episodes; ++i) {
        for (const TraceRow& row : workers[index].done[i]) AppendCsvLine(row, text);
        metrics.push_back(MetricsOf(workers[index].done[i]));
        metrics.back().trial = static_cast<int>(i) + 1;
      }
      if (index == 0) AddEvaluation(metrics);
      for (EpisodeMetrics& entry : metrics) entry.env_steps = env_steps;
      LAPFORGE_CHECK_OK(WriteQuickly(TracePath(index, num_iterations), text));
      LAPFORGE_CHECK_OK(Metrics(index).Append(metrics));
      workers[index].done.clear();
    }
    ++num_iterations;
    return WriteCheckpoints();
  }

  // The newest evaluation, as many laps of it as an iteration has episodes.
  void AddEvaluation(std::vector<EpisodeMetrics>& metrics) {
    const size_t num_episodes = metrics.size();
    for (size_t i = 0; i < std::min(last_laps.size(), num_episodes); ++i) {
      const EvaluatedLap& lap = last_laps[i];
      EpisodeMetrics entry;
      entry.episode = metrics[num_episodes - 1].episode;
      entry.trial = static_cast<int>(i) + 1;
      entry.is_evaluation = true;
      entry.start_s = entry.end_s = last_evaluation_s;
      entry.elapsed_s = static_cast<double>(lap.lap_time_us) * 1e-6;
      entry.completion_pct = lap.completion_pct;
      entry.reason = lap.reason;
      metrics.push_back(entry);
    }
    last_laps.clear();
  }

  fs::path checkpoints_path() const { return tree / "model" / "deepracer_checkpoints.json"; }

  Result<void> WriteCheckpoints() const {
    if (last.is_null()) return {};
    const Json file = {{"best_checkpoint", best.is_null() ? last : best},
                       {"last_checkpoint", last}};
    return WriteQuickly(checkpoints_path(), file.dump(2) + "\n");
  }

  // What the log of a training says once, for tools (spec/pieces.md 2.4).
  std::string LogHead() const {
    const Result<std::string> hyperparameters = ReadFile(tree / "ip" / "hyperparameters.json");
    const Json values =
        hyperparameters.ok() ? Json::parse(*hyperparameters, nullptr, false) : Json();
    return StrCat(" * /WORLD_NAME: ", fs::path(options.run.track).stem().string(),
                  "\nUsing the following hyper-parameters\n", values.dump(2),
                  "\nLoaded action space from file: ", ActionSpaceText(options), "\nSensor list ",
                  SensorListText(options), ", network ", NetworkName(options),
                  ", simapp_version 5.0\n");
  }

  TrainOptions options;
  fs::path tree;
  TracedReward* trace;
  std::vector<Worker> workers;
  TextSink print;
  int64_t num_iterations = 0;  // written
  int64_t iteration = 0;       // of the learner
  int64_t env_steps = 0;
  std::vector<EvaluatedLap> last_laps;
  double last_evaluation_s = 0;
  Json best;
  Json last;
  Result<void> outcome;
};

DeepRacerTree::DeepRacerTree(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DeepRacerTree::~DeepRacerTree() = default;

Result<std::unique_ptr<DeepRacerTree>> DeepRacerTree::Open(const fs::path& run_folder,
                                                           const TrainOptions& options,
                                                           TracedReward* trace, int64_t env_steps) {
  auto impl = std::make_unique<Impl>(run_folder, options, trace);
  LAPFORGE_CHECK_OK(impl->Begin(run_folder, env_steps));
  return std::unique_ptr<DeepRacerTree>(new DeepRacerTree(std::move(impl)));
}

void DeepRacerTree::PrintSteps(TextSink print) {
  impl_->print = std::move(print);
  impl_->print(impl_->LogHead());
}

void DeepRacerTree::OnIteration(const IterationStats& stats, double) {
  Impl& impl = *impl_;
  const auto steps = impl.trace->TakeSteps(stats.new_env_steps);
  if (!impl.outcome.ok()) return;
  // a run whose loss was not finite has gone back to its newest checkpoint
  const int64_t before = stats.env_steps - stats.new_env_steps;
  if (before < impl.env_steps) impl.outcome = impl.GoBackTo(before);
  impl.env_steps = stats.env_steps;
  impl.iteration = stats.iteration;
  for (size_t worker = 0; worker < steps.size(); ++worker) {
    for (const TraceRow& row : steps[worker]) impl.Add(impl.workers[worker], row);
  }
  if (impl.outcome.ok() && impl.IsIterationWhole()) {
    impl.outcome = impl.WriteIteration(impl.episodes_per_iteration());
  }
}

void DeepRacerTree::OnEvaluation(const EvaluationPoint& point) {
  impl_->last_laps = point.evaluation.laps;
  impl_->last_evaluation_s = WallClockS();
  impl_->last =
      CheckpointEntry(impl_->iteration, point.env_steps, point.evaluation.mean_completion_pct());
  if (point.is_best) impl_->best = impl_->last;
}

Result<void> DeepRacerTree::Finish() {
  LAPFORGE_CHECK_OK(impl_->outcome);
  size_t num_whole = impl_->episodes_per_iteration();
  for (const Worker& worker : impl_->workers) num_whole = std::min(num_whole, worker.done.size());
  if (impl_->num_iterations == 0 && num_whole > 0) return impl_->WriteIteration(num_whole);
  return impl_->WriteCheckpoints();
}

Result<void> WriteDeepRacerEvaluation(const fs::path& run_folder, const RecordedEvaluation& laps,
                                      const TextSink& print) {
  std::vector<tracks::Track> views;  // as VectorSim::tracks()
  for (const tracks::Track& track : laps.recording.tracks) {
    views.insert(views.end(), {track, track.Reversed()});
  }
  const TraceClock clock = {sim::FactsInstant::kMeasured, laps.recording.options.control_dt_s(),
                            WallClockS()};
  std::string text(kTraceHeader);
  std::string log;
  std::vector<EpisodeMetrics> metrics;
  for (size_t lap = 0; lap < laps.facts_per_trial.size(); ++lap) {
    std::vector<TraceRow> rows;
    for (const sim::StepFacts& facts : laps.facts_per_trial[lap]) {
      const tracks::Track& view = views[static_cast<size_t>(facts.track_index)];
      const TraceRow row = MakeTraceRow(facts, view, EvaluationReward(facts), clock);
      if (rows.empty()) rows.push_back(PrepareRow(row));
      rows.push_back(row);
    }
    if (rows.empty()) continue;
    for (TraceRow& row : rows) {
      row.episode = static_cast<int64_t>(lap);
      AppendCsvLine(row, text);
      AppendLogLine(row, log);
    }
    metrics.push_back(MetricsOf(rows));
    metrics.back().trial = static_cast<int>(lap) + 1;
  }
  if (print) print(log);

  const fs::path tree = run_folder / kFolder;
  const std::string name = FreshEvaluationName(tree);
  LAPFORGE_CHECK_OK(MakeFolders(tree / name / "evaluation-simtrace"));
  LAPFORGE_CHECK_OK(MakeFolders(tree / "metrics" / "evaluation"));
  LAPFORGE_CHECK_OK(WriteQuickly(tree / name / "evaluation-simtrace" / "0-iteration.csv", text));
  return WriteQuickly(tree / "metrics" / "evaluation" / (name + ".json"),
                      EvaluationMetricsText(metrics));
}

}  // namespace lapforge::agents
