// Tests DeepRacer's two files: what each key becomes, and the one line that a broken file gets.
#include <algorithm>
#include <string>
#include <vector>

#include "agents/deepracer/deepracer_files.h"
#include "sim/base/file_io.h"
#include "sim/base/strings.h"
#include "tests/agents/agents_fixture.h"
#include "tests/base/temporary_folder.h"

namespace lapforge::agents {
namespace {

constexpr char kActions[] =
    R"("action_space": [{"steering_angle": -30, "speed": 1}, {"steering_angle": 30, "speed": 2}])";

class Files {
 public:
  Result<DeepRacerSettings> Read(const std::string& metadata, const std::string& hyper = "") {
    return ReadDeepRacerFiles(
        {Write("model_metadata.json", metadata), Write("hyperparameters.json", hyper)});
  }

  // The options that both files make of the defaults.
  TrainOptions Options(const std::string& metadata, const std::string& hyper = "") {
    TrainOptions options;
    RequireOk(ApplyDeepRacerSettings(ValueOf(Read(metadata, hyper)), options));
    RequireOk(sim::Validate(options.sim));
    return options;
  }

 private:
  std::string Write(const std::string& name, const std::string& text) {
    if (text.empty()) return "";
    const std::string path = (folder_.path() / name).string();
    RequireOk(WriteFileAtomic(path, text));
    return path;
  }

  TemporaryFolder folder_;
};

std::string Metadata(const std::string& more) {
  return StrCat("{", kActions, more.empty() ? "" : ", ", more, "}");
}

bool HasWarning(const DeepRacerSettings& settings, const std::string& start) {
  return std::any_of(settings.warnings.begin(), settings.warnings.end(),
                     [&](const std::string& warning) { return StartsWith(warning, start); });
}

}  // namespace

TEST_CASE("deepracer files: discrete actions in their order") {
  Files files;
  const auto actions = files.Options(Metadata("")).sim.actions;
  CHECK(actions.kind == sim::ActionKind::kDiscrete);
  CHECK(actions.discrete_steering_deg == std::vector<double>{-30, 30});
  CHECK(actions.discrete_speed_mps == std::vector<double>{1, 2});

  // numbers as text, speeds of old files, indices that say otherwise
  const auto settings = ValueOf(files.Read(
      R"({"action_space": [{"steering_angle": "-45", "speed": 14, "index": 1},
          {"steering_angle": 0, "speed": 0.5, "index": 0}], "version": 1})"));
  CHECK(HasWarning(settings, "model_metadata.json: action_space steers -45 .. 0"));
  CHECK(HasWarning(settings, "model_metadata.json: action_space has speeds 0.5 .. 14"));
  CHECK(HasWarning(settings, "model_metadata.json: action_space[0].index is 1"));
}

TEST_CASE("deepracer files: continuous actions") {
  Files files;
  const auto actions =
      files
          .Options(R"({"action_space": {"steering_angle": {"low": -20, "high": 25.5},
                       "speed": {"low": 0.5, "high": 3}}, "action_space_type": "continuous"})")
          .sim.actions;
  CHECK(actions.kind == sim::ActionKind::kContinuous);
  CHECK(actions.steering_low_deg == -20);
  CHECK(actions.steering_high_deg == 25.5);
  CHECK(actions.speed_low_mps == 0.5);
  CHECK(actions.speed_high_mps == 3);
}

