#include "tracks/design/track_design.h"

#include <algorithm>
#include <cmath>

#include "tracks/design/border_check.h"
#include "tracks/design/closure.h"
#include "tracks/design/point_rows.h"
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

Result<std::vector<Waypoint>> RowsOfSegments(TrackDesign design) {
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
  std::vector<Waypoint> rows;
  for (const auto& [pose, width_m] : samples) {
    const double share = static_cast<double>(rows.size()) / num_steps;
    rows.push_back(MakeWaypoint(pose.position_m - share * gap_m, DirectionOf(pose.yaw_rad),
                                0.5 * width_m, 0.5 * width_m));
  }
  if (!design.is_open) rows.back() = rows.front();
  return rows;
}

Result<std::vector<Waypoint>> RowsOfPoints(const TrackDesign& design) {
  for (const DesignPoint& point : design.points) {
    if (point.borders_m) continue;
    LAPFORGE_CHECK_OK(Check(point.line, "left_m", point.left_m, kWidths_m));
    LAPFORGE_CHECK_OK(Check(point.line, "right_m", point.right_m, kWidths_m));
  }
  return WaypointsOf(design);
}

// Files exported from elsewhere give their borders point by point, with the faults they have.
bool GivesBorders(const TrackDesign& design) {
  return std::any_of(design.points.begin(), design.points.end(),
                     [](const DesignPoint& point) { return point.borders_m.has_value(); });
}

Result<TrackRows> MakeRows(const TrackDesign& design) {
  if (design.segments.empty() == design.points.empty()) {
    return ErrorOf("1: expected either segments or points");
  }
  LAPFORGE_CHECK_OK(Check(1, "spacing_m", design.spacing_m, kSpacings_m));
  if (!design.segments.empty()) LAPFORGE_CHECK_OK(Check(1, "width_m", design.width_m, kWidths_m));
  LAPFORGE_TRY(const std::vector<Waypoint> rows,
               design.points.empty() ? RowsOfSegments(design) : RowsOfPoints(design));
  TrackRows track = RowsOf(rows, design);
  const std::optional<Vec2> place =
      GivesBorders(design) ? std::nullopt : FindBorderCrossing(track, !design.is_open);
  if (place) {
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
