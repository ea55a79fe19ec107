#include "sim/objects/boxes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/rng.h"
#include "sim/base/strings.h"

namespace lapforge::sim {
namespace {

// spec/deepracer.md 4.8.
constexpr double kRoomBeforeLineM = 1;

ObjectPlaces EvenPlaces(const ObjectOptions& options, double length_m) {
  ObjectPlaces places;
  const double first_m = options.min_distance_m;
  const double last_m = length_m - kRoomBeforeLineM;
  for (int i = 0; i < options.count; ++i) {
    const double frac = options.count > 1 ? static_cast<double>(i) / (options.count - 1) : 0;
    places[i] = {Lerp(first_m, last_m, frac), i % 2 == 0 ? 1.0 : -1.0};
  }
  return places;
}

// Every arrangement with room enough between the boxes is as likely as any other: places in order
// on a lap shortened by the room, which then goes between them, turned by any angle.
ObjectPlaces RandomPlaces(const ObjectOptions& options, double length_m, RngStream random) {
  ObjectPlaces places;
  const double room_m = options.min_distance_m;
  const double first_m = random.Uniform(0, length_m);
  for (int i = 0; i < options.count; ++i) {
    places[i] = {random.Uniform(0, length_m - options.count * room_m),
                 random.Below(2) == 0 ? 1.0 : -1.0};
  }
  // those beyond the count stay behind
  for (int i = options.count; i < kMaxObjects; ++i) places[i].distance_m = length_m;
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.distance_m < b.distance_m; });
  for (int i = 0; i < options.count; ++i) {
    places[i].distance_m = std::fmod(first_m + places[i].distance_m + i * room_m, length_m);
  }
  return places;
}

ObjectPlaces ListedPlaces(const ObjectOptions& options, double length_m) {
  ObjectPlaces places;
  for (int i = 0; i < options.count; ++i) {
    const size_t index = static_cast<size_t>(i);
    places[i] = {options.positions_frac[index] * length_m, options.lanes[index]};
  }
  return places;
}

// The middle of a lane is halfway between the centerline and a border.
Vec2 LanePoint(const tracks::Track& forward, double arc_length_m, double lane) {
  const double side = forward.inner_is_left() ? lane : -lane;
  const tracks::HalfWidths half = forward.HalfWidthsAt(arc_length_m);
  return forward.PointAt(arc_length_m, side / 2 * (side > 0 ? half.left_m : half.right_m));
}

}  // namespace

Result<void> CheckRoom(const ObjectOptions& options, const tracks::Track& track) {
  const double length_m = track.length_m();
  const auto refuse = [&](const std::string& what_fits) {
    return ErrorOf("objects.min_distance_m ", options.min_distance_m, ": track ", track.name(),
                   " is ", FormatFixed(length_m, 2), " m long; ", what_fits);
  };
  if (options.count == 0 || options.placement == ObjectPlacement::kListed) return {};
  if (options.placement == ObjectPlacement::kEven) {
    const double most_m = length_m - kRoomBeforeLineM;
    if (options.min_distance_m <= most_m) return {};
    return refuse(
        StrCat("the first object can be at most ", FormatFixed(most_m, 2), " m behind the line"));
  }
  if (options.count * options.min_distance_m <= length_m) return {};
  const int num_fitting = static_cast<int>(length_m / options.min_distance_m);
  return refuse(StrCat(num_fitting, num_fitting == 1 ? " object fits" : " objects fit",
                       ", and objects.count is ", options.count));
}

ObjectPlaces ChoosePlaces(const SimOptions& options, double length_m, const StepFacts& facts) {
  const RngStream random(options.seed, static_cast<uint32_t>(facts.env_index), facts.episode_index,
                         RngPurpose::kObjects);
  switch (options.objects.placement) {
    case ObjectPlacement::kEven:
      return EvenPlaces(options.objects, length_m);
    case ObjectPlacement::kRandom:
      return RandomPlaces(options.objects, length_m, random);
    case ObjectPlacement::kListed:
      return ListedPlaces(options.objects, length_m);
  }
  return {};
}

void PlaceBoxes(const SimOptions& options, const tracks::Track& forward,
                const tracks::Track& driven, StepFacts& facts) {
  facts.objects = {};
  facts.num_objects = options.objects.count;
  if (facts.num_objects == 0) return;
  const ObjectPlaces places = ChoosePlaces(options, forward.length_m(), facts);
  for (int i = 0; i < facts.num_objects; ++i) {
    const double arc_length_m = forward.WrapArcLength(forward.start_m() + places[i].distance_m);
    ObjectFacts& box = facts.objects[i];
    box.position_m = LanePoint(forward, arc_length_m, places[i].lane);
    const tracks::TrackPosition position = driven.Project(box.position_m);
    box.yaw_rad = position.tangent_yaw_rad;
    box.arc_length_m = position.arc_length_m;
    box.lateral_offset_m = position.lateral_offset_m;
    box.length_m = static_cast<float>(options.objects.length_m);
    box.width_m = static_cast<float>(options.objects.width_m);
    box.height_m = static_cast<float>(options.objects.height_m);
  }
  std::sort(facts.objects.begin(), facts.objects.begin() + facts.num_objects,
            [](const auto& a, const auto& b) { return a.arc_length_m < b.arc_length_m; });
}

}  // namespace lapforge::sim
