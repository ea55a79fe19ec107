// model_metadata.json (spec/deepracer.md section 2), but for its actions.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/deepracer/files/action_space.h"
#include "agents/deepracer/files/file_readers.h"
#include "agents/deepracer/files/json_object.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

using Settings = std::vector<OptionSetting>;

constexpr double kNewestVersion = 6;
constexpr int kLidarBeams = 64;

const std::vector<std::string> kKnownKeys = {
    "action_space",       "version",           "sensor",       "neural_network",
    "training_algorithm", "action_space_type", "lidar_config", "preprocess_type",
    "regional_parameters"};
const std::vector<std::string> kNetworks = {"DEEP_CONVOLUTIONAL_NETWORK_SHALLOW",
                                            "DEEP_CONVOLUTIONAL_NETWORK",
                                            "DEEP_CONVOLUTIONAL_NETWORK_DEEP"};
constexpr std::array<std::string_view, 3> kNetKinds = {"deepracer_shallow", "deepracer",
                                                       "deepracer_deep"};
const std::vector<std::string> kCameras = {"observation", "FRONT_FACING_CAMERA", "LEFT_CAMERA",
                                           "STEREO_CAMERAS"};
const std::vector<std::string> kLidars = {"LIDAR", "SECTOR_LIDAR", "DISCRETIZED_SECTOR_LIDAR"};

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::count(names.begin(), names.end(), name) > 0;
}

std::string LowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

class ModelMetadata {
 public:
  ModelMetadata(const JsonObject& object, DeepRacerSettings& settings)
      : object_(object), keys_(object, settings) {}

  // The order is that of the table that people see.
  Result<int> Read() {
    LAPFORGE_CHECK_OK(ReadAlgorithm());
    LAPFORGE_CHECK_OK(ReadActions());
    LAPFORGE_CHECK_OK(ReadVersion());
    LAPFORGE_CHECK_OK(ReadSensors());
    LAPFORGE_CHECK_OK(ReadLidarConfig());
    LAPFORGE_CHECK_OK(ReadNetwork());
    for (const char* key : {"preprocess_type", "regional_parameters"}) {
      if (object_.Find(key) != nullptr) keys_.Ignore(key, "no DeepRacer program reads it");
    }
    keys_.WarnOfUnknown("", object_.root, kKnownKeys);
    return network_ == 0 ? kMaxRolloutSteps : kMaxRolloutStepsDeep;
  }

 private:
  // The text of a key that is there.
  Result<std::string> TextOf(const std::string& key) const {
    const Json& value = *object_.Find(key);
    if (!value.is_string()) return object_.At(key, "is ", KindText(value), "; expected text");
    return value.get<std::string>();
  }

  Result<void> ReadAlgorithm() {
    if (object_.Find("training_algorithm") == nullptr) return {};
    LAPFORGE_TRY(const std::string text, TextOf("training_algorithm"));
    const std::string word(Trim(LowerCase(text)));
    if (word == "sac") {
      return object_.At("training_algorithm",
                        "'sac' is not there yet; write \"clipped_ppo\", which takes these actions "
                        "too");
    }
    if (word != "clipped_ppo") {
      return object_.At("training_algorithm", "is '", text, "'; expected clipped_ppo",
                        DidYouMean(word, std::vector<std::string>{"clipped_ppo"}));
    }
    keys_.Set("training_algorithm", {}, "as here: PPO");
    return {};
  }

  Result<void> ReadActions() {
    if (object_.Find("action_space_type") != nullptr) {
      LAPFORGE_TRY(const std::string type, TextOf("action_space_type"));
      const std::vector<std::string> types = {"discrete", "continuous"};
      if (!Contains(types, type)) {
        return object_.At("action_space_type", "is '", type, "'; expected discrete or continuous",
                          DidYouMean(type, types));
      }
    }
    LAPFORGE_CHECK_OK(ReadActionSpace(keys_));
    if (object_.Find("action_space_type") != nullptr) {
      keys_.Set("action_space_type", {}, "as the form of action_space says");
    }
    return {};
  }

