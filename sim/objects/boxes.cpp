#include "sim/objects/boxes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/rng.h"

namespace lapforge::sim {
namespace {

// spec/deepracer.md 4.8 and 4.6.
constexpr double kRoomBeforeLineM = 1;
constexpr double kStartRoomM = 1;

// Along the forward direction from the start line; lane 1 is the file's inner one.
struct BoxPlace {
  double distance_m = 0;
  double lane = 1;
};
using BoxPlaces = std::array<BoxPlace, kMaxObjects>;

BoxPlaces EvenPlaces(const ObjectOptions& options, double length_m) {
  BoxPlaces places;
  const double first_m = std::min(options.min_distance_m, length_m / 2);
  const double last_m = std::max(first_m, length_m - kRoomBeforeLineM);
  for (int i = 0; i < options.count; ++i) {
    const double frac = options.count > 1 ? static_cast<double>(i) / (options.count - 1) : 0;
    places[i] = {Lerp(first_m, last_m, frac), i % 2 == 0 ? 1.0 : -1.0};
  }
  return places;
}

// Every arrangement with room enough between the boxes is as likely as any other: places in order
// on a lap shortened by the room, which then goes between them, turned by any angle.
BoxPlaces RandomPlaces(const ObjectOptions& options, double length_m, RngStream random) {
  BoxPlaces places;
  const double room_m = std::min(options.min_distance_m, length_m / options.count);
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

BoxPlaces ListedPlaces(const ObjectOptions& options, double length_m) {
  BoxPlaces places;
  for (int i = 0; i < options.count; ++i) {
    const size_t index = static_cast<size_t>(i);
    places[i] = {options.positions_frac[index] * length_m, options.lanes[index]};
  }
  return places;
}

BoxPlaces ChoosePlaces(const SimOptions& options, double length_m, const StepFacts& facts) {
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

// The middle of a lane is halfway between the centerline and a border.
Vec2 LanePoint(const tracks::Track& forward, double arc_length_m, double lane) {
  const double side = forward.inner_is_left() ? lane : -lane;
  const tracks::HalfWidths half = forward.HalfWidthsAt(arc_length_m);
  return forward.PointAt(arc_length_m, side / 2 * (side > 0 ? half.left_m : half.right_m));
}

// True when a corner of the car's rectangle lies inside the box grown by the margin.
bool TouchesBox(const ObjectOptions& options, const CarSpec& car, const CarState& state,
                const ObjectFacts& box) {
  const Pose2 car_pose = {{state.position_world_m.x, state.position_world_m.y}, state.yaw_rad};
  const Pose2 box_pose = {box.position_m, box.yaw_rad};
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      const Vec2 corner =
          box_pose.ToLocal(car_pose.ToWorld({x * car.body_length_m, y * car.body_width_m}));
      if (std::abs(corner.x) < options.length_m / 2 + options.crash_margin_m &&
          std::abs(corner.y) < options.width_m / 2 + options.crash_margin_m) {
        return true;
      }
    }
  }
  return false;
}

// DeepRacer's camera for `object_in_camera` (spec/deepracer.md 1.2), measured from the front point,
// which is 0.14 m ahead of the model's origin.
constexpr double kCameraAheadM = 0.14529379 - 0.14;
constexpr double kCameraHeightM = 0.13032555;
constexpr double kCameraPitchRad = 0.2618;  // down
constexpr double kCameraFovRad = 1.13;      // across
constexpr double kCameraAspect = 480.0 / 640.0;
constexpr double kCameraNearM = 0.2;
constexpr double kCameraFarM = 300;

// `place_m` is from the camera: ahead, left. `up_m` is from the camera too.
bool IsInView(Vec2 place_m, double up_m) {
  const double depth_m = place_m.x * std::cos(kCameraPitchRad) - up_m * std::sin(kCameraPitchRad);
  const double above_m = place_m.x * std::sin(kCameraPitchRad) + up_m * std::cos(kCameraPitchRad);
  const double reach_m = depth_m * std::tan(kCameraFovRad / 2);
  return depth_m >= kCameraNearM && depth_m <= kCameraFarM && std::abs(place_m.y) <= reach_m &&
         std::abs(above_m) <= reach_m * kCameraAspect;
}

bool IsBoxInCamera(const ObjectOptions& options, const StepFacts& facts, const ObjectFacts& box) {
  const Pose2 front = {facts.front_point_m, facts.car.yaw_rad};
  const Pose2 camera = {front.ToWorld({kCameraAheadM, 0}), facts.car.yaw_rad};
  const Pose2 box_pose = {box.position_m, box.yaw_rad};
  const auto is_seen = [&](double x, double y, double z) {
    const Vec2 place_m = box_pose.ToWorld({x * options.length_m, y * options.width_m});
    return IsInView(camera.ToLocal(place_m), z * options.height_m - kCameraHeightM);
  };
  if (is_seen(0, 0, 0.5)) return true;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      if (is_seen(x, y, 0) || is_seen(x, y, 1)) return true;
    }
  }
  return false;
}

}  // namespace

