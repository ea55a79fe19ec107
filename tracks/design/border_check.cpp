#include "tracks/design/border_check.h"

#include <algorithm>
#include <vector>

namespace lapforge::tracks {
namespace {

struct Edge {
  Vec2 a, b;

  bool MayTouch(const Edge& other) const {
    return std::max(a.x, b.x) >= std::min(other.a.x, other.b.x) &&
           std::max(other.a.x, other.b.x) >= std::min(a.x, b.x) &&
           std::max(a.y, b.y) >= std::min(other.a.y, other.b.y) &&
           std::max(other.a.y, other.b.y) >= std::min(a.y, b.y);
  }

  // True where both ends of `other` lie on one side of this edge's line.
  bool Separates(const Edge& other) const {
    return Cross(b - a, other.a - a) * Cross(b - a, other.b - a) > 0;
  }

  bool Touches(const Edge& other) const {
    return MayTouch(other) && !Separates(other) && !other.Separates(*this);
  }
};

std::vector<Edge> EdgesOf(const std::vector<Vec2>& points) {
  std::vector<Edge> edges;
  for (size_t i = 0; i + 1 < points.size(); ++i) edges.push_back({points[i], points[i + 1]});
  return edges;
}

}  // namespace

std::optional<Vec2> FindBorderCrossing(const TrackRows& rows, bool is_closed) {
  const std::vector<Edge> inner = EdgesOf(rows.inner_m);
  const std::vector<Edge> outer = EdgesOf(rows.outer_m);
  const size_t num_edges = inner.size();
  for (size_t i = 0; i < num_edges; ++i) {
    for (size_t k = 0; k < num_edges; ++k) {
      if (inner[i].Touches(outer[k])) return inner[i].a;
      const bool is_neighbour = k <= i + 1 || (is_closed && i == 0 && k + 1 == num_edges);
      if (is_neighbour) continue;
      if (inner[i].Touches(inner[k])) return inner[i].a;
      if (outer[i].Touches(outer[k])) return outer[i].a;
    }
  }
  return {};
}

}  // namespace lapforge::tracks