TEST_CASE("deepracer files: versions choose the drive, and whether sensors are read") {
  Files files;
  const auto options = [&](const std::string& more) { return files.Options(Metadata(more)).sim; };
  for (const char* version : {"5", "6", "\"5\"", "\"6.0\"", "5.0"}) {
    CHECK(options(StrCat("\"version\": ", version)).car == "rc_1_18_kinematic");
  }
  for (const char* version : {"1", "2", "3", "\"3\"", "\"4\""}) {
    CHECK(options(StrCat("\"version\": ", version)).car == "rc_1_18");
  }
  CHECK(options("").car == "rc_1_18");

  // the camera stood elsewhere before version 3
  CHECK(options(R"("version": 2)").sensors.camera.mount_x_m == 0.2);
  CHECK(options("").sensors.camera.mount_z_m == 0.164);
  CHECK(options(R"("version": 3)").sensors.camera.mount_x_m == Approx(0.14529379).margin(1e-5));

  // version 1 has one camera whatever the file says
  const std::string stereo = R"("sensor": ["STEREO_CAMERAS"])";
  CHECK_FALSE(options(R"("version": 1, )" + stereo).sensors.camera.stereo);
  CHECK(options(stereo).sensors.camera.stereo);
}

TEST_CASE("deepracer files: sensors as DeepRacer shapes them") {
  Files files;
  const auto sensors = [&](const std::string& names, const std::string& more = "") {
    return files.Options(Metadata(StrCat("\"version\": 5, \"sensor\": [", names, "]", more)))
        .sim.sensors;
  };
  using Kinds = std::vector<std::string>;
  for (const char* name : {"observation", "FRONT_FACING_CAMERA", "LEFT_CAMERA"}) {
    const auto camera = sensors(StrCat("\"", name, "\""));
    CHECK(camera.kinds == Kinds{"camera"});
    CHECK(sim::ObservationSpecOf(camera).sensors[0].shape == std::vector<int>{1, 120, 160});
  }
  CHECK(sim::ObservationSpecOf(sensors(R"("STEREO_CAMERAS")")).sensors[0].shape ==
        std::vector<int>{2, 120, 160});

  const auto ranges = sensors(R"("LIDAR", "FRONT_FACING_CAMERA")");
  CHECK(ranges.kinds == Kinds{"lidar", "camera"});
  CHECK(sim::ObservationSpecOf(ranges).sensors[0].shape == std::vector<int>{64});
  CHECK(ranges.lidar.max_range_m == 1);
  CHECK(ranges.lidar.mount_yaw_deg == 180);
  CHECK_FALSE(ranges.lidar.sees_borders);

  const auto sectors = sensors(R"("FRONT_FACING_CAMERA", "SECTOR_LIDAR")");
  CHECK(sim::ObservationSpecOf(sectors).sensors[1].shape == std::vector<int>{8});
  const auto discretized = sensors(
      R"("FRONT_FACING_CAMERA", "DISCRETIZED_SECTOR_LIDAR")",
      R"(, "lidar_config": {"num_sectors": 4, "num_values_per_sector": 5, "clipping_dist": 3})");
  CHECK(sim::ObservationSpecOf(discretized).sensors[1].shape == std::vector<int>{20});
  CHECK(discretized.lidar.clip_m == 3);
}

TEST_CASE("deepracer files: networks") {
  Files files;
  const auto kind = [&](const std::string& name) {
    return files.Options(Metadata(StrCat("\"neural_network\": \"", name, "\""))).net.kind;
  };
  CHECK(files.Options(Metadata("")).net.kind == NetKind::kDeepracerShallow);
  CHECK(kind("DEEP_CONVOLUTIONAL_NETWORK_SHALLOW") == NetKind::kDeepracerShallow);
  CHECK(kind("DEEP_CONVOLUTIONAL_NETWORK") == NetKind::kDeepracer);
  CHECK(kind("DEEP_CONVOLUTIONAL_NETWORK_DEEP") == NetKind::kDeepracerDeep);
}

