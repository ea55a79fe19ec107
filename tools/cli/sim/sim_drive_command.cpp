// lapforge sim drive.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/option_fields.h"
#include "sim/base/strings.h"
#include "tools/cli/command.h"
#include "tools/cli/film_output.h"
#include "tools/cli/laps.h"
#include "tools/cli/sim/assignments.h"
#include "tools/cli/sim/drive.h"
#include "tools/cli/sim/drive_output.h"
#include "tools/cli/sim/line_driver.h"
#include "tools/cli/sim/sim_commands.h"
#include "tools/cli/track/race_check.h"

namespace lapforge::cli {
namespace {

struct DriveArguments {
  std::vector<std::string> policies = {kCenterline};  // car i takes policies[i % policies.size()]
  std::string track;
  std::string car = sim::SimOptions().car;
  int num_cars = 1;
  int num_laps = 3;
  std::vector<double> speeds_mps = {sim::PursuitOptions().max_speed_mps};  // as policies
  sim::PursuitOptions pursuit;                                             // but for the speed
  std::string seed = "1";  // text, so that -1 is refused
  bool is_reversed = false;
  std::vector<std::string> assignments;
  LapOutputs outputs;
  FilmArguments film;
  bool is_json = false;
};

const std::string& PolicyOf(const DriveArguments& arguments, size_t car) {
  return arguments.policies[car % arguments.policies.size()];
}

// A car that is slower than this part of what it was told is not driving; the step limit then ends
// its drive.
constexpr double kSlowestFrac = 0.25;

Result<sim::SimOptions> OptionsOf(const DriveArguments& arguments, double length_m) {
  sim::SimOptions options;
  options.num_envs = options.cars_per_world = arguments.num_cars;
  LAPFORGE_CHECK_OK(SetOption(options, "seed", arguments.seed));
  options.car = arguments.car;
  options.actions.speed_low_mps = 0;
  options.actions.speed_high_mps =
      std::max(options.actions.speed_high_mps,
               *std::max_element(arguments.speeds_mps.begin(), arguments.speeds_mps.end()));
  options.episode.start = sim::StartMode::kLine;
  options.episode.direction =
      arguments.is_reversed ? sim::DirectionMode::kReversed : sim::DirectionMode::kForward;
  // a car that is done before the others drives on: it would start anew in their way
  options.episode.max_laps = arguments.num_cars == 1 ? arguments.num_laps : 0;
  const double slowest_mps =
      kSlowestFrac * *std::min_element(arguments.speeds_mps.begin(), arguments.speeds_mps.end());
  const double most_steps =
      100 + arguments.num_laps * length_m / slowest_mps * options.timing.control_hz;
  options.episode.max_steps = static_cast<int>(std::min(most_steps, 1e9));
  LAPFORGE_CHECK_OK(ApplyAssignments(arguments.assignments, "walls=true", options));
  if (options.num_envs != arguments.num_cars || options.cars_per_world != arguments.num_cars) {
    return ErrorOf("--set num_envs, cars_per_world: use --cars");
  }
  return options;
}

std::string ResultOf(const sim::LapResult& lap) {
  if (lap.is_clean) return "clean";
  if (lap.num_resets == 0) return "not clean";
  return StrCat("put back ", lap.num_resets, lap.num_resets == 1 ? " time" : " times");
}

// `name` begins each row: the car's number where there are several.
void PrintCar(const CarDrive& car, const std::string& name) {
  for (size_t i = 0; i < car.laps.size(); ++i) {
    const sim::LapResult& lap = car.laps[i];
    std::printf("%s%3zu %10s  %5.2f m/s  %s\n", name.c_str(), i + 1,
                LapTimeText(lap.lap_time_us).c_str(), lap.top_speed_mps, ResultOf(lap).c_str());
  }
  if (car.end != sim::EndReason::kLapComplete) {
    std::printf("%s%3zu %10s             %s at %.1f %%\n", name.c_str(), car.laps.size() + 1, "",
                sim::EndReasonName(car.end), car.last_progress_pct);
  }
}

void PrintReport(const DriveReport& report) {
  const bool are_several = report.cars.size() > 1;
  std::printf("%slap       time  top speed  result\n", are_several ? "car  " : "");
  for (size_t i = 0; i < report.cars.size(); ++i) {
    PrintCar(report.cars[i], are_several ? StrCat(i + 1, "    ") : "");
  }
}

nlohmann::json ToJson(const CarDrive& car, const std::string& policy) {
  nlohmann::json laps = nlohmann::json::array();
  for (const sim::LapResult& lap : car.laps) laps.push_back(LapJson(lap));
  return {{"policy", policy},
          {"laps", laps},
          {"clean_laps", car.num_clean()},
          {"end", sim::EndReasonName(car.end)}};
}

// What a single car did is beside the rest, several are a list.
nlohmann::json ToJson(const DriveReport& report, const DriveArguments& arguments,
                      const tracks::Track& track) {
  nlohmann::json json = {{"track", track.name()},
                         {"car", report.recording.cars.front().name},
                         {"reversed", arguments.is_reversed},
                         {"steps", report.recording.num_steps()}};
  nlohmann::json cars = nlohmann::json::array();
  for (size_t i = 0; i < report.cars.size(); ++i) {
    cars.push_back(ToJson(report.cars[i], PolicyOf(arguments, i)));
  }
  if (cars.size() == 1) {
    json.update(cars.front());
  } else {
    json["cars"] = cars;
  }
  return json;
}

std::string TitleOf(const DriveReport& report, const tracks::Track& track) {
  std::string title =
      StrCat(track.name(), ": ", report.recording.cars.front().name, " by pure pursuit");
  if (report.cars.size() > 1) title += StrCat(", ", report.cars.size(), " cars");
  if (const sim::LapResult* const best = report.best()) {
    title += ", best lap " + LapTimeText(best->lap_time_us);
  }
  return title;
}

// One driver for each car; all borrow `sim`.
Result<Drivers> MakeDrivers(const DriveArguments& arguments, const sim::VectorSim& sim) {
  Drivers drivers;
  for (int i = 0; i < arguments.num_cars; ++i) {
    sim::PursuitOptions pursuit = arguments.pursuit;
    pursuit.max_speed_mps = arguments.speeds_mps[size_t(i) % arguments.speeds_mps.size()];
    LAPFORGE_TRY(auto driver, MakeLineDriver(PolicyOf(arguments, size_t(i)), pursuit, i, sim));
    drivers.push_back(std::move(driver));
  }
  return drivers;
}

// More of them than cars is a mistake.
Result<void> CheckNumber(const char* option, size_t count, int num_cars) {
  if (count <= static_cast<size_t>(num_cars)) return {};
  return ErrorOf(option, ": ", count, " for ", num_cars, num_cars == 1 ? " car" : " cars",
                 "; expected one a car at most");
}

// True where every lap asked for is clean.
Result<bool> Drive(const DriveArguments& arguments) {
  LAPFORGE_CHECK_OK(CheckNumber("--policy", arguments.policies.size(), arguments.num_cars));
  LAPFORGE_CHECK_OK(CheckNumber("--speed", arguments.speeds_mps.size(), arguments.num_cars));
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(arguments.car));
  LAPFORGE_TRY(const tracks::Track track, LoadTrackFor(car, arguments.track));
  if (arguments.num_cars > 1 && !track.is_closed()) {
    return ErrorOf("--cars ", arguments.num_cars, ": track ", track.name(),
                   " is open: a car that starts behind another has a longer way to its end");
  }
  LAPFORGE_TRY(const sim::SimOptions options, OptionsOf(arguments, track.length_m()));
  LAPFORGE_TRY(FilmOutput film, FilmOutput::Open(arguments.film));
  ThreadPool pool(1);
  LAPFORGE_TRY(const std::unique_ptr<sim::VectorSim> sim,
               sim::VectorSim::Create(options, car, {track}, &pool));
  LAPFORGE_TRY(const Drivers drivers, MakeDrivers(arguments, *sim));
  DriveReport report = DriveUntil(arguments.num_laps, drivers, *sim);
  report.recording.note = "pure pursuit of the " + Join(arguments.policies, ", ");
  LAPFORGE_CHECK_OK(WriteDrive(report, sim->tracks()[size_t(report.view)], TitleOf(report, track),
                               arguments.outputs));
  const sim::LapResult* const best = report.best();
  const int filmed_car = best != nullptr ? best->env_index : 0;
  if (film.is_wanted()) LAPFORGE_CHECK_OK(film.Write(report.recording, filmed_car, &pool));
  if (arguments.is_json) {
    PrintJson(ToJson(report, arguments, track));
  } else {
    PrintReport(report);
  }
  return std::all_of(report.cars.begin(), report.cars.end(),
                     [&](const CarDrive& one) { return one.num_clean() >= arguments.num_laps; });
}

}  // namespace

