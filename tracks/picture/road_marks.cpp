#include "tracks/picture/road_marks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/strings.h"

namespace lapforge::tracks {
namespace {

constexpr Color kCenterline = {240, 190, 70};
constexpr Color kArrow = {150, 156, 164};
constexpr Color kNumber = {205, 210, 216};
constexpr Color kWhite = {255, 255, 255};
constexpr Color kBlack = {20, 20, 20};

// Sizes in units.
constexpr double kDash = 12;
constexpr double kArrowSpacing = 170;
constexpr double kArrowSize = 15;
constexpr double kNumberHeight = 11;
constexpr double kNumberGap = 28;
constexpr double kSquare = 9;  // of the start line, about

constexpr int kStartRows = 2;
constexpr double kNumberShare = 0.85;      // of half the road, for the longest number
constexpr double kMinNumberHeight_px = 6;  // smaller is hard to read

// Draws along one track.
class RoadMarks {
 public:
  RoadMarks(const Track& track, const MapView& view, Canvas& canvas)
      : track_(track), view_(view), canvas_(canvas), m_per_unit_(view.unit_px / view.px_per_m) {}

  void DrawCenterline() {
    const int num_dashes =
        std::max(1, static_cast<int>(track_.length_m() / (2 * kDash * m_per_unit_)));
    const double period_m = track_.length_m() / num_dashes;
    for (int i = 0; i < num_dashes; ++i) {
      // few points suffice for a dash on a bend
      std::array<Vec2, 4> dash;
      for (size_t k = 0; k < dash.size(); ++k) {
        dash[k] = Pixel((i + 0.25 + 0.5 * k / (dash.size() - 1)) * period_m, 0);
      }
      canvas_.DrawLine(dash, 2 * view_.unit_px, kCenterline);
    }
  }

  // Arrow heads in the middle of the left half of the road.
  void DrawArrows() {
    const int num_arrows =
        std::max(2, static_cast<int>(track_.length_m() / (kArrowSpacing * m_per_unit_)));
    for (int i = 0; i < num_arrows; ++i) {
      // from the start line on, which so never hides one; an open road has no seam to go over
      const double from_m = track_.is_closed() ? track_.start_m() : 0;
      const double arc_m = from_m + (i + 0.5) * track_.length_m() / num_arrows;
      const Vec2 place_m = track_.PointAt(arc_m, 0.5 * track_.HalfWidthsAt(arc_m).left_m);
      const double size_m =
          std::min(kArrowSize * m_per_unit_, 0.4 * track_.HalfWidthsAt(arc_m).left_m);
      const Vec2 ahead_m = size_m * DirectionOf(track_.TangentYawAt(arc_m));
      const Vec2 side_m = 0.6 * LeftNormal(ahead_m);
      canvas_.FillPolygons(
          {{view_.ToPixel(place_m + ahead_m), view_.ToPixel(place_m - ahead_m + side_m),
            view_.ToPixel(place_m - 0.5 * ahead_m), view_.ToPixel(place_m - ahead_m - side_m)}},
          kArrow);
    }
  }

  // A chequered band across the road that ends at the start line. Where an open road begins there,
  // it begins at the line.
  void DrawStart() {
    const HalfWidths widths = track_.HalfWidthsAt(track_.start_m());
    const double road_m = widths.left_m + widths.right_m;
    const int num_columns = std::max(4, static_cast<int>(road_m / (kSquare * m_per_unit_)));
    const double square_m = road_m / num_columns;
    const bool has_road_behind = track_.is_closed() || track_.start_m() > kStartRows * square_m;

    const Vec2 along = DirectionOf(track_.TangentYawAt(track_.start_m()));
    const Vec2 row_m = (has_road_behind ? -square_m : square_m) * along;
    const Vec2 column_m = square_m * LeftNormal(along);
    const Vec2 corner_m = track_.CenterAt(track_.start_m()) - widths.right_m * LeftNormal(along);
    for (int row = 0; row < kStartRows; ++row) {
      for (int column = 0; column < num_columns; ++column) {
        const Vec2 square_corner_m = corner_m + row * row_m + column * column_m;
        FillQuad(square_corner_m, row_m, column_m, (row + column) % 2 == 0 ? kWhite : kBlack);
      }
    }
  }

