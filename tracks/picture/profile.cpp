#include "tracks/picture/profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sim/base/strings.h"

namespace lapforge::tracks {
namespace {

constexpr Color kPanel = {52, 55, 60};
constexpr Color kGrid = {92, 97, 104};
constexpr Color kText = {214, 226, 214};

// Sizes in units.
constexpr double kHeight = 300;  // of everything below the picture
constexpr double kPanelHeight = 240;
constexpr double kValueRoom = 90;  // left of the panel, for numbers
constexpr double kTextHeight = 15;
constexpr double kCurveWidth = 3;

// The box of the curves and what its sides stand for.
struct Panel {
  double left_px, right_px, top_px, bottom_px;
  double length_m;
  double low, high;

  Vec2 At(double way_m, double value) const {
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    return {left_px + (right_px - left_px) * way_m / length_m,
            bottom_px + (top_px - bottom_px) * share};
  }
};

// The way along the centerline from the first point to each point.
std::vector<double> WaysOf(const Track& track, const DrivenLine& line) {
  std::vector<double> ways_m;
  double way_m = 0;
  TrackPosition last;
  bool is_broken = true;
  for (const Vec2 point_m : line.points_m) {
    if (!std::isfinite(point_m.x + point_m.y)) {
      ways_m.push_back(way_m);
      is_broken = true;
      continue;
    }
    const TrackPosition position =
        is_broken ? track.Project(point_m) : track.ProjectNear(point_m, last.segment_index);
    is_broken = false;
    if (!ways_m.empty()) way_m += track.ArcLengthDelta(last.arc_length_m, position.arc_length_m);
    ways_m.push_back(way_m);
    last = position;
  }
  return ways_m;
}

// 1, 2 or 5 times a power of ten: some `count` of them fill the range.
double RoundStep(double range, double count) {
  const double rough = range / count;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  const double factor = rough / decade;
  return decade * (factor > 5 ? 10 : factor > 2 ? 5 : factor > 1 ? 2 : 1);
}

int DigitsFor(double step) {
  return std::clamp(static_cast<int>(-std::floor(std::log10(step))), 0, 6);
}

void DrawGrid(const Panel& panel, double unit_px, Canvas& canvas) {
  canvas.FillPolygons({{{panel.left_px, panel.top_px},
                        {panel.right_px, panel.top_px},
                        {panel.right_px, panel.bottom_px},
                        {panel.left_px, panel.bottom_px}}},
                      kPanel);
  const TextStyle values = {kTextHeight * unit_px, unit_px, kText, Align::kRight};
  const double value_step = RoundStep(panel.high - panel.low, 5);
  for (double k = std::ceil(panel.low / value_step); k * value_step <= panel.high; ++k) {
    const double value = k * value_step;
    const std::array<Vec2, 2> line = {panel.At(0, value), panel.At(panel.length_m, value)};
    canvas.DrawLine(line, (k == 0 ? 2 : 1) * unit_px, kGrid);
    canvas.DrawText(FormatFixed(value, DigitsFor(value_step)),
                    line[0] + Vec2{-10, 0.4 * kTextHeight} * unit_px, values);
  }
  const TextStyle ways = {kTextHeight * unit_px, unit_px, kText, Align::kCenter};
  const double way_step_m = RoundStep(panel.length_m, 10);
  for (double k = 0; k * way_step_m <= panel.length_m; ++k) {
    const double way_m = k * way_step_m;
    const std::array<Vec2, 2> line = {panel.At(way_m, panel.low), panel.At(way_m, panel.high)};
    canvas.DrawLine(line, unit_px, kGrid);
    canvas.DrawText(FormatFixed(way_m, DigitsFor(way_step_m)) + (k == 0 ? " m" : ""),
                    line[0] + Vec2{0, 1.8 * kTextHeight} * unit_px, ways);
  }
}

}  // namespace

double ProfileHeightPx(const Layout& layout) { return kHeight * layout.unit_px; }

void DrawProfile(const Track& track, std::span<const DrivenLine> lines, const ColorScale& scale,
                 const Layout& layout, Canvas& canvas) {
  std::vector<std::vector<double>> ways_m;
  double length_m = 1e-6;
  for (const DrivenLine& line : lines) {
    ways_m.push_back(WaysOf(track, line));
    for (const double way_m : ways_m.back()) length_m = std::max(length_m, way_m);
  }
  const double u = layout.unit_px;
  const double room = std::max(0.05 * (scale.high() - scale.low()), 1e-6);
  const Panel panel = {layout.margin_px + kValueRoom * u,
                       layout.width_px - layout.margin_px,
                       static_cast<double>(layout.height_px),
                       layout.height_px + kPanelHeight * u,
                       length_m,
                       scale.low() - room,
                       scale.high() + room};
  DrawGrid(panel, u, canvas);

  for (size_t k = 0; k < lines.size(); ++k) {
    const std::vector<double>& values = lines[k].values;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      const double from_m = std::max(ways_m[k][i], 0.0), to_m = std::max(ways_m[k][i + 1], 0.0);
      if (!std::isfinite(values[i] + values[i + 1] + from_m + to_m)) continue;
      const std::array<Vec2, 2> piece = {panel.At(from_m, values[i]),
                                         panel.At(to_m, values[i + 1])};
      canvas.DrawLine(piece, kCurveWidth * u, scale.ColorOf(values[i]));
    }
  }
}

}  // namespace lapforge::tracks
