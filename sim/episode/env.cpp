#include "sim/episode/env.h"

#include <algorithm>

#include "sim/base/huge_pages.h"

namespace lapforge::sim {

std::shared_ptr<const WallShapes> WallsAlong(const tracks::Track& track) {
  std::vector<WallSegment> segments;
  const auto add = [&](Vec2 from_m, Vec2 to_m) {
    if (from_m != to_m) segments.push_back({from_m, to_m});
  };
  for (int i = 0; i < track.num_segments(); ++i) {
    add(track.waypoint(i).left_m, track.waypoint(i + 1).left_m);
    add(track.waypoint(i).right_m, track.waypoint(i + 1).right_m);
  }
  return std::make_shared<const WallShapes>(segments);
}

void UseHugePages(std::span<const Env> envs) {
  lapforge::UseHugePages(envs.data(), envs.data() + envs.size());
  // made one after the other, they lie near each other
  const auto [first, last] = std::minmax_element(
      envs.begin(), envs.end(), [](const Env& a, const Env& b) { return a.world < b.world; });
  lapforge::UseHugePages(first->world.get(), last->world.get());
}

}  // namespace lapforge::sim
