// --video and --strip: what commands that drive leave for the eye.
#pragma once

#include <memory>
#include <string>

#include "sim/base/result.h"
#include "sim/recording.h"
#include "tools/viewer/film.h"
#include "tools/viewer/video_file.h"

namespace CLI {
class App;
}

namespace lapforge::cli {

// Empty paths are not written.
struct FilmArguments {
  std::string video_path;
  std::string strip_path;
  viewer::FilmOptions options;

  bool any() const { return !video_path.empty() || !strip_path.empty(); }
};

void DeclareFilm(CLI::App& app, FilmArguments& arguments);

// Opened before a drive, so that what cannot be written is found out first.
class FilmOutput {
 public:
  static Result<FilmOutput> Open(const FilmArguments& arguments);

  bool is_wanted() const { return arguments_.any(); }
  // Films the car `env_index` of the recording and says on stderr what was written.
  Result<void> Write(const sim::Recording& recording, int env_index, ThreadPool* pool);

 private:
  explicit FilmOutput(const FilmArguments& arguments) : arguments_(arguments) {}

  FilmArguments arguments_;
  std::unique_ptr<viewer::VideoFile> video_;
};

}  // namespace lapforge::cli
