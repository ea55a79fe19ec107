// lapforge track import, lapforge track export: the same but for their defaults.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/cli/command.h"
#include "tools/cli/track/track_commands.h"
#include "tools/cli/track/track_summary.h"
#include "tracks/track_files.h"

namespace lapforge::cli {
namespace {

constexpr const char* kFormats = R"(
Files read, by their content:
  .npy        DeepRacer: centre, inner and outer border, x and y in metres
  .csv        TUM and F1TENTH: x_m, y_m, w_tr_right_m, w_tr_left_m; centre, inner
              and outer border; or a racing line (with --width)
  .yaml       ROS map of F1TENTH, beside its .pgm or .png
  .textproto  Lapforge
Files written, and what they lose:
  .npy        the description
  .csv        borders that are not at right angles to the centerline shift
  .yaml       ROS map with a .pgm: places shift by a part of a pixel; start, direction
  .textproto  nothing
What this track lost is measured and printed.
)";

struct ConvertArguments {
  std::string track;
  std::string out;
  std::string format;
  tracks::ReadOptions read;
  tracks::WriteOptions write;
  bool is_json = false;
};

// The name that the user gave or the file has: one from inside the file could be any path.
Result<std::string> DefaultOut(const ConvertArguments& arguments) {
  const std::string& name = arguments.read.name;
  const std::string stem =
      name.empty() ? std::filesystem::path(arguments.track).stem().string() : name;
  const std::string out = stem + ".textproto";
  std::error_code error;
  if (!std::filesystem::exists(out, error)) return out;
  return ErrorOf(out, ": is there already; name the file to write with -o");
}

Result<void> Convert(const tracks::Track& track, ConvertArguments arguments) {
  if (!arguments.format.empty()) {
    LAPFORGE_TRY(arguments.write.format, tracks::TrackFormatFromName(arguments.format));
  }
  LAPFORGE_TRY(const tracks::WrittenTrack written,
               tracks::WriteTrackFile(track, arguments.out, arguments.write));
  const TrackSummary summary = Summarize(track);
  if (arguments.is_json) {
    nlohmann::json json = ToJson(summary);
    json["files"] = nlohmann::json::array();
    for (const auto& file : written.files) json["files"].push_back(file.string());
    json["losses"] = written.losses;
    PrintJson(json);
    return {};
  }
  PrintText(summary);
  for (const auto& file : written.files) std::printf("Wrote: %s\n", file.c_str());
  for (const std::string& loss : written.losses) std::printf("Lost: %s\n", loss.c_str());
  if (written.losses.empty()) std::printf("Nothing is lost.\n");
  return {};
}

void AddOutputOptions(CLI::App& app, ConvertArguments& arguments) {
  app.add_option("--format", arguments.format,
                 "npy, csv, textproto or map [what the file's ending says]");
  app.add_option("--resolution", arguments.write.resolution_m,
                 "Metres a pixel of a ROS map [0.05]");
  app.add_flag("--json", arguments.is_json, "Print JSON");
  app.footer(kFormats);
}

Result<void> Import(ConvertArguments arguments) {
  LAPFORGE_TRY(const tracks::Track track, tracks::LoadTrackFile(arguments.track, arguments.read));
  if (arguments.out.empty()) {
    LAPFORGE_TRY(arguments.out, DefaultOut(arguments));
  }
  return Convert(track, arguments);
}

Result<void> Export(const ConvertArguments& arguments) {
  LAPFORGE_TRY(const tracks::Track track, tracks::LoadTrack(arguments.track));
  return Convert(track, arguments);
}

}  // namespace

int RunTrackImportCommand(int argc, char** argv) {
  CLI::App app("Reads a track file of another program and writes it as Lapforge's own.",
               "track import");
  ConvertArguments arguments;
  app.add_option("file", arguments.track, "The file to read")->required();
  app.add_option("-o,--out", arguments.out, "The file to write [<name>.textproto]");
  app.add_option("--width", arguments.read.width_m, "Metres, for a line without widths")
      ->check(CLI::Range(0.05, 200.0));
  app.add_option("--name", arguments.read.name, "Name of the track [the file's]");
  AddOutputOptions(app, arguments);
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(Import(arguments));
}

int RunTrackExportCommand(int argc, char** argv) {
  CLI::App app("Writes a track as a file of another program.", "track export");
  ConvertArguments arguments;
  app.add_option("track", arguments.track, "Built-in name or file")->required();
  app.add_option("-o,--out", arguments.out, "The file to write; its ending is its format")
      ->required();
  AddOutputOptions(app, arguments);
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(Export(arguments));
}

}  // namespace lapforge::cli