  // Present: text or number. Absent: 2 with a `sensor`, else 1.
  Result<void> ReadVersion() {
    const Json* value = object_.Find("version");
    if (value == nullptr) {
      version_ = object_.Find("sensor") != nullptr ? 2 : 1;
      keys_.SetAbsent("version", {{"sim.car", "rc_1_18"}}, StrCat("read as ", version_));
      return {};
    }
    const std::optional<double> number = NumberIn(*value);
    if (!number) return object_.At("version", "is ", ShortText(*value), "; expected 1 .. 6");
    version_ = *number;
    if (version_ < 1 || version_ != std::floor(version_)) {
      return object_.At("version", "is ", version_, "; expected 1 .. 6");
    }
    if (version_ >= kNewestVersion + 1) {
      keys_.Warn("version", StrCat("is ", version_, "; read as ", kNewestVersion,
                                   ", the newest that is known"));
    }
    if (version_ < 3) {
      keys_.Warn("version", StrCat("is ", version_, ", whose wheels turned at speed / ",
                                   version_ < 2 ? 0.1 : 0.0277,
                                   " m; here speeds are m/s, as since version 3"));
    }
    const bool is_kinematic = version_ >= 5;
    keys_.Set("version", {{"sim.car", is_kinematic ? "rc_1_18_kinematic" : "rc_1_18"}},
              is_kinematic ? "sim.car rc_1_18_kinematic: wheels turn as commanded"
                           : "sim.car rc_1_18: a motor brings the wheels to the commanded speed");
    return {};
  }

  Result<void> ReadSensors() {
    const Json* value = object_.Find("sensor");
    if (value == nullptr || version_ < 2) {
      if (value != nullptr) keys_.Ignore("sensor", "version 1 has one camera, always");
      Settings settings = CameraSettings("observation");
      settings.insert(settings.begin(), {"sim.sensors.kinds", "[\"camera\"]"});
      keys_.SetAbsent("sensor", settings, "sim.sensors.kinds [\"camera\"]");
      return {};
    }
    LAPFORGE_TRY(const auto names, SensorNames(*value));
    Settings settings;
    std::string kinds;
    for (const std::string& name : names) {
      const bool is_lidar = Contains(kLidars, name);
      const Settings more = is_lidar ? LidarSettings(name) : CameraSettings(name);
      settings.insert(settings.end(), more.begin(), more.end());
      kinds += StrCat(kinds.empty() ? "" : ", ", QuoteText(is_lidar ? "lidar" : "camera"));
    }
    settings.insert(settings.begin(), {"sim.sensors.kinds", StrCat("[", kinds, "]")});
    keys_.Set("sensor", settings, StrCat("sim.sensors.kinds [", kinds, "] as DeepRacer mounts it"));
    return {};
  }

  // Every name known, exactly one camera, at most one lidar.
  Result<std::vector<std::string>> SensorNames(const Json& value) {
    if (!value.is_array()) {
      return object_.At("sensor", "is ", KindText(value),
                        "; expected a list, as [\"FRONT_FACING_CAMERA\"]");
    }
    std::vector<std::string> all = kCameras;
    all.insert(all.end(), kLidars.begin(), kLidars.end());
    std::vector<std::string> names;
    int num_cameras = 0;
    for (const Json& entry : value) {
      if (!entry.is_string() || !Contains(all, entry.get<std::string>())) {
        const std::string text = entry.is_string() ? entry.get<std::string>() : ShortText(entry);
        return object_.At("sensor", "has '", text, "'; expected one of ", Join(all, ", "),
                          DidYouMean(text, all));
      }
      names.push_back(entry.get<std::string>());
      if (Contains(kCameras, names.back())) ++num_cameras;
    }
    if (num_cameras != 1) {
      return object_.At("sensor", "names ", num_cameras, " cameras; expected exactly one of ",
                        Join(kCameras, ", "));
    }
    if (names.size() > 2) {
      return object_.At("sensor", "names ", names.size() - 1, " lidars; expected at most one of ",
                        Join(kLidars, ", "));
    }
    return names;
  }

  // spec/deepracer.md 2.2; before version 3 the camera stood elsewhere (1.2, object_in_camera).
  Settings CameraSettings(const std::string& name) const {
    const std::string camera = "sim.sensors.camera.";
    Settings settings = {{camera + "width_px", "160"},
                         {camera + "height_px", "120"},
                         {camera + "color", "gray"},
                         {camera + "stereo", name == "STEREO_CAMERAS" ? "true" : "false"}};
    if (version_ < 3) {
      settings.push_back({camera + "mount_x_m", "0.2"});
      settings.push_back({camera + "mount_z_m", "0.164"});
    }
    return settings;
  }

