// lapforge track generate.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/base/file_io.h"
#include "tools/cli/command.h"
#include "tools/cli/track/track_commands.h"
#include "tools/cli/track/track_summary.h"
#include "tracks/track_files.h"
#include "tracks/track_generator.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {
namespace {

namespace fs = std::filesystem;

struct GenerateArguments {
  tracks::GeneratorOptions options;
  std::string seed = "0";  // text, so that -1 is refused
  std::string out_path;
  int count = 1;
  bool has_picture = false;
  bool is_json = false;

  bool WritesFolder() const { return count > 1; }
};

// Where a track goes: the file that the user named, or one of its own name in a folder.
fs::path PathFor(const GenerateArguments& arguments, const std::string& name) {
  const fs::path file = name + ".textproto";
  if (arguments.WritesFolder()) {
    return (arguments.out_path.empty() ? "generated" : arguments.out_path) / file;
  }
  return arguments.out_path.empty() ? file : fs::path(arguments.out_path);
}

Result<void> Write(const tracks::GeneratedTrack& generated, const fs::path& path) {
  if (path.extension() == ".npy") return WriteFileAtomic(path, TrackToNpy(generated.track));
  return WriteFileAtomic(path, generated.text);
}

nlohmann::json ToJson(const tracks::GeneratedTrack& generated,
                      const tracks::GeneratorOptions& options) {
  nlohmann::json json = ToJson(Summarize(generated.track));
  json["seed"] = options.seed;
  json["difficulty"] = options.difficulty;
  json["bends"] = generated.num_bends;
  json["min_radius_m"] = generated.min_radius_m;
  return json;
}

void PrintText(const tracks::GeneratedTrack& generated, const fs::path& path) {
  const TrackSummary summary = Summarize(generated.track);
  std::printf("%s: %.2f m long, %.2f m wide, %d bends, the tightest %.2f m\n", path.c_str(),
              summary.length_m, summary.min_width_m, generated.num_bends, generated.min_radius_m);
}

// Makes the track of these options and its files; its JSON.
Result<nlohmann::json> GenerateOne(const GenerateArguments& arguments,
                                   tracks::GeneratorOptions options) {
  options.name = StrCat("generated_", options.seed);
  const fs::path path = PathFor(arguments, options.name);
  options.name = path.stem().string();
  LAPFORGE_TRY(const tracks::GeneratedTrack generated, tracks::GenerateTrack(options));
  if (arguments.WritesFolder()) LAPFORGE_CHECK_OK(MakeFolders(path.parent_path()));
  LAPFORGE_CHECK_OK(Write(generated, path));
  nlohmann::json json = ToJson(generated, options);
  json["path"] = path.string();
  if (arguments.has_picture) {
    const fs::path picture = fs::path(path).replace_extension(".png");
    LAPFORGE_CHECK_OK(tracks::DrawTrackPng(generated.track, {}, {}, picture));
    json["picture"] = picture.string();
  }
  if (!arguments.is_json) PrintText(generated, path);
  return json;
}

Result<void> CheckOut(const GenerateArguments& arguments) {
  const std::string ending = fs::path(arguments.out_path).extension().string();
  const bool is_file = ending == ".textproto" || ending == ".npy";
  if (arguments.out_path.empty() || is_file != arguments.WritesFolder()) return {};
  return ErrorOf("--out ", arguments.out_path,
                 is_file ? ": with --count it names a folder, and each track has a name of its own"
                         : ": expected a .textproto or .npy file");
}

Result<void> Generate(GenerateArguments arguments) {
  LAPFORGE_CHECK_OK(CheckOut(arguments));
  LAPFORGE_CHECK_OK(SetOption(arguments.options, "seed", arguments.seed));
  nlohmann::json all = nlohmann::json::array();
  for (int i = 0; i < arguments.count; ++i) {
    tracks::GeneratorOptions options = arguments.options;
    options.seed += static_cast<uint64_t>(i);
    LAPFORGE_TRY(nlohmann::json one, GenerateOne(arguments, options));
    all.push_back(std::move(one));
  }
  if (arguments.is_json) PrintJson(arguments.WritesFolder() ? all : all.front());
  return {};
}

}  // namespace

int RunTrackGenerateCommand(int argc, char** argv) {
  CLI::App app("Makes new tracks: closed, never crossing themselves, different for each seed.",
               "track generate");
  GenerateArguments arguments;
  tracks::GeneratorOptions& options = arguments.options;
  app.add_option("--seed", arguments.seed, "The same seed gives the same track [0]");
  app.add_option("--length", options.length_m, "Length in metres, 8 .. 500 [30]");
  app.add_option("--width", options.width_m, "Width in metres, 0.5 .. 3 [0.9]");
  app.add_option("--difficulty", options.difficulty,
                 "0: a few wide bends .. 1: as many and as tight ones as there is room for [0.5]");
  app.add_option("--min-radius", options.min_radius_m,
                 "Of the centerline, in metres [0.7 of the width, at least 0.5]");
  app.add_option("--gap", options.gap_m,
                 "Metres of field between parts of the road [0.3 of the width, at least 0.3]");
  app.add_flag("--clockwise", options.is_clockwise, "Driven clockwise");
  app.add_option("--count", arguments.count, "So many tracks, of this seed and the next ones [1]")
      ->check(CLI::Range(1, 100000));
  app.add_option("-o,--out", arguments.out_path,
                 "A .textproto or .npy file [generated_<seed>.textproto]; with --count a folder "
                 "[generated]");
  app.add_flag("--picture", arguments.has_picture, "A PNG beside each file");
  app.add_flag("--json", arguments.is_json, "Print JSON");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(Generate(arguments));
}

}  // namespace lapforge::cli
