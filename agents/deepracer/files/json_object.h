// A JSON file that must hold one object, and messages that say where in it something is wrong.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agents/deepracer/deepracer_files.h"
#include "sim/base/result.h"

namespace lapforge::agents {

using Json = nlohmann::ordered_json;

// A file and what it held.
struct JsonObject {
  std::string file;  // without folders, for messages
  Json root;         // an object
  std::vector<std::string> repeated_keys;

  // The value of a key of the outermost object, or null.
  const Json* Find(const std::string& key) const;
  // "model_metadata.json: action_space[2].speed <what>".
  template <class... Parts>
  Error At(const std::string& place, const Parts&... what) const {
    return ErrorOf(file, ": ", place, " ", what...);
  }
};

// Errors: the file cannot be read, is no JSON (with the line), or is no object.
Result<JsonObject> ReadJsonObject(const std::string& path);

// "a list", "a number", ...
const char* KindText(const Json& value);
// The value on one line, cut to some 40 characters.
std::string ShortText(const Json& value);
// A finite number, also one written as text ("3"): DeepRacer reads both.
std::optional<double> NumberIn(const Json& value);

// "is missing", and which key of the object was probably meant to be it.
std::string MissingText(const std::string& key, const Json& object);

// Collects what a file says.
class KeyCollector {
 public:
  KeyCollector(const JsonObject& object, DeepRacerSettings& settings)
      : object_(object), settings_(settings) {}

  const JsonObject& object() const { return object_; }
  // `key` became `settings`, which `became` describes (empty: "path text" of each).
  void Set(const std::string& key, std::vector<OptionSetting> settings, std::string became = "");
  // The file does not say `key`; DeepRacer's default is `settings`.
  void SetAbsent(const std::string& key, std::vector<OptionSetting> settings,
                 const std::string& became = "");
  // `key` means nothing here, and why.
  void Ignore(const std::string& key, const std::string& reason);
  // One line more.
  void Warn(const std::string& place, const std::string& what);
  // Warns of keys that are not `known`, with the nearest one, and of repeated ones. `place` is
  // that of `value`, an object: "lidar_config", or empty for the outermost.
  void WarnOfUnknown(const std::string& place, const Json& value,
                     const std::vector<std::string>& known);

 private:
  void Add(const std::string& key, std::string value, std::vector<OptionSetting> settings,
           std::string became);

  const JsonObject& object_;
  DeepRacerSettings& settings_;
};

}  // namespace lapforge::agents
