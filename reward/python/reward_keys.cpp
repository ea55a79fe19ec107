// DeepRacer's keys in words, and the table of all keys.
#include "reward/reward_keys.h"

#include <vector>

#include "reward/python/extra_keys.h"
#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

// In the order of kParamKeys.
constexpr RewardKey kDeepracerKeys[] = {
    {"all_wheels_on_track", "bool", "", "no wheel is beyond a border", false},
    {"x", "float", "m", "position of the front point, 0.14 m ahead of the car's origin", false},
    {"y", "float", "m", "the same", false},
    {"heading", "float", "degrees", "-180 .. 180; 0 points along +x, counter-clockwise positive",
     false},
    {"distance_from_center", "float", "m", "from the centerline, never negative", false},
    {"projection_distance", "float", "m", "along the centerline from waypoint 0", false},
    {"progress", "float", "%", "of the lap since the episode's start; 100 once, when it completes",
     false},
    {"steps", "float", "", "of the episode; 2.0 in its first call", false},
    {"speed", "float", "m/s", "what the action asks for, not what the car does", false},
    {"steering_angle", "float", "degrees", "what the action asks for, left positive", false},
    {"track_width", "float", "m", "from border to border where the car is", false},
    {"track_length", "float", "m", "of the centerline", false},
    {"waypoints", "list of (x, y)", "m",
     "the centerline in driving direction; a loop's last "
     "repeats the first",
     false},
    {"closest_waypoints", "[int, int]", "", "indices of the waypoints behind and ahead", false},
    {"is_left_of_center", "bool", "", "the front point is left of the centerline", false},
    {"is_reversed", "bool", "",
     "the track is driven against its file's direction; says nothing of "
     "the car",
     false},
    {"closest_objects", "[int, int]", "", "indices of the objects behind and ahead; [0, 0] without",
     false},
    {"objects_location", "list of [x, y]", "m", "of each object", false},
    {"objects_left_of_center", "list of bool", "", "of each object", false},
    {"object_in_camera", "bool", "", "the camera sees the object ahead", false},
    {"objects_speed", "list of float", "m/s", "of each object; 0 for boxes", false},
    {"objects_heading", "list of float", "radians", "of each object; 0 for boxes", false},
    {"objects_distance_from_center", "list of float", "m", "of each object, never negative", false},
    {"objects_distance", "list of float", "m",
     "of each object, along the centerline from waypoint "
     "0",
     false},
    {"is_crashed", "bool", "", "the car ran into an object", false},
    {"is_offtrack", "bool", "", "all four wheels are beyond the border; the episode ends", false},
    {"sim_time", "float", "s", "simulated time of the episode at the start of the step", false},
};

const char* PythonName(ExtraType type) {
  switch (type) {
    case ExtraType::kBool:
      return "bool";
    case ExtraType::kInt:
      return "int";
    case ExtraType::kFloat:
      return "float";
  }
  return "";
}

std::vector<RewardKey> MakeTable() {
  std::vector<RewardKey> keys(std::begin(kDeepracerKeys), std::end(kDeepracerKeys));
  for (const ExtraKey& extra : ExtraKeys()) {
    keys.push_back({extra.name, PythonName(extra.type), extra.unit, extra.meaning, true});
  }
  return keys;
}

}  // namespace

std::span<const RewardKey> RewardKeys() {
  static const std::vector<RewardKey> keys = MakeTable();
  return keys;
}

bool NamesExtraKey(std::string_view source) {
  for (const ExtraKey& extra : ExtraKeys()) {
    for (const char quote : {'\'', '"'}) {
      const std::string quoted = StrCat(std::string(1, quote), extra.name, std::string(1, quote));
      if (source.find(quoted) != source.npos) return true;
    }
  }
  return false;
}

std::string RewardKeysMarkdown() {
  std::string text = "| key | type | unit | meaning |\n|---|---|---|---|\n";
  for (const RewardKey& key : RewardKeys()) {
    text += StrCat("| `", key.name, "`", key.is_extra ? " +" : "", " | ", key.type, " | ", key.unit,
                   " | ", key.meaning, " |\n");
  }
  return text;
}

}  // namespace lapforge::reward
