#include "agents/deepracer/files/json_object.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "sim/base/file_io.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

constexpr size_t kMaxBytes = size_t{4} << 20;  // the largest action lists take some 10 kB
constexpr size_t kShortText = 40;

// What people write for a key, and the name it has in DeepRacer.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kOtherNames = {{
    {"learning_rate", "lr"},
    {"entropy", "beta_entropy"},
    {"entropy_coef", "beta_entropy"},
    {"entropy_coefficient", "beta_entropy"},
    {"gamma", "discount_factor"},
    {"discount", "discount_factor"},
    {"gradient_descent_batch_size", "batch_size"},
    {"minibatch_size", "batch_size"},
    {"epochs", "num_epochs"},
    {"number_of_epochs", "num_epochs"},
    {"loss", "loss_type"},
    {"exploration", "exploration_type"},
    {"num_episodes", "num_episodes_between_training"},
    {"max_episodes", "term_cond_max_episodes"},
    {"network", "neural_network"},
    {"actions", "action_space"},
    {"algorithm", "training_algorithm"},
    {"simapp_version", "version"},
}};

std::string Hint(const std::string& wanted, const std::vector<std::string>& known) {
  for (const auto& [other, name] : kOtherNames) {
    if (other == wanted && std::count(known.begin(), known.end(), name) > 0) {
      return StrCat(" (did you mean '", name, "'?)");
    }
  }
  return DidYouMean(wanted, known);
}

int LineAt(const std::string& text, size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

// The library's reason without its own number and place.
std::string ReasonOf(const Json::parse_error& error) {
  const std::string text = error.what();
  constexpr std::string_view kStart = "syntax error ";
  const size_t start = text.find(kStart);
  return start == text.npos ? text.substr(text.find(": ") + 2) : text.substr(start);
}

}  // namespace

const Json* JsonObject::Find(const std::string& key) const {
  const auto found = root.find(key);
  return found == root.end() ? nullptr : &*found;
}

Result<JsonObject> ReadJsonObject(const std::string& path) {
  LAPFORGE_TRY(const std::string text, ReadFile(path, kMaxBytes));
  JsonObject object;
  object.file = std::filesystem::path(path).filename().string();
  std::set<std::string> keys;
  const auto note_key = [&](int depth, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::key && depth == 1 &&
        !keys.insert(value.get<std::string>()).second) {
      object.repeated_keys.push_back(value.get<std::string>());
    }
    return true;
  };
  try {
    object.root = Json::parse(text, note_key);
  } catch (const Json::parse_error& error) {
    return ErrorOf(path, ":", LineAt(text, error.byte == 0 ? 0 : error.byte - 1),
                   ": not JSON: ", ReasonOf(error));
  } catch (const Json::out_of_range&) {
    return ErrorOf(path, ": a number is too large; expected numbers below 1.8e308");
  }
  if (!object.root.is_object()) {
    return ErrorOf(path, ": expected an object, { \"key\": value, ... }, but it is ",
                   KindText(object.root));
  }
  return object;
}

const char* KindText(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "true or false";
    case Json::value_t::string:
      return "text";
    case Json::value_t::array:
      return value.empty() ? "an empty list" : "a list";
    case Json::value_t::object:
      return "an object";
    default:
      return "a number";
  }
}

std::string ShortText(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kShortText) return text;
  size_t end = kShortText - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole UTF-8
  return text.substr(0, end) + "...";
}

std::optional<double> NumberIn(const Json& value) {
  std::optional<double> number;
  if (value.is_number()) number = value.get<double>();
  if (value.is_string()) number = ParseDouble(Trim(value.get_ref<const std::string&>()));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string MissingText(const std::string& key, const Json& object) {
  for (const auto& [name, value] : object.items()) {
    if (NearestName(name, std::vector<std::string>{key})) {
      return StrCat("is missing, but '", name, "' is there");
    }
  }
  return "is missing";
}

void KeyCollector::Add(const std::string& key, std::string value,
                       std::vector<OptionSetting> settings, std::string became) {
  if (became.empty()) {
    for (const OptionSetting& setting : settings) {
      became += StrCat(became.empty() ? "" : ", ", setting.path, " ", setting.text);
    }
  }
  settings_.keys.push_back(
      {object_.file, key, std::move(value), std::move(became), std::move(settings)});
}

void KeyCollector::Set(const std::string& key, std::vector<OptionSetting> settings,
                       std::string became) {
  Add(key, ShortText(*object_.Find(key)), std::move(settings), std::move(became));
}

void KeyCollector::SetAbsent(const std::string& key, std::vector<OptionSetting> settings,
                             const std::string& became) {
  Add(key, "(absent)", std::move(settings), became);
}

void KeyCollector::Ignore(const std::string& key, const std::string& reason) {
  Set(key, {}, kIgnoredKey);
  Warn(key, "is ignored: " + reason);
}

void KeyCollector::Warn(const std::string& place, const std::string& what) {
  settings_.warnings.push_back(StrCat(object_.file, ": ", place, " ", what));
}

void KeyCollector::WarnOfUnknown(const std::string& place, const Json& value,
                                 const std::vector<std::string>& known) {
  for (const auto& [key, content] : value.items()) {
    if (std::count(known.begin(), known.end(), key) > 0) continue;
    const std::string reason = StrCat("DeepRacer has no such key", Hint(key, known));
    if (place.empty()) {
      Ignore(key, reason);
    } else {
      Warn(StrCat(place, ".", key), "is ignored: " + reason);
    }
  }
  if (!place.empty()) return;
  for (const std::string& key : object_.repeated_keys) {
    Warn(key, "is there more than once; the last one counts");
  }
}

}  // namespace lapforge::agents
