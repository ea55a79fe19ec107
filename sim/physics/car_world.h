// One env's Bullet world: the chassis, perhaps walls, and nothing shared that changes.
#pragma once

#include <memory>
#include <span>

#include "sim/physics/vehicle.h"
#include "sim/physics/wall_field.h"

class btCollisionObject;

namespace lapforge::sim {

// Everything the physics of one car goes on from; with the same input next, the same bits follow.
struct BodyState {
  float basis[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // rows; a quaternion would lose bits
  float position_m[3] = {};                      // of the centre of mass
  float velocity_mps[3] = {};
  float angular_velocity_radps[3] = {};
  WheelStates wheels;
};

// A body at rest on its wheels or rolling forward, centre of mass over `com_m`.
BodyState StandingBody(const VehicleModel& model, Vec2 com_m, double yaw_rad, double speed_mps);

// Shapes of walls, built once and read by the worlds of all envs on the same track.
class WallShapes {
 public:
  explicit WallShapes(std::span<const WallSegment> segments);
  ~WallShapes();

 private:
  friend class CarWorld;
  struct Wall;
  WallField field_;
  std::vector<Wall> walls_;
};

// Boxes that stand on the ground, all of one size; where, is a matter of the episode.
struct BoxSet {
  int count = 0;
  Vec3 half_m;
};

class CarWorld {
 public:
  // `walls` may be null. After construction nothing allocates but Bullet's first contact.
  CarWorld(std::shared_ptr<const VehicleModel> model, std::shared_ptr<const WallShapes> walls,
           const BoxSet& boxes = {});
  ~CarWorld();

  // Drives another car of the same measures from now on: other masses, grip, motor. Borrowed.
  void UseModel(const VehicleModel& model);

  // Puts box `index` over `middle_m`, its length along `yaw_rad`. Part of the episode, not of the
  // state below.
  void PlaceBox(int index, Vec2 middle_m, double yaw_rad);

  // Asks the processor to fetch what a substep touches.
  void Prefetch() const;

  // Forgets what Bullet carries from step to step, so that the state above is the whole state.
  void BeginControlStep();
  void Substep(const DriveInput& input);

  // The point of the body `place_m` ahead and left of the centre of mass, seen from above.
  Vec2 PointAt(Vec2 place_m) const;

  BodyState state() const;
  void set_state(const BodyState& state);

 private:
  struct Bullet;
  bool IsFarFromWalls() const;
  bool IsFarFromBoxes() const;
  void AddObstacle(btCollisionObject& object);

  std::shared_ptr<const VehicleModel> model_;
  const VehicleModel* used_model_;  // model_ or a borrowed one
  std::shared_ptr<const WallShapes> walls_;
  std::unique_ptr<Bullet> bullet_;
  WheelStates wheels_;
};

}  // namespace lapforge::sim
