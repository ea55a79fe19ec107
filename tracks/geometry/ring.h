// A closed polygon that tells on which side a point lies, exactly.
#pragma once

#include <span>
#include <vector>

#include "sim/base/math.h"

namespace lapforge::tracks {

enum class Side { kOutside, kBorder, kInside };

// Immutable. Inside is where a ray to the right crosses an odd number of edges, as in Shapely. The
// edges are sorted into horizontal bands, so that a query looks at a few of them only.
class Ring {
 public:
  // Vertices of a ring; the closing edge from the last to the first is added where they differ.
  // Needs at least one vertex, all finite.
  explicit Ring(std::span<const Vec2> vertices);

  // The same for both orders of the vertices.
  Side Locate(Vec2 point_m) const;

 private:
  struct Edge {
    Vec2 low;  // smaller y, of equals the smaller x
    Vec2 high;
  };

  int BandOf(double y) const;

  double low_y_ = 0;
  double high_y_ = 0;
  double bands_per_m_ = 0;
  std::vector<int> band_begin_;  // [num_bands + 1]: into edges_
  std::vector<Edge> edges_;      // band by band; an edge is repeated in each band that it touches
};

}  // namespace lapforge::tracks
