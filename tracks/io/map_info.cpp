#include "tracks/io/map_info.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/base/log.h"
#include "tracks/io/text_lines.h"

namespace lapforge::tracks {
namespace {

const std::vector<std::string> kKeys = {"image",           "resolution",  "origin", "negate",
                                        "occupied_thresh", "free_thresh", "mode"};

// One key of the file, with its value or values.
struct Entry {
  std::string key;
  std::vector<std::string> values;
  int line = 0;
};

// The line without a comment: # after a blank, outside quotes.
std::string_view WithoutComment(std::string_view line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return Trim(line.substr(0, i));
    }
  }
  return line;
}

std::string PlainText(std::string_view value) {
  if (value.size() < 2 || value.front() != value.back()) return std::string(value);
  if (value.front() == '\'') return std::string(value.substr(1, value.size() - 2));
  return UnquoteText(value).value_or(std::string(value));
}

std::vector<std::string> ValuesOf(std::string_view text) {
  if (text.empty()) return {};
  if (!StartsWith(text, "[") || !EndsWith(text, "]")) return {PlainText(text)};
  std::vector<std::string> values;
  for (const std::string_view value : Split(text.substr(1, text.size() - 2), ',')) {
    values.push_back(PlainText(Trim(value)));
  }
  return values;
}

Result<std::vector<Entry>> ReadEntries(std::string_view text, const std::string& source) {
  constexpr size_t kMaxEntries = 100;
  std::vector<Entry> entries;
  TextLines lines(text);
  while (const std::optional<std::string_view> text_line = lines.Next()) {
    const std::string_view line = WithoutComment(*text_line);
    if (line.empty() || line == "---" || line == "..." || StartsWith(line, "%")) continue;
    if (StartsWith(line, "- ") && !entries.empty() && entries.back().values.size() < kMaxEntries) {
      entries.back().values.push_back(PlainText(Trim(line.substr(1))));
      continue;
    }
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || entries.size() == kMaxEntries) {
      return ErrorOf(source, ":", lines.number(), ": '", Printable(line),
                     "'; expected a line such as resolution: 0.05");
    }
    entries.push_back({Printable(Trim(line.substr(0, colon))),
                       ValuesOf(Trim(line.substr(colon + 1))), lines.number()});
  }
  return entries;
}

// Takes the values out of the entries.
class InfoReader {
 public:
  InfoReader(const std::vector<Entry>& entries, const std::string& source)
      : entries_(entries), source_(source) {}

  // The last entry of a key, as YAML readers take it, or nothing.
  const Entry* Find(std::string_view key) const {
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                    [&](const Entry& entry) { return entry.key == key; });
    return found == entries_.rend() ? nullptr : &*found;
  }

  Result<const Entry*> Require(std::string_view key, size_t num_values) const {
    const Entry* entry = Find(key);
    if (entry == nullptr) {
      std::vector<std::string> names;
      for (const Entry& other : entries_) names.push_back(other.key);
      return ErrorOf(source_, ": no key ", key, DidYouMean(key, names),
                     "; a map has image, resolution and origin");
    }
    if (entry->values.size() == num_values) return entry;
    return ErrorOf(source_, ":", entry->line, ": ", key, " has ", entry->values.size(),
                   " values; expected ", num_values);
  }

  // Numbers of a key, each within a size.
  Result<std::vector<double>> Numbers(std::string_view key, size_t count, double max_size) const {
    LAPFORGE_TRY(const Entry* entry, Require(key, count));
    std::vector<double> numbers;
    for (const std::string& text : entry->values) {
      const std::optional<double> number = ParseDouble(text);
      if (!number || !(std::abs(*number) <= max_size)) {
        return ErrorOf(source_, ":", entry->line, ": ", key, " is '", Printable(text),
                       "'; expected a number of at most ", max_size);
      }
      numbers.push_back(*number);
    }
    return numbers;
  }

  Error WrongValue(std::string_view key, std::string_view expected) const {
    const Entry* entry = Find(key);
    return ErrorOf(source_, ":", entry->line, ": ", key, " is '", Printable(entry->values.at(0)),
                   "'; expected ", expected);
  }

 private:
  const std::vector<Entry>& entries_;
  const std::string& source_;
};

