// lapforge sim frame: what the car's camera sees from a place of a track.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "sim/base/option_fields.h"
#include "sim/base/strings.h"
#include "sim/vector_sim.h"
#include "tools/cli/command.h"
#include "tools/cli/sim/assignments.h"
#include "tools/cli/sim/sim_commands.h"
#include "tracks/ground_texture.h"
#include "tracks/track_files.h"

namespace lapforge::cli {
namespace {

struct FrameArguments {
  std::string track;
  std::string car = sim::SimOptions().car;
  double at_m = 0;
  double offset_m = 0;
  double yaw_deg = 0;
  bool is_rgb = false;
  std::vector<std::string> assignments;
  std::string path;
};

constexpr double kFarthestM = 10000;

Result<sim::SimOptions> OptionsOf(const FrameArguments& arguments) {
  sim::SimOptions options;
  options.car = arguments.car;
  if (arguments.is_rgb) options.sensors.camera.color = sim::CameraColor::kRgb;
  LAPFORGE_CHECK_OK(ApplyAssignments(arguments.assignments, "sensors.camera.fov_deg=90", options));
  LAPFORGE_CHECK_OK(sim::Validate(options));
  options.num_envs = 1;
  options.sensors.kinds = {"camera"};
  return options;
}

// The image as a texture, which counts rows from below; both eyes one above the other.
tracks::GroundTexture PictureOf(const sim::SensorSpec& spec, std::span<const std::byte> bytes,
                                bool is_rgb) {
  const size_t planes = is_rgb ? 3 : 1;
  const size_t width = static_cast<size_t>(spec.shape[2]);
  const size_t rows_per_image = static_cast<size_t>(spec.shape[1]);
  const size_t rows = rows_per_image * static_cast<size_t>(spec.shape[0]) / planes;
  tracks::GroundTexture picture;
  picture.format = is_rgb ? tracks::TextureFormat::kRgb : tracks::TextureFormat::kGray;
  tracks::TextureLevel level;
  level.width_px = static_cast<int>(width);
  level.height_px = static_cast<int>(rows);
  level.texels.resize(rows * width * planes);
  for (size_t row = 0; row < rows; ++row) {
    const size_t image = row / rows_per_image;
    for (size_t i = 0; i < width * planes; ++i) {
      const size_t plane = image * planes + i % planes;
      const size_t from = (plane * rows_per_image + row % rows_per_image) * width + i / planes;
      level.texels[(rows - 1 - row) * width * planes + i] = static_cast<uint8_t>(bytes[from]);
    }
  }
  picture.levels.push_back(std::move(level));
  return picture;
}

Result<void> WriteFrame(const FrameArguments& arguments) {
  LAPFORGE_TRY(const tracks::Track track, tracks::LoadTrack(arguments.track));
  LAPFORGE_TRY(const sim::SimOptions options, OptionsOf(arguments));
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(options.car));
  ThreadPool pool(1);
  LAPFORGE_TRY(const auto sim, sim::VectorSim::Create(options, car, {track}, &pool));
  std::vector<std::byte> row(sim->observation_spec().row_bytes);
  sim->Reset(row);
  sim::Placement placement;
  placement.front_point_m = track.PointAt(arguments.at_m, arguments.offset_m);
  placement.yaw_rad = track.TangentYawAt(arguments.at_m) + RadFromDeg(arguments.yaw_deg);
  placement.start_arc_length_m = track.WrapArcLength(arguments.at_m);
  sim->Place(0, placement);
  sim->Observe(row);

  const std::string path = arguments.path.empty() ? track.name() + "-frame.png" : arguments.path;
  const tracks::GroundTexture picture =
      PictureOf(sim->observation_spec().sensors[0], row,
                options.sensors.camera.color == sim::CameraColor::kRgb);
  LAPFORGE_CHECK_OK(tracks::SaveTexturePng(picture, 0, path));
  std::printf("Picture: %s, %d x %d\n", path.c_str(), picture.levels[0].width_px,
              picture.levels[0].height_px);
  return {};
}

}  // namespace

int RunSimFrameCommand(int argc, char** argv) {
  CLI::App app("Writes what the car's camera sees from a place of a track to a PNG file.",
               "sim frame");
  FrameArguments arguments;
  app.add_option("-t,--track", arguments.track, "Built-in track or track file")->required();
  app.add_option("--car", arguments.car, "Built-in car or .textproto file [rc_1_18]");
  app.add_option("--at", arguments.at_m, "Metres along the track, of the car's front point [0]")
      ->check(CLI::Range(-kFarthestM, kFarthestM));
  app.add_option("--offset", arguments.offset_m, "Metres to the left of the centerline [0]")
      ->check(CLI::Range(-kFarthestM, kFarthestM));
  app.add_option("--yaw", arguments.yaw_deg, "Degrees to the left of the track's direction [0]")
      ->check(CLI::Range(-360.0, 360.0));
  app.add_flag("--rgb", arguments.is_rgb, "In colour");
  app.add_option("--set", arguments.assignments,
                 "Simulator option, as in sensors.camera.width_px=64");
  app.add_option("-o,--out", arguments.path, "The picture [<track>-frame.png]");
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  const Result<void> written = WriteFrame(arguments);
  return written.ok() ? kOk : Fail(written.error());
}

}  // namespace lapforge::cli
