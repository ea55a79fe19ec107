// Closed lines of points, none repeated.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/base/math.h"

namespace lapforge::tracks {

double LoopLength(const std::vector<Vec2>& points);

// `num_points` points at equal steps along the loop, beginning at its first.
std::vector<Vec2> Resampled(const std::vector<Vec2>& points, size_t num_points);

// Each value replaced by the mean of its neighbours around the loop, weighted by a bell curve of
// standard deviation `sigma`, in steps between neighbours. Numbers or points.
template <class T>
std::vector<T> Smoothed(const std::vector<T>& values, double sigma) {
  const int count = static_cast<int>(values.size());
  const int reach = std::min(static_cast<int>(3 * sigma), (count - 1) / 2);
  std::vector<double> weights;
  double sum = 0;
  for (int k = -reach; k <= reach; ++k) {
    weights.push_back(std::exp(-0.5 * k * k / (sigma * sigma)));
    sum += weights.back();
  }
  std::vector<T> smoothed(values.size(), T{});
  for (int i = 0; i < count; ++i) {
    for (int k = -reach; k <= reach; ++k) {
      smoothed[i] += values[(i + k + count) % count] * (weights[k + reach] / sum);
    }
  }
  return smoothed;
}

}  // namespace lapforge::tracks
