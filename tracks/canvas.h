// Drawing in pixels, y down, the origin at the top left corner; what it becomes is left to
// PixelCanvas and, for pictures of tracks, to picture/svg_canvas.h.
#pragma once

#include <cstdint>
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
  virtual ~Canvas() = default;

  // Fills what lies inside an odd number of the contours.
  virtual void FillPolygons(const std::vector<std::vector<Vec2>>& contours, Color color) = 0;
  // A line through all points.
  virtual void DrawLine(std::span<const Vec2> points, double thickness_px, Color color) = 0;
  virtual void FillCircle(Vec2 center, double radius_px, Color color) = 0;
  // `position` is on the base line. ASCII; other characters become question marks.
  virtual void DrawText(const std::string& text, Vec2 position, const TextStyle& style) = 0;
  // Of PixelCanvas's font. The SVG's is chosen by who shows it, and usually narrower.
  static double TextWidth(const std::string& text, const TextStyle& style);

  // The picture as the bytes of a file.
  virtual std::string Encode() = 0;
};

// A canvas of pixels, antialiased; its file is a PNG. Lines thinner than a pixel are drawn a pixel
// wide, text too small to read is left out.
class PixelCanvas final : public Canvas {
 public:
  PixelCanvas(int width_px, int height_px, Color background);

  void FillPolygons(const std::vector<std::vector<Vec2>>& contours, Color color) override;
  void DrawLine(std::span<const Vec2> points, double thickness_px, Color color) override;
  void FillCircle(Vec2 center, double radius_px, Color color) override;
  void DrawText(const std::string& text, Vec2 position, const TextStyle& style) override;
  std::string Encode() override;

  int width_px() const { return width_px_; }
  int height_px() const { return height_px_; }
  // Blue, green, red of each pixel, rows from the top [height, width, 3].
  std::span<const uint8_t> bgr() const { return bgr_; }
  // Copies `picture` to where its upper left corner shall be; it must fit.
  void Paste(const PixelCanvas& picture, int left_px, int top_px);
  void SetPixel(int x, int y, Color color);

 private:
  int width_px_;
  int height_px_;
  std::vector<uint8_t> bgr_;
};

}  // namespace lapforge::tracks
