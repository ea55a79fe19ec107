// Tests reading options text against a schema: every field arrives, errors name place and key.
#include "sim/options_text.h"

#include <map>

#include "sim/car.h"
#include "sim/sim_options.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

constexpr const char* kOptionsSchema = "lapforge.sim.proto.SimOptions";
constexpr const char* kCarSchema = "lapforge.sim.proto.CarSpec";

template <class Options>
Result<void> ReadInto(Options& options, const std::string& text, const char* schema) {
  return ParseOptionsText(text, "some.textproto", schema,
                          [&](const std::string& path, const std::string& value) {
                            return SetOption(options, path, value);
                          });
}

std::string ErrorOfText(const std::string& text) {
  SimOptions options;
  const Result<void> read = ReadInto(options, text, kOptionsSchema);
  REQUIRE(!read.ok());
  return read.error().message;
}

// Path and value of every field, as text.
template <class Options>
std::map<std::string, std::string> FieldsOf(const Options& options, const char* schema) {
  std::map<std::string, std::string> fields;
  const Result<void> read =
      ParseOptionsText(OptionsToText(options), "printed", schema,
                       [&](const std::string& path, const std::string& value) -> Result<void> {
                         fields[path] = value;
                         return {};
                       });
  INFO((read.ok() ? "" : read.error().message));
  REQUIRE(read.ok());
  return fields;
}

// Sets each field in turn through the schema to something else than it is, and looks whether the
// struct shows it.
template <class Options>
void CheckEachField(const Options& base, const char* schema,
                    const std::map<std::string, std::string>& words) {
  const std::map<std::string, std::string> fields = FieldsOf(base, schema);
  for (const std::string& path : OptionPaths(base)) {
    CAPTURE(path);
    REQUIRE(fields.count(path) == 1);  // the schema has every field of the visitor
    std::string value = fields.at(path);
    if (words.count(path)) {
      value = words.at(path);
    } else if (value == "true" || value == "false") {
      value = value == "true" ? "false" : "true";
    } else if (value[0] == '[') {
      value = "[0.25, 0.5]";
    } else if (value[0] == '"') {
      value = "\"other\"";
    } else {
      value = value == "1" ? "2" : "1";
    }

    // "a.b.c" and "v" become a { b { c: v } }
    std::string text = value;
    std::string closing;
    const std::vector<std::string_view> names = Split(path, '.');
    text = "";
    for (size_t i = 0; i + 1 < names.size(); ++i) {
      text += StrCat(names[i], " { ");
      closing += " }";
    }
    text += StrCat(names.back(), ": ", value, closing);
    CAPTURE(text);
    Options changed = base;
    const Result<void> read = ReadInto(changed, text, schema);
    INFO((read.ok() ? "" : read.error().message));
    REQUIRE(read.ok());
    CHECK(OptionsToText(changed) != OptionsToText(base));
    CHECK(FieldsOf(changed, schema).at(path) == value);
  }
}

TEST_CASE("each field of the options changes the struct") {
  CheckEachField(SimOptions{}, kOptionsSchema,
                 {{"facts", "deepracer"},
                  {"sensors.kinds", R"(["lidar", "imu"])"},
                  {"sensors.lidar.form", "sectors"},
                  {"sensors.lidar.min_range_m", "0.5"},
                  {"sensors.lidar.fov_deg", "90"},
                  {"sensors.lidar.max_range_m", "9"},
                  {"sensors.camera.color", "rgb"},
                  {"sensors.camera.lens", "fisheye"},
                  {"sensors.camera.width_px", "32"},
                  {"sensors.camera.height_px", "24"},
                  {"sensors.camera.fov_deg", "90"},
                  {"sensors.camera.texel_m", "0.05"},
                  {"objects.kind", "bot"},
                  {"objects.placement", "random"},
                  {"sensors.wheel_speed.scale_error_frac", "0.125"},
                  {"randomize.friction_frac", "0.125"},
                  {"randomize.mass_frac", "0.125"},
                  {"randomize.drive_frac", "0.125"},
                  {"randomize.com_shift_m", "0.0625"},
                  {"randomize.track_width_frac", "0.125"},
                  {"randomize.speed_gain_frac", "0.125"},
                  {"randomize.steering_gain_frac", "0.125"},
                  {"randomize.camera_shift_m", "0.125"},
                  {"randomize.camera_fov_frac", "0.125"},
                  {"randomize.contrast_frac", "0.125"},
                  {"actions.kind", "discrete"},
                  {"episode.start", "round_robin"},
                  {"episode.direction", "alternate"}});
}

