#include <algorithm>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "sim/base/assert.h"
#include "sim/base/file_io.h"
#include "tracks/ground_texture.h"

namespace lapforge::tracks {

Result<void> SaveTexturePng(const GroundTexture& texture, int level,
                            const std::filesystem::path& path) {
  if (path.extension() != ".png") {
    return ErrorOf(path, ": a picture of an unknown kind; expected a name that ends in .png");
  }
  LAPFORGE_ASSERT(level >= 0 && level < static_cast<int>(texture.levels.size()), "no such level");
  const auto& [width_px, height_px, texel_m, origin_m, texels] = texture.levels[level];
  cv::Mat image(height_px, width_px, texture.format == TextureFormat::kGray ? CV_8UC1 : CV_8UC3);
  std::copy(texels.begin(), texels.end(), image.data);
  cv::flip(image, image, 0);
  if (image.channels() == 3) cv::cvtColor(image, image, cv::COLOR_RGB2BGR);
  std::vector<uchar> bytes;
  cv::imencode(".png", image, bytes);
  return WriteFileAtomic(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace lapforge::tracks
