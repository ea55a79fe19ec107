#include "tracks/picture/png_canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

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

}  // namespace

PngCanvas::PngCanvas(int width_px, int height_px, Color background)
    : image_(height_px, width_px, CV_8UC3, ScalarOf(background)) {
  // pictures are small; threads of OpenCV's own would disturb the simulator's
  cv::setNumThreads(1);
}

void PngCanvas::FillPolygons(const std::vector<std::vector<Vec2>>& contours, Color color) {
  std::vector<std::vector<cv::Point>> shifted;
  for (const std::vector<Vec2>& contour : contours) shifted.push_back(PointsOf(contour));
  cv::fillPoly(image_, shifted, ScalarOf(color), cv::LINE_AA, kShift);
}

void PngCanvas::DrawLine(std::span<const Vec2> points, double thickness_px, Color color) {
  const std::vector<std::vector<cv::Point>> line = {PointsOf(points)};
  cv::polylines(image_, line, false, ScalarOf(color), WholePixels(thickness_px), cv::LINE_AA,
                kShift);
}

void PngCanvas::FillCircle(Vec2 center, double radius_px, Color color) {
  const int radius = std::max(1, static_cast<int>(std::lround(radius_px * (1 << kShift))));
  cv::circle(image_, PointsOf(std::array{center})[0], radius, ScalarOf(color), cv::FILLED,
             cv::LINE_AA, kShift);
}

void PngCanvas::DrawText(const std::string& text, Vec2 position, const TextStyle& style) {
  if (style.height_px < kMinTextHeight_px) return;
  const double width_px = TextWidth(text, style);
  const double share = style.align == Align::kLeft ? 0 : style.align == Align::kCenter ? 0.5 : 1;
  const cv::Point origin(static_cast<int>(std::lround(position.x - share * width_px)),
                         static_cast<int>(std::lround(position.y)));
  cv::putText(image_, text, origin, kFont, FontScale(style), ScalarOf(style.color),
              WholePixels(style.thickness_px), cv::LINE_AA);
}

double Canvas::TextWidth(const std::string& text, const TextStyle& style) {
  int base_line = 0;
  return cv::getTextSize(text, kFont, FontScale(style), WholePixels(style.thickness_px), &base_line)
      .width;
}

std::string PngCanvas::Encode() {
  std::vector<uchar> bytes;
  cv::imencode(".png", image_, bytes);
  return {bytes.begin(), bytes.end()};
}

}  // namespace lapforge::tracks
