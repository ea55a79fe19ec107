// Which segments and triangles touch, among thousands: exact tests behind a sweep over their boxes.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/math.h"

namespace lapforge::tracks {

struct Segment {
  Vec2 a, b;
};

// True where they have a point in common, ends included.
bool Touches(const Segment& one, const Segment& other);

// A common point of two segments that touch.
Vec2 MeetingPoint(const Segment& one, const Segment& other);

struct Triangle {
  Vec2 a, b, c;
};

// True where they have a point in common or miss it by no more than a micrometre, as borders do
// that were computed to be the same.
bool Touches(const Triangle& one, const Triangle& other);

// The part of a segment that lies in a triangle, as fractions of the segment.
std::optional<std::pair<double, double>> PartInside(const Segment& segment,
                                                    const Triangle& triangle);

struct Box {
  Vec2 low, high;
};
Box BoxAround(std::span<const Vec2> points);

// Calls visit(i, k) once, with i < k, for every pair of boxes that touch. Sweeps along the longer
// side of all: N log N where the boxes are small beside it, and never misses a pair.
template <class Visit>
void VisitTouchingBoxes(const std::vector<Box>& boxes, const Visit& visit) {
  if (boxes.empty()) return;
  Box all = boxes.front();
  for (const Box& box : boxes) {
    all.low = {std::min(all.low.x, box.low.x), std::min(all.low.y, box.low.y)};
    all.high = {std::max(all.high.x, box.high.x), std::max(all.high.y, box.high.y)};
  }
  const bool is_wide = all.high.x - all.low.x >= all.high.y - all.low.y;
  const auto along = [&](Vec2 point) { return is_wide ? point.x : point.y; };
  const auto across = [&](Vec2 point) { return is_wide ? point.y : point.x; };

  std::vector<int> order(boxes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int i, int k) { return along(boxes[i].low) < along(boxes[k].low); });
  std::vector<int> open;  // those that the sweep line crosses
  for (const int i : order) {
    std::erase_if(open, [&](int k) { return along(boxes[k].high) < along(boxes[i].low); });
    for (const int k : open) {
      const bool is_beside = across(boxes[k].high) < across(boxes[i].low) ||
                             across(boxes[i].high) < across(boxes[k].low);
      if (!is_beside) visit(std::min(i, k), std::max(i, k));
    }
    open.push_back(i);
  }
}

}  // namespace lapforge::tracks
