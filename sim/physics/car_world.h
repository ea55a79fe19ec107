// The Bullet world of one car or of several that race: chassis, boxes, perhaps walls, and nothing
// shared that changes.
#pragma once

#include <memory>
#include <span>
#include <vector>

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

// Boxes on the ground, all of one size; where, is a matter of the episode.
struct BoxSet {
  int count = 0;
  Vec3 half_m;
  bool are_moving = false;  // pushed through the world as MoveBox says, whatever is in their way
};

// A box and how it moves.
struct BoxMotion {
  Vec2 middle_m;
  double yaw_rad = 0;  // of its length
  Vec2 velocity_mps;
  double yaw_rate_radps = 0;
};

// A car's index counts from 0 in the order of the models.
class CarWorld {
 public:
  using Models = std::vector<std::shared_ptr<const VehicleModel>>;

  // One car a model; all for substeps of one length. `walls` may be null. After construction
  // nothing allocates but Bullet's first contact.
  CarWorld(Models models, std::shared_ptr<const WallShapes> walls, const BoxSet& boxes = {});
  CarWorld(std::shared_ptr<const VehicleModel> model, std::shared_ptr<const WallShapes> walls,
           const BoxSet& boxes = {})
      : CarWorld(Models{std::move(model)}, std::move(walls), boxes) {}
  ~CarWorld();

  // Drives another car of the same measures from now on: other masses, grip, motor. Borrowed.
  void UseModel(const VehicleModel& model, int car_index = 0);

  // Puts box `index` somewhere. Part of the episode, not of the state below.
  void PlaceBox(int index, Vec2 middle_m, double yaw_rad);
  void MoveBox(int index, const BoxMotion& motion);

  // Asks the processor to fetch what a substep touches; and when that has arrived, the rest.
  void Prefetch() const;
  void PrefetchLists() const;

  // Forgets what Bullet carries from step to step, so that the states below are the whole state.
  void BeginControlStep();
  // A substep: every car's forces, then all move.
  void Drive(int car_index, const DriveInput& input);
  void Advance();
  // The same with one car.
  void Substep(const DriveInput& input) {
    Drive(0, input);
    Advance();
  }

  // The point of the body `place_m` ahead and left of the centre of mass, seen from above.
  Vec2 PointAt(Vec2 place_m, int car_index = 0) const;

  BodyState state(int car_index = 0) const;
  void set_state(const BodyState& state, int car_index = 0);

 private:
  struct Car;
  struct Bullet;
  bool IsAnythingInReach() const;
  bool IsFarFromWalls(const Car& car) const;
  bool IsFarFromBoxes(const Car& car) const;
  void AddObstacle(btCollisionObject& object);
  Car& CarAt(int car_index) const;

  Models models_;
  std::shared_ptr<const WallShapes> walls_;
  std::unique_ptr<Bullet> bullet_;
};

}  // namespace lapforge::sim
