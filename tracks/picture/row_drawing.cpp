#include "tracks/picture/row_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/strings.h"

namespace lapforge::tracks {
namespace {

constexpr Color kAsphalt = {52, 55, 60};
constexpr Color kWhite = {255, 255, 255};
constexpr Color kCenterline = {240, 190, 70};
constexpr Color kDark = {20, 20, 20};
constexpr std::array<Color, 3> kSeverities = {Color{120, 200, 255}, {255, 210, 60}, {255, 80, 60}};

// Sizes in units.
constexpr double kMarkRadius = 14;
constexpr double kLabelHeight = 15;

struct Extent {
  Vec2 low_m, high_m;

  void Hold(Vec2 point_m) {
    low_m = {std::min(low_m.x, point_m.x), std::min(low_m.y, point_m.y)};
    high_m = {std::max(high_m.x, point_m.x), std::max(high_m.y, point_m.y)};
  }
};

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool IsFinite(Vec2 point_m) { return std::isfinite(point_m.x) && std::isfinite(point_m.y); }

std::vector<Vec2> ToPixels(const std::vector<Vec2>& points_m, const Layout& layout) {
  std::vector<Vec2> pixels;
  for (const Vec2 point_m : points_m) pixels.push_back(layout.ToPixel(point_m));
  return pixels;
}

void DrawRing(Vec2 center, double radius_px, double thickness_px, Color color, Canvas& canvas) {
  constexpr int kNumSides = 32;
  std::vector<Vec2> ring;
  for (int i = 0; i <= kNumSides; ++i) {
    ring.push_back(center + radius_px * DirectionOf(2 * kPi * i / kNumSides));
  }
  canvas.DrawLine(ring, thickness_px, color);
}

Color ColorOf(const PictureMark& mark) { return kSeverities[Clamp(mark.severity, 0, 2)]; }

}  // namespace

TrackRows DrawableRows(const TrackRows& rows) {
  constexpr double kFar = 50;  // times the median distance from the middle
  const size_t num_rows =
      std::min({rows.center_m.size(), rows.inner_m.size(), rows.outer_m.size()});
  std::vector<size_t> finite;
  std::vector<double> x, y, distances;
  for (size_t i = 0; i < num_rows; ++i) {
    if (!IsFinite(rows.center_m[i]) || !IsFinite(rows.inner_m[i]) || !IsFinite(rows.outer_m[i])) {
      continue;
    }
    finite.push_back(i);
    x.push_back(rows.center_m[i].x);
    y.push_back(rows.center_m[i].y);
  }
  TrackRows kept{rows.name, {}, {}, {}, rows.description, rows.source};
  if (finite.empty()) return kept;
  const Vec2 middle_m = {MedianOf(x), MedianOf(y)};
  const auto distance_m = [&](size_t i) {
    return std::max({Length(rows.center_m[i] - middle_m), Length(rows.inner_m[i] - middle_m),
                     Length(rows.outer_m[i] - middle_m)});
  };
  for (const size_t i : finite) distances.push_back(distance_m(i));
  const double limit_m = kFar * MedianOf(distances);
  for (const size_t i : finite) {
    if (distance_m(i) > limit_m) continue;
    kept.center_m.push_back(rows.center_m[i]);
    kept.inner_m.push_back(rows.inner_m[i]);
    kept.outer_m.push_back(rows.outer_m[i]);
  }
  return kept;
}

Layout LayoutOf(const TrackRows& rows, std::span<const PictureMark> marks, int width_px) {
  Extent extent{rows.center_m[0], rows.center_m[0]};
  for (const auto* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
    for (const Vec2 point_m : *column) extent.Hold(point_m);
  }
  const Vec2 size_m = extent.high_m - extent.low_m;
  const Extent around{extent.low_m - size_m, extent.high_m + size_m};
  for (const PictureMark& mark : marks) {
    Extent with = around;
    with.Hold(mark.place_m);
    if (with.low_m == around.low_m && with.high_m == around.high_m) extent.Hold(mark.place_m);
  }
  return Layout::Around(extent.low_m, extent.high_m, width_px);
}

void DrawRows(const TrackRows& rows, const Layout& layout, Canvas& canvas) {
  // each cell by itself, so that a road over another is seen as road
  for (size_t i = 0; i + 1 < rows.center_m.size(); ++i) {
    const Vec2 a = layout.ToPixel(rows.inner_m[i]), b = layout.ToPixel(rows.outer_m[i]);
    const Vec2 c = layout.ToPixel(rows.outer_m[i + 1]), d = layout.ToPixel(rows.inner_m[i + 1]);
    canvas.FillPolygons({{a, b, c}}, kAsphalt);
    canvas.FillPolygons({{a, c, d}}, kAsphalt);
  }
  const double unit_px = layout.unit_px;
  canvas.DrawLine(ToPixels(rows.inner_m, layout), 2 * unit_px, kWhite);
  canvas.DrawLine(ToPixels(rows.outer_m, layout), 2 * unit_px, kWhite);
  const std::vector<Vec2> center = ToPixels(rows.center_m, layout);
  canvas.DrawLine(center, 1.5 * unit_px, kCenterline);
  for (const Vec2 point : center) canvas.FillCircle(point, 2.5 * unit_px, kCenterline);

  const std::array<Vec2, 2> start = {layout.ToPixel(rows.inner_m[0]),
                                     layout.ToPixel(rows.outer_m[0])};
  canvas.DrawLine(start, 5 * unit_px, kWhite);
}

void DrawMarks(std::span<const PictureMark> marks, const Layout& layout, Canvas& canvas) {
  std::vector<PictureMark> sorted(marks.begin(), marks.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const PictureMark& a, const PictureMark& b) {
    return a.severity < b.severity;
  });
  const double unit_px = layout.unit_px;
  for (const PictureMark& mark : sorted) {
    const Vec2 place = layout.ToPixel(mark.place_m);
    DrawRing(place, kMarkRadius * unit_px, 5 * unit_px, kDark, canvas);
    DrawRing(place, kMarkRadius * unit_px, 3 * unit_px, ColorOf(mark), canvas);
  }
  std::vector<Vec2> label_ends;  // of labels so far, so that the next at this place goes behind
  for (const PictureMark& mark : sorted) {
    const Vec2 place = layout.ToPixel(mark.place_m);
    Vec2 label = place + Vec2{(kMarkRadius + 6) * unit_px, 0.5 * kLabelHeight * unit_px};
    const TextStyle style{kLabelHeight * unit_px, 2 * unit_px, ColorOf(mark), Align::kLeft};
    const double width_px = Canvas::TextWidth(mark.label, style);
    for (const Vec2 end : label_ends) {
      const bool is_taken = std::abs(end.y - label.y) < 1.5 * kLabelHeight * unit_px &&
                            end.x > label.x - unit_px && end.x - label.x < 12 * width_px;
      if (is_taken) label.x = end.x + 8 * unit_px;
    }
    label_ends.push_back(label + Vec2{width_px, 0});
    TextStyle shadow = style;
    shadow.color = kDark;
    shadow.thickness_px = 5 * unit_px;
    canvas.DrawText(mark.label, label, shadow);
    canvas.DrawText(mark.label, label, style);
  }
}

}  // namespace lapforge::tracks
