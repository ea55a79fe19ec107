#include "tracks/geometry/ring.h"

#include <algorithm>

namespace lapforge::tracks {
namespace {

// Bands of a few centimetres on usual tracks: about as many edges a band as strictly needed.
constexpr int kNumBands = 256;

}  // namespace

Ring::Ring(std::span<const Vec2> vertices) {
  const auto [lowest, highest] = std::minmax_element(vertices.begin(), vertices.end(),
                                                     [](Vec2 a, Vec2 b) { return a.y < b.y; });
  low_y_ = lowest->y;
  high_y_ = highest->y;
  bands_per_m_ = high_y_ > low_y_ ? kNumBands / (high_y_ - low_y_) : 0;

  std::vector<std::vector<Edge>> bands(kNumBands);
  for (size_t i = 0; i < vertices.size(); ++i) {
    Vec2 low = vertices[i];
    Vec2 high = vertices[(i + 1) % vertices.size()];
    if (low == high) continue;
    if (high.y < low.y || (high.y == low.y && high.x < low.x)) std::swap(low, high);
    for (int band = BandOf(low.y); band <= BandOf(high.y); ++band) {
      bands[band].push_back({low, high});
    }
  }
  for (const std::vector<Edge>& band : bands) {
    band_begin_.push_back(static_cast<int>(edges_.size()));
    edges_.insert(edges_.end(), band.begin(), band.end());
  }
  band_begin_.push_back(static_cast<int>(edges_.size()));
}

// Monotonic in y, so that a point between the ends of an edge is in a band between theirs.
int Ring::BandOf(double y) const {
  return std::min(static_cast<int>((y - low_y_) * bands_per_m_), kNumBands - 1);
}

Side Ring::Locate(Vec2 point_m) const {
  if (!(point_m.y >= low_y_ && point_m.y <= high_y_)) return Side::kOutside;
  const int band = BandOf(point_m.y);
  bool is_inside = false;
  for (int i = band_begin_[band]; i < band_begin_[band + 1]; ++i) {
    const auto& [low, high] = edges_[i];
    if (point_m.y < low.y || point_m.y > high.y) continue;
    if (low.y == high.y) {
      if (point_m.x >= low.x && point_m.x <= high.x) return Side::kBorder;
      continue;
    }
    const double left_of_edge = Cross(high - low, point_m - low);
    if (left_of_edge == 0) return Side::kBorder;
    // the upper end belongs to the next edge
    if (left_of_edge > 0 && point_m.y < high.y) is_inside = !is_inside;
  }
  return is_inside ? Side::kInside : Side::kOutside;
}

}  // namespace lapforge::tracks
