#include "agents/deepracer/tree/input_files.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "agents/deepracer/files/json_object.h"
#include "agents/deepracer/tree/metrics_file.h"
#include "sim/base/file_io.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

namespace fs = std::filesystem;

Json ActionSpace(const sim::ActionOptions& actions) {
  if (actions.kind == sim::ActionKind::kContinuous) {
    return {{"steering_angle",
             {{"low", actions.steering_low_deg}, {"high", actions.steering_high_deg}}},
            {"speed", {{"low", actions.speed_low_mps}, {"high", actions.speed_high_mps}}}};
  }
  Json list = Json::array();
  for (size_t i = 0; i < actions.discrete_speed_mps.size(); ++i) {
    list.push_back({{"steering_angle", actions.discrete_steering_deg[i]},
                    {"speed", actions.discrete_speed_mps[i]},
                    {"index", i}});
  }
  return list;
}

// DeepRacer's names where it has one; else ours in capitals.
Json Sensors(const sim::SensorOptions& sensors) {
  Json names = Json::array();
  for (const std::string& kind : sensors.kinds) {
    std::string name = kind;
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (kind == "camera") name = sensors.camera.stereo ? "STEREO_CAMERAS" : "FRONT_FACING_CAMERA";
    if (kind == "lidar" && sensors.lidar.form == sim::LidarForm::kSectors) name = "SECTOR_LIDAR";
    if (kind == "lidar" && sensors.lidar.form == sim::LidarForm::kDiscretized) {
      name = "DISCRETIZED_SECTOR_LIDAR";
    }
    names.push_back(name);
  }
  return names;
}

std::string MetadataText(const TrainOptions& options) {
  const bool is_continuous = options.sim.actions.kind == sim::ActionKind::kContinuous;
  return Json{{"action_space", ActionSpace(options.sim.actions)},
              {"sensor", Sensors(options.sim.sensors)},
              {"neural_network", NetworkName(options)},
              {"version", "5"},
              {"training_algorithm", "clipped_ppo"},
              {"action_space_type", is_continuous ? "continuous" : "discrete"}}
             .dump(2) +
         "\n";
}

std::string HyperparametersText(const TrainOptions& options) {
  const PpoOptions& ppo = options.ppo;
  return Json{{"batch_size", ppo.minibatch_size},
              {"beta_entropy", ppo.entropy_coef},
              {"discount_factor", ppo.discount},
              {"exploration_type", "categorical"},
              {"loss_type", ppo.value_loss == ValueLoss::kHuber ? "huber" : "mean squared error"},
              {"lr", ppo.learning_rate},
              {"num_episodes_between_training", options.run.deepracer_episodes},
              {"num_epochs", ppo.num_epochs},
              {"stack_size", 1}}
             .dump(2) +
         "\n";
}

// The keys of spec/deepracer.md 6.4 that say something here; every value is text.
std::string TrainingParamsText(const TrainOptions& options) {
  const sim::EpisodeOptions& episode = options.sim.episode;
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  const std::vector<std::pair<std::string, std::string>> params = {
      {"JOB_TYPE", "TRAINING"},
      {"WORLD_NAME", fs::path(options.run.track).stem().string()},
      {"RACE_TYPE", options.sim.objects.count > 0 ? "OBJECT_AVOIDANCE" : "TIME_TRIAL"},
      {"NUM_WORKERS", StrCat(options.run.deepracer_workers)},
      {"REVERSE_DIR", flag(episode.direction == sim::DirectionMode::kReversed)},
      {"ALTERNATE_DRIVING_DIRECTION", flag(episode.direction == sim::DirectionMode::kAlternate)},
      {"CHANGE_START_POSITION", flag(episode.start != sim::StartMode::kLine)},
      {"ROUND_ROBIN_ADVANCE_DIST", StrCat(episode.start_advance_frac)},
      {"START_POSITION_OFFSET", StrCat(episode.start_offset_frac)},
      {"ENABLE_DOMAIN_RANDOMIZATION", flag(!(options.sim.randomize == sim::RandomizeOptions()))},
      {"NUMBER_OF_OBSTACLES", StrCat(options.sim.objects.count)},
      {"MIN_EVAL_TRIALS", StrCat(options.run.evaluation_laps)},
      {"BEST_MODEL_METRIC", "progress"},
      {"MODEL_METADATA_FILE_S3_KEY", "model/model_metadata.json"},
      {"REWARD_FILE_S3_KEY", "reward_function.py"},
  };
  std::string text;
  for (const auto& [key, value] : params) text += StrCat(key, ": ", QuoteText(value), "\n");
  return text;
}

// The user's file, or else `text`.
Result<void> CopyOrWrite(const fs::path& given, const fs::path& path, const std::string& text) {
  std::error_code error;
  if (!fs::exists(given, error)) return WriteQuickly(path, text);
  LAPFORGE_TRY(const std::string content, ReadFile(given));
  return WriteQuickly(path, content);
}

}  // namespace

Result<void> WriteInputFiles(const fs::path& run_folder, const fs::path& tree,
                             const TrainOptions& options) {
  LAPFORGE_CHECK_OK(MakeFolders(tree / "model"));
  LAPFORGE_CHECK_OK(MakeFolders(tree / "ip"));
  LAPFORGE_CHECK_OK(CopyOrWrite(run_folder / "model_metadata.json",
                                tree / "model" / "model_metadata.json", MetadataText(options)));
  LAPFORGE_CHECK_OK(CopyOrWrite(run_folder / "hyperparameters.json",
                                tree / "ip" / "hyperparameters.json",
                                HyperparametersText(options)));
  if (!options.reward.python_file.empty()) {
    LAPFORGE_CHECK_OK(
        CopyOrWrite(run_folder / "reward_function.py", tree / "reward_function.py", ""));
  }
  return WriteQuickly(tree / "training_params.yaml", TrainingParamsText(options));
}

std::string SensorListText(const TrainOptions& options) {
  std::vector<std::string> names;
  for (const Json& name : Sensors(options.sim.sensors)) {
    names.push_back(StrCat("'", name.get<std::string>(), "'"));
  }
  return StrCat("[", Join(names, ", "), "]");
}

std::string ActionSpaceText(const TrainOptions& options) {
  std::string text = ActionSpace(options.sim.actions).dump();
  std::replace(text.begin(), text.end(), '"', '\'');
  return text;
}

std::string NetworkName(const TrainOptions& options) {
  switch (options.net.kind) {
    case NetKind::kDeepracer:
      return "DEEP_CONVOLUTIONAL_NETWORK";
    case NetKind::kDeepracerDeep:
      return "DEEP_CONVOLUTIONAL_NETWORK_DEEP";
    default:
      return "DEEP_CONVOLUTIONAL_NETWORK_SHALLOW";
  }
}

}  // namespace lapforge::agents
