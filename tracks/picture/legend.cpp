#include "tracks/picture/legend.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/strings.h"

namespace lapforge::tracks {
namespace {

constexpr Color kText = {255, 255, 255};
constexpr Color kSmallText = {214, 226, 214};

// Sizes in units.
constexpr double kTitleHeight = 26;
constexpr double kTextHeight = 15;
constexpr double kBarHeight = 12;
constexpr double kColorBarWidth = 360;

TextStyle TitleStyle(const Layout& layout) {
  return {kTitleHeight * layout.unit_px, 1.6 * layout.unit_px, kText, Align::kLeft};
}

TextStyle SmallStyle(const Layout& layout, Align align) {
  return {kTextHeight * layout.unit_px, layout.unit_px, kSmallText, align};
}

// The text, or as much of its begin as fits, with dots.
std::string FitText(std::string text, const TextStyle& style, double width_px) {
  if (Canvas::TextWidth(text, style) <= width_px) return text;
  while (!text.empty() && Canvas::TextWidth(text + "...", style) > width_px) text.pop_back();
  return text + "...";
}

// "0.76 m wide" or "0.61 - 1.98 m wide"
std::string WidthText(const Track& track) {
  double low_m = 1e9;
  double high_m = 0;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const double width_m = Length(track.waypoint(i).left_m - track.waypoint(i).right_m);
    low_m = std::min(low_m, width_m);
    high_m = std::max(high_m, width_m);
  }
  const std::string low = FormatFixed(low_m, 2);
  const std::string high = FormatFixed(high_m, 2);
  return low == high ? StrCat(low, " m wide") : StrCat(low, " - ", high, " m wide");
}

void FillRectangle(Vec2 corner, Vec2 size, Color color, Canvas& canvas) {
  canvas.FillPolygons({{corner, corner + Vec2{size.x, 0}, corner + size, corner + Vec2{0, size.y}}},
                      color);
}

}  // namespace

ColorScale::ColorScale(std::span<const DrivenLine> lines) {
  bool is_first = true;
  for (const DrivenLine& line : lines) {
    for (const double value : line.values) {
      if (!std::isfinite(value)) continue;
      low_ = is_first ? value : std::min(low_, value);
      high_ = is_first ? value : std::max(high_, value);
      is_first = false;
    }
  }
}

Color RampColor(double share) {
  constexpr std::array<Vec3, 5> kStops = {
      Vec3{60, 110, 255}, {40, 205, 235}, {110, 225, 90}, {250, 215, 60}, {245, 70, 55}};
  // steps too small to see, but large enough to draw many pieces of a line as one
  constexpr int kNumSteps = 96;
  const double place =
      std::round(Clamp(share, 0.0, 1.0) * kNumSteps) / kNumSteps * (kStops.size() - 1);
  const size_t i = std::min(static_cast<size_t>(place), kStops.size() - 2);
  const Vec3 mixed = Lerp(kStops[i], kStops[i + 1], place - i);
  return {static_cast<uint8_t>(mixed.x), static_cast<uint8_t>(mixed.y),
          static_cast<uint8_t>(mixed.z)};
}

Color ColorScale::ColorOf(double value) const {
  return RampColor(high_ > low_ ? (value - low_) / (high_ - low_) : 0.5);
}

void DrawTitle(const Track& track, const std::string& title, const Layout& layout, Canvas& canvas) {
  const std::string facts =
      StrCat(FormatFixed(track.length_m(), 2), " m long, ", WidthText(track), ", ",
             !track.is_closed()             ? "open"
             : track.is_counter_clockwise() ? "counter-clockwise"
                                            : "clockwise",
             ", ", track.num_segments(), " segments");
  DrawTitle(title.empty() ? track.name() : title, facts, layout, canvas);
}

void DrawTitle(const std::string& title, const std::string& facts, const Layout& layout,
               Canvas& canvas) {
  const double room_px = layout.width_px - 2 * layout.margin_px;
  const TextStyle title_style = TitleStyle(layout);
  const TextStyle facts_style = SmallStyle(layout, Align::kLeft);
  const double base_px = layout.margin_px + 10 * layout.unit_px;
  canvas.DrawText(FitText(title, title_style, room_px), {layout.margin_px, base_px}, title_style);
  canvas.DrawText(FitText(facts, facts_style, room_px),
                  {layout.margin_px, base_px + 34 * layout.unit_px}, facts_style);
}

void DrawScaleBar(const Layout& layout, Canvas& canvas) {
  // the longest round length in a quarter of the width
  const double room_m = 0.25 * layout.width_px / layout.px_per_m;
  const double decade_m = std::pow(10, std::floor(std::log10(room_m)));
  const double length_m = decade_m * (room_m >= 5 * decade_m ? 5 : room_m >= 2 * decade_m ? 2 : 1);

  const double u = layout.unit_px;
  const double y = layout.height_px - layout.margin_px;
  const double left = layout.margin_px;
  const double right = left + length_m * layout.px_per_m;
  const std::array<Vec2, 4> bar = {
      Vec2{left, y - kBarHeight * u}, {left, y}, {right, y}, {right, y - kBarHeight * u}};
  canvas.DrawLine(bar, 2 * u, kText);
  canvas.DrawText(StrCat(length_m, " m"), {0.5 * (left + right), y - 9 * u},
                  SmallStyle(layout, Align::kCenter));
}

void DrawColorScale(const ColorScale& scale, const std::string& label, const Layout& layout,
                    Canvas& canvas) {
  const double u = layout.unit_px;
  const double width_px = kColorBarWidth * u;
  const Vec2 corner = {layout.width_px - layout.margin_px - width_px,
                       layout.height_px - layout.margin_px - kBarHeight * u};
  constexpr int kNumSteps = 72;
  for (int i = 0; i < kNumSteps; ++i) {
    const double share = (i + 0.5) / kNumSteps;
    FillRectangle(corner + Vec2{i * width_px / kNumSteps, 0},
                  {width_px / kNumSteps, kBarHeight * u},
                  scale.ColorOf(Lerp(scale.low(), scale.high(), share)), canvas);
  }
  const double text_y = corner.y - 9 * u;
  canvas.DrawText(FormatFixed(scale.low(), 2), {corner.x, text_y},
                  SmallStyle(layout, Align::kLeft));
  canvas.DrawText(FormatFixed(scale.high(), 2), {corner.x + width_px, text_y},
                  SmallStyle(layout, Align::kRight));
  const TextStyle label_style = SmallStyle(layout, Align::kCenter);
  canvas.DrawText(FitText(label, label_style, 0.6 * width_px), {corner.x + 0.5 * width_px, text_y},
                  label_style);
}

}  // namespace lapforge::tracks
