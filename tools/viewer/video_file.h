// Pictures to a video file (.mp4) that every player shows.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sim/base/result.h"
#include "tracks/canvas.h"

namespace lapforge::viewer {

struct VideoFormat {
  int width_px = 1280;  // even
  int height_px = 720;  // even
  double fps = 30;
};

// A video under construction. The file appears, or replaces an older one, whole and at the end; one
// that is not finished leaves nothing. H.264 where the machine has an encoder for it, else MPEG-4.
class VideoFile {
 public:
  // Errors: a name that does not end in .mp4, a place that cannot be written, no encoder.
  static Result<std::unique_ptr<VideoFile>> Create(const std::filesystem::path& path,
                                                   const VideoFormat& format);
  ~VideoFile();

  // Appends a frame of the format's size.
  void Add(const tracks::PixelCanvas& picture);
  // Reads the file back: an error where frames are missing, as on a full disk.
  Result<void> Finish();

  const VideoFormat& format() const;
  std::string codec_name() const;  // "H.264"
  int num_frames() const;

 private:
  class Impl;
  explicit VideoFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::viewer