Result<bool> ReadNegate(const InfoReader& reader) {
  if (reader.Find("negate") == nullptr) return false;
  LAPFORGE_TRY(const Entry* entry, reader.Require("negate", 1));
  const std::string& value = entry->values[0];
  if (value == "1" || value == "true" || value == "True") return true;
  if (value == "0" || value == "false" || value == "False") return false;
  return reader.WrongValue("negate", "0 or 1");
}

Result<double> ReadThreshold(const InfoReader& reader, std::string_view key, double absent) {
  if (reader.Find(key) == nullptr) return absent;
  LAPFORGE_TRY(const std::vector<double> value, reader.Numbers(key, 1, 1));
  if (value[0] <= 0) return reader.WrongValue(key, "a chance above 0, at most 1");
  return value[0];
}

Result<void> CheckMode(const InfoReader& reader) {
  if (reader.Find("mode") == nullptr) return {};
  LAPFORGE_TRY(const Entry* entry, reader.Require("mode", 1));
  if (entry->values[0] == "trinary" || entry->values[0] == "scale") return {};
  return reader.WrongValue("mode", "trinary or scale");
}

}  // namespace

bool IsMapInfo(std::string_view text) {
  TextLines lines(text);
  while (const std::optional<std::string_view> line = lines.Next()) {
    for (const std::string& key : kKeys) {
      if (StartsWith(*line, StrCat(key, ":"))) return true;
    }
  }
  return false;
}

Result<MapInfo> ParseMapInfo(std::string_view text, const std::string& source) {
  LAPFORGE_TRY(const std::vector<Entry> entries, ReadEntries(text, source));
  for (const Entry& entry : entries) {
    if (std::find(kKeys.begin(), kKeys.end(), entry.key) != kKeys.end()) continue;
    LogWarning(source, ":", entry.line, ": unknown key '", entry.key, "'",
               DidYouMean(entry.key, kKeys), "; passed over");
  }
  const InfoReader reader(entries, source);
  MapInfo info;
  LAPFORGE_TRY(const Entry* image, reader.Require("image", 1));
  info.image = image->values[0];
  if (info.image.empty() || info.image.find('\0') != std::string::npos) {
    return reader.WrongValue("image", "the name of a .pgm or .png file");
  }

  constexpr double kMinResolution_m = 1e-4, kMaxResolution_m = 10, kMaxOrigin_m = 1e5;
  LAPFORGE_TRY(const std::vector<double> resolution,
               reader.Numbers("resolution", 1, kMaxResolution_m));
  if (resolution[0] < kMinResolution_m) {
    return reader.WrongValue("resolution", "metres a pixel, 0.0001 .. 10");
  }
  info.resolution_m = resolution[0];
  LAPFORGE_TRY(const std::vector<double> origin, reader.Numbers("origin", 3, kMaxOrigin_m));
  info.origin = {{origin[0], origin[1]}, origin[2]};
  LAPFORGE_TRY(info.is_negated, ReadNegate(reader));
  LAPFORGE_TRY(info.free_thresh, ReadThreshold(reader, "free_thresh", info.free_thresh));
  // not needed, but a wrong value is a mistake all the same
  LAPFORGE_CHECK_OK(ReadThreshold(reader, "occupied_thresh", 0.65));
  LAPFORGE_CHECK_OK(CheckMode(reader));
  return info;
}

std::string TextOf(const MapInfo& info) {
  // fixed point: some readers of YAML take 1e-05 for a word
  constexpr int kDigits = 6;
  const auto number = [](double value) { return FormatFixed(value, kDigits); };
  return StrCat("image: ", QuoteText(info.image), "\nresolution: ", number(info.resolution_m),
                "\norigin: [", number(info.origin.position_m.x), ", ",
                number(info.origin.position_m.y), ", ", number(info.origin.yaw_rad),
                "]\nnegate: ", info.is_negated ? 1 : 0,
                "\noccupied_thresh: 0.65\nfree_thresh: ", number(info.free_thresh), "\n");
}

}  // namespace lapforge::tracks