TEST_CASE("deepracer files: hyperparameters") {
  Files files;
  const TrainOptions options = files.Options("", R"({"batch_size": 128, "num_epochs": 8,
      "lr": "0.0005", "beta_entropy": 0.02, "discount_factor": 0.999, "loss_type": "huber",
      "num_episodes_between_training": 20, "exploration_type": "categorical", "stack_size": 1,
      "term_cond_max_episodes": 100})");
  CHECK(options.ppo.minibatch_size == 128);
  CHECK(options.ppo.num_epochs == 8);
  CHECK(options.ppo.learning_rate == 5e-4);
  CHECK(options.ppo.schedule == LearningRateSchedule::kConstant);
  CHECK(options.ppo.entropy_coef == 0.02);
  CHECK(options.ppo.discount == 0.999);
  CHECK(options.ppo.value_loss == ValueLoss::kHuber);
  CHECK(options.run.deepracer_episodes == 20);
  // 20 episodes of 150 steps, by 64 cars; 100 iterations of that
  CHECK(options.ppo.horizon == 47);
  CHECK(options.run.total_env_steps == 100 * 47 * 64);

  // DeepRacer keeps at most 10000 steps, 3000 with a deeper network
  const char* many = R"({"num_episodes_between_training": 100})";
  CHECK(files.Options("", many).ppo.horizon == 157);
  CHECK(files.Options(Metadata(R"("neural_network": "DEEP_CONVOLUTIONAL_NETWORK")"), many)
            .ppo.horizon == 47);
  CHECK(files.Options("", R"({"num_episodes_between_training": 1})").ppo.horizon == 16);
  CHECK(files.Options("", R"({"loss_type": "mean squared error"})").ppo.value_loss ==
        ValueLoss::kSquared);
}

namespace {

struct WarningCase {
  const char* metadata;  // beside the actions
  const char* hyper;
  const char* warning;
};
const WarningCase kWarningCases[] = {
    {"", R"("learning_rate": 1)",
     "learning_rate is ignored: DeepRacer has no such key (did you mean 'lr'?)"},
    {"", R"("entropy_coefficient": 1)",
     "entropy_coefficient is ignored: DeepRacer has no such key (did you mean 'beta_entropy'?)"},
    {"", R"("gamma": 1)",
     "gamma is ignored: DeepRacer has no such key (did you mean 'discount_factor'?)"},
    {"", R"("num_epoch": 1)",
     "num_epoch is ignored: DeepRacer has no such key (did you mean 'num_epochs'?)"},
    {"", R"("zebra": 1)", "zebra is ignored: DeepRacer has no such key"},
    {"", R"("e_greedy_value": 0.05)", "e_greedy_value is ignored: "},
    {"", R"("epsilon_steps": 1)", "epsilon_steps is ignored: "},
    {"", R"("term_cond_avg_score": 1)", "term_cond_avg_score is ignored: "},
    {"", R"("sac_alpha": 0.2)", "sac_alpha is ignored: "},
    {"", R"("stack_size": 4)", "stack_size is ignored: "},
    {"", R"("exploration_type": "e-greedy")", "exploration_type is ignored: "},
    {"", R"("exploration_type": "additive_noise")", "exploration_type is ignored: "},
    {"", R"("max_sample_count": 0)", "max_sample_count is ignored: "},
    {"", R"("lr": 0.01)", "lr is 0.01, outside DeepRacer's 1e-08 .. 0.001"},
    {"", R"("num_epochs": 20)", "num_epochs is 20, outside DeepRacer's 3 .. 10"},
    {"", R"("num_episodes_between_training": 200)",
     "num_episodes_between_training is 200, outside"},
    {"", R"("lr": 0.001, "lr": 0.0001)", "lr is there more than once"},
    {R"("preprocess_type": "GREY_SCALE")", "", "preprocess_type is ignored: "},
    {R"("regional_parameters": [0, 0, 0, 0])", "", "regional_parameters is ignored: "},
    {R"("sensors": ["LIDAR"])", "",
     "sensors is ignored: DeepRacer has no such key (did you mean 'sensor'?)"},
    {R"("network": "x")", "",
     "network is ignored: DeepRacer has no such key (did you mean 'neural_network'?)"},
    {R"("lidar_config": {})", "", "lidar_config is ignored: "},
    {R"("version": 7)", "", "version is 7; read as 6"},
    {R"("version": 1)", "", "version is 1, whose wheels turned"},
    {R"("version": 1, "sensor": ["LIDAR"])", "", "sensor is ignored: version 1"},
    {R"("version": 5, "sensor": ["LEFT_CAMERA", "DISCRETIZED_SECTOR_LIDAR"], "lidar_config": {"num_sector": 4})",
     "",
     "lidar_config.num_sector is ignored: DeepRacer has no such key (did you mean "
     "'num_sectors'?)"},
};

}  // namespace

