// A canvas that writes Scalable Vector Graphics (W3C SVG 1.1): sharp at every size, text as text.
#pragma once

#include "tracks/canvas.h"

namespace lapforge::tracks {

class SvgCanvas final : public Canvas {
 public:
  SvgCanvas(int width_px, int height_px, Color background);

  void FillPolygons(const std::vector<std::vector<Vec2>>& contours, Color color) override;
  void DrawLine(std::span<const Vec2> points, double thickness_px, Color color) override;
  void FillCircle(Vec2 center, double radius_px, Color color) override;
  void DrawText(const std::string& text, Vec2 position, const TextStyle& style) override;
  std::string Encode() override;

 private:
  void EndLine();

  std::string body_;
  // lines of one look are written as one path
  std::string line_style_;
  std::string line_;
  Vec2 line_end_;
};

}  // namespace lapforge::tracks
