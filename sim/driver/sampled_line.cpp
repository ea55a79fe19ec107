#include "sim/driver/sampled_line.h"

#include <algorithm>
#include <cmath>

namespace lapforge::sim {
namespace {

// Finer than a car turns.
constexpr double kSpacingM = 0.05;
// A corner of a polyline counts as a bend of this length to both sides.
constexpr double kBendM = 0.25;
// How far an open line may begin after the track and end before it.
constexpr double kOpenRoomM = 0.5;
constexpr double kMinStepM = 1e-6;

// Points of a line with their arc lengths, growing from the first on.
struct UnrolledLine {
  std::vector<double> arcs_m;
  std::vector<Vec2> points_m;
  std::vector<double> speeds_mps;  // empty where the line has none
};

Result<void> CheckWholeWay(const tracks::Track& track, const UnrolledLine& unrolled) {
  const double begin_m = unrolled.arcs_m.front();
  const double end_m = unrolled.arcs_m.back();
  const double missing_m = track.is_closed()
                               ? std::abs(end_m - begin_m - track.length_m())
                               : std::max(begin_m, track.length_m() - end_m) - kOpenRoomM;
  if (missing_m < kMinStepM) return {};
  return ErrorOf("the line covers ", end_m - begin_m, " m of the ", track.length_m(),
                 " m of the track; expected all of it, once");
}

Result<UnrolledLine> Unroll(const tracks::Track& track, const DrivingLine& line) {
  const size_t num_points = line.points_m.size();
  const bool has_speeds = !line.speeds_mps.empty();
  if (num_points < 3) return ErrorOf("the line has ", num_points, " points; expected 3 or more");
  if (has_speeds && line.speeds_mps.size() != num_points) {
    return ErrorOf("the line has ", num_points, " points and ", line.speeds_mps.size(), " speeds");
  }

  UnrolledLine unrolled;
  const size_t num_visits = track.is_closed() ? num_points + 1 : num_points;
  for (size_t visit = 0; visit < num_visits; ++visit) {
    const size_t i = visit % num_points;
    double arc_m = track.Project(line.points_m[i]).arc_length_m;
    if (visit > 0) {
      const double step_m = track.ArcLengthDelta(unrolled.arcs_m.back(), arc_m);
      if (step_m < -kBendM) {
        return ErrorOf("the line's point ", i + 1, " lies ", -step_m,
                       " m behind the one before; it must run in the driving direction");
      }
      if (step_m < kMinStepM && visit < num_points) continue;
      arc_m = unrolled.arcs_m.back() + step_m;
    }
    unrolled.arcs_m.push_back(arc_m);
    unrolled.points_m.push_back(line.points_m[i]);
    if (has_speeds) unrolled.speeds_mps.push_back(line.speeds_mps[i]);
  }
  LAPFORGE_CHECK_OK(CheckWholeWay(track, unrolled));
  return unrolled;
}

}  // namespace

SampledLine::SampledLine(const tracks::Track& track) : is_closed_(track.is_closed()) {
  const double num_steps = std::max(2.0, std::ceil(track.length_m() / kSpacingM));
  spacing_m_ = track.length_m() / num_steps;
  points_m_.resize(static_cast<size_t>(num_steps) + 1);
  speeds_mps_.resize(points_m_.size());
}

SampledLine::SampledLine(const tracks::Track& track, const PursuitOptions& options)
    : SampledLine(track) {
  for (size_t i = 0; i < points_m_.size(); ++i) {
    points_m_[i] = track.CenterAt(spacing_m_ * static_cast<double>(i));
  }
  ChooseSpeeds(options);
}

Result<SampledLine> SampledLine::FromLine(const tracks::Track& track, const DrivingLine& line,
                                          const PursuitOptions& options) {
  LAPFORGE_TRY(const UnrolledLine unrolled, Unroll(track, line));
  SampledLine sampled(track);
  const std::vector<double>& arcs_m = unrolled.arcs_m;
  const bool has_speeds = !unrolled.speeds_mps.empty();
  for (size_t i = 0; i < sampled.points_m_.size(); ++i) {
    // on a closed track the line's first point need not lie at the track's
    double arc_m = sampled.spacing_m_ * static_cast<double>(i);
    if (track.is_closed() && arc_m < arcs_m.front()) arc_m += track.length_m();
    const auto behind = std::upper_bound(arcs_m.begin() + 1, arcs_m.end() - 1, arc_m);
    const size_t next = static_cast<size_t>(behind - arcs_m.begin());
    const double fraction = (arc_m - arcs_m[next - 1]) / (arcs_m[next] - arcs_m[next - 1]);
    sampled.points_m_[i] = Lerp(unrolled.points_m[next - 1], unrolled.points_m[next], fraction);
    if (!has_speeds) continue;
    sampled.speeds_mps_[i] =
        Lerp(unrolled.speeds_mps[next - 1], unrolled.speeds_mps[next], Clamp(fraction, 0.0, 1.0));
  }
  if (!has_speeds) sampled.ChooseSpeeds(options);
  return sampled;
}

SampledLine::Place SampledLine::PlaceOf(double arc_length_m) const {
  double steps = arc_length_m / spacing_m_;
  const double count = static_cast<double>(num_steps());
  if (is_closed_) steps -= count * std::floor(steps / count);
  const double whole = Clamp(std::floor(steps), 0.0, count - 1);
  return {static_cast<size_t>(whole), steps - whole};
}

Vec2 SampledLine::PointAt(double arc_length_m) const {
  const Place place = PlaceOf(arc_length_m);
  return Lerp(points_m_[place.index], points_m_[place.index + 1], place.fraction);
}

double SampledLine::SpeedAt(double arc_length_m) const {
  const Place place = PlaceOf(arc_length_m);
  return Lerp(speeds_mps_[place.index], speeds_mps_[place.index + 1],
              Clamp(place.fraction, 0.0, 1.0));
}

// Of the circle through the point and those a bend's length before and behind it (Menger).
double SampledLine::CurvatureAt(size_t index) const {
  const int reach = std::max(1, static_cast<int>(std::lround(kBendM / spacing_m_)));
  const int count = static_cast<int>(num_steps());
  const auto point_m = [&](int i) {
    return points_m_[static_cast<size_t>(is_closed_ ? (i + count) % count : Clamp(i, 0, count))];
  };
  const int here = static_cast<int>(index);
  const Vec2 before_m = point_m(here) - point_m(here - reach);
  const Vec2 behind_m = point_m(here + reach) - point_m(here);
  const double sides_m = Length(before_m) * Length(behind_m) * Length(before_m + behind_m);
  return sides_m > 0 ? 2 * Cross(before_m, behind_m) / sides_m : 0;
}

// As fast as the bend here allows, and every bend ahead with the braking allowed; twice round, so
// that the braking before the first bend reaches back over the line.
void SampledLine::ChooseSpeeds(const PursuitOptions& options) {
  for (size_t i = 0; i < points_m_.size(); ++i) {
    const double curvature_1pm = std::max(std::abs(CurvatureAt(i)), 1e-9);
    speeds_mps_[i] =
        std::min(options.max_speed_mps, std::sqrt(options.lateral_mps2 / curvature_1pm));
  }
  for (int round = 0; round < 2; ++round) {
    for (size_t i = num_steps(); i-- > 0;) {
      const double step_m = Length(points_m_[i + 1] - points_m_[i]);
      const double next_mps = speeds_mps_[i + 1];
      speeds_mps_[i] = std::min(speeds_mps_[i],
                                std::sqrt(next_mps * next_mps + 2 * options.braking_mps2 * step_m));
    }
    if (is_closed_) speeds_mps_.back() = speeds_mps_.front();
  }
}

}  // namespace lapforge::sim
