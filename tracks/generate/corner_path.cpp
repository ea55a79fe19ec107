#include "tracks/generate/corner_path.h"

#include <algorithm>

namespace lapforge::tracks {
namespace {

// Of a bend's turn, half is the arc's and a quarter each clothoid's: the wheel moves gently, and
// the tightest place is still an arc.
constexpr double kTransitionShare = 0.25;

// Distance from the corner to where the bend begins, for a bend of radius 1.
double UnitTangent(double turn_rad) {
  const double eased_rad = kTransitionShare * turn_rad;
  const CurvePiece clothoid{2 * eased_rad, 0, 1, 0, 0};
  const Vec2 end = Advance({}, clothoid, 0, clothoid.length_m).position_m;
  return end.x - std::sin(eased_rad) + (end.y + std::cos(eased_rad)) * std::tan(turn_rad / 2);
}

// A polygon's sides, seen from its corners.
struct Side {
  double length_m = 0;  // from corner i to the next
  double turn_rad = 0;  // at corner i
  double unit_tangent = 0;
};

std::vector<Side> SidesOf(std::span<const Corner> corners) {
  const size_t n = corners.size();
  std::vector<Side> sides(n);
  for (size_t i = 0; i < n; ++i) {
    const Vec2 in_m = corners[i].point_m - corners[(i + n - 1) % n].point_m;
    const Vec2 out_m = corners[(i + 1) % n].point_m - corners[i].point_m;
    sides[i].length_m = Length(out_m);
    sides[i].turn_rad = std::atan2(Cross(in_m, out_m), Dot(in_m, out_m));
    sides[i].unit_tangent = UnitTangent(std::abs(sides[i].turn_rad));
  }
  return sides;
}

// What the tightest bends leave of each side, to be shared by its two bends and the straight.
std::vector<double> SpareLengths(std::span<const Side> sides, double min_radius_m) {
  const auto by_length = [](const Side& a, const Side& b) { return a.length_m < b.length_m; };
  const auto longest = std::max_element(sides.begin(), sides.end(), by_length) - sides.begin();
  std::vector<double> spare_m(sides.size());
  for (size_t i = 0; i < sides.size(); ++i) {
    const Side& next = sides[(i + 1) % sides.size()];
    spare_m[i] = sides[i].length_m - min_radius_m * (sides[i].unit_tangent + next.unit_tangent);
  }
  spare_m[longest] -= sides[longest].length_m / 3;
  return spare_m;
}

}  // namespace

std::vector<Bend> RoundCorners(std::span<const Corner> corners, double min_radius_m) {
  constexpr double kMaxShare = 0.49;    // of a side's spare length: some straight always stays
  constexpr double kMaxRadius_m = 500;  // what a track file may say is 1000
  const size_t n = corners.size();
  const std::vector<Side> sides = SidesOf(corners);
  const std::vector<double> spare_m = SpareLengths(sides, min_radius_m);
  std::vector<Bend> bends(n);
  std::vector<double> tangents_m(n);
  for (size_t i = 0; i < n; ++i) {
    const Side& side = sides[i];
    const double room_m = std::max(0.0, std::min(spare_m[(i + n - 1) % n], spare_m[i]));
    const double wish_m =
        min_radius_m * side.unit_tangent + kMaxShare * corners[i].width_frac * room_m;
    Bend& bend = bends[i];
    bend.turn_rad = side.turn_rad;
    bend.radius_m = std::min(wish_m / side.unit_tangent, kMaxRadius_m);
    bend.transition_m = 2 * kTransitionShare * bend.radius_m * std::abs(side.turn_rad);
    bend.arc_rad = (1 - 2 * kTransitionShare) * side.turn_rad;
    tangents_m[i] = bend.radius_m * side.unit_tangent;
  }
  for (size_t i = 0; i < n; ++i) {
    bends[i].straight_m = sides[i].length_m - tangents_m[i] - tangents_m[(i + 1) % n];
  }
  return bends;
}

double PathLength(std::span<const Bend> bends) {
  double length_m = 0;
  for (const Bend& bend : bends) length_m += bend.Length() + bend.straight_m;
  return length_m;
}

std::vector<BendSample> SampleBends(std::span<const Bend> bends, double max_step_m) {
  std::vector<BendSample> samples;
  Pose2 pose;
  const auto follow = [&](const CurvePiece& piece, size_t bend) {
    const int num_steps = static_cast<int>(std::ceil(piece.length_m / max_step_m));
    for (int step = 0; step < num_steps; ++step) {
      samples.push_back({pose.position_m, bend});
      pose = Advance(pose, piece, piece.length_m * step / num_steps,
                     piece.length_m * (step + 1) / num_steps);
    }
  };
  for (size_t i = 0; i < bends.size(); ++i) {
    const Bend& bend = bends[i];
    const double curvature_1pm = std::copysign(1 / bend.radius_m, bend.turn_rad);
    follow({bend.transition_m, 0, curvature_1pm, 0, 0}, i);
    follow({bend.radius_m * std::abs(bend.arc_rad), curvature_1pm, curvature_1pm, 0, 0}, i);
    follow({bend.transition_m, curvature_1pm, 0, 0, 0}, i);
    follow({bend.straight_m / 2, 0, 0, 0, 0}, i);
    follow({bend.straight_m / 2, 0, 0, 0, 0}, (i + 1) % bends.size());
  }
  return samples;
}

}  // namespace lapforge::tracks