void PlaceBoxes(const SimOptions& options, const tracks::Track& forward,
                const tracks::Track& driven, StepFacts& facts) {
  facts.objects = {};
  facts.num_objects = options.objects.count;
  if (facts.num_objects == 0) return;
  const BoxPlaces places = ChoosePlaces(options, forward.length_m(), facts);
  for (int i = 0; i < facts.num_objects; ++i) {
    const double arc_length_m = forward.WrapArcLength(forward.start_m() + places[i].distance_m);
    ObjectFacts& box = facts.objects[i];
    box.position_m = LanePoint(forward, arc_length_m, places[i].lane);
    const tracks::TrackPosition position = driven.Project(box.position_m);
    box.yaw_rad = position.tangent_yaw_rad;
    box.arc_length_m = position.arc_length_m;
    box.lateral_offset_m = position.lateral_offset_m;
  }
  std::sort(facts.objects.begin(), facts.objects.begin() + facts.num_objects,
            [](const auto& a, const auto& b) { return a.arc_length_m < b.arc_length_m; });
}

double OffsetBesideBoxes(const tracks::Track& driven, const StepFacts& facts, double arc_length_m,
                         double wanted_m) {
  for (int i = 0; i < facts.num_objects; ++i) {
    const ObjectFacts& box = facts.objects[i];
    if (std::abs(driven.ArcLengthDelta(arc_length_m, box.arc_length_m)) > kStartRoomM) continue;
    const tracks::HalfWidths half = driven.HalfWidthsAt(arc_length_m);
    return box.lateral_offset_m > 0 ? -half.right_m / 2 : half.left_m / 2;
  }
  return wanted_m;
}

void MeasureBoxes(const ObjectOptions& options, const CarSpec& car, StepFacts& facts) {
  facts.is_crashed = false;
  facts.is_next_object_in_camera = false;
  const int count = facts.num_objects;
  if (count == 0) return;
  const auto end = facts.objects.begin() + count;
  const auto next =
      std::upper_bound(facts.objects.begin(), end, facts.position.arc_length_m,
                       [](double here_m, const auto& box) { return here_m < box.arc_length_m; });
  facts.next_object = static_cast<int32_t>(next - facts.objects.begin()) % count;
  facts.previous_object = (facts.next_object + count - 1) % count;
  facts.is_next_object_in_camera =
      IsBoxInCamera(options, facts, facts.objects[static_cast<size_t>(facts.next_object)]);
  const double reach_m = (std::hypot(car.body_length_m, car.body_width_m) +
                          std::hypot(options.length_m, options.width_m)) /
                             2 +
                         2 * options.crash_margin_m;
  const Vec2 com_m = {facts.car.position_world_m.x, facts.car.position_world_m.y};
  for (int i = 0; i < count; ++i) {
    const ObjectFacts& box = facts.objects[i];
    if (Length(box.position_m - com_m) > reach_m) continue;
    facts.is_crashed |= TouchesBox(options, car, facts.car, box);
  }
}

}  // namespace lapforge::sim
