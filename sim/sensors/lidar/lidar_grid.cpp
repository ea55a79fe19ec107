#include "sim/sensors/lidar/lidar_grid.h"

#include <algorithm>
#include <cmath>

namespace lapforge::sim {
namespace {

// spec/simulation.md section 3: about one segment a cell on DeepRacer's tracks.
constexpr double kCellM = 0.4;
// Segments also belong to cells that they pass this close: more than single precision loses.
constexpr double kCellMarginM = 1e-3;

struct BorderSegment {
  Vec2 from_m;
  Vec2 way_m;
};

std::vector<BorderSegment> BordersOf(const tracks::Track& track) {
  std::vector<BorderSegment> segments;
  for (int i = 0; i < track.num_segments(); ++i) {
    const tracks::Waypoint from = track.waypoint(i);
    const tracks::Waypoint to = track.waypoint(i + 1);
    if (to.left_m != from.left_m) segments.push_back({from.left_m, to.left_m - from.left_m});
    if (to.right_m != from.right_m) segments.push_back({from.right_m, to.right_m - from.right_m});
  }
  return segments;
}

int CellOf(double coordinate_m) { return static_cast<int>(std::floor(coordinate_m / kCellM)); }

// Calls visit(column, row) for each cell that the segment (relative to the origin) touches.
template <class Visit>
void VisitCells(const BorderSegment& segment, Visit visit) {
  const Vec2 from = segment.from_m;
  const Vec2 way = segment.way_m;
  const double reach = (kCellM / 2 + kCellMarginM) * (std::abs(way.x) + std::abs(way.y));
  const int first_column = CellOf(std::min(from.x, from.x + way.x) - kCellMarginM);
  const int last_column = CellOf(std::max(from.x, from.x + way.x) + kCellMarginM);
  const int first_row = CellOf(std::min(from.y, from.y + way.y) - kCellMarginM);
  const int last_row = CellOf(std::max(from.y, from.y + way.y) + kCellMarginM);
  for (int row = first_row; row <= last_row; ++row) {
    for (int column = first_column; column <= last_column; ++column) {
      const Vec2 middle = {(column + 0.5) * kCellM, (row + 0.5) * kCellM};
      if (std::abs(Cross(way, middle - from)) <= reach) visit(column, row);
    }
  }
}

}  // namespace

LidarGrid::LidarGrid(const tracks::Track& track) {
  std::vector<BorderSegment> borders = BordersOf(track);
  Vec2 low = borders.front().from_m;
  Vec2 high = low;
  for (const BorderSegment& border : borders) {
    for (const Vec2 end : {border.from_m, border.from_m + border.way_m}) {
      low = {std::min(low.x, end.x), std::min(low.y, end.y)};
      high = {std::max(high.x, end.x), std::max(high.y, end.y)};
    }
  }
  // one cell around everything, so that margins stay inside
  origin_m_ = low - Vec2{kCellM, kCellM};
  columns_ = CellOf(high.x - origin_m_.x) + 2;
  rows_ = CellOf(high.y - origin_m_.y) + 2;
  for (BorderSegment& border : borders) border.from_m -= origin_m_;

  // count, then fill
  cell_begin_.assign(static_cast<size_t>(columns_) * static_cast<size_t>(rows_) + 1, 0);
  const auto cell = [&](int column, int row) {
    return static_cast<size_t>(row * columns_ + column);
  };
  for (const BorderSegment& border : borders) {
    VisitCells(border, [&](int column, int row) { ++cell_begin_[cell(column, row) + 1]; });
  }
  for (size_t i = 1; i < cell_begin_.size(); ++i) cell_begin_[i] += cell_begin_[i - 1];
  segments_.resize(static_cast<size_t>(cell_begin_.back()));
  std::vector<int> next = cell_begin_;
  for (const BorderSegment& border : borders) {
    const LidarSegment segment = {
        static_cast<float>(border.from_m.x), static_cast<float>(border.from_m.y),
        static_cast<float>(border.way_m.x), static_cast<float>(border.way_m.y)};
    VisitCells(border, [&](int column, int row) {
      segments_[static_cast<size_t>(next[cell(column, row)]++)] = segment;
    });
  }
}

double LidarGrid::Cast(Vec2 from_m, Vec2 direction, double max_range_m) const {
  const Vec2 from = from_m - origin_m_;
  const LidarRay ray = {static_cast<float>(from.x), static_cast<float>(from.y),
                        static_cast<float>(direction.x), static_cast<float>(direction.y)};
  return RangeToGrid(view(), ray, static_cast<float>(max_range_m));
}

LidarGridView LidarGrid::view() const {
  return {segments_.data(), cell_begin_.data(), columns_, rows_, static_cast<float>(kCellM)};
}

}  // namespace lapforge::sim
