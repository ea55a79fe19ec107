// A goal of a line over stations, such as least curvature, as a quadratic in small changes of the
// offsets: the steps of every search.
#pragma once

#include <functional>
#include <vector>

#include "tracks/raceline/line_shape.h"
#include "tracks/raceline/local_qp.h"
#include "tracks/raceline/road.h"

namespace lapforge::tracks {

// The goal around one line. Unknown `unknowns_per_station * i` is the change of the offset of
// station i.
struct LineModel {
  double value = 0;  // of the goal at the line itself
  LocalQp qp;
  BandMatrix stiffness;  // belongs to the hessian, multiplied by the search's caution
};

// Builds a model around one line, with the bounds of the stations as conditions.
class LineModelBuilder {
 public:
  LineModelBuilder(const Stations& stations, const std::vector<double>& offsets_m,
                   int unknowns_per_station);

  const Line& line() const { return line_; }
  const LineShape& shape() const { return shape_; }
  LineModel& model() { return model_; }

  // Adds slope * change + stiffness / 2 * change^2 of the curvature of a point.
  void AddCurvature(int i, double slope, double stiffness);
  // The same of the curvature's rise from a point to the next, which must not be ends.
  void AddCurvatureRise(int i, double slope, double stiffness);
  // Adds weight * change of the length of the segment behind a point.
  void AddLength(int i, double weight);
  // Adds weight * (offset - wanted)^2, its value too.
  void AddCloseness(int i, double weight, double wanted_m);

  // Add factor * change of a point's curvature, or of the segment behind it, to a condition.
  void AddCurvature(int i, double factor, Condition& condition) const;
  void AddLength(int i, double factor, Condition& condition) const;

 private:
  // Adds slope * change + stiffness / 2 * change^2 of what a condition's left side says.
  void AddTerm(const Condition& change, double slope, double stiffness);
  int Unknown(int i) const { return unknowns_per_station_ * i; }

  int unknowns_per_station_;
  std::vector<double> offsets_m_;
  std::vector<Vec2> directions_;
  Line line_;
  LineShape shape_;
  std::vector<CurvatureChange> changes_;
  LineModel model_;
};

struct DescentOptions {
  double first_caution = 1;
  double least_caution = 1;  // 1 where the model's stiffness is that of the goal
  int max_steps = 60;
  double enough = 1e-5;  // stop after a few steps that gain less than this, relative
};

// Sequential quadratic programming: the minimum of the model around the line at hand is the next
// line where it is better and keeps clear of the borders; else the model is made stiffer.
std::vector<double> Descend(
    const Stations& stations, const Borders& borders, const DescentOptions& options,
    const std::function<LineModel(const std::vector<double>& offsets_m)>& make_model,
    std::vector<double> offsets_m);

}  // namespace lapforge::tracks
