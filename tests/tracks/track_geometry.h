// Plain measurements of a track's rows, made without the library's own geometry: slow and obvious.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tracks/track.h"

namespace lapforge::tracks {

// The places of a closed track, each once.
inline std::vector<Vec2> CenterOf(const Track& track) {
  std::vector<Vec2> points;
  for (int i = 0; i < track.num_segments(); ++i) points.push_back(track.waypoint(i).center_m);
  return points;
}

inline TrackRows RowsOf(const Track& track) {
  TrackRows rows;
  rows.name = track.name();
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const Waypoint row = track.waypoint(i);
    rows.center_m.push_back(row.center_m);
    rows.inner_m.push_back(track.inner_is_left() ? row.left_m : row.right_m);
    rows.outer_m.push_back(track.inner_is_left() ? row.right_m : row.left_m);
  }
  return rows;
}

// 1 / radius of the circle through each place and its two neighbours, left positive.
inline std::vector<double> Curvatures(const Track& track) {
  const std::vector<Vec2> p = CenterOf(track);
  const size_t n = p.size();
  std::vector<double> curvatures_1pm;
  for (size_t i = 0; i < n; ++i) {
    const Vec2 a = p[(i + n - 1) % n], b = p[i], c = p[(i + 1) % n];
    curvatures_1pm.push_back(2 * Cross(b - a, c - b) /
                             (Length(b - a) * Length(c - b) * Length(c - a)));
  }
  return curvatures_1pm;
}

inline double SmallestRadius(const Track& track) {
  double largest_1pm = 0;
  for (const double curvature : Curvatures(track)) {
    largest_1pm = std::max(largest_1pm, std::abs(curvature));
  }
  return 1 / largest_1pm;
}

inline double MeanCurvature(const Track& track) {
  double sum = 0;
  for (const double curvature : Curvatures(track)) sum += std::abs(curvature);
  return sum / track.num_segments();
}

// Stretches that turn one way more than slightly.
inline int CountBends(const Track& track) {
  constexpr double kSlight_1pm = 0.15;
  const std::vector<double> curvatures_1pm = Curvatures(track);
  int count = 0;
  for (size_t i = 0; i < curvatures_1pm.size(); ++i) {
    const double before = i > 0 ? curvatures_1pm[i - 1] : curvatures_1pm.back();
    if (std::abs(curvatures_1pm[i]) > kSlight_1pm && std::abs(before) <= kSlight_1pm) ++count;
  }
  return count;
}

// Summed over once around, left positive.
inline double TotalTurn(const Track& track) {
  const std::vector<Vec2> p = CenterOf(track);
  const size_t n = p.size();
  double turn_rad = 0;
  for (size_t i = 0; i < n; ++i) {
    const Vec2 in = p[i] - p[(i + n - 1) % n], out = p[(i + 1) % n] - p[i];
    turn_rad += std::atan2(Cross(in, out), Dot(in, out));
  }
  return turn_rad;
}

inline std::pair<double, double> WidthRange(const Track& track) {
  double narrowest_m = 1e9, widest_m = 0;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const double width_m = Length(track.waypoint(i).left_m - track.waypoint(i).right_m);
    narrowest_m = std::min(narrowest_m, width_m);
    widest_m = std::max(widest_m, width_m);
  }
  return {narrowest_m, widest_m};
}

// Tries every border edge with every other one, neighbours on the same border left out.
inline bool BordersMeet(const Track& track) {
  struct Edge {
    Vec2 a, b;
    int border, index;
  };
  const int n = track.num_segments();
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i) {
    edges.push_back({track.waypoint(i).left_m, track.waypoint(i + 1).left_m, 0, i});
    edges.push_back({track.waypoint(i).right_m, track.waypoint(i + 1).right_m, 1, i});
  }
  const auto splits = [](const Edge& e, const Edge& f) {
    return Cross(e.b - e.a, f.a - e.a) * Cross(e.b - e.a, f.b - e.a) < 0;
  };
  for (size_t i = 0; i < edges.size(); ++i) {
    for (size_t k = i + 1; k < edges.size(); ++k) {
      const int apart = std::abs(edges[i].index - edges[k].index);
      if (edges[i].border == edges[k].border && (apart <= 1 || apart == n - 1)) continue;
      if (splits(edges[i], edges[k]) && splits(edges[k], edges[i])) return true;
    }
  }
  return false;
}

// The least distance between places of the centerline that are at least so far apart along it.
inline double SmallestPitch(const Track& track, double apart_m) {
  const std::vector<Vec2> p = CenterOf(track);
  double smallest_sq = 1e18;
  for (size_t i = 0; i < p.size(); ++i) {
    const double from_m = track.waypoint_arc_length_m(static_cast<int>(i));
    for (size_t k = i + 1; k < p.size(); ++k) {
      const double along_m = track.waypoint_arc_length_m(static_cast<int>(k)) - from_m;
      if (along_m < apart_m || track.length_m() - along_m < apart_m) continue;
      smallest_sq = std::min(smallest_sq, Dot(p[k] - p[i], p[k] - p[i]));
    }
  }
  return std::sqrt(smallest_sq);
}

inline Vec2 BoundingBox(const Track& track) {
  Vec2 low{1e9, 1e9}, high{-1e9, -1e9};
  for (const Vec2 point : CenterOf(track)) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  return high - low;
}

inline double EnclosedArea(const Track& track) {
  const std::vector<Vec2> p = CenterOf(track);
  double twice_area = 0;
  for (size_t i = 0; i < p.size(); ++i) twice_area += Cross(p[i], p[(i + 1) % p.size()]);
  return std::abs(twice_area) / 2;
}

// How far the centerline is straight from waypoint 0, forwards (1) or backwards (-1).
inline double StraightFrom(const Track& track, int direction) {
  constexpr double kStraight_1pm = 1e-4;
  const std::vector<double> curvatures_1pm = Curvatures(track);
  const int n = track.num_segments();
  int count = 0;
  while (count < n && std::abs(curvatures_1pm[(n + direction * count) % n]) < kStraight_1pm) {
    ++count;
  }
  return count * track.length_m() / n;
}

inline double LongestStraight(const Track& track) {
  constexpr double kStraight_1pm = 1e-4;
  const std::vector<double> curvatures_1pm = Curvatures(track);
  const size_t n = curvatures_1pm.size();
  size_t longest = 0, current = 0;
  for (size_t i = 0; i < 2 * n; ++i) {
    current = std::abs(curvatures_1pm[i % n]) < kStraight_1pm ? current + 1 : 0;
    longest = std::max(longest, std::min(current, n));
  }
  return static_cast<double>(longest) * track.length_m() / static_cast<double>(n);
}

}  // namespace lapforge::tracks