TEST_CASE("deepracer files: what is ignored is said, with the nearest key") {
  for (const WarningCase& test : kWarningCases) {
    Files files;
    const std::string hyper = test.hyper;
    const auto settings =
        ValueOf(files.Read(Metadata(test.metadata), hyper.empty() ? "" : StrCat("{", hyper, "}")));
    const char* file = hyper.empty() ? "model_metadata.json: " : "hyperparameters.json: ";
    INFO(test.warning);
    INFO(Join(settings.warnings, "\n"));
    CHECK(HasWarning(settings, StrCat(file, test.warning)));
  }
}

namespace {

// Metadata that begins with a key goes beside good actions.
struct BrokenCase {
  const char* metadata;
  const char* hyper;
  std::vector<std::string> expected;
};
const BrokenCase kBrokenCases[] = {
    // no JSON, no object
    {"{\n  \"version\": 5,\n}", "", {"model_metadata.json:3: not JSON"}},
    {"{\n  'version': 5\n}", "", {"model_metadata.json:2: not JSON"}},
    {"", "{\"lr\": 0.1\n\"batch_size\": 64}", {"hyperparameters.json:2: not JSON"}},
    {"", "{\"lr\": 0.1", {"hyperparameters.json:1: not JSON"}},
    {"", "{\"lr\": NaN}", {"hyperparameters.json:1: not JSON"}},
    {"", "{\"lr\": 1e400}", {"hyperparameters.json: a number is too large"}},
    {"", "{\"lr\": 0.1} more", {"hyperparameters.json:1: not JSON"}},
    {"", "# lr: 0.1", {"hyperparameters.json:1: not JSON"}},
    {"", "\"\xff\"", {"hyperparameters.json:1: not JSON"}},
    {"[1]", "", {"model_metadata.json: expected an object", "a list"}},
    {"", "3", {"hyperparameters.json: expected an object", "a number"}},
    {"", "null", {"hyperparameters.json: expected an object", "null"}},
    // actions
    {"{}", "", {"model_metadata.json: action_space is missing"}},
    {R"({"actionspace": []})", "", {"action_space is missing, but 'actionspace' is there"}},
    {R"({"action_space": 3})", "", {"action_space is a number", "list of actions"}},
    {R"({"action_space": []})", "", {"action_space has 0 actions"}},
    {R"({"action_space": [{"steering_angle": 0, "speed": 1}]})",
     "",
     {"action_space has 1 actions"}},
    {R"({"action_space": [{"steering_angle": 0, "speed": 1}, 7]})",
     "",
     {"action_space[1] is a number"}},
    {R"({"action_space": [{"steering_angle": 0}, {}]})", "", {"action_space[0].speed is missing"}},
    {R"({"action_space": [{"steering": 0, "speed": 1}, {}]})",
     "",
     {"action_space[0].steering_angle is missing, but 'steering' is there"}},
    {R"({"action_space": [{"steering_angle": "left", "speed": 1}, {}]})",
     "",
     {"action_space[0].steering_angle is \"left\"; expected a number"}},
    {R"({"action_space": [{"steering_angle": 0, "speed": null}, {}]})",
     "",
     {"action_space[0].speed is null"}},
    {R"({"action_space": [{"steering_angle": 120, "speed": 1}, {}]})",
     "",
     {"action_space[0] steers 120"}},
    {R"({"action_space": [{"steering_angle": 0, "speed": 400}, {}]})",
     "",
     {"action_space[0] has a speed of 400"}},
    {R"({"action_space": {}})", "", {"action_space.steering_angle is missing"}},
    {R"({"action_space": {"steering_angle": {"low": -30, "high": 30}}})",
     "",
     {"action_space.speed is missing"}},
    {R"({"action_space": {"steering_angle": 30, "speed": {}}})",
     "",
     {"action_space.steering_angle is a number"}},
    {R"({"action_space": {"steering_angle": {"low": -30}, "speed": {}}})",
     "",
     {"action_space.steering_angle.high is missing"}},
    {R"({"action_space": {"steering_angle": {"low": 30, "high": -30}, "speed": {}}})",
     "",
     {"action_space.steering_angle has low 30 and high -30"}},
    {R"({"action_space": {"steering_angle": {"low": -30, "high": 30}, "speed": {"low": 2, "high": 2}}})",
     "",
     {"action_space.speed has low 2 and high 2"}},
    {R"({"action_space": {}, "action_space_type": "discrete"})",
     "",
     {"action_space_type is \"discrete\", but"}},
    {R"({"action_space": [1, 2], "action_space_type": "continuous"})",
     "",
     {"action_space_type is \"continuous\", but"}},
    {R"({"action_space": [], "action_space_type": "discreet"})",
     "",
     {"action_space_type is 'discreet'", "did you mean 'discrete'"}},
    {R"({"action_space": [], "action_space_type": 1})", "", {"action_space_type is a number"}},
    // the rest of the metadata, beside good actions
    {R"("version": "five")", "", {"version is \"five\"; expected 1 .. 6"}},
    {R"("version": 0)", "", {"version is 0; expected 1 .. 6"}},
    {R"("version": 5.5)", "", {"version is 5.5; expected 1 .. 6"}},
    {"",
     R"({"term_cond_max_episodes": 1e15})",
     {"term_cond_max_episodes is 1000000000000000; expected at most"}},
    {R"("version": 2.5)", "", {"version is 2.5; expected 1 .. 6"}},
    {R"("version": true)", "", {"version is true; expected 1 .. 6"}},
    {R"("sensor": "FRONT_FACING_CAMERA")", "", {"sensor is text; expected a list"}},
    {R"("sensor": [])", "", {"sensor names 0 cameras"}},
    {R"("sensor": ["LIDAR"])", "", {"sensor names 0 cameras"}},
    {R"("sensor": ["LEFT_CAMERA", "STEREO_CAMERAS"])", "", {"sensor names 2 cameras"}},
    {R"("sensor": ["LEFT_CAMERA", "LIDAR", "SECTOR_LIDAR"])", "", {"sensor names 2 lidars"}},
    {R"("sensor": ["FRONT_CAMERA"])", "", {"sensor has 'FRONT_CAMERA'"}},
    {R"("sensor": ["FRONT_FACING_CAMRA"])", "", {"did you mean 'FRONT_FACING_CAMERA'"}},
    {R"("sensor": [5])", "", {"sensor has '5'"}},
    {R"("neural_network": "DEEP")", "", {"neural_network is 'DEEP'"}},
    {R"("neural_network": "DEEP_CONVOLUTIONAL_NETWORK_SHALOW")",
     "",
     {"did you mean 'DEEP_CONVOLUTIONAL_NETWORK_SHALLOW'"}},
    {R"("neural_network": "LLM")", "", {"neural_network is 'LLM'"}},
    {R"("neural_network": null)", "", {"neural_network is null"}},
    {R"("training_algorithm": "sac")", "", {"'sac' is not there yet", "clipped_ppo"}},
    {R"("training_algorithm": " SAC ")", "", {"'sac' is not there yet"}},
    {R"("training_algorithm": "ppo")", "", {"training_algorithm is 'ppo'", "expected clipped_ppo"}},
    {R"("training_algorithm": 2)", "", {"training_algorithm is a number"}},
    {R"("lidar_config": 3)", "", {"lidar_config is a number"}},
    {R"("sensor": ["LEFT_CAMERA", "DISCRETIZED_SECTOR_LIDAR"], "lidar_config": {"num_sectors": 7})",
     "",
     {"lidar_config.num_sectors is 7", "divisor"}},
    {R"("sensor": ["LEFT_CAMERA", "DISCRETIZED_SECTOR_LIDAR"], "lidar_config": {"num_sectors": 0})",
     "",
     {"lidar_config.num_sectors is 0"}},
    {R"("sensor": ["LEFT_CAMERA", "DISCRETIZED_SECTOR_LIDAR"], "lidar_config": {"num_values_per_sector": 0})",
     "",
     {"lidar_config.num_values_per_sector is 0"}},
    {R"("sensor": ["LEFT_CAMERA", "DISCRETIZED_SECTOR_LIDAR"], "lidar_config": {"clipping_dist": 40})",
     "",
     {"lidar_config.clipping_dist is 40"}},
    {R"("sensor": ["LEFT_CAMERA", "DISCRETIZED_SECTOR_LIDAR"], "lidar_config": {"clipping_dist": "far"})",
     "",
     {"lidar_config.clipping_dist is \"far\""}},
    // hyperparameters
    {"", R"({"batch_size": "many"})", {"batch_size is \"many\"; expected a whole number"}},
    {"", R"({"batch_size": 64.5})", {"batch_size is 64.5; expected a whole number"}},
    {"", R"({"batch_size": 0})", {"batch_size is out of range", "ppo.minibatch_size"}},
    {"", R"({"batch_size": 1e300})", {"batch_size is 1e+300"}},
    {"", R"({"num_epochs": 0})", {"num_epochs is out of range"}},
    {"", R"({"num_epochs": [3]})", {"num_epochs is [3]; expected a whole number"}},
    {"", R"({"lr": null})", {"lr is null; expected a number"}},
    {"", R"({"lr": -1})", {"lr is out of range", "ppo.learning_rate"}},
    {"", R"({"lr": "nan"})", {"lr is \"nan\"; expected a number"}},
    {"", R"({"discount_factor": 1.5})", {"discount_factor is out of range"}},
    {"", R"({"beta_entropy": -0.01})", {"beta_entropy is out of range"}},
    {"", R"({"loss_type": "hubert"})", {"loss_type is 'hubert'", "did you mean 'huber'"}},
    {"", R"({"loss_type": 1})", {"loss_type is a number; expected one of huber"}},
    {"",
     R"({"exploration_type": "catagorical"})",
     {"exploration_type is 'catagorical'", "categorical"}},
    {"",
     R"({"num_episodes_between_training": 0})",
     {"num_episodes_between_training is 0; expected at least 1"}},
    {"", R"({"num_episodes_between_training": "x"})", {"num_episodes_between_training is \"x\""}},
    {"", R"({"term_cond_max_episodes": -5})", {"term_cond_max_episodes is -5"}},
    {"", R"({"stack_size": 0})", {"stack_size is 0"}},
};

}  // namespace

TEST_CASE("deepracer files: each broken file gets one line with file, place and reason") {
  CHECK(std::size(kBrokenCases) >= 40);
  for (const BrokenCase& test : kBrokenCases) {
    Files files;
    std::string metadata = test.metadata;
    if (StartsWith(metadata, "\"")) metadata = Metadata(metadata);
    const auto settings = files.Read(metadata, test.hyper);
    INFO(metadata << test.hyper);
    REQUIRE_FALSE(settings.ok());
    const std::string& message = settings.error().message;
    INFO(message);
    CHECK(message.find('\n') == message.npos);
    CHECK(message.find(metadata.empty() ? "hyperparameters.json" : "model_metadata.json") !=
          message.npos);
    for (const std::string& text : test.expected) CHECK(message.find(text) != message.npos);
  }
  Files files;
  const auto absent = ReadDeepRacerFiles({"absent.json", ""});
  CHECK(absent.error().message.find("absent.json") != std::string::npos);
}

}  // namespace lapforge::agents
