// A recorded drive as a film: the recording is simulated again and painted scene by scene.
#pragma once

#include <filesystem>
#include <string>

#include "sim/base/result.h"
#include "sim/base/thread_pool.h"
#include "sim/recording.h"
#include "tools/viewer/video_file.h"

namespace lapforge::viewer {

struct FilmOptions {
  int env_index = 0;    // of the car to follow, from its start to the end of its first episode
  std::string title;    // empty: track and car
  int height_px = 720;  // even, 180 .. 2160; the width is 16 to 9
  double fps = 30;      // 1 .. 120; between control steps, cars move evenly
};

// Ranges; the message names `option` of the command line.
Result<void> Validate(const FilmOptions& options);

// Of the videos with these options.
VideoFormat FormatOf(const FilmOptions& options);

// The car with the fastest first-episode lap, a clean one before all others; else the first.
int EnvToFollow(const sim::ReplayReport& report);

// Adds the film to a video made with FormatOf(options), and finishes it. The other cars on the
// same track are in the picture as long as their first episodes last, those of its own world
// always. Errors: a recording that does not simulate to the same hashes on this machine, and those
// of VideoFile.
Result<void> FilmDrive(const sim::Recording& recording, const FilmOptions& options,
                       ThreadPool* pool, VideoFile& video);

// What DrawStrip would say about the path, before there is a drive to draw.
Result<void> CheckStripPath(const std::filesystem::path& path);

// Draws up to eight moments as one PNG: the start, the end, where something happened, and others
// evenly spread between.
Result<void> DrawStrip(const sim::Recording& recording, const FilmOptions& options,
                       ThreadPool* pool, const std::filesystem::path& path);

}  // namespace lapforge::viewer
