// The arithmetic of one lidar beam, shared by CPU and GPU: the way along a ray to the first border,
// walking a grid of cells, and to a box. Plain pointers; positions are relative to the grid's
// origin.

#pragma once

#ifndef LAPFORGE_DEVICE
#define LAPFORGE_DEVICE
#endif

namespace lapforge::sim {

// A straight piece of border.
struct LidarSegment {
  float x_m, y_m;    // where it starts
  float dx_m, dy_m;  // to its end
};

// Each cell holds copies of all segments that touch it.
struct LidarGridView {
  const LidarSegment* segments;
  const int* cell_begin;  // [rows * columns + 1] into segments, row after row
  int columns, rows;
  float cell_m;
};

struct LidarRay {
  float x_m, y_m;
  float dx, dy;  // unit vector
};

// A rectangle seen from above.
struct LidarBox {
  float x_m, y_m;
  float ux, uy;  // unit vector along its length
  float half_length_m, half_width_m;
};

// Stands for "never" where a ray runs along an axis.
constexpr float kLidarNever = 1e30f;

// Distance along the ray to the segment, or kLidarNever. Ends count as hit, with a little margin so
// that no ray slips between two segments that meet.
LAPFORGE_DEVICE inline float RangeToSegment(const LidarRay& ray, const LidarSegment& segment) {
  constexpr float kMargin = 1e-5f;
  const float to_x = segment.x_m - ray.x_m;
  const float to_y = segment.y_m - ray.y_m;
  const float turn = ray.dx * segment.dy_m - ray.dy * segment.dx_m;
  const float sign = turn < 0 ? -1.0f : 1.0f;
  const float across = turn * sign;
  const float along = (to_x * ray.dy - to_y * ray.dx) * sign;
  const float range = (to_x * segment.dy_m - to_y * segment.dx_m) * sign;
  const float margin = kMargin * across;
  const bool is_hit = range >= 0 && along >= -margin && along <= across + margin && across > 0;
  return is_hit ? range / across : kLidarNever;
}

// Where the ray enters and leaves the interval low .. high on one axis.
LAPFORGE_DEVICE inline void ClipToSlab(float from, float step, float low, float high, float& enter,
                                       float& leave) {
  if (step == 0) {
    if (from < low || from > high) leave = -1;
    return;
  }
  const float inverse = 1 / step;
  const float a = (low - from) * inverse;
  const float b = (high - from) * inverse;
  const float first = a < b ? a : b;
  const float last = a < b ? b : a;
  if (first > enter) enter = first;
  if (last < leave) leave = last;
}

// Distance along the ray to the box (0 from inside), or kLidarNever.
LAPFORGE_DEVICE inline float RangeToBox(const LidarRay& ray, const LidarBox& box) {
  const float to_x = ray.x_m - box.x_m;
  const float to_y = ray.y_m - box.y_m;
  float enter = 0;
  float leave = kLidarNever;
  ClipToSlab(to_x * box.ux + to_y * box.uy, ray.dx * box.ux + ray.dy * box.uy, -box.half_length_m,
             box.half_length_m, enter, leave);
  ClipToSlab(to_y * box.ux - to_x * box.uy, ray.dy * box.ux - ray.dx * box.uy, -box.half_width_m,
             box.half_width_m, enter, leave);
  return enter <= leave ? enter : kLidarNever;
}

// One axis of the walk: the ranges at which the ray crosses from cell to cell.
struct LidarWalk {
  int cell, step;
  float next, per_cell;
};

LAPFORGE_DEVICE inline LidarWalk StartWalk(float from, float direction, float enter, float cell_m,
                                           int count) {
  LidarWalk walk;
  const int cell = static_cast<int>((from + enter * direction) * (1 / cell_m));
  walk.cell = cell < 0 ? 0 : (cell >= count ? count - 1 : cell);
  walk.step = direction > 0 ? 1 : -1;
  if (direction == 0) {
    walk.next = kLidarNever;
    walk.per_cell = kLidarNever;
    return walk;
  }
  const float inverse = 1 / direction;
  const int border = direction > 0 ? walk.cell + 1 : walk.cell;
  walk.next = (static_cast<float>(border) * cell_m - from) * inverse;
  walk.per_cell = cell_m * (inverse > 0 ? inverse : -inverse);
  return walk;
}

// Distance along the ray to the nearest segment of the grid, at most `max_range_m`.
LAPFORGE_DEVICE inline float RangeToGrid(const LidarGridView& grid, const LidarRay& ray,
                                         float max_range_m) {
  const float width_m = static_cast<float>(grid.columns) * grid.cell_m;
  const float height_m = static_cast<float>(grid.rows) * grid.cell_m;
  float enter = 0;
  if (ray.x_m < 0 || ray.x_m > width_m || ray.y_m < 0 || ray.y_m > height_m) {
    float leave = max_range_m;
    ClipToSlab(ray.x_m, ray.dx, 0, width_m, enter, leave);
    ClipToSlab(ray.y_m, ray.dy, 0, height_m, enter, leave);
    if (!(enter <= leave)) return max_range_m;
  }

  LidarWalk x = StartWalk(ray.x_m, ray.dx, enter, grid.cell_m, grid.columns);
  LidarWalk y = StartWalk(ray.y_m, ray.dy, enter, grid.cell_m, grid.rows);
  float nearest = max_range_m;
  while (true) {
    const int cell = y.cell * grid.columns + x.cell;
    for (int i = grid.cell_begin[cell]; i < grid.cell_begin[cell + 1]; ++i) {
      const float range = RangeToSegment(ray, grid.segments[i]);
      if (range < nearest) nearest = range;
    }

    // what later cells hold is beyond this cell's far side
    if (x.next < y.next) {
      if (nearest <= x.next) return nearest;
      x.cell += x.step;
      x.next += x.per_cell;
      if (x.cell < 0 || x.cell >= grid.columns) return nearest;
    } else {
      if (nearest <= y.next) return nearest;
      y.cell += y.step;
      y.next += y.per_cell;
      if (y.cell < 0 || y.cell >= grid.rows) return nearest;
    }
  }
}

}  // namespace lapforge::sim