  // The lidar looks back, and meets only what stands on the road: tracks have no walls.
  static Settings LidarSettings(const std::string& name) {
    const std::string lidar = "sim.sensors.lidar.";
    Settings settings = {{lidar + "num_beams", StrCat(kLidarBeams)},
                         {lidar + "mount_yaw_deg", "180"},
                         {lidar + "sees_borders", "false"}};
    if (name == "LIDAR") {
      settings.push_back({lidar + "form", "ranges"});
      settings.push_back({lidar + "min_range_m", "0.15"});
      settings.push_back({lidar + "max_range_m", "1"});
    } else if (name == "SECTOR_LIDAR") {
      settings.push_back({lidar + "form", "sectors"});
      settings.push_back({lidar + "num_sectors", "8"});
      settings.push_back({lidar + "near_m", "0.5"});
    } else {
      settings.push_back({lidar + "form", "discretized"});
    }
    return settings;
  }

  Result<void> ReadLidarConfig() {
    const Json* config = object_.Find("lidar_config");
    if (config == nullptr) return {};
    if (!config->is_object()) {
      return object_.At("lidar_config", "is ", KindText(*config), "; expected an object");
    }
    const Json* sensor = object_.Find("sensor");
    const bool is_used = sensor != nullptr && version_ >= 2 &&
                         std::count(sensor->begin(), sensor->end(), kLidars[2]) > 0;
    if (!is_used) {
      keys_.Ignore("lidar_config", StrCat("it belongs to the sensor ", kLidars[2]));
      return {};
    }
    LAPFORGE_TRY(const double num_sectors, LidarNumber(*config, "num_sectors", 8));
    LAPFORGE_TRY(const double num_values, LidarNumber(*config, "num_values_per_sector", 8));
    LAPFORGE_TRY(const double clip_m, LidarNumber(*config, "clipping_dist", 2));
    if (num_sectors < 1 || std::fmod(kLidarBeams, num_sectors) != 0) {
      return object_.At("lidar_config.num_sectors", "is ", num_sectors,
                        "; expected a divisor of the ", kLidarBeams, " beams");
    }
    if (num_values < 1 || num_values > 256 || num_values != std::floor(num_values)) {
      return object_.At("lidar_config.num_values_per_sector", "is ", num_values,
                        "; expected a whole number in 1 .. 256");
    }
    if (clip_m < 0.15 || clip_m > 12) {
      return object_.At("lidar_config.clipping_dist", "is ", clip_m, "; expected 0.15 .. 12 m");
    }
    keys_.Set("lidar_config",
              {{"sim.sensors.lidar.num_sectors", StrCat(static_cast<int>(num_sectors))},
               {"sim.sensors.lidar.values_per_sector", StrCat(static_cast<int>(num_values))},
               {"sim.sensors.lidar.clip_m", StrCat(clip_m)}});
    keys_.WarnOfUnknown("lidar_config", *config,
                        {"num_sectors", "num_values_per_sector", "clipping_dist"});
    return {};
  }

  Result<double> LidarNumber(const Json& config, const std::string& key, double otherwise) const {
    const auto found = config.find(key);
    if (found == config.end()) return otherwise;
    const std::optional<double> number = NumberIn(*found);
    if (number) return *number;
    return object_.At(StrCat("lidar_config.", key), "is ", ShortText(*found),
                      "; expected a number");
  }

  Result<void> ReadNetwork() {
    const Json* value = object_.Find("neural_network");
    if (value == nullptr) {
      keys_.SetAbsent("neural_network", {{"net.kind", std::string(kNetKinds[0])}});
      return {};
    }
    LAPFORGE_TRY(const std::string name, TextOf("neural_network"));
    const auto found = std::find(kNetworks.begin(), kNetworks.end(), name);
    if (found == kNetworks.end()) {
      return object_.At("neural_network", "is '", name, "'; expected one of ",
                        Join(kNetworks, ", "), DidYouMean(name, kNetworks));
    }
    network_ = static_cast<size_t>(found - kNetworks.begin());
    keys_.Set("neural_network", {{"net.kind", std::string(kNetKinds[network_])}});
    return {};
  }

  const JsonObject& object_;
  KeyCollector keys_;
  double version_ = 1;
  size_t network_ = 0;
};

}  // namespace

Result<int> ReadModelMetadata(const std::string& path, DeepRacerSettings& settings) {
  LAPFORGE_TRY(const JsonObject object, ReadJsonObject(path));
  return ModelMetadata(object, settings).Read();
}

}  // namespace lapforge::agents
