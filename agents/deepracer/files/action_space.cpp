#include "agents/deepracer/files/action_space.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

constexpr char kKey[] = "action_space";
constexpr size_t kMaxActions = 512;      // sim.actions
constexpr double kMaxSteeringDeg = 30;   // what DeepRacer's car turns
constexpr Range kSpeedMps = {0.1, 4.0};  // what it drives
const std::vector<std::string> kEntryKeys = {"steering_angle", "speed", "index"};

// "-30 .. 30"
std::string RangeText(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return StrCat(*low, " .. ", *high);
}

std::string ListText(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(StrCat(value));
  return StrCat("[", Join(texts, ", "), "]");
}

class ActionSpace {
 public:
  explicit ActionSpace(KeyCollector& keys) : keys_(keys), object_(keys.object()) {}

  Result<void> Read() {
    const Json* value = object_.Find(kKey);
    if (value == nullptr) {
      return object_.At(kKey, MissingText(kKey, object_.root),
                        "; expected a list of {\"steering_angle\": .., \"speed\": ..}, or ranges");
    }
    const Json* type = object_.Find("action_space_type");
    const bool is_continuous = value->is_object();
    if (!is_continuous && !value->is_array()) {
      return object_.At(kKey, "is ", KindText(*value),
                        "; expected a list of actions, or an object of ranges");
    }
    if (type != nullptr && (*type == "continuous") != is_continuous) {
      return object_.At("action_space_type", "is ", ShortText(*type), ", but action_space is ",
                        KindText(*value), "; a list is discrete, an object of ranges continuous");
    }
    return is_continuous ? ReadRanges(*value) : ReadList(*value);
  }

 private:
  Result<double> NumberAt(const Json& parent, const std::string& place,
                          const std::string& key) const {
    const auto found = parent.find(key);
    if (found == parent.end()) {
      return object_.At(StrCat(place, ".", key), MissingText(key, parent));
    }
    const std::optional<double> number = NumberIn(*found);
    if (number) return *number;
    return object_.At(StrCat(place, ".", key), "is ", ShortText(*found), "; expected a number");
  }

  Result<void> ReadList(const Json& list) {
    if (list.size() < 2 || list.size() > kMaxActions) {
      return object_.At(kKey, "has ", list.size(), " actions; expected 2 .. ", kMaxActions);
    }
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string place = StrCat(kKey, "[", i, "]");
      if (!list[i].is_object()) {
        return object_.At(place, "is ", KindText(list[i]),
                          "; expected {\"steering_angle\": .., \"speed\": ..}");
      }
      LAPFORGE_TRY(const double steering_deg, NumberAt(list[i], place, "steering_angle"));
      LAPFORGE_TRY(const double speed_mps, NumberAt(list[i], place, "speed"));
      LAPFORGE_CHECK_OK(CheckPhysical(place, steering_deg, speed_mps));
      steering_deg_.push_back(steering_deg);
      speed_mps_.push_back(speed_mps);
      const auto index = list[i].find("index");
      if (index != list[i].end() && NumberIn(*index) != static_cast<double>(i)) {
        keys_.Warn(place + ".index", StrCat("is ", ShortText(*index), ", but action ", i,
                                            " is the one at this place in the list"));
      }
      if (i == 0) keys_.WarnOfUnknown(place, list[i], kEntryKeys);
    }
    WarnOfClipping();
    keys_.Set(kKey,
              {{"sim.actions.kind", "discrete"},
               {"sim.actions.discrete_steering_deg", ListText(steering_deg_)},
               {"sim.actions.discrete_speed_mps", ListText(speed_mps_)}},
              StrCat("sim.actions: ", list.size(), " discrete actions, steering ",
                     RangeText(steering_deg_), " deg, speed ", RangeText(speed_mps_), " m/s"));
    return {};
  }

  Result<void> ReadRanges(const Json& ranges) {
    std::vector<OptionSetting> settings = {{"sim.actions.kind", "continuous"}};
    for (const auto& [key, option, unit] :
         {std::tuple("steering_angle", "steering", "_deg"), std::tuple("speed", "speed", "_mps")}) {
      const std::string place = StrCat(kKey, ".", key);
      const auto range = ranges.find(key);
      if (range == ranges.end() || !range->is_object()) {
        return object_.At(
            place,
            range == ranges.end() ? MissingText(key, ranges) : StrCat("is ", KindText(*range)),
            "; expected {\"low\": .., \"high\": ..}");
      }
      LAPFORGE_TRY(const double low, NumberAt(*range, place, "low"));
      LAPFORGE_TRY(const double high, NumberAt(*range, place, "high"));
      if (low >= high) {
        return object_.At(place, "has low ", low, " and high ", high, "; low must be less");
      }
      std::vector<double>& values = unit[1] == 'd' ? steering_deg_ : speed_mps_;
      values = {low, high};
      settings.push_back({StrCat("sim.actions.", option, "_low", unit), StrCat(low)});
      settings.push_back({StrCat("sim.actions.", option, "_high", unit), StrCat(high)});
      keys_.WarnOfUnknown(place, *range, {"low", "high"});
    }
    for (size_t i = 0; i < 2; ++i) {
      LAPFORGE_CHECK_OK(CheckPhysical(kKey, steering_deg_[i], speed_mps_[i]));
    }
    WarnOfClipping();
    keys_.WarnOfUnknown(kKey, ranges, {"steering_angle", "speed"});
    keys_.Set(kKey, settings,
              StrCat("sim.actions: continuous, steering ", RangeText(steering_deg_), " deg, speed ",
                     RangeText(speed_mps_), " m/s"));
    return {};
  }

  Result<void> CheckPhysical(const std::string& place, double steering_deg,
                             double speed_mps) const {
    if (std::abs(steering_deg) > 90) {
      return object_.At(place, "steers ", steering_deg, " degrees; expected -90 .. 90");
    }
    if (std::abs(speed_mps) > 100) {
      return object_.At(place, "has a speed of ", speed_mps, " m/s; expected -100 .. 100");
    }
    return {};
  }

  // The reward function sees what was asked for; the car does what it can.
  void WarnOfClipping() {
    const auto [left, right] = std::minmax_element(steering_deg_.begin(), steering_deg_.end());
    if (*left < -kMaxSteeringDeg || *right > kMaxSteeringDeg) {
      keys_.Warn(kKey, StrCat("steers ", *left, " .. ", *right, " degrees; the car turns at most ",
                              kMaxSteeringDeg, ", as DeepRacer's"));
    }
    const auto [low, high] = std::minmax_element(speed_mps_.begin(), speed_mps_.end());
    if (*low < kSpeedMps.low || *high > kSpeedMps.high) {
      keys_.Warn(kKey, StrCat("has speeds ", *low, " .. ", *high, "; the car drives ",
                              kSpeedMps.low, " .. ", kSpeedMps.high, " m/s, as DeepRacer's"));
    }
  }

  KeyCollector& keys_;
  const JsonObject& object_;
  std::vector<double> steering_deg_;
  std::vector<double> speed_mps_;
};

}  // namespace

Result<void> ReadActionSpace(KeyCollector& keys) { return ActionSpace(keys).Read(); }

}  // namespace lapforge::agents
