#include "tools/viewer/video_file.h"

#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/videoio.hpp>
#include <optional>

#include "sim/base/assert.h"
#include "sim/base/file_io.h"
#include "tools/viewer/files/place.h"

namespace lapforge::viewer {
namespace {

namespace fs = std::filesystem;

struct Codec {
  const char* name;
  char tag[5];
};

constexpr Codec kCodecs[] = {{"H.264", "avc1"}, {"MPEG-4", "mp4v"}};

constexpr size_t kMaxVideoBytes = size_t{4} << 30;

}  // namespace

class VideoFile::Impl {
 public:
  Impl(fs::path video_path, const VideoFormat& video_format)
      : path(std::move(video_path)), temporary(std::in_place, path, ".mp4"), format(video_format) {}

  bool Open() {
    // what they say about a missing encoder or a full disk is said by us
    ::setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::setNumThreads(1);
    for (const Codec& candidate : kCodecs) {
      const char* tag = candidate.tag;
      const int code = cv::VideoWriter::fourcc(tag[0], tag[1], tag[2], tag[3]);
      codec = &candidate;
      if (writer.open(temporary->path().string(), cv::CAP_FFMPEG, code, format.fps,
                      {format.width_px, format.height_px})) {
        return true;
      }
    }
    return false;
  }

  fs::path path;
  std::optional<TemporaryFile> temporary;  // until the film is whole; outlives the writer
  VideoFormat format;
  cv::VideoWriter writer;
  const Codec* codec = nullptr;
  int num_frames = 0;
};

VideoFile::VideoFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VideoFile::~VideoFile() = default;

Result<std::unique_ptr<VideoFile>> VideoFile::Create(const fs::path& path,
                                                     const VideoFormat& format) {
  LAPFORGE_ASSERT(format.width_px % 2 == 0 && format.height_px % 2 == 0,
                  "encoders take even sizes only");
  LAPFORGE_CHECK_OK(CheckPlace(path, "video", ".mp4"));
  auto impl = std::make_unique<Impl>(path, format);
  if (!impl->Open()) {
    return ErrorOf(path,
                   ": this machine's FFmpeg (libavcodec) encodes neither H.264 nor MPEG-4; "
                   "a .png strip needs no encoder");
  }
  return std::unique_ptr<VideoFile>(new VideoFile(std::move(impl)));
}

void VideoFile::Add(const tracks::PixelCanvas& picture) {
  LAPFORGE_ASSERT(picture.width_px() == impl_->format.width_px &&
                      picture.height_px() == impl_->format.height_px,
                  "all frames have the format's size");
  // OpenCV asks for writable pixels and does not write them
  impl_->writer.write(cv::Mat(picture.height_px(), picture.width_px(), CV_8UC3,
                              const_cast<uint8_t*>(picture.bgr().data())));
  ++impl_->num_frames;
}

Result<void> VideoFile::Finish() {
  impl_->writer.release();
  cv::VideoCapture readback(impl_->temporary->path().string(), cv::CAP_FFMPEG);
  const double frames = readback.isOpened() ? readback.get(cv::CAP_PROP_FRAME_COUNT) : 0;
  readback.release();
  if (static_cast<int>(frames) != impl_->num_frames) {
    return ErrorOf(impl_->path, ": only ", static_cast<int>(frames), " of ", impl_->num_frames,
                   " frames could be written; is the disk full?");
  }
  LAPFORGE_TRY(const std::string bytes, ReadFile(impl_->temporary->path(), kMaxVideoBytes));
  impl_->temporary.reset();
  return WriteFileAtomic(impl_->path, bytes);
}

const VideoFormat& VideoFile::format() const { return impl_->format; }
std::string VideoFile::codec_name() const { return impl_->codec->name; }
int VideoFile::num_frames() const { return impl_->num_frames; }

}  // namespace lapforge::viewer
