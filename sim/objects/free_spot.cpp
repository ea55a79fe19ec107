#include "sim/objects/free_spot.h"

#include <cmath>

namespace lapforge::sim {
namespace {

// An object this near along the road sends a start to the other lane.
constexpr double kStartRoomM = 1;
// What a car needs around itself: more than the margin of a crash.
constexpr double kRoomM = 0.15;
constexpr double kSearchStepM = 0.5;

// `wanted_m`, or the middle of the lane beside the first object within reach.
double OffsetBesideObjects(const tracks::Track& driven, const StepFacts& facts, double arc_length_m,
                           double wanted_m) {
  for (int i = 0; i < facts.num_objects; ++i) {
    const ObjectFacts& object = facts.objects[i];
    if (std::abs(driven.ArcLengthDelta(arc_length_m, object.arc_length_m)) > kStartRoomM) continue;
    return LaneOffset(driven, arc_length_m, object.lateral_offset_m <= 0);
  }
  return wanted_m;
}

bool IsFree(const tracks::Track& driven, const StepFacts& facts, const CarSpec& car,
            RoadSpot spot) {
  const double middle_m = spot.arc_length_m - car.front_point_m + car.origin_to_com_m;
  for (int i = 0; i < facts.num_objects; ++i) {
    const ObjectFacts& object = facts.objects[i];
    const double along_m = std::abs(driven.ArcLengthDelta(middle_m, object.arc_length_m));
    const double across_m = std::abs(spot.lateral_offset_m - object.lateral_offset_m);
    if (along_m < (car.body_length_m + object.length_m) / 2 + kRoomM &&
        across_m < (car.body_width_m + object.width_m) / 2 + kRoomM) {
      return false;
    }
  }
  return true;
}

}  // namespace

double LaneOffset(const tracks::Track& driven, double arc_length_m, bool is_left) {
  const tracks::HalfWidths half = driven.HalfWidthsAt(arc_length_m);
  return is_left ? half.left_m / 2 : -half.right_m / 2;
}

RoadSpot FreeSpot(const tracks::Track& driven, const StepFacts& facts, const CarSpec& car,
                  RoadSpot wanted) {
  if (facts.num_objects == 0) return wanted;
  const double step_m = driven.is_closed() ? -kSearchStepM : kSearchStepM;
  for (int i = 0; i * kSearchStepM < driven.length_m(); ++i) {
    const double arc_m = driven.WrapArcLength(wanted.arc_length_m + i * step_m);
    const RoadSpot spot = {arc_m,
                           OffsetBesideObjects(driven, facts, arc_m, wanted.lateral_offset_m)};
    if (IsFree(driven, facts, car, spot)) return spot;
    const RoadSpot other = {arc_m, LaneOffset(driven, arc_m, spot.lateral_offset_m <= 0)};
    if (IsFree(driven, facts, car, other)) return other;
  }
  return wanted;
}

}  // namespace lapforge::sim