  // Every n-th number in the right half of the road, with a dot on the centerline; n is a round
  // number that keeps them apart. None where the road is too narrow for readable ones.
  void DrawNumbers() {
    const int num_numbers = track_.num_segments() + (track_.is_closed() ? 0 : 1);
    const TextStyle style = NumberStyle(StrCat(num_numbers));
    if (style.height_px < kMinNumberHeight_px) return;
    const double width_px = Canvas::TextWidth(StrCat(num_numbers), style);
    const double gap_px = kNumberGap * view_.unit_px;
    for (const int step : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
      const std::vector<Vec2> places = NumberPlaces(step, num_numbers);
      if (!AreApart(places, width_px + gap_px)) continue;
      for (size_t k = 0; k < places.size(); ++k) {
        const int index = static_cast<int>(k) * step;
        if (IsBesideStart(index, 0.5 * width_px + gap_px)) continue;
        canvas_.FillCircle(view_.ToPixel(track_.waypoint(index).center_m), 3 * view_.unit_px,
                           kWhite);
        canvas_.DrawText(StrCat(index), places[k] + Vec2{0, 0.5 * style.height_px}, style);
      }
      return;
    }
  }

 private:
  Vec2 Pixel(double arc_m, double lateral_m) const {
    return view_.ToPixel(track_.PointAt(arc_m, lateral_m));
  }

  void FillQuad(Vec2 corner_m, Vec2 side_m, Vec2 other_side_m, Color color) {
    canvas_.FillPolygons(
        {{view_.ToPixel(corner_m), view_.ToPixel(corner_m + side_m),
          view_.ToPixel(corner_m + side_m + other_side_m), view_.ToPixel(corner_m + other_side_m)}},
        color);
  }

  // As large as the right half of the road at its narrowest takes the longest number.
  TextStyle NumberStyle(const std::string& longest) const {
    double half_width_px = HUGE_VAL;
    for (int i = 0; i < track_.num_waypoints(); ++i) {
      const HalfWidths widths = track_.HalfWidthsAt(track_.waypoint_arc_length_m(i));
      half_width_px = std::min(half_width_px, widths.right_m * view_.px_per_m);
    }
    TextStyle style{kNumberHeight * view_.unit_px, view_.unit_px, kNumber, Align::kCenter};
    const double fitting_share = kNumberShare * half_width_px / Canvas::TextWidth(longest, style);
    style.height_px *= std::min(1.0, fitting_share);
    return style;
  }

  bool IsBesideStart(int waypoint, double distance_px) const {
    const double arc_m = track_.waypoint_arc_length_m(waypoint);
    const double band_px = kStartRows * kSquare * view_.unit_px;
    return std::abs(track_.ArcLengthDelta(track_.start_m(), arc_m)) * view_.px_per_m <
           band_px + distance_px;
  }

  std::vector<Vec2> NumberPlaces(int step, int num_numbers) const {
    std::vector<Vec2> places;
    for (int i = 0; i < num_numbers; i += step) {
      const double arc_m = track_.waypoint_arc_length_m(i);
      places.push_back(Pixel(arc_m, -0.5 * track_.HalfWidthsAt(arc_m).right_m));
    }
    return places;
  }

  static bool AreApart(const std::vector<Vec2>& places, double distance_px) {
    for (size_t i = 0; i < places.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (Length(places[i] - places[k]) < distance_px) return false;
      }
    }
    return true;
  }

  const Track& track_;
  const MapView& view_;
  Canvas& canvas_;
  double m_per_unit_;
};

}  // namespace

void DrawRoadMarks(const Track& track, const MapView& view, bool show_waypoints, Canvas& canvas) {
  RoadMarks marks(track, view, canvas);
  marks.DrawCenterline();
  marks.DrawArrows();
  marks.DrawStart();
  if (show_waypoints) marks.DrawNumbers();
}

}  // namespace lapforge::tracks
