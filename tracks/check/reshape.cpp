#include "tracks/check/reshape.h"

#include <algorithm>
#include <cmath>

namespace lapforge::tracks {

void Resample(ExaminedRows& rows, double spacing_m) {
  const std::vector<double> arc_m = rows.ArcLengths();
  const double num_steps =
      std::max(std::round(arc_m.back() / spacing_m), rows.is_closed ? 3.0 : 2.0);
  ExaminedRows result;
  result.is_closed = rows.is_closed;
  int i = 0;
  for (int k = 0; k < num_steps + (rows.is_closed ? 0 : 1); ++k) {
    const double wanted_m = arc_m.back() * k / num_steps;
    while (i + 1 < rows.num_segments() && arc_m[i + 1] <= wanted_m) ++i;
    const double length_m = arc_m[i + 1] - arc_m[i];
    const double share = length_m > 0 ? Clamp((wanted_m - arc_m[i]) / length_m, 0.0, 1.0) : 0;
    const int next = rows.Wrap(i + 1);
    result.center_m.push_back(Lerp(rows.center_m[i], rows.center_m[next], share));
    result.inner_m.push_back(Lerp(rows.inner_m[i], rows.inner_m[next], share));
    result.outer_m.push_back(Lerp(rows.outer_m[i], rows.outer_m[next], share));
    result.row.push_back(rows.row[share < 0.5 ? i : next]);
  }
  rows = std::move(result);
}

void Recenter(ExaminedRows& rows) {
  for (int i = 0; i < rows.size(); ++i) {
    rows.center_m[i] = Lerp(rows.inner_m[i], rows.outer_m[i], 0.5);
  }
}

TrackRows Scaled(TrackRows rows, double factor) {
  for (std::vector<Vec2>* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
    for (Vec2& point : *column) point *= factor;
  }
  return rows;
}

}  // namespace lapforge::tracks
