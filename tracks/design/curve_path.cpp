#include "tracks/design/curve_path.h"

#include <array>

namespace lapforge::tracks {
namespace {

// Gauss-Legendre quadrature with five points on panels this short: the tightest curves turn by less
// than a radian in one, and the error stays below 1e-12 m.
constexpr double kPanel_m = 0.25;
constexpr std::array<double, 5> kNodes = {-0.90617984593866399, -0.53846931010568309, 0,
                                          0.53846931010568309, 0.90617984593866399};
constexpr std::array<double, 5> kWeights = {0.23692688505618909, 0.47862867049936647,
                                            0.56888888888888889, 0.47862867049936647,
                                            0.23692688505618909};

// How far a piece has turned at `s_m` from its begin.
double TurnAt(const CurvePiece& piece, double s_m) {
  const double rate = (piece.end_curvature_1pm - piece.start_curvature_1pm) / piece.length_m;
  return s_m * (piece.start_curvature_1pm + 0.5 * rate * s_m);
}

}  // namespace

Pose2 Advance(const Pose2& pose, const CurvePiece& piece, double from_m, double to_m) {
  Pose2 end = pose;
  if (!(to_m > from_m)) return end;
  const double begin_turn_rad = TurnAt(piece, from_m);
  const int num_panels = static_cast<int>(std::ceil((to_m - from_m) / kPanel_m));
  const double half_panel_m = 0.5 * (to_m - from_m) / num_panels;
  for (int panel = 0; panel < num_panels; ++panel) {
    const double middle_m = from_m + (2 * panel + 1) * half_panel_m;
    for (size_t i = 0; i < kNodes.size(); ++i) {
      const double turn_rad = TurnAt(piece, middle_m + kNodes[i] * half_panel_m) - begin_turn_rad;
      end.position_m += kWeights[i] * half_panel_m * DirectionOf(pose.yaw_rad + turn_rad);
    }
  }
  end.yaw_rad += TurnAt(piece, to_m) - begin_turn_rad;
  return end;
}

double PathLength(std::span<const CurvePiece> pieces) {
  double length_m = 0;
  for (const CurvePiece& piece : pieces) length_m += piece.length_m;
  return length_m;
}

Pose2 PathEnd(std::span<const CurvePiece> pieces) {
  Pose2 pose;
  for (const CurvePiece& piece : pieces) pose = Advance(pose, piece, 0, piece.length_m);
  return pose;
}

std::vector<PathSample> SamplePath(std::span<const CurvePiece> pieces, int num_steps) {
  const double step_m = PathLength(pieces) / num_steps;
  std::vector<PathSample> samples;
  Pose2 begin;  // of the current piece
  double begin_m = 0;
  size_t index = 0;
  for (int i = 0; i <= num_steps; ++i) {
    while (index + 1 < pieces.size() && i * step_m > begin_m + pieces[index].length_m) {
      begin = Advance(begin, pieces[index], 0, pieces[index].length_m);
      begin_m += pieces[index].length_m;
      ++index;
    }
    const CurvePiece& piece = pieces[index];
    const double along_m = Clamp(i * step_m - begin_m, 0.0, piece.length_m);
    samples.push_back({Advance(begin, piece, 0, along_m),
                       Lerp(piece.start_width_m, piece.end_width_m, along_m / piece.length_m)});
  }
  return samples;
}

}  // namespace lapforge::tracks
