#include "tracks/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "sim/base/assert.h"

namespace lapforge::tracks {
namespace {

constexpr int kFont = cv::FONT_HERSHEY_DUPLEX;
constexpr double kFontHeight_px = 21;  // of a capital letter at scale 1

constexpr double kMinTextHeight_px = 4;

// OpenCV takes coordinates in fractions of a pixel as integers with this many binary digits.
constexpr int kShift = 4;
constexpr double kMaxCoordinate_px = 1 << 20;

cv::Scalar ScalarOf(Color color) {
  return {double(color.blue), double(color.green), double(color.red)};
}

std::vector<cv::Point> PointsOf(std::span<const Vec2> points) {
  std::vector<cv::Point> shifted;
  const auto shift = [](double value) {
    return static_cast<int>(
        std::lround(Clamp(value, -kMaxCoordinate_px, kMaxCoordinate_px) * (1 << kShift)));
  };
  for (const Vec2 point : points) shifted.emplace_back(shift(point.x), shift(point.y));
  return shifted;
}

int WholePixels(double size_px) { return std::max(1, static_cast<int>(std::lround(size_px))); }

double FontScale(const TextStyle& style) { return style.height_px / kFontHeight_px; }

// OpenCV's view of a canvas's pixels.
cv::Mat ImageOf(const PixelCanvas& canvas, std::vector<uint8_t>& bgr) {
  return {canvas.height_px(), canvas.width_px(), CV_8UC3, bgr.data()};
}

}  // namespace

PixelCanvas::PixelCanvas(int width_px, int height_px, Color background)
    : width_px_(width_px),
      height_px_(height_px),
      bgr_(static_cast<size_t>(width_px) * static_cast<size_t>(height_px) * 3) {
  // pictures are small; threads of OpenCV's own would disturb the simulator's
  cv::setNumThreads(1);
  ImageOf(*this, bgr_).setTo(ScalarOf(background));
}

void PixelCanvas::FillPolygons(const std::vector<std::vector<Vec2>>& contours, Color color) {
  std::vector<std::vector<cv::Point>> shifted;
  for (const std::vector<Vec2>& contour : contours) shifted.push_back(PointsOf(contour));
  cv::fillPoly(ImageOf(*this, bgr_), shifted, ScalarOf(color), cv::LINE_AA, kShift);
}

void PixelCanvas::DrawLine(std::span<const Vec2> points, double thickness_px, Color color) {
  const std::vector<std::vector<cv::Point>> line = {PointsOf(points)};
  cv::polylines(ImageOf(*this, bgr_), line, false, ScalarOf(color), WholePixels(thickness_px),
                cv::LINE_AA, kShift);
}

void PixelCanvas::FillCircle(Vec2 center, double radius_px, Color color) {
  const int radius = std::max(1, static_cast<int>(std::lround(radius_px * (1 << kShift))));
  cv::circle(ImageOf(*this, bgr_), PointsOf(std::array{center})[0], radius, ScalarOf(color),
             cv::FILLED, cv::LINE_AA, kShift);
}

void PixelCanvas::DrawText(const std::string& text, Vec2 position, const TextStyle& style) {
  if (style.height_px < kMinTextHeight_px) return;
  const double width_px = TextWidth(text, style);
  const double share = style.align == Align::kLeft ? 0 : style.align == Align::kCenter ? 0.5 : 1;
  const cv::Point origin(static_cast<int>(std::lround(position.x - share * width_px)),
                         static_cast<int>(std::lround(position.y)));
  cv::putText(ImageOf(*this, bgr_), text, origin, kFont, FontScale(style), ScalarOf(style.color),
              WholePixels(style.thickness_px), cv::LINE_AA);
}

double Canvas::TextWidth(const std::string& text, const TextStyle& style) {
  int base_line = 0;
  return cv::getTextSize(text, kFont, FontScale(style), WholePixels(style.thickness_px), &base_line)
      .width;
}

std::string PixelCanvas::Encode() {
  std::vector<uchar> bytes;
  cv::imencode(".png", ImageOf(*this, bgr_), bytes);
  return {bytes.begin(), bytes.end()};
}

void PixelCanvas::Paste(const PixelCanvas& picture, int left_px, int top_px) {
  LAPFORGE_ASSERT(left_px >= 0 && top_px >= 0 && left_px + picture.width_px_ <= width_px_ &&
                      top_px + picture.height_px_ <= height_px_,
                  "a pasted picture fits");
  for (int row = 0; row < picture.height_px_; ++row) {
    const auto from = picture.bgr_.begin() + ptrdiff_t{3} * row * picture.width_px_;
    std::copy_n(from, 3 * picture.width_px_,
                bgr_.begin() + ptrdiff_t{3} * ((top_px + row) * width_px_ + left_px));
  }
}

void PixelCanvas::SetPixel(int x, int y, Color color) {
  LAPFORGE_ASSERT(x >= 0 && x < width_px_ && y >= 0 && y < height_px_, "a pixel of the canvas");
  uint8_t* const pixel = &bgr_[static_cast<size_t>(3 * (y * width_px_ + x))];
  pixel[0] = color.blue;
  pixel[1] = color.green;
  pixel[2] = color.red;
}

}  // namespace lapforge::tracks
