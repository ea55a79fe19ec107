#include "tools/cli/film_output.h"

#include <CLI/CLI.hpp>

#include "sim/base/log.h"
#include "sim/base/strings.h"

namespace lapforge::cli {

void DeclareFilm(CLI::App& app, FilmArguments& arguments) {
  app.add_option("--video", arguments.video_path,
                 "Film the drive, from above and through the car's camera, to an .mp4 file");
  app.add_option("--strip", arguments.strip_path, "Draw moments of the drive to one .png file");
  app.add_option("--video-height", arguments.options.height_px,
                 "Height of a film's pictures, pixels [720]");
  app.add_option("--video-fps", arguments.options.fps, "Pictures a second of the film [30]");
}

Result<FilmOutput> FilmOutput::Open(const FilmArguments& arguments) {
  LAPFORGE_CHECK_OK(viewer::Validate(arguments.options));
  FilmOutput output(arguments);
  if (!arguments.strip_path.empty()) {
    LAPFORGE_CHECK_OK(viewer::CheckStripPath(arguments.strip_path));
  }
  if (!arguments.video_path.empty()) {
    LAPFORGE_TRY(output.video_, viewer::VideoFile::Create(arguments.video_path,
                                                          viewer::FormatOf(arguments.options)));
  }
  return output;
}

Result<void> FilmOutput::Write(const sim::Recording& recording, int env_index, ThreadPool* pool) {
  viewer::FilmOptions options = arguments_.options;
  options.env_index = env_index;
  if (!arguments_.strip_path.empty()) {
    LAPFORGE_CHECK_OK(viewer::DrawStrip(recording, options, pool, arguments_.strip_path));
  }
  if (!video_) return {};
  LAPFORGE_CHECK_OK(viewer::FilmDrive(recording, options, pool, *video_));
  LogInfo("video: ", arguments_.video_path, ", ", video_->codec_name(), ", ",
          FormatFixed(video_->num_frames() / options.fps, 1), " s");
  return {};
}

}  // namespace lapforge::cli
