#include "tracks/geometry/polyline.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "sim/base/assert.h"
#include "tracks/geometry/clearance.h"

namespace lapforge::tracks {
namespace {

// Padding lies this far away: its squared distance is finite and beats nothing.
constexpr double kFarAway_m = 1e100;

// Segments are compared by twos: every 64-bit processor has vectors of that size, and choosing in
// them needs no branch to guess.
using Pair = double __attribute__((vector_size(16)));
using IntegerPair = int64_t __attribute__((vector_size(16)));
constexpr int kPair = 2;

Pair Load(const double* values) {
  Pair pair;
  std::memcpy(&pair, values, sizeof(pair));
  return pair;
}

}  // namespace

// The nearest segment in each lane so far, and of equals the first.
struct Polyline::Scan {
  Pair distance_sq = Pair{} + std::numeric_limits<double>::infinity();
  IntegerPair segment = {};

  Found Nearest() const {
    const bool is_second = distance_sq[1] < distance_sq[0] ||
                           (distance_sq[1] == distance_sq[0] && segment[1] < segment[0]);
    return {static_cast<int>(segment[is_second]), distance_sq[is_second]};
  }
};

Polyline::Polyline(std::span<const Vec2> vertices, bool is_ring)
    : is_ring_(is_ring),
      num_segments_(static_cast<int>(vertices.size()) - 1),
      vertices_(vertices.begin(), vertices.end()) {
  LAPFORGE_ASSERT(vertices.size() >= 2 && vertices.size() <= kMaxVertices, "2 .. 5000 vertices");

  const size_t padded_size = vertices.size() + kPair;
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

// Of a segment and the next. The distance to a vertex is computed from the vertex, not along the
// segment: two segments that meet there are then equally far to the last bit, and the first one
// wins.
inline void Polyline::PairDistances(int i, Vec2 p, double* distance_sq) const {
  const Pair dx = Load(&dx_[i]);
  const Pair dy = Load(&dy_[i]);
  const Pair from_start_x = p.x - Load(&start_x_[i]);
  const Pair from_start_y = p.y - Load(&start_y_[i]);
  const Pair from_end_x = p.x - Load(&end_x_[i]);
  const Pair from_end_y = p.y - Load(&end_y_[i]);
  Pair t = (from_start_x * dx + from_start_y * dy) * Load(&inv_length_sq_[i]);
  t = t < 0 ? Pair{} : t;
  const Pair along_x = from_start_x - t * dx;
  const Pair along_y = from_start_y - t * dy;
  const Pair x = t < 1 ? along_x : from_end_x;
  const Pair y = t < 1 ? along_y : from_end_y;
  const Pair sum = x * x + y * y;
  std::memcpy(distance_sq, &sum, sizeof(sum));
}

inline double Polyline::DistanceSquared(int segment, Vec2 point_m) const {
  double distance_sq[kPair];
  PairDistances(segment, point_m, distance_sq);
  return distance_sq[0];
}

// May read one segment beyond `end`: a real one, which may well be nearest, or padding.
inline void Polyline::ScanRange(Vec2 point_m, int first, int end, Scan& scan) const {
  for (int64_t begin = first; begin < end; begin += kPair) {
    Pair distance_sq;
    PairDistances(static_cast<int>(begin), point_m, reinterpret_cast<double*>(&distance_sq));
    const IntegerPair is_nearer = distance_sq < scan.distance_sq;
    scan.distance_sq = is_nearer ? distance_sq : scan.distance_sq;
    scan.segment = is_nearer ? IntegerPair{begin, begin + 1} : scan.segment;
  }
}

inline NearestPoint Polyline::Finish(Vec2 point_m, const Found& found) const {
  const int i = found.segment;
  const Vec2 from_start = point_m - vertex(i);
  const double fraction = Clamp(Dot(from_start, direction(i)) * inv_length_sq_[i], 0.0, 1.0);
  return {i, fraction, fraction < 1 ? vertex(i) + fraction * direction(i) : vertex(i + 1),
          std::sqrt(found.distance_sq)};
}

NearestPoint Polyline::Project(Vec2 point_m) const {
  Scan scan;
  ScanRange(point_m, 0, num_segments_, scan);
  return Finish(point_m, scan.Nearest());
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

NearestPoint Polyline::ProjectNear(Vec2 point_m, int hint_segment) const {
  LAPFORGE_ASSERT(hint_segment >= 0 && hint_segment < num_segments_, "no such segment");
  int segment = hint_segment;
  // downhill with the segment before and two behind at a time, to one nearer than its neighbours
  while (segment >= 1 && segment + 2 < num_segments_) {
    double group[2 * kPair];
    PairDistances(segment - 1, point_m, group);
    PairDistances(segment + 1, point_m, group + kPair);
    const int low = group[1] < group[0] ? 1 : 0;
    const int high = group[3] < group[2] ? 3 : 2;
    const int least = group[high] < group[low] ? high : low;
    segment += least - 1;
    if (least == 0 || least == 3) continue;

    const Found found = {segment, group[least]};
    const bool is_left = Cross(direction(segment), point_m - vertex(segment)) > 0;
    if (found.distance_sq < clear_sq_m2_[2 * segment + is_left]) return Finish(point_m, found);
    break;
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
    Scan scan;
    if (end > num_segments_) ScanRange(point_m, 0, end - num_segments_, scan);
    ScanRange(point_m, std::max(first, 0), std::min(end, num_segments_), scan);
    if (first < 0) ScanRange(point_m, num_segments_ + first, num_segments_, scan);
    return Finish(point_m, scan.Nearest());
  }
  return Project(point_m);
}

}  // namespace lapforge::tracks
