// lapforge track texture.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/strings.h"
#include "tools/cli/command.h"
#include "tools/cli/track/track_commands.h"
#include "tracks/ground_texture.h"
#include "tracks/track_files.h"

namespace lapforge::cli {
namespace {

struct TextureArguments {
  std::string track;
  std::string path;
  tracks::GroundStyle style;
  int level = 0;
  bool is_gray = false;
  bool is_json = false;
};

nlohmann::json ToJson(const tracks::GroundTexture& texture) {
  nlohmann::json levels = nlohmann::json::array();
  for (const tracks::TextureLevel& level : texture.levels) {
    levels.push_back({{"width_px", level.width_px},
                      {"height_px", level.height_px},
                      {"texel_m", level.texel_m},
                      {"bytes", level.texels.size()}});
  }
  const Vec2 origin_m = texture.levels.front().origin_m;
  return {{"origin_m", {origin_m.x, origin_m.y}}, {"levels", levels}};
}

size_t BytesOf(const tracks::GroundTexture& texture) {
  size_t bytes = 0;
  for (const tracks::TextureLevel& level : texture.levels) bytes += level.texels.size();
  return bytes;
}

Result<void> Paint(TextureArguments arguments) {
  LAPFORGE_TRY(const tracks::Track track, tracks::LoadTrack(arguments.track));
  if (arguments.is_gray) arguments.style.format = tracks::TextureFormat::kGray;
  LAPFORGE_TRY(const tracks::GroundTexture texture, tracks::PaintGround(track, arguments.style));
  const int num_levels = static_cast<int>(texture.levels.size());
  if (arguments.level >= num_levels) {
    return ErrorOf("--level ", arguments.level, ": the texture has levels 0 .. ", num_levels - 1);
  }
  const std::string path = arguments.path.empty() ? track.name() + "-ground.png" : arguments.path;
  LAPFORGE_CHECK_OK(tracks::SaveTexturePng(texture, arguments.level, path));

  const tracks::TextureLevel& level = texture.levels[arguments.level];
  if (arguments.is_json) {
    nlohmann::json json = ToJson(texture);
    json["picture"] = path;
    PrintJson(json);
  } else {
    std::printf("%s: %d x %d texels of %s m; %d levels, %.1f MB in all\nPicture: %s\n",
                track.name().c_str(), level.width_px, level.height_px,
                StrCat(level.texel_m).c_str(), num_levels, BytesOf(texture) / 1e6, path.c_str());
  }
  return {};
}

}  // namespace

int RunTrackTextureCommand(int argc, char** argv) {
  CLI::App app("Paints the ground that cameras see and writes it to a PNG file, north up.",
               "track texture");
  TextureArguments arguments;
  app.add_option("track", arguments.track, "Built-in name or file")->required();
  app.add_option("-o,--out", arguments.path, "The picture [<track>-ground.png]");
  app.add_option("--texel", arguments.style.texel_m, "Side of a texel in metres [0.005]");
  app.add_option("--margin", arguments.style.margin_m, "Field around the road in metres [2]");
  app.add_option("--level", arguments.level, "Mip level to write, 0 the finest [0]")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--gray", arguments.is_gray, "One channel instead of three");
  app.add_flag("--json", arguments.is_json, "Print JSON");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  return ExitCodeOf(Paint(arguments));
}

}  // namespace lapforge::cli
