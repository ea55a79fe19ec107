#include "tracks/raster/sample_painter.h"

#include <opencv2/imgproc.hpp>

namespace lapforge::tracks {
namespace {

// OpenCV takes coordinates in fractions of a sample as integers with this many binary digits.
constexpr int kShift = 8;

int ShiftedOf(double samples) { return static_cast<int>(std::lround(samples * (1 << kShift))); }

}  // namespace

SamplePainter::SamplePainter(const std::vector<Patch>& patches, Vec2 origin_m, double sample_m) {
  cv::setNumThreads(1);  // threads of OpenCV's own would disturb the simulator's
  for (const Patch& patch : patches) {
    Shape shape{patch.paint, {}, 0, 0};
    for (const Vec2 point_m : patch.outline_m) {
      // OpenCV's coordinates are whole in the middle of a sample
      const Vec2 place = (point_m - origin_m) / sample_m - Vec2{0.5, 0.5};
      shape.outline.emplace_back(ShiftedOf(place.x), ShiftedOf(place.y));
    }
    const cv::Rect box = cv::boundingRect(shape.outline);
    shape.first_row = (box.y >> kShift) - 1;
    shape.last_row = ((box.y + box.height) >> kShift) + 1;
    shapes_.push_back(std::move(shape));
  }
}

void SamplePainter::Fill(const Shape& shape, int first_row, cv::Mat1b& samples) const {
  cv::fillPoly(samples, std::vector{shape.outline}, static_cast<double>(shape.paint), cv::LINE_8,
               kShift, {0, -(first_row << kShift)});
}

void SamplePainter::PaintRows(int first_row, cv::Mat1b& samples) {
  samples = static_cast<uint8_t>(Paint::kField);
  border_.create(samples.size());
  border_ = 0;
  for (const Shape& shape : shapes_) {
    if (shape.last_row < first_row || shape.first_row >= first_row + samples.rows) continue;
    Fill(shape, first_row, shape.paint == Paint::kBorder ? border_ : samples);
  }
  // the border's line is on the road
  border_.setTo(0, samples == static_cast<int>(Paint::kField));
  samples.setTo(static_cast<int>(Paint::kBorder), border_);
}

}  // namespace lapforge::tracks
