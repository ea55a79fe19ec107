#include "tracks/design/track_design.h"

#include <cmath>

#include "tracks/design/border_check.h"
#include "tracks/design/closure.h"
#include "tracks/geometry/polyline.h"

namespace lapforge::tracks {
namespace {

struct Limits {
  double low = 0;
  double high = 0;
};

constexpr Limits kWidths_m = {0.05, 100};
constexpr Limits kSpacings_m = {0.01, 10};
constexpr Limits kLengths_m = {1e-3, 1000};
constexpr Limits kAngles_rad = {RadFromDeg(0.1), RadFromDeg(360)};

Result<void> Check(int line, std::string_view key, double value, Limits limits) {
  if (value >= limits.low && value <= limits.high) return {};
  return ErrorOf(line, ": ", key, " = ", value, " is outside ", limits.low, " .. ", limits.high);
}

Result<void> CheckAngle(const DesignSegment& segment) {
  const double size_rad = std::abs(segment.angle_rad);
  if (size_rad >= kAngles_rad.low && size_rad <= kAngles_rad.high) return {};
  return ErrorOf(segment.line, ": angle_deg = ", DegFromRad(segment.angle_rad),
                 " is outside 0.1 .. 360 (left) and -360 .. -0.1 (right)");
}

// Bounds the work that a file can ask for.
Result<void> CheckSize(const TrackDesign& design) {
  constexpr size_t kMaxSegments = 500;
  constexpr double kMaxLength_m = 2000;
  const int last_line = design.segments.back().line;
  if (design.segments.size() > kMaxSegments) {
    return ErrorOf(last_line, ": ", design.segments.size(), " segments; at most ", kMaxSegments);
  }
  double length_m = 0;
  for (const DesignSegment& segment : design.segments) {
    const bool is_arc = segment.shape == SegmentShape::kArc;
    length_m += is_arc ? segment.radius_m * std::abs(segment.angle_rad) : segment.length_m;
  }
  if (length_m <= kMaxLength_m) return {};
  return ErrorOf(last_line, ": the track is ", length_m, " m long; at most ", kMaxLength_m);
}

Result<void> CheckSegments(const TrackDesign& design) {
  double width_m = design.width_m;
  for (const DesignSegment& segment : design.segments) {
    const double end_width_m = segment.end_width_m.value_or(width_m);
    LAPFORGE_CHECK_OK(Check(segment.line, "end_width_m", end_width_m, kWidths_m));
    if (segment.shape == SegmentShape::kArc) {
      const double half_width_m = 0.5 * std::max(width_m, end_width_m);
      LAPFORGE_CHECK_OK(CheckAngle(segment));
      LAPFORGE_CHECK_OK(Check(segment.line, "radius_m", segment.radius_m, kLengths_m));
      if (segment.radius_m <= half_width_m) {
        return ErrorOf(segment.line, ": radius_m = ", segment.radius_m,
                       " is not more than half the road's width, ", half_width_m);
      }
    } else {
      LAPFORGE_CHECK_OK(Check(segment.line, "length_m", segment.length_m, kLengths_m));
    }
    width_m = end_width_m;
  }
  if (!design.is_open && width_m != design.width_m) {
    return ErrorOf(design.segments.back().line, ": the road ends ", width_m, " m wide but begins ",
                   design.width_m, " m wide; set end_width_m of the last segment");
  }
  return {};
}

// A row before it is known which border is the inner one.
struct Row {
  Vec2 center_m;
  Vec2 left_m;
  Vec2 right_m;
};

Row MakeRow(Vec2 center_m, Vec2 direction, double left_m, double right_m) {
  const Vec2 left = LeftNormal(direction);
  return {center_m, center_m + left_m * left, center_m - right_m * left};
}

Result<std::vector<Row>> RowsOfSegments(TrackDesign design) {
  LAPFORGE_CHECK_OK(CheckSegments(design));
  LAPFORGE_CHECK_OK(CheckSize(design));
  if (!design.is_open) LAPFORGE_CHECK_OK(FitClosure(design));
  LAPFORGE_TRY(const std::vector<CurvePiece> pieces, PiecesOf(design));
  const double num_steps = std::max(std::round(PathLength(pieces) / design.spacing_m), 2.0);
  if (num_steps >= Polyline::kMaxVertices) {
    return ErrorOf(design.segments.back().line, ": ", num_steps, " rows are more than ",
                   Polyline::kMaxVertices, "; raise spacing_m or shorten the track");
  }
  const std::vector<PathSample> samples = SamplePath(pieces, static_cast<int>(num_steps));

  // what is left of the gap is spread over the lap
  const Vec2 gap_m = design.is_open ? Vec2{} : samples.back().pose.position_m;
  std::vector<Row> rows;
  for (const auto& [pose, width_m] : samples) {
    const double share = static_cast<double>(rows.size()) / num_steps;
    rows.push_back(MakeRow(pose.position_m - share * gap_m, DirectionOf(pose.yaw_rad),
                           0.5 * width_m, 0.5 * width_m));
  }
  if (!design.is_open) rows.back() = rows.front();
  return rows;
}

Result<std::vector<Row>> RowsOfPoints(const TrackDesign& design) {
  std::vector<DesignPoint> points = design.points;
  const bool repeats_first = points.size() > 1 && points.front().center_m == points.back().center_m;
  if (!design.is_open && repeats_first) points.pop_back();
  const size_t num_points = points.size();
  if (num_points < 3 || num_points >= Polyline::kMaxVertices) {
    return ErrorOf(points.back().line, ": ", num_points, " different points; expected 3 .. ",
                   Polyline::kMaxVertices - 1);
  }
  std::vector<Row> rows;
  for (size_t i = 0; i < num_points; ++i) {
    const auto& [center_m, left_m, right_m, line] = points[i];
    LAPFORGE_CHECK_OK(Check(line, "left_m", left_m, kWidths_m));
    LAPFORGE_CHECK_OK(Check(line, "right_m", right_m, kWidths_m));
    const bool is_first = i == 0, is_last = i + 1 == num_points;
    const DesignPoint& before =
        is_first ? points[design.is_open ? 0 : num_points - 1] : points[i - 1];
    const DesignPoint& after = is_last ? points[design.is_open ? i : 0] : points[i + 1];
    const Vec2 along = after.center_m - before.center_m;
    if (!(Length(along) > 0)) {
      return ErrorOf(line, ": the points around this one coincide, so it has no direction");
    }
    rows.push_back(MakeRow(center_m, along / Length(along), left_m, right_m));
  }
  if (!design.is_open) rows.push_back(rows.front());
  return rows;
}

// The inner border is the left one where the road runs counter-clockwise.
TrackRows TrackRowsOf(const std::vector<Row>& rows, bool is_open) {
  double twice_area = 0;
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    twice_area += Cross(rows[i].center_m, rows[i + 1].center_m);
  }
  const bool inner_is_left = is_open || twice_area > 0;
  TrackRows track;
  for (const Row& row : rows) {
    track.center_m.push_back(row.center_m);
    track.inner_m.push_back(inner_is_left ? row.left_m : row.right_m);
    track.outer_m.push_back(inner_is_left ? row.right_m : row.left_m);
  }
  return track;
}

Result<TrackRows> MakeRows(const TrackDesign& design) {
  if (design.segments.empty() == design.points.empty()) {
    return ErrorOf("1: expected either segments or points");
  }
  LAPFORGE_CHECK_OK(Check(1, "spacing_m", design.spacing_m, kSpacings_m));
  if (!design.segments.empty()) LAPFORGE_CHECK_OK(Check(1, "width_m", design.width_m, kWidths_m));
  LAPFORGE_TRY(const std::vector<Row> rows,
               design.points.empty() ? RowsOfSegments(design) : RowsOfPoints(design));
  TrackRows track = TrackRowsOf(rows, design.is_open);
  if (const std::optional<Vec2> place = FindBorderCrossing(track, !design.is_open)) {
    return ErrorOf("1: the borders cross near x = ", FormatFixed(place->x, 2),
                   ", y = ", FormatFixed(place->y, 2),
                   "; widen the curve, narrow the road, or move parts of it apart");
  }
  track.name = design.name;
  track.description = design.description;
  return track;
}

}  // namespace

Result<TrackRows> RowsFromDesign(const TrackDesign& design, const std::string& source) {
  Result<TrackRows> rows = MakeRows(design);
  if (!rows.ok()) return ErrorOf(source, ":", rows.error().message);
  rows->source = source;
  return rows;
}

}  // namespace lapforge::tracks
