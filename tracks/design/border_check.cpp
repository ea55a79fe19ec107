#include "tracks/design/border_check.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tracks/check/touching.h"

namespace lapforge::tracks {

std::optional<Vec2> FindBorderCrossing(const TrackRows& rows, bool is_closed) {
  std::vector<Segment> edges;  // of the inner border, then of the outer one
  std::vector<Box> boxes;
  const int num_edges = static_cast<int>(rows.inner_m.size()) - 1;
  for (const std::vector<Vec2>* border_m : {&rows.inner_m, &rows.outer_m}) {
    for (int i = 0; i < num_edges; ++i) {
      edges.push_back({(*border_m)[i], (*border_m)[i + 1]});
      boxes.push_back(BoxAround(std::array{edges.back().a, edges.back().b}));
    }
  }
  std::optional<std::pair<int, int>> first;
  VisitTouchingBoxes(boxes, [&](int one, int other) {
    const int i = one % num_edges, k = other % num_edges;
    const bool are_of_one_border = (one < num_edges) == (other < num_edges);
    const bool are_neighbors = k == i + 1 || (is_closed && i == 0 && k + 1 == num_edges);
    if (are_of_one_border && are_neighbors) return;
    if (!Touches(edges[one], edges[other])) return;
    first = std::min(first.value_or(std::pair(one, other)), std::pair(one, other));
  });
  if (!first) return {};
  return edges[first->first].a;
}

}  // namespace lapforge::tracks
