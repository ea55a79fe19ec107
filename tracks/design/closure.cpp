#include "tracks/design/closure.h"

#include <algorithm>
#include <cmath>

namespace lapforge::tracks {
namespace {

constexpr double kMaxGap_m = 0.05;  // spread over the lap it is invisible
constexpr double kMaxGapYaw_rad = RadFromDeg(0.5);

double CurvatureOf(const DesignSegment& segment) {
  return segment.shape == SegmentShape::kArc
             ? std::copysign(1 / segment.radius_m, segment.angle_rad)
             : 0;
}

// The curvature that a transition meets at one of its ends; none where another transition follows.
Result<double> NeighbourCurvature(const TrackDesign& design, int index, int step) {
  const int num_segments = static_cast<int>(design.segments.size());
  int neighbour = index + step;
  if (design.is_open && (neighbour < 0 || neighbour >= num_segments)) return 0.0;
  neighbour = (neighbour + num_segments) % num_segments;
  if (design.segments[neighbour].shape == SegmentShape::kTransition) {
    return ErrorOf(design.segments[index].line,
                   ": a transition beside a transition; put a straight or an arc between them");
  }
  return CurvatureOf(design.segments[neighbour]);
}

// How far the end misses the begin: position, and turning beyond one whole turn.
Result<Vec3> GapOf(const TrackDesign& design) {
  LAPFORGE_TRY(const std::vector<CurvePiece> pieces, PiecesOf(design));
  const Pose2 end = PathEnd(pieces);
  return Vec3{end.position_m.x, end.position_m.y,
              end.yaw_rad - std::copysign(2 * kPi, end.yaw_rad)};
}

// What `fit` may change of a segment.
double& FreeValue(DesignSegment& segment) {
  return segment.shape == SegmentShape::kArc ? segment.angle_rad : segment.length_m;
}

double MaxFreeValue(const DesignSegment& segment) {
  constexpr double kMaxLength_m = 1000;
  return segment.shape == SegmentShape::kArc ? 2 * kPi : kMaxLength_m;
}

// How the gap changes with each free value.
Result<std::vector<Vec3>> GapGradients(TrackDesign design, const std::vector<int>& free_segments) {
  constexpr double kDelta = 1e-6;
  std::vector<Vec3> gradients;
  for (const int index : free_segments) {
    double& value = FreeValue(design.segments[index]);
    const double original = value;
    value = original + kDelta;
    LAPFORGE_TRY(const Vec3 above, GapOf(design));
    value = original - kDelta;
    LAPFORGE_TRY(const Vec3 below, GapOf(design));
    value = original;
    gradients.push_back((above - below) / (2 * kDelta));
  }
  return gradients;
}

// x with (sum of g g^T over the gradients + a little damping) x = gap, by Cramer's rule. The
// change -g.x of each value is then the smallest that closes the gap to first order.
Vec3 SolveNormal(const std::vector<Vec3>& gradients, Vec3 gap) {
  constexpr double kDamping = 1e-9;
  Vec3 row_x{kDamping, 0, 0}, row_y{0, kDamping, 0}, row_z{0, 0, kDamping};
  for (const Vec3& g : gradients) {
    row_x += g.x * g;
    row_y += g.y * g;
    row_z += g.z * g;
  }
  const Vec3 solution =
      gap.x * Cross(row_y, row_z) + gap.y * Cross(row_z, row_x) + gap.z * Cross(row_x, row_y);
  return solution / Dot(row_x, Cross(row_y, row_z));
}

Result<void> CheckFitted(const TrackDesign& design, Vec3 gap) {
  const double gap_m = std::hypot(gap.x, gap.y);
  if (!(gap_m <= kMaxGap_m && std::abs(gap.z) <= kMaxGapYaw_rad)) {
    return ErrorOf(design.segments.back().line, ": the ends are ", FormatFixed(gap_m, 3), " m and ",
                   FormatFixed(DegFromRad(std::abs(gap.z)), 2),
                   " degrees apart; change the segments or mark more of them fit: true ",
                   "(or is_open: true)");
  }
  return {};
}

}  // namespace

Result<std::vector<CurvePiece>> PiecesOf(const TrackDesign& design) {
  std::vector<CurvePiece> pieces;
  double width_m = design.width_m;
  for (int i = 0; i < static_cast<int>(design.segments.size()); ++i) {
    const DesignSegment& segment = design.segments[i];
    CurvePiece piece;
    piece.length_m = segment.length_m;
    piece.start_curvature_1pm = piece.end_curvature_1pm = CurvatureOf(segment);
    if (segment.shape == SegmentShape::kArc) {
      piece.length_m = segment.radius_m * std::abs(segment.angle_rad);
    } else if (segment.shape == SegmentShape::kTransition) {
      LAPFORGE_TRY(piece.start_curvature_1pm, NeighbourCurvature(design, i, -1));
      LAPFORGE_TRY(piece.end_curvature_1pm, NeighbourCurvature(design, i, 1));
    }
    piece.start_width_m = width_m;
    width_m = segment.end_width_m.value_or(width_m);
    piece.end_width_m = width_m;
    pieces.push_back(piece);
  }
  return pieces;
}

Result<void> FitClosure(TrackDesign& design) {
  std::vector<int> free_segments;
  for (size_t i = 0; i < design.segments.size(); ++i) {
    if (design.segments[i].fit) free_segments.push_back(static_cast<int>(i));
  }
  constexpr size_t kMaxFree = 8;
  if (free_segments.size() > kMaxFree) {
    return ErrorOf(design.segments[free_segments[kMaxFree]].line, ": more than ", kMaxFree,
                   " segments marked fit; three close any track");
  }
  LAPFORGE_TRY(Vec3 gap, GapOf(design));

  // Newton's method; from a sensible drawing it is at rest after five steps
  constexpr int kMaxSteps = 30;
  for (int step = 0; step < kMaxSteps && !free_segments.empty(); ++step) {
    LAPFORGE_TRY(const std::vector<Vec3> gradients, GapGradients(design, free_segments));
    const Vec3 x = SolveNormal(gradients, gap);
    for (size_t k = 0; k < free_segments.size(); ++k) {
      DesignSegment& segment = design.segments[free_segments[k]];
      const double before = FreeValue(segment);
      const double after = before - Dot(gradients[k], x);
      if (!(after * before > 0 && std::abs(after) <= MaxFreeValue(segment))) {
        return ErrorOf(segment.line, ": no sensible value closes the track; begin nearer to one");
      }
      FreeValue(segment) = after;
    }
    LAPFORGE_TRY(gap, GapOf(design));
  }
  return CheckFitted(design, gap);
}

}  // namespace lapforge::tracks
