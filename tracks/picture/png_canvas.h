// A canvas of pixels, antialiased. Lines thinner than a pixel are drawn a pixel wide, text too
// small to read is left out.
#pragma once

#include <opencv2/core.hpp>

#include "tracks/picture/canvas.h"

namespace lapforge::tracks {

class PngCanvas final : public Canvas {
 public:
  PngCanvas(int width_px, int height_px, Color background);

  void FillPolygons(const std::vector<std::vector<Vec2>>& contours, Color color) override;
  void DrawLine(std::span<const Vec2> points, double thickness_px, Color color) override;
  void FillCircle(Vec2 center, double radius_px, Color color) override;
  void DrawText(const std::string& text, Vec2 position, const TextStyle& style) override;
  std::string Encode() override;

 private:
  cv::Mat image_;
};

}  // namespace lapforge::tracks