int RunSimDriveCommand(int argc, char** argv) {
  CLI::App app("Drives laps with the built-in driver: pure pursuit, slower in bends.", "sim drive");
  DriveArguments arguments;
  constexpr double kLowest = 0.1;  // of PursuitOptions
  constexpr double kHighest = 100;
  app.add_option("--policy", arguments.policies,
                 "Line to follow: centerline, raceline, or a .csv file of track raceline; several "
                 "are taken by turns [centerline]");
  app.add_option("-t,--track", arguments.track, "Built-in track or track file")->required();
  app.add_option("--car", arguments.car, "Built-in car or .textproto file [rc_1_18]");
  app.add_option("--cars", arguments.num_cars, "Cars that race each other on the road [1]")
      ->check(CLI::Range(1, sim::kMaxCarsPerWorld));
  app.add_option("--laps", arguments.num_laps, "Laps to drive [3]")->check(CLI::Range(1, 10000));
  app.add_option("--speed", arguments.speeds_mps,
                 "Speed on straights, m/s; several are taken by turns [2]")
      ->check(CLI::Range(kLowest, kHighest));
  app.add_option("--lateral", arguments.pursuit.lateral_mps2,
                 "Sideways acceleration in bends, m/s^2 [4]")
      ->check(CLI::Range(kLowest, kHighest));
  app.add_option("--braking", arguments.pursuit.braking_mps2, "Braking before bends, m/s^2 [2]")
      ->check(CLI::Range(kLowest, kHighest));
  app.add_option("--seed", arguments.seed, "Seed of random starts and sensors [1]");
  app.add_flag("--reversed", arguments.is_reversed, "Drive the other way");
  app.add_option("--set", arguments.assignments, "Simulator option, as in walls=true");
  app.add_option("--recording", arguments.outputs.recording_path,
                 "Write a recording for lapforge replay");
  app.add_option("--picture", arguments.outputs.picture_path,
                 "Draw the driven line to a .png or .svg file");
  DeclareFilm(app, arguments.film);
  app.add_flag("--json", arguments.is_json, "Print JSON");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  const Result<bool> is_clean = Drive(arguments);
  if (!is_clean.ok()) return Fail(is_clean.error());
  return *is_clean ? kOk : kFailure;
}

}  // namespace lapforge::cli
