// Finds the best line over stations: least bent, shortest, nearest to given offsets, or fastest.
#pragma once

#include <vector>

#include "tracks/raceline.h"
#include "tracks/raceline/road.h"

namespace lapforge::tracks {

// What makes a line heavy: a sum of squared curvature, length and squared distance to wanted
// offsets over its way.
struct LineWeights {
  double bend_m3 = 0;            // of the integral of squared curvature, 1/m
  double length = 0;             // of the length, m
  double closeness_1pm2 = 0;     // of the integral of the squared distance to `wanted_m`, m3
  std::vector<double> wanted_m;  // [stations], offsets; only with closeness
  double max_curvature_1pm = 0;  // above 0: curvature beyond it is a hundred times as heavy
};

// Offsets of the lightest line, found from `start_m`. Every line on the way keeps clear of the
// borders.
std::vector<double> LightestLine(const Stations& stations, const Borders& borders,
                                 const LineWeights& weights, std::vector<double> start_m);

// Offsets of the line of least time.
std::vector<double> FastestLine(const Stations& stations, const Borders& borders,
                                const RacelineLimits& limits, std::vector<double> start_m);

}  // namespace lapforge::tracks
