// Tests options by path: setting, every error message, checking, listing, and printing that reads
// back to the same values.
#include "sim/base/option_fields.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

namespace lapforge {
namespace {

enum class Schedule { kLinear, kConstant };
constexpr std::array<std::string_view, 2> kScheduleNames = {"linear", "constant"};

struct NetOptions {
  std::vector<int64_t> hidden_units = {64, 64};
  bool normalize = false;
  bool operator==(const NetOptions&) const = default;
};

struct PpoOptions {
  double learning_rate = 3e-4;
  double clip_value = 1;
  double log_std = -0.5;
  int num_epochs = 5;
  int num_workers = 0;
  Schedule schedule = Schedule::kLinear;
  NetOptions net;
  bool operator==(const PpoOptions&) const = default;
};

struct TestOptions {
  uint64_t seed = 1;
  int64_t total_env_steps = 600000;
  std::string track = "oval";
  PpoOptions ppo;
  std::vector<double> look_ahead_m = {0.2, 0.4};
  std::vector<std::string> tags;
  bool operator==(const TestOptions&) const = default;
};

void VisitFields(NetOptions& options, FieldVisitor& visitor) {
  visitor.IntList("hidden_units", options.hidden_units, {1, 4096});
  visitor.Bool("normalize", options.normalize);
}

void VisitFields(PpoOptions& options, FieldVisitor& visitor) {
  visitor.Double("learning_rate", options.learning_rate, {0, 1});
  visitor.Double("clip_value", options.clip_value, {.low = 0});
  visitor.Double("log_std", options.log_std);
  visitor.Int("num_epochs", options.num_epochs, {1, 100});
  visitor.Int("num_workers", options.num_workers, {.low = 0});
  visitor.Enum("schedule", options.schedule, kScheduleNames);
  visitor.Group("net", options.net);
}

void VisitFields(TestOptions& options, FieldVisitor& visitor) {
  visitor.Uint64("seed", options.seed);
  visitor.Int("total_env_steps", options.total_env_steps);
  visitor.String("track", options.track);
  visitor.Group("ppo", options.ppo);
  visitor.DoubleList("look_ahead_m", options.look_ahead_m, {0, 10});
  visitor.StringList("tags", options.tags);
}

// The error of setting `path` to `text`; also checks that nothing changed.
std::string SetError(std::string_view path, std::string_view text) {
  TestOptions options;
  const Result<void> result = SetOption(options, path, text);
  CHECK(options == TestOptions());
  return result.ok() ? "(no error)" : result.error().message;
}

TEST_CASE("Each kind of field is set by its path") {
  TestOptions options;
  const std::pair<const char*, const char*> settings[] = {
      {"seed", "18446744073709551615"}, {"total_env_steps", "-3"},
      {"track", "Köln, \"b\" = 2"},     {"ppo.learning_rate", "1e-3"},
      {"ppo.num_epochs", "100"},        {"ppo.schedule", "constant"},
      {"ppo.net.normalize", "true"},    {"ppo.net.hidden_units", "[1, 2,3]"},
      {"look_ahead_m", " [ 0.5 ] "},    {"tags", R"([a b, "c, \"d\"", ""])"}};
  for (const auto& [path, text] : settings) {
    INFO(path);
    CHECK(SetOption(options, path, text).ok());
  }
  TestOptions expected;
  expected.seed = 18446744073709551615u;
  expected.total_env_steps = -3;
  expected.track = "Köln, \"b\" = 2";
  expected.ppo.learning_rate = 1e-3;
  expected.ppo.num_epochs = 100;
  expected.ppo.schedule = Schedule::kConstant;
  expected.ppo.net = {{1, 2, 3}, true};
  expected.look_ahead_m = {0.5};
  expected.tags = {"a b", "c, \"d\"", ""};
  CHECK(options == expected);

  CHECK(SetOption(options, "look_ahead_m", "[]").ok());
  CHECK(options.look_ahead_m.empty());
  CHECK(SetOption(options, "track", "\"quoted\\n\"").ok());
  CHECK(options.track == "quoted\n");
}

TEST_CASE("An unknown path names the nearest one, and a group its first field") {
  CHECK(SetError("ppo.learnig_rate", "1") ==
        "unknown option 'ppo.learnig_rate' (did you mean 'ppo.learning_rate'?)");
  CHECK(SetError("ppo.lr", "1") == "unknown option 'ppo.lr' (did you mean 'ppo.learning_rate'?)");
  CHECK(SetError("normalize", "true") ==
        "unknown option 'normalize' (did you mean 'ppo.net.normalize'?)");
  CHECK(SetError("wheel_colour", "red") == "unknown option 'wheel_colour'");
  CHECK(SetError("", "1") == "unknown option ''");
  CHECK(SetError("ppo.net", "1") ==
        "ppo.net is a group of options; set one of them, such as ppo.net.hidden_units");
}

TEST_CASE("A value of the wrong kind names path, text, kind and range") {
  CHECK(SetError("ppo.learning_rate", "fast") ==
        "ppo.learning_rate = fast: expected a number (0 .. 1)");
  CHECK(SetError("ppo.learning_rate", "") == "ppo.learning_rate = : expected a number (0 .. 1)");
  CHECK(SetError("ppo.clip_value", "0,5") ==
        "ppo.clip_value = 0,5: expected a number (at least 0)");
  CHECK(SetError("ppo.log_std", "1 2") == "ppo.log_std = 1 2: expected a number");
  CHECK(SetError("ppo.num_epochs", "2.5") ==
        "ppo.num_epochs = 2.5: expected a whole number (1 .. 100)");
  CHECK(SetError("ppo.num_workers", "many") ==
        "ppo.num_workers = many: expected a whole number (0 .. 2147483647)");
  CHECK(SetError("total_env_steps", "1e6") == "total_env_steps = 1e6: expected a whole number");
  CHECK(SetError("seed", "-1") == "seed = -1: expected a whole number (0 .. 18446744073709551615)");
  CHECK(SetError("ppo.net.normalize", "yes") == "ppo.net.normalize = yes: expected true or false");
  CHECK(SetError("ppo.schedule", "linaer") ==
        "ppo.schedule = linaer: expected one of linear, constant (did you mean 'linear'?)");
  CHECK(SetError("track", "\"half") ==
        "track = \"half: expected a text, with \\\" for a quote inside quotes");
}

TEST_CASE("A number outside its range names the range") {
  CHECK(SetError("ppo.learning_rate", "7") == "ppo.learning_rate = 7 is outside 0 .. 1");
  CHECK(SetError("ppo.learning_rate", "-1e-9") == "ppo.learning_rate = -1e-09 is outside 0 .. 1");
  CHECK(SetError("ppo.learning_rate", "nan") == "ppo.learning_rate = nan is not a finite number");
  CHECK(SetError("ppo.log_std", "-inf") == "ppo.log_std = -inf is not a finite number");
  CHECK(SetError("ppo.clip_value", "-2") == "ppo.clip_value = -2 is not at least 0");
  CHECK(SetError("ppo.num_epochs", "0") == "ppo.num_epochs = 0 is outside 1 .. 100");
  CHECK(SetError("ppo.num_workers", "3000000000") ==
        "ppo.num_workers = 3000000000 is outside 0 .. 2147483647");
}

TEST_CASE("A bad list names what is wrong and which element") {
  const std::string expected = ": expected a list in brackets, such as [1, 2, 3]";
  CHECK(SetError("look_ahead_m", "1, 2") == "look_ahead_m = 1, 2" + expected);
  CHECK(SetError("look_ahead_m", "[") == "look_ahead_m = [" + expected);
  CHECK(SetError("look_ahead_m", "[1, 20]") == "look_ahead_m[1] = 20 is outside 0 .. 10");
  CHECK(SetError("look_ahead_m", "[1,,2]") == "look_ahead_m[1] = : expected a number (0 .. 10)");
  CHECK(SetError("ppo.net.hidden_units", "[64, 0.5]") ==
        "ppo.net.hidden_units[1] = 0.5: expected a whole number (1 .. 4096)");
  CHECK(SetError("tags", "[\"a]") ==
        "tags[0] = \"a: expected a text, with \\\" for a quote inside quotes");
}

TEST_CASE("Validation finds the first bad field of a struct that code has filled") {
  TestOptions options;
  CHECK(ValidateOptions(options).ok());
  options.look_ahead_m = {1, std::nan("")};
  CHECK(ValidateOptions(options).error().message == "look_ahead_m[1] = nan is not a finite number");
  options.ppo.net.hidden_units = {0};
  CHECK(ValidateOptions(options).error().message ==
        "ppo.net.hidden_units[0] = 0 is outside 1 .. 4096");
  options.ppo.schedule = static_cast<Schedule>(2);
  CHECK(ValidateOptions(options).error().message == "ppo.schedule = 2 is outside 0 .. 1");
  options.ppo.num_epochs = -5;
  CHECK(ValidateOptions(options).error().message == "ppo.num_epochs = -5 is outside 1 .. 100");
  options.ppo.learning_rate = 7;
  CHECK(ValidateOptions(options).error().message == "ppo.learning_rate = 7 is outside 0 .. 1");
}

TEST_CASE("Paths come in the order of the list") {
  CHECK(OptionPaths(TestOptions()) ==
        std::vector<std::string>{"seed", "total_env_steps", "track", "ppo.learning_rate",
                                 "ppo.clip_value", "ppo.log_std", "ppo.num_epochs",
                                 "ppo.num_workers", "ppo.schedule", "ppo.net.hidden_units",
                                 "ppo.net.normalize", "look_ahead_m", "tags"});
}

TEST_CASE("Options print as protobuf text") {
  TestOptions options;
  options.tags = {"a", "b \"c\"\n"};
  CHECK(OptionsToText(options) == R"(seed: 1
total_env_steps: 600000
track: "oval"
ppo {
  learning_rate: 0.0003
  clip_value: 1
  log_std: -0.5
  num_epochs: 5
  num_workers: 0
  schedule: linear
  net {
    hidden_units: [64, 64]
    normalize: false
  }
}
look_ahead_m: [0.2, 0.4]
tags: ["a", "b \"c\"\n"]
)");
}

// Sets each "name: value" line of printed options again, following the groups.
TestOptions SetFromText(std::string_view text) {
  TestOptions options;
  std::vector<std::string> groups;
  for (const std::string_view line : Split(Trim(text), '\n')) {
    const std::string_view words = Trim(line);
    if (words == "}") {
      groups.pop_back();
    } else if (EndsWith(words, " {")) {
      groups.emplace_back(words.substr(0, words.size() - 2));
    } else {
      std::vector<std::string> path = groups;
      path.emplace_back(words.substr(0, words.find(": ")));
      const Result<void> set =
          SetOption(options, Join(path, "."), words.substr(words.find(": ") + 2));
      INFO(line);
      CHECK(set.ok());
    }
  }
  return options;
}

TEST_CASE("Printed options read back to the same values") {
  CHECK(SetFromText(OptionsToText(TestOptions())) == TestOptions());
  TestOptions options;
  options.seed = 18446744073709551615u;
  options.total_env_steps = std::numeric_limits<int64_t>::min();
  options.track = "\" } \\ \n : Köln";
  options.ppo.learning_rate = 1.0 / 3;
  options.ppo.clip_value = std::numeric_limits<double>::max();
  options.ppo.log_std = -std::numeric_limits<double>::denorm_min();
  options.ppo.num_epochs = 99;
  options.ppo.schedule = Schedule::kConstant;
  options.ppo.net = {{4096}, true};
  options.look_ahead_m = {};
  options.tags = {"", "a, b", "]", "\""};
  CHECK(SetFromText(OptionsToText(options)) == options);
}

}  // namespace
}  // namespace lapforge
