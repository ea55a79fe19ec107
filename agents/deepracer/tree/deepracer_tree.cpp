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
#include "sim/base/byte_buffer.h"
#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = "deepracer";
constexpr int32_t kFirstStep = 2;  // StepFacts::steps
constexpr size_t kMaxWorkers = 10;

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

  Result<void> Begin(const fs::path& run_folder) {
    LAPFORGE_CHECK_OK(WriteInputFiles(run_folder, tree, options));
    return MakeOwnFolders();
  }

  Result<void> MakeOwnFolders() {
    LAPFORGE_CHECK_OK(MakeFolders(tree / "metrics"));
    for (size_t worker = 0; worker < workers.size(); ++worker) {
      LAPFORGE_CHECK_OK(MakeFolders(TraceFolder(worker)));
    }
    return {};
  }

  // Whatever the number of workers was.
  Result<void> BeginAnew() {
    std::error_code error;
    fs::remove_all(tree / "training-simtrace", error);
    for (size_t worker = 0; worker < kMaxWorkers; ++worker) {
      fs::remove_all(tree / StrCat(worker), error);
      LAPFORGE_CHECK_OK(Metrics(worker).CutTo(0));
    }
    workers.assign(workers.size(), {});
    num_iterations = 0;
    return MakeOwnFolders();
  }

  std::vector<std::byte> Save() const {
    ByteWriter writer;
    writer.Write(best.dump());
    writer.Write(last.dump());
    writer.Write(last_laps);
    writer.Write(last_evaluation_s);
    writer.Write(iteration);
    writer.Write(num_iterations);
    writer.Write(static_cast<uint64_t>(episodes_per_iteration()));
    writer.Write(static_cast<uint64_t>(workers.size()));
    for (size_t i = 0; i < workers.size(); ++i) {
      writer.Write(Metrics(i).num_bytes());
      writer.Write(workers[i].running);
      writer.Write(static_cast<uint64_t>(workers[i].done.size()));
      for (const std::vector<TraceRow>& episode : workers[i].done) writer.Write(episode);
    }
    return writer.Take();
  }

  void Restore(std::span<const std::byte> state) {
    best = last = nullptr;
    last_laps.clear();
    iteration = 0;
    outcome = Result<void>();
    if (!state.empty()) outcome = Load(state);
    if (!state.empty() && !outcome.ok()) {
      LogWarning("deepracer/ begins anew: ", outcome.error().message);
    }
    if (state.empty() || !outcome.ok()) outcome = BeginAnew();
    if (outcome.ok()) outcome = WriteCheckpoints();
  }

  // The workers as they were, and the files cut back to that.
  Result<void> Load(std::span<const std::byte> state) {
    ByteReader reader(state);
    std::string best_text;
    std::string last_text;
    uint64_t num_episodes = 0;
    uint64_t num_workers = 0;
    reader.Read(best_text);
    reader.Read(last_text);
    reader.Read(last_laps);
    reader.Read(last_evaluation_s);
    reader.Read(iteration);
    reader.Read(num_iterations);
    reader.Read(num_episodes);
    reader.Read(num_workers);
    best = Json::parse(best_text, nullptr, false);
    last = Json::parse(last_text, nullptr, false);
    if (num_workers != workers.size() || num_episodes != episodes_per_iteration()) {
      return ErrorOf("run.deepracer_workers or run.deepracer_episodes differ");
    }
    for (size_t i = 0; i < workers.size(); ++i) {
      LAPFORGE_CHECK_OK(LoadWorker(i, reader));
    }
    return {};
  }

  Result<void> LoadWorker(size_t index, ByteReader& reader) {
    Worker worker;
    uint64_t metrics_bytes = 0;
    uint64_t num_done = 0;
    reader.Read(metrics_bytes);
    reader.Read(worker.running);
    reader.Read(num_done);
    for (uint64_t i = 0; reader.ok() && i < num_done; ++i) reader.Read(worker.done.emplace_back());
    if (!reader.ok()) return ErrorOf("what the checkpoint says of it is damaged");
    workers[index] = std::move(worker);
    LAPFORGE_CHECK_OK(Metrics(index).CutTo(metrics_bytes));
    std::error_code error;
    for (int64_t i = num_iterations; fs::remove(TracePath(index, i), error); ++i) {
    }
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
    std::error_code ignored;
    if (last.is_null()) fs::remove(checkpoints_path(), ignored);
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
                                                           TracedReward* trace) {
  auto impl = std::make_unique<Impl>(run_folder, options, trace);
  LAPFORGE_CHECK_OK(impl->Begin(run_folder));
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

std::vector<std::byte> DeepRacerTree::Save() const { return impl_->Save(); }
void DeepRacerTree::Restore(std::span<const std::byte> state) { impl_->Restore(state); }

Result<void> DeepRacerTree::Finish() {
  LAPFORGE_CHECK_OK(impl_->outcome);
  size_t num_whole = impl_->episodes_per_iteration();
  for (const Worker& worker : impl_->workers) num_whole = std::min(num_whole, worker.done.size());
  if (impl_->num_iterations == 0 && num_whole > 0) return impl_->WriteIteration(num_whole);
  return impl_->WriteCheckpoints();
}

Result<void> WriteDeepRacerEvaluation(const fs::path& run_folder, const RecordedEvaluation& laps,
                                      const TextSink& print) {
  const TraceClock clock = {sim::FactsInstant::kMeasured, laps.recording.options.control_dt_s(),
                            WallClockS()};
  std::string text(kTraceHeader);
  std::string log;
  std::vector<EpisodeMetrics> metrics;
  for (size_t lap = 0; lap < laps.facts_per_trial.size(); ++lap) {
    std::vector<TraceRow> rows;
    for (const sim::StepFacts& facts : laps.facts_per_trial[lap]) {
      const tracks::Track& view = laps.views[static_cast<size_t>(facts.track_index)];
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
