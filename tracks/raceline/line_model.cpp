#include "tracks/raceline/line_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lapforge::tracks {
namespace {

Chain ChainOf(const Stations& stations, int unknowns_per_station) {
  return {stations.size(), unknowns_per_station, stations.is_closed};
}

std::vector<double> Next(const LineModel& model, double caution,
                         const std::vector<double>& offsets_m) {
  LocalQp problem = model.qp;
  problem.hessian.AddScaled(model.stiffness, caution);
  const std::vector<double> change = Solve(problem);
  const size_t unknowns_per_station = change.size() / offsets_m.size();
  std::vector<double> next_m = offsets_m;
  for (size_t i = 0; i < next_m.size(); ++i) next_m[i] += change[unknowns_per_station * i];
  return next_m;
}

}  // namespace

LineModelBuilder::LineModelBuilder(const Stations& stations, const std::vector<double>& offsets_m,
                                   int unknowns_per_station)
    : unknowns_per_station_(unknowns_per_station),
      offsets_m_(offsets_m),
      directions_(stations.Directions()),
      line_(stations.LineOf(offsets_m)),
      shape_(ShapeOf(line_)),
      changes_(CurvatureChanges(line_, directions_)),
      model_{0, LocalQp(ChainOf(stations, unknowns_per_station)),
             BandMatrix(ChainOf(stations, unknowns_per_station))} {
  for (int i = 0; i < stations.size(); ++i) {
    // fixes what nothing else holds, such as points along a straight
    constexpr double kHold = 1e-9;
    model_.qp.hessian.Add(Unknown(i), Unknown(i), kHold);
    Condition high, low;
    high.Add(Unknown(i), 1);
    high.limit = stations.list[i].high_m - offsets_m[i];
    low.Add(Unknown(i), -1);
    low.limit = offsets_m[i] - stations.list[i].low_m;
    model_.qp.conditions.push_back(high);
    model_.qp.conditions.push_back(low);
  }
}

void LineModelBuilder::AddTerm(const Condition& change, double slope, double stiffness) {
  for (int a = 0; a < change.num_terms; ++a) {
    model_.qp.gradient[change.unknowns[a]] += slope * change.factors[a];
    for (int b = 0; b <= a; ++b) {
      model_.stiffness.Add(change.unknowns[a], change.unknowns[b],
                           stiffness * change.factors[a] * change.factors[b]);
    }
  }
}

void LineModelBuilder::AddCurvature(int i, double slope, double stiffness) {
  Condition change;
  AddCurvature(i, 1, change);
  AddTerm(change, slope, stiffness);
}

void LineModelBuilder::AddCurvatureRise(int i, double slope, double stiffness) {
  Condition change;
  AddCurvature(line_.Next(i), 1, change);
  AddCurvature(i, -1, change);
  AddTerm(change, slope, stiffness);
}

void LineModelBuilder::AddLength(int i, double weight) {
  Condition change;
  AddLength(i, 1, change);
  AddTerm(change, weight, 0);
  // the square of the new length over the old one is never smaller than the new length
  const int next = line_.Next(i);
  const double stiffness = weight / std::max(1e-9, shape_.length_m[i]);
  model_.stiffness.Add(Unknown(i), Unknown(i), stiffness);
  model_.stiffness.Add(Unknown(next), Unknown(next), stiffness);
  model_.stiffness.Add(Unknown(i), Unknown(next),
                       -stiffness * Dot(directions_[i], directions_[next]));
}

void LineModelBuilder::AddCloseness(int i, double weight, double wanted_m) {
  const double off_m = offsets_m_[i] - wanted_m;
  model_.value += weight * off_m * off_m;
  model_.qp.gradient[Unknown(i)] += 2 * weight * off_m;
  model_.stiffness.Add(Unknown(i), Unknown(i), 2 * weight);
}

void LineModelBuilder::AddCurvature(int i, double factor, Condition& condition) const {
  condition.Add(Unknown(line_.Before(i)), factor * changes_[i].before);
  condition.Add(Unknown(i), factor * changes_[i].at);
  condition.Add(Unknown(line_.Next(i)), factor * changes_[i].after);
}

void LineModelBuilder::AddLength(int i, double factor, Condition& condition) const {
  const int next = line_.Next(i);
  const Vec2 along = line_.Chord(i) / std::max(1e-9, shape_.length_m[i]);
  condition.Add(Unknown(i), -factor * Dot(along, directions_[i]));
  condition.Add(Unknown(next), factor * Dot(along, directions_[next]));
}

std::vector<double> Descend(
    const Stations& stations, const Borders& borders, const DescentOptions& options,
    const std::function<LineModel(const std::vector<double>& offsets_m)>& make_model,
    std::vector<double> offsets_m) {
  constexpr double kHopeless = 1e3;
  constexpr int kPatience = 2;
  double caution = options.first_caution;
  int num_small_gains = 0;
  LineModel model = make_model(offsets_m);
  // anything clear is better than a line that is not
  double value = borders.IsClear(stations.LineOf(offsets_m), stations.keep_m)
                     ? model.value
                     : std::numeric_limits<double>::infinity();
  for (int step = 0; step < options.max_steps && caution < kHopeless; ++step) {
    std::vector<double> next_m = Next(model, caution, offsets_m);
    LineModel next = make_model(next_m);
    if (!(next.value < value) || !borders.IsClear(stations.LineOf(next_m), stations.keep_m)) {
      caution *= 4;
      continue;
    }
    const bool is_small_gain = value - next.value < options.enough * value;
    num_small_gains = is_small_gain ? num_small_gains + 1 : 0;
    offsets_m = std::move(next_m);
    model = std::move(next);
    value = model.value;
    if (num_small_gains == kPatience) break;
    caution = std::max(options.least_caution, caution / 3);
  }
  return offsets_m;
}

}  // namespace lapforge::tracks
