// Anti-aliased drawing in pixels, y down, the origin at the top left corner. The only user of
// OpenCV here.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/base/math.h"

namespace lapforge::tracks {

struct Color {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;
};

// Which point of a text is placed.
enum class Align { kLeft, kCenter, kRight };

struct TextStyle {
  double height_px = 16;  // of a capital letter
  double thickness_px = 1;
  Color color = {255, 255, 255};
  Align align = Align::kLeft;
};

class Canvas {
 public:
  Canvas(int width_px, int height_px, Color background);

  int width_px() const { return image_.cols; }
  int height_px() const { return image_.rows; }

  // Fills what lies inside an odd number of the contours.
  void FillPolygons(const std::vector<std::vector<Vec2>>& contours, Color color);
  // A line through all points; thinner than a pixel it is drawn a pixel wide.
  void DrawLine(std::span<const Vec2> points, double thickness_px, Color color);
  void FillCircle(Vec2 center, double radius_px, Color color);
  // `position` is on the base line. ASCII; other characters become question marks. Text too small
  // to read is left out.
  void DrawText(const std::string& text, Vec2 position, const TextStyle& style);
  static double TextWidth(const std::string& text, const TextStyle& style);

  std::string EncodePng() const;

 private:
  cv::Mat image_;
};

}  // namespace lapforge::tracks
