#include "sim/objects/object_facts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lapforge::sim {
namespace {

// True when a corner of the car's rectangle lies inside the object's grown by the margin.
bool TouchesObject(double margin_m, const CarSpec& car, const CarState& state,
                   const ObjectFacts& object) {
  const Pose2 car_pose = {{state.position_world_m.x, state.position_world_m.y}, state.yaw_rad};
  const Pose2 object_pose = {object.position_m, object.yaw_rad};
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      const Vec2 corner =
          object_pose.ToLocal(car_pose.ToWorld({x * car.body_length_m, y * car.body_width_m}));
      if (std::abs(corner.x) < object.length_m / 2 + margin_m &&
          std::abs(corner.y) < object.width_m / 2 + margin_m) {
        return true;
      }
    }
  }
  return false;
}

// A car that comes from behind has run into us, not we into it (spec/deepracer.md 4.4).
bool IsToBlame(const StepFacts& facts, Vec2 middle_m, const ObjectFacts& object) {
  return object.kind == ObjectKind::kBox ||
         Dot(object.position_m - middle_m, DirectionOf(facts.position.tangent_yaw_rad)) > 0;
}

bool HasRunInto(double margin_m, const CarSpec& car, const StepFacts& facts,
                const ObjectFacts& object) {
  const double reach_m = (std::hypot(car.body_length_m, car.body_width_m) +
                          std::hypot(object.length_m, object.width_m)) /
                             2 +
                         2 * margin_m;
  const Vec2 middle_m = {facts.car.position_world_m.x, facts.car.position_world_m.y};
  const Vec2 away_m = object.position_m - middle_m;
  return Dot(away_m, away_m) <= reach_m * reach_m &&
         TouchesObject(margin_m, car, facts.car, object) && IsToBlame(facts, middle_m, object);
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

bool IsInCamera(const StepFacts& facts, const ObjectFacts& object) {
  const Pose2 front = {facts.front_point_m, facts.car.yaw_rad};
  const Pose2 camera = {front.ToWorld({kCameraAheadM, 0}), facts.car.yaw_rad};
  const Pose2 object_pose = {object.position_m, object.yaw_rad};
  const auto is_seen = [&](double x, double y, double z) {
    const Vec2 place_m = object_pose.ToWorld({x * object.length_m, y * object.width_m});
    return IsInView(camera.ToLocal(place_m), z * object.height_m - kCameraHeightM);
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

void SortObjects(StepFacts& facts) {
  // few, and nearly in order already
  for (int i = 1; i < facts.num_objects; ++i) {
    for (int k = i; k > 0; --k) {
      ObjectFacts& before = facts.objects[k - 1];
      if (before.arc_length_m <= facts.objects[k].arc_length_m) break;
      std::swap(before, facts.objects[k]);
    }
  }
}

void MeasureObjects(const ObjectOptions& options, const CarSpec& car, StepFacts& facts) {
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
      IsInCamera(facts, facts.objects[static_cast<size_t>(facts.next_object)]);
  for (int i = 0; i < count; ++i) {
    facts.is_crashed |= HasRunInto(options.crash_margin_m, car, facts, facts.objects[i]);
  }
}

}  // namespace lapforge::sim