TEST_CASE("each field of a car changes the struct") {
  CheckEachField(TestCar(), kCarSchema,
                 {{"steering_geometry", "parallel"},
                  {"speed_control", "open_loop"},
                  {"max_speed_cmd_mps", "9"},
                  {"suspension_stiffness_1ps2", "77"},
                  {"suspension_travel_m", "0.5"},
                  {"rolling_resistance_frac", "0.25"},
                  {"wheel_inertia_kgm2", "0.5"}});
}

TEST_CASE("the schema has no field that the struct lacks") {
  // a setter that only knows the struct refuses what it does not know
  for (const auto& [path, value] : FieldsOf(SimOptions{}, kOptionsSchema)) {
    SimOptions options;
    CHECK(SetOption(options, path, value).ok());
  }
  CHECK(FieldsOf(SimOptions{}, kOptionsSchema).size() == OptionPaths(SimOptions{}).size());
}

TEST_CASE("lists arrive whole, also empty ones and one element a line") {
  SimOptions options;
  REQUIRE(ReadInto(options, "sensors { look_ahead_m: [] }", kOptionsSchema).ok());
  CHECK(options.sensors.look_ahead_m.empty());
  REQUIRE(ReadInto(options, "sensors { look_ahead_m: 1 look_ahead_m: 2.5 }", kOptionsSchema).ok());
  CHECK(options.sensors.look_ahead_m == std::vector<double>{1, 2.5});
  REQUIRE(ReadInto(options, "# nothing but a comment\n", kOptionsSchema).ok());
  CHECK(options.sensors.look_ahead_m == std::vector<double>{1, 2.5});
}

TEST_CASE("an unknown key names place, key and the nearest one") {
  CHECK(ErrorOfText("num_envs: 4\n  sede: 3\n") ==
        "some.textproto:2:3: unknown key 'sede' (did you mean 'seed'?)");
  CHECK(ErrorOfText("episode {\n  maxsteps: 3\n}") ==
        "some.textproto:2:3: unknown key 'maxsteps' (did you mean 'max_steps'?)");
  CarSpec car;
  const Result<void> read = ReadInto(car, "name: \"x\"\n\n    masss_kg: 3\n", kCarSchema);
  REQUIRE(!read.ok());
  CHECK(read.error().message ==
        "some.textproto:3:5: unknown key 'masss_kg' (did you mean 'mass_kg'?)");
}

TEST_CASE("bad values name place, key and what was expected") {
  CHECK(ErrorOfText("episode { start: anywere }")
            .find("some.textproto:1:18: unknown word 'anywere'"
                  " for start") == 0);
  CHECK(ErrorOfText("episode { start: anywere }").find("anywhere") != std::string::npos);
  const std::string range = ErrorOfText("seed: 1\nnum_envs: 0");
  CHECK(range.find("some.textproto:2:1: ") == 0);
  CHECK(range.find("num_envs") != std::string::npos);
  CHECK(range.find("65536") != std::string::npos);
  for (const char* text : {"num_envs: many", "num_envs: 1 num_envs: 2", "episode { start: line",
                           "num_envs", "\x01", "car: 3", "timing: 4", "num_envs: 1e99"}) {
    CAPTURE(text);
    const std::string message = ErrorOfText(text);
    CHECK(message.find("some.textproto:1:") == 0);
    CHECK(message.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace lapforge::sim
