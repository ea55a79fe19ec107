#include "tracks/io/map_ring.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "tracks/io/loop.h"

namespace lapforge::tracks {
namespace {

// A closed area that is connected, from OpenCV's statistics.
struct Area {
  int label = 0;
  cv::Rect box;
  int num_pixels = 0;

  double diagonal_px() const { return std::hypot(box.width, box.height); }
};

// The areas of pixels that are not 0, labelled in `labels`.
std::vector<Area> AreasOf(const cv::Mat& mask, int connectivity, cv::Mat& labels) {
  cv::Mat stats, centroids;
  const int num_labels =
      cv::connectedComponentsWithStats(mask, labels, stats, centroids, connectivity, CV_32S);
  std::vector<Area> areas;
  for (int label = 1; label < num_labels; ++label) {
    const int* row = stats.ptr<int>(label);
    areas.push_back({label,
                     {row[cv::CC_STAT_LEFT], row[cv::CC_STAT_TOP], row[cv::CC_STAT_WIDTH],
                      row[cv::CC_STAT_HEIGHT]},
                     row[cv::CC_STAT_AREA]});
  }
  return areas;
}

cv::Mat DistanceTo(const cv::Mat& is_wall) {
  cv::Mat distance_px;
  cv::distanceTransform(is_wall == 0, distance_px, cv::DIST_L2, cv::DIST_MASK_PRECISE, CV_32F);
  return distance_px;
}

double LargestValue(const cv::Mat& values) {
  double largest = 0;
  cv::minMaxLoc(values, nullptr, &largest);
  return largest;
}

// A ring and how much it looks like a road.
struct Candidate {
  RingField field;
  double length_for_width = 0;
};

// The area as a ring, where it has exactly one hole that is no obstacle on the road.
std::optional<Candidate> RingOf(const cv::Mat& is_road, cv::Point offset_px) {
  cv::Mat labels;
  std::vector<Area> outsides = AreasOf(is_road == 0, 8, labels);
  const int outer_label = labels.at<int>(0, 0);  // the margin around the area
  std::erase_if(outsides, [&](const Area& area) { return area.label == outer_label; });
  if (outsides.empty()) return std::nullopt;
  std::sort(outsides.begin(), outsides.end(),
            [](const Area& a, const Area& b) { return a.diagonal_px() > b.diagonal_px(); });

  Candidate candidate;
  RingField& field = candidate.field;
  field.offset_px = offset_px;
  field.num_filled = static_cast<int>(outsides.size()) - 1;
  field.to_inner_px = DistanceTo(labels == outsides[0].label);
  field.to_outer_px = DistanceTo(labels == outer_label);
  const double half_width_px = LargestValue(DistanceTo(is_road == 0));
  const bool has_infield = outsides[0].diagonal_px() > half_width_px;
  const bool has_second = outsides.size() > 1 && outsides[1].diagonal_px() > 2 * half_width_px;
  if (!has_infield || has_second) return std::nullopt;
  candidate.length_for_width = cv::countNonZero(is_road) / (half_width_px * half_width_px);
  return candidate;
}

// One Newton step of each point on to the line where `values` is 0, at most a pixel long.
void PullToZero(const cv::Mat& values, std::vector<Vec2>& points) {
  for (Vec2& point : points) {
    const auto at = [&](double dx, double dy) { return SampleAt(values, point + Vec2{dx, dy}); };
    const Vec2 gradient = {(at(1, 0) - at(-1, 0)) / 2, (at(0, 1) - at(0, -1)) / 2};
    const double steepness_sq = Dot(gradient, gradient);
    constexpr double kFlat = 0.01;
    if (steepness_sq < kFlat) continue;
    const Vec2 step = gradient * (-at(0, 0) / steepness_sq);
    point += step / std::max(1.0, Length(step));
  }
}

}  // namespace

double SampleAt(const cv::Mat& values, Vec2 place_px) {
  const double x = Clamp(place_px.x, 0.0, values.cols - 1.0);
  const double y = Clamp(place_px.y, 0.0, values.rows - 1.0);
  const int column = std::min(static_cast<int>(x), values.cols - 2);
  const int row = std::min(static_cast<int>(y), values.rows - 2);
  const float* upper = values.ptr<float>(row) + column;
  const float* lower = values.ptr<float>(row + 1) + column;
  return Lerp(Lerp<double>(upper[0], upper[1], x - column),
              Lerp<double>(lower[0], lower[1], x - column), y - row);
}

double MeanAt(const cv::Mat& values, const std::vector<Vec2>& places_px) {
  double sum = 0;
  for (const Vec2 place_px : places_px) sum += SampleAt(values, place_px);
  return sum / static_cast<double>(places_px.size());
}

std::optional<RingField> FindRing(const cv::Mat& is_free) {
  cv::setNumThreads(1);
  cv::Mat labels;
  std::vector<Area> areas = AreasOf(is_free, 4, labels);
  const cv::Rect inside(1, 1, is_free.cols - 2, is_free.rows - 2);
  std::erase_if(areas, [&](const Area& area) { return (area.box & inside) != area.box; });
  std::sort(areas.begin(), areas.end(),
            [](const Area& a, const Area& b) { return a.num_pixels > b.num_pixels; });

  // smaller ones are gaps between walls
  constexpr size_t kMaxAreas = 8;
  areas.resize(std::min(areas.size(), kMaxAreas));
  Candidate best;
  for (const Area& area : areas) {
    const cv::Rect box(area.box.x - 1, area.box.y - 1, area.box.width + 2, area.box.height + 2);
    std::optional<Candidate> candidate = RingOf(labels(box) == area.label, box.tl());
    if (candidate && candidate->length_for_width > best.length_for_width) best = *candidate;
  }
  if (best.length_for_width == 0) return std::nullopt;
  return best.field;
}

std::vector<Vec2> MiddleOf(const RingField& field) {
  // Nearer to the inner wall than to the outer one is a place without holes, since every straight
  // way from it to its nearest wall stays in it: the middle is one line and has no branches.
  cv::Mat balance;
  cv::GaussianBlur(field.to_inner_px - field.to_outer_px, balance, {}, 1.0);
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(balance < 0, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  const auto longest =
      std::max_element(contours.begin(), contours.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
  if (longest == contours.end()) return {};
  std::vector<Vec2> points;
  for (const cv::Point& point : *longest) points.push_back({double(point.x), double(point.y)});

  const double half_width_px = MeanAt(field.to_outer_px, points);
  constexpr double kSmoothing = 0.2;  // of the half-width: too little to cut corners
  PullToZero(balance, points);
  points = Smoothed(points, 1);
  PullToZero(balance, points);
  return Smoothed(points, Clamp(kSmoothing * half_width_px, 1.5, 20.0));
}

}  // namespace lapforge::tracks
