// lapforge race: trained policies and built-in drivers on one road.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/base/option_fields.h"
#include "sim/base/strings.h"
#include "tools/cli/command.h"
#include "tools/cli/film_output.h"
#include "tools/cli/laps.h"
#include "tools/cli/race/racers.h"
#include "tools/cli/race/standings.h"
#include "tools/cli/sim/drive_output.h"
#include "tools/cli/track/race_check.h"

namespace lapforge::cli {
namespace {

constexpr int kManyResets = 1000000;    // as many as an episode may have
constexpr double kSlowestLapMps = 0.3;  // slower cars are not racing: the race ends

struct RaceArguments {
  std::vector<std::string> drivers;
  std::string track;
  std::string car;
  int num_laps = 3;
  std::vector<double> speeds_mps = {sim::PursuitOptions().max_speed_mps};
  double off_track_penalty_s = sim::EpisodeOptions().off_track_penalty_s;
  double crash_penalty_s = sim::EpisodeOptions().crash_penalty_s;
  std::string seed = "1";  // text, so that -1 is refused
  bool is_reversed = false;
  LapOutputs outputs;
  FilmArguments film;
  int num_threads = DefaultThreads();
  bool is_json = false;
};

void DeclareArguments(CLI::App& app, RaceArguments& arguments) {
  constexpr double kLowest = 0.1;  // of PursuitOptions
  constexpr double kHighest = 100;
  app.add_option("drivers", arguments.drivers,
                 "Two or more, in the order of the grid: folders of runs, policy files, "
                 "centerline, raceline, or .csv files of track raceline")
      ->required();
  app.add_option("-t,--track", arguments.track,
                 "Built-in track or track file [that of the first run]");
  app.add_option("--car", arguments.car,
                 "Everyone's car [the runs' own; rc_1_18 of the built-in driver]");
  app.add_option("--laps", arguments.num_laps, "Laps to drive [3]")->check(CLI::Range(1, 10000));
  app.add_option("--speed", arguments.speeds_mps,
                 "Speed of the built-in driver on straights, m/s; several are taken by turns [2]")
      ->check(CLI::Range(kLowest, kHighest));
  app.add_option("--off-track-penalty", arguments.off_track_penalty_s,
                 "Seconds that it costs to be put back on the road [2]")
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--crash-penalty", arguments.crash_penalty_s,
                 "The same for running into another car [5]")
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--seed", arguments.seed, "Seed of sensor noise [1]");
  app.add_flag("--reversed", arguments.is_reversed, "Drive the other way");
  app.add_option("--recording", arguments.outputs.recording_path,
                 "Write a recording for lapforge replay");
  app.add_option("--picture", arguments.outputs.picture_path,
                 "Draw the driven lines to a .png or .svg file");
  DeclareFilm(app, arguments.film);
  app.add_option("--threads", arguments.num_threads, "Threads; results do not depend on it")
      ->check(CLI::Range(1, 256));
  app.add_flag("--json", arguments.is_json, "Print JSON");
}

// Cars are put back and pay for it; whoever is done drives on, for it would start anew in the
// others' way.
Result<sim::SimOptions> OptionsOf(const RaceArguments& arguments, const std::vector<Racer>& racers,
                                  double length_m) {
  sim::SimOptions options = WorldFor(racers);
  const Result<void> set = SetOption(options, "seed", arguments.seed);
  if (!set.ok()) return ErrorOf("--seed ", arguments.seed, ": ", set.error().message);
  options.episode.start = sim::StartMode::kLine;
  options.episode.direction =
      arguments.is_reversed ? sim::DirectionMode::kReversed : sim::DirectionMode::kForward;
  double slowest_mps = kSlowestLapMps;
  for (const Racer& racer : racers) {
    if (!racer.policy) slowest_mps = std::min(slowest_mps, racer.pursuit.max_speed_mps / 4);
  }
  const double most_steps =
      100 + arguments.num_laps * length_m / slowest_mps * options.timing.control_hz;
  options.episode.max_steps = static_cast<int>(std::min(most_steps, 1e9));
  options.episode.max_resets = kManyResets;
  options.episode.off_track_penalty_s = arguments.off_track_penalty_s;
  options.episode.crash_penalty_s = arguments.crash_penalty_s;
  return options;
}

// The track that was asked for, or that of the first run.
Result<tracks::Track> TrackOf(const RaceArguments& arguments, const std::vector<Racer>& racers) {
  const auto widest = std::max_element(racers.begin(), racers.end(), [](auto& a, auto& b) {
    return a.car.body_width_m < b.car.body_width_m;
  });
  if (!arguments.track.empty()) return LoadTrackFor(widest->car, arguments.track);
  for (const Racer& racer : racers) {
    if (racer.policy && !racer.policy->tracks.empty()) return racer.policy->tracks.front();
  }
  return ErrorOf("none of the drivers is a run: say with --track where to race");
}

std::string TitleOf(const DriveReport& report, const std::vector<Racer>& racers,
                    const std::string& track) {
  const Standing winner = StandingsOf(report).front();
  if (winner.gap_us < 0) return StrCat(track, ": nobody finished");
  return StrCat(track, ": won by ", racers[winner.car].name, " in ", LapTimeText(winner.total_us));
}

Result<void> Race(const RaceArguments& arguments) {
  LAPFORGE_TRY(const std::vector<Racer> racers,
               OpenRacers(arguments.drivers, arguments.speeds_mps, arguments.car));
  LAPFORGE_TRY(const tracks::Track track, TrackOf(arguments, racers));
  if (!track.is_closed()) {
    return ErrorOf("track ", track.name(),
                   " is open: a car that starts behind another has a longer way to its end");
  }
  LAPFORGE_TRY(const sim::SimOptions options, OptionsOf(arguments, racers, track.length_m()));
  LAPFORGE_TRY(FilmOutput film, FilmOutput::Open(arguments.film));
  ThreadPool pool(arguments.num_threads);
  std::vector<sim::CarSpec> cars;
  for (const Racer& racer : racers) cars.push_back(racer.car);
  LAPFORGE_TRY(const std::unique_ptr<sim::VectorSim> sim,
               sim::VectorSim::Create(options, cars, {track}, &pool));
  LAPFORGE_TRY(const Drivers drivers, SeatRacers(racers, *sim));

  DriveReport report = DriveUntil(arguments.num_laps, drivers, *sim);
  report.recording.note = "race of " + Join(arguments.drivers, ", ");
  if (arguments.is_json) {
    PrintJson({{"track", track.name()},
               {"reversed", arguments.is_reversed},
               {"steps", report.recording.num_steps()},
               {"places", StandingsJson(report, racers)}});
  } else {
    PrintStandings(report, racers);
  }
  LAPFORGE_CHECK_OK(WriteDrive(report, sim->tracks()[size_t(report.view)],
                               TitleOf(report, racers, track.name()), arguments.outputs));
  const Standing winner = StandingsOf(report).front();
  return film.Write(report.recording, static_cast<int>(winner.car), &pool);
}

}  // namespace

int RunRaceCommand(int argc, char** argv) {
  CLI::App app("Races trained policies and built-in drivers against each other.", "race");
  RaceArguments arguments;
  DeclareArguments(app, arguments);
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(Race(arguments));
}

}  // namespace lapforge::cli
