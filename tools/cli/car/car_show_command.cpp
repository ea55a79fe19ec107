// lapforge car list, lapforge car show.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/file_io.h"
#include "sim/base/option_fields.h"
#include "sim/car.h"
#include "tools/cli/car/car_commands.h"
#include "tools/cli/command.h"

namespace lapforge::cli {
namespace {

struct ShowArguments {
  std::string car;
  std::string description_path;
  bool is_json = false;
};

nlohmann::json ToJson(const sim::CarSpec& car) {
  const sim::CarLimits limits = sim::LimitsOf(car);
  return {{"name", car.name},
          {"mass_kg", car.mass_kg},
          {"wheelbase_m", car.wheelbase_m()},
          {"length_m", car.body_length_m},
          {"width_m", car.body_width_m},
          {"friction", car.friction},
          {"turning_radius_m", limits.turning_radius_m},
          {"top_speed_mps", limits.top_speed_mps},
          {"lateral_mps2", limits.lateral_mps2},
          {"acceleration_mps2", limits.acceleration_mps2},
          {"braking_mps2", limits.braking_mps2},
          {"tipping_mps2", limits.tipping_mps2}};
}

void PrintLine(const sim::CarSpec& car) {
  std::printf("%-12s %5.2f kg, wheelbase %.3f m, %.2f x %.2f m, to %.1f m/s\n", car.name.c_str(),
              car.mass_kg, car.wheelbase_m(), car.body_length_m, car.body_width_m,
              car.max_speed_cmd_mps);
}

void PrintLimits(const sim::CarSpec& car) {
  const sim::CarLimits limits = sim::LimitsOf(car);
  std::printf("  turning radius   %6.2f m      at the rear axle, full lock, slowly\n",
              limits.turning_radius_m);
  std::printf("  top speed        %6.2f m/s    highest command\n", limits.top_speed_mps);
  std::printf("  sideways         %6.2f m/s^2  friction %.2f x g\n", limits.lateral_mps2,
              car.friction);
  std::printf("  acceleration     %6.2f m/s^2\n", limits.acceleration_mps2);
  std::printf("  braking          %6.2f m/s^2\n", limits.braking_mps2);
  std::printf("  tips over        %6.2f m/s^2  sideways%s\n", limits.tipping_mps2,
              limits.tipping_mps2 > limits.lateral_mps2 ? ", more than its grip" : "");
}

Result<void> List(bool is_json) {
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : sim::BuiltInCarNames()) {
    LAPFORGE_TRY(const sim::CarSpec car, sim::LoadBuiltInCar(name));
    all.push_back(ToJson(car));
    if (!is_json) PrintLine(car);
  }
  if (is_json) PrintJson(all);
  return {};
}

Result<void> Show(const ShowArguments& arguments) {
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(arguments.car));
  if (!arguments.description_path.empty()) {
    LAPFORGE_CHECK_OK(WriteFileAtomic(arguments.description_path, OptionsToText(car)));
  }
  if (arguments.is_json) {
    PrintJson(ToJson(car));
  } else {
    PrintLine(car);
    PrintLimits(car);
  }
  return {};
}

}  // namespace

int RunCarListCommand(int argc, char** argv) {
  CLI::App app("The built-in cars.", "car list");
  bool is_json = false;
  app.add_flag("--json", is_json, "Print JSON");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(List(is_json));
}

int RunCarShowCommand(int argc, char** argv) {
  CLI::App app("What a car can do, from its description.", "car show");
  ShowArguments arguments;
  app.add_option("car", arguments.car, "Built-in name or .textproto file")->required();
  app.add_option("-o,--out", arguments.description_path,
                 "Write the description there: a start for a car of your own");
  app.add_flag("--json", arguments.is_json, "Print JSON");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(Show(arguments));
}

}  // namespace lapforge::cli
