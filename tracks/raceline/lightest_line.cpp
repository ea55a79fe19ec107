// Least curvature is the iterated quadratic program of A. Heilmeier et al., Minimum curvature
// trajectory planning and control for an autonomous race car, Vehicle System Dynamics 58(10), 2020,
// section 3.2, and of F. Braghin et al., Race driver model, Computers & Structures 86, 2008; it
// differs in that the curvature is that of three points, so that its derivative is exact.
#include <algorithm>
#include <cmath>

#include "tracks/raceline/line_model.h"
#include "tracks/raceline/line_search.h"

namespace lapforge::tracks {
namespace {

constexpr double kSteeringWeight = 100;

LineModel MakeModel(const Stations& stations, const LineWeights& weights,
                    const std::vector<double>& offsets_m) {
  LineModelBuilder builder(stations, offsets_m, 1);
  const double bend_m4 = weights.bend_m3 * stations.step_m;
  for (int i = 0; i < stations.size(); ++i) {
    const double curvature_1pm = builder.shape().curvature_1pm[i];
    builder.model().value += bend_m4 * curvature_1pm * curvature_1pm;
    builder.AddCurvature(i, 2 * bend_m4 * curvature_1pm, 2 * bend_m4);
    if (weights.closeness_1pm2 > 0) {
      builder.AddCloseness(i, weights.closeness_1pm2 * stations.step_m, weights.wanted_m[i]);
    }
    const double excess_1pm = std::abs(curvature_1pm) - weights.max_curvature_1pm;
    if (weights.max_curvature_1pm <= 0 || excess_1pm <= 0) continue;
    const double weight = kSteeringWeight * bend_m4;
    builder.model().value += weight * excess_1pm * excess_1pm;
    builder.AddCurvature(i, std::copysign(2 * weight * excess_1pm, curvature_1pm), 2 * weight);
  }
  for (int i = 0; weights.length > 0 && i < builder.line().num_segments(); ++i) {
    builder.model().value += weights.length * builder.shape().length_m[i];
    builder.AddLength(i, weights.length);
  }
  return std::move(builder.model());
}

}  // namespace

std::vector<double> LightestLine(const Stations& stations, const Borders& borders,
                                 const LineWeights& weights, std::vector<double> start_m) {
  const auto make_model = [&](const std::vector<double>& offsets_m) {
    return MakeModel(stations, weights, offsets_m);
  };
  return Descend(stations, borders, {}, make_model, std::move(start_m));
}

}  // namespace lapforge::tracks
