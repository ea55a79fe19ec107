#include "tracks/geometry/polyline.h"

#include <algorithm>
#include <limits>

#include "sim/base/assert.h"
#include "tracks/geometry/clearance.h"

namespace lapforge::tracks {
namespace {

// Padding lies this far away: its squared distance is finite and beats nothing.
constexpr double kFarAway_m = 1e100;

}  // namespace

Polyline::Polyline(std::span<const Vec2> vertices, bool is_ring)
    : is_ring_(is_ring),
      num_segments_(static_cast<int>(vertices.size()) - 1),
      vertices_(vertices.begin(), vertices.end()) {
  LAPFORGE_ASSERT(vertices.size() >= 2 && vertices.size() <= kMaxVertices, "2 .. 5000 vertices");

  const size_t padded_size = vertices.size() + kBlock;
  for (auto* column : {&start_x_, &start_y_, &end_x_, &end_y_}) {
    column->assign(padded_size, kFarAway_m);
  }
  for (auto* column : {&dx_, &dy_, &inv_length_sq_}) column->assign(padded_size, 0);

  arc_m_.push_back(0);
  for (int i = 0; i < num_segments_; ++i) {
    const Vec2 d = vertices[i + 1] - vertices[i];
    start_x_[i] = vertices[i].x;
    start_y_[i] = vertices[i].y;
    end_x_[i] = vertices[i + 1].x;
    end_y_[i] = vertices[i + 1].y;
    dx_[i] = d.x;
    dy_[i] = d.y;
    if (Dot(d, d) > 0) inv_length_sq_[i] = 1.0 / Dot(d, d);
    arc_m_.push_back(arc_m_[i] + Length(d));
  }
  FindWindows();
  FindClearances();
}

// False only where the segments are farther apart; the midpoints give a bound of their distance.
bool Polyline::AreWithin(int i, int j, double distance_m) const {
  constexpr double kRounding_m = 1e-9;
  const double half_lengths_m = 0.5 * (arc_m_[i + 1] - arc_m_[i] + arc_m_[j + 1] - arc_m_[j]);
  const double limit_m = distance_m + half_lengths_m + kRounding_m;
  const Vec2 between = midpoint(j) - midpoint(i);
  return Dot(between, between) <= limit_m * limit_m;
}

// Another segment can be nearer to a point at distance d from segment i only if it lies within 2 d
// of i (triangle inequality). Windows grow with d, so each search begins where the last one ended.
void Polyline::FindWindows() {
  const auto wrapped = [n = num_segments_](int i) { return i < 0 ? i + n : i < n ? i : i - n; };
  windows_.resize(num_segments_ * kReach_m.size());
  for (int i = 0; i < num_segments_; ++i) {
    int ahead = is_ring_ ? num_segments_ / 2 : num_segments_ - 1 - i;
    int behind = is_ring_ ? (num_segments_ - 1) / 2 : i;
    for (int level = kReach_m.size() - 1; level >= 0; --level) {
      const double distance_m = 2 * kReach_m[level];
      while (ahead > 0 && !AreWithin(i, wrapped(i + ahead), distance_m)) --ahead;
      while (behind > 0 && !AreWithin(i, wrapped(i - behind), distance_m)) --behind;
      windows_[i * kReach_m.size() + level] = {static_cast<uint16_t>(behind),
                                               static_cast<uint16_t>(ahead)};
    }
  }
}

// None at the ends, where the search looks beyond them.
void Polyline::FindClearances() {
  clear_sq_m2_.assign(2 * num_segments_, 0);
  std::vector<int> others;
  for (int i = 1; i + 1 < num_segments_; ++i) {
    others.clear();
    const Window& window = windows_[(i + 1) * kReach_m.size() - 1];
    for (int k = -window.behind; k <= window.ahead; ++k) {
      if (std::abs(k) > 1) others.push_back((i + k + num_segments_) % num_segments_);
    }
    for (const LineSide side : {LineSide::kRight, LineSide::kLeft}) {
      const double clear_m = ClearanceOf(*this, i, side, others);
      clear_sq_m2_[2 * i + (side == LineSide::kLeft)] = clear_m * clear_m;
    }
  }
}

// The distance to a vertex is computed from the vertex, not along the segment: two segments that
// meet there are then equally far to the last bit, and the first one wins.
inline double Polyline::DistanceSquared(int i, Vec2 p) const {
  const double from_start_x = p.x - start_x_[i];
  const double from_start_y = p.y - start_y_[i];
  const double from_end_x = p.x - end_x_[i];
  const double from_end_y = p.y - end_y_[i];
  double t = (from_start_x * dx_[i] + from_start_y * dy_[i]) * inv_length_sq_[i];
  t = t < 0 ? 0 : t;
  const double along_x = from_start_x - t * dx_[i];
  const double along_y = from_start_y - t * dy_[i];
  const double x = t < 1 ? along_x : from_end_x;
  const double y = t < 1 ? along_y : from_end_y;
  return x * x + y * y;
}

// Reads up to kBlock - 1 segments beyond `end`: real ones, which may well be nearest, or padding.
void Polyline::ScanRange(Vec2 point_m, int first, int end, Best& best) const {
  for (int begin = first; begin < end; begin += kBlock) {
    double distance_sq[kBlock];
    for (int k = 0; k < kBlock; ++k) distance_sq[k] = DistanceSquared(begin + k, point_m);
    double least = distance_sq[0];
    for (int k = 1; k < kBlock; ++k) least = distance_sq[k] < least ? distance_sq[k] : least;
    if (least < best.distance_sq) best = {least, begin};
  }
}

NearestPoint Polyline::FinishBlock(Vec2 point_m, const Best& best) const {
  int segment = best.first;
  // bounded, because of a point that is not finite none is at the best distance
  while (segment + 1 < num_segments_ && DistanceSquared(segment, point_m) != best.distance_sq) {
    ++segment;
  }
  return Finish(point_m, segment, best.distance_sq);
}

NearestPoint Polyline::Finish(Vec2 point_m, int i, double distance_sq) const {
  NearestPoint nearest;
  nearest.segment = i;
  const Vec2 from_start = point_m - vertex(i);
  nearest.fraction = Clamp(Dot(from_start, direction(i)) * inv_length_sq_[i], 0.0, 1.0);
  nearest.point_m =
      nearest.fraction < 1 ? vertex(i) + nearest.fraction * direction(i) : vertex(i + 1);
  nearest.distance_m = std::sqrt(distance_sq);
  return nearest;
}

NearestPoint Polyline::Project(Vec2 point_m) const {
  Best best{std::numeric_limits<double>::infinity(), 0};
  ScanRange(point_m, 0, num_segments_, best);
  return FinishBlock(point_m, best);
}

// The first segment, going downhill from `segment`, that is no farther than its neighbours.
int Polyline::WalkDown(Vec2 point_m, int segment) const {
  double distance_sq = DistanceSquared(segment, point_m);
  for (const int step : {1, -1}) {
    while (true) {
      int next = segment + step;
      if (is_ring_ && next == num_segments_) next = 0;
      if (is_ring_ && next == -1) next = num_segments_ - 1;
      if (next < 0 || next >= num_segments_) break;
      const double next_sq = DistanceSquared(next, point_m);
      if (!(next_sq < distance_sq)) break;
      segment = next;
      distance_sq = next_sq;
    }
  }
  return segment;
}

// The same by comparing four segments at a time, which the processor does at once. False at the
// ends of the polyline.
bool Polyline::WalkByGroups(Vec2 point_m, int& segment, double& distance_sq) const {
  while (segment >= 1 && segment + 2 < num_segments_) {
    double group[4];  // from the segment before on
    for (int k = 0; k < 4; ++k) group[k] = DistanceSquared(segment - 1 + k, point_m);
    const int low = group[1] < group[0] ? 1 : 0;
    const int high = group[3] < group[2] ? 3 : 2;
    const int least = group[high] < group[low] ? high : low;
    segment += least - 1;
    distance_sq = group[least];
    if (least == 1 || least == 2) return true;
  }
  return false;
}

NearestPoint Polyline::ProjectNear(Vec2 point_m, int hint_segment) const {
  LAPFORGE_ASSERT(hint_segment >= 0 && hint_segment < num_segments_, "no such segment");
  int segment = hint_segment;
  double distance_sq = 0;
  if (WalkByGroups(point_m, segment, distance_sq)) {
    const bool is_left = Cross(direction(segment), point_m - vertex(segment)) > 0;
    if (distance_sq < clear_sq_m2_[2 * segment + is_left]) {
      return Finish(point_m, segment, distance_sq);
    }
  }
  return SearchWindow(point_m, WalkDown(point_m, segment));
}

NearestPoint Polyline::SearchWindow(Vec2 point_m, int center) const {
  const double distance_sq = DistanceSquared(center, point_m);
  for (size_t level = 0; level < kReach_m.size(); ++level) {
    if (distance_sq > kReach_m[level] * kReach_m[level]) continue;
    const Window window = windows_[center * kReach_m.size() + level];
    if (window.behind + window.ahead + 1 >= num_segments_) break;

    // in the order of the segments, because the first of equals wins
    const int first = center - window.behind;
    const int end = center + window.ahead + 1;
    Best best{std::numeric_limits<double>::infinity(), 0};
    if (end > num_segments_) ScanRange(point_m, 0, end - num_segments_, best);
    ScanRange(point_m, std::max(first, 0), std::min(end, num_segments_), best);
    if (first < 0) ScanRange(point_m, num_segments_ + first, num_segments_, best);
    return FinishBlock(point_m, best);
  }
  return Project(point_m);
}

}  // namespace lapforge::tracks
