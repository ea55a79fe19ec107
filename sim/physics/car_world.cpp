#include "sim/physics/car_world.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/physics/one_body_world.h"
#include "sim/physics/prefetch.h"

namespace lapforge::sim {
namespace {

// Half a wall's height and thickness: a car cannot pass either in one substep at 10 m/s.
constexpr float kWallHalfHeightM = 0.1f;
constexpr float kWallHalfThicknessM = 0.05f;
// Foam and plastic: a wall slows a sliding car and hardly throws it back. Bullet multiplies the
// numbers of both bodies.
constexpr float kWallFriction = 0.5f;
constexpr float kWallRestitution = 0.2f;
constexpr float kChassisFriction = 0.5f;
constexpr float kChassisRestitution = 0.5f;
// More than rounding puts boxes nearer to each other than they are. Bullet's boxes touch when they
// overlap, not before.
constexpr float kContactRoomM = 0.02f;
// Contacts of one car with a few walls; Bullet's default pools take 4.3 MB a world.
constexpr int kPoolSize = 16;
// The chassis' own group, so that later sensors and ghosts can leave it out.
constexpr int kChassisGroup = 1 << 6;

btVector3 VectorFrom(const float v[3]) { return {v[0], v[1], v[2]}; }

void CopyVector(const btVector3& from, float to[3]) {
  for (int i = 0; i < 3; ++i) to[i] = from[i];
}

btDefaultCollisionConstructionInfo SmallPools() {
  btDefaultCollisionConstructionInfo info;
  info.m_defaultMaxPersistentManifoldPoolSize = kPoolSize;
  info.m_defaultMaxCollisionAlgorithmPoolSize = kPoolSize;
  return info;
}

btRigidBody::btRigidBodyConstructionInfo ChassisInfo(const CarSpec& spec, btBoxShape* shape) {
  const Vec3 inertia = spec.inertia_kgm2;
  btRigidBody::btRigidBodyConstructionInfo info(
      static_cast<btScalar>(spec.mass_kg), nullptr, shape,
      {static_cast<btScalar>(inertia.x), static_cast<btScalar>(inertia.y),
       static_cast<btScalar>(inertia.z)});
  info.m_friction = kChassisFriction;
  info.m_restitution = kChassisRestitution;
  return info;
}

// Discs that cover the body seen from above, however it lies, about two points of its x-axis.
struct Discs {
  explicit Discs(const CarSpec& spec)
      : ahead_m(static_cast<float>(spec.body_length_m / 4)),
        radius_m(static_cast<float>(
            std::hypot(spec.body_length_m / 4, spec.body_width_m / 2, spec.body_height_m / 2))) {}

  float ahead_m;  // and as far behind
  float radius_m;
};

}  // namespace

struct WallShapes::Wall {
  std::unique_ptr<btBoxShape> shape;
  btTransform transform;
};

WallShapes::WallShapes(std::span<const WallSegment> segments) : field_(segments) {
  for (const WallSegment& segment : segments) {
    const Vec2 along = segment.to_m - segment.from_m;
    const Vec2 middle = Lerp(segment.from_m, segment.to_m, 0.5);
    btTransform transform;
    transform.setRotation({{0, 0, 1}, static_cast<btScalar>(std::atan2(along.y, along.x))});
    transform.setOrigin(
        {static_cast<btScalar>(middle.x), static_cast<btScalar>(middle.y), kWallHalfHeightM});
    walls_.push_back(
        {std::make_unique<btBoxShape>(btVector3(static_cast<btScalar>(Length(along) / 2),
                                                kWallHalfThicknessM, kWallHalfHeightM)),
         transform});
  }
}

WallShapes::~WallShapes() = default;

// Members are destroyed from the last to the first: the world before what it points to.
struct CarWorld::Bullet {
  explicit Bullet(const CarSpec& spec)
      : configuration(SmallPools()),
        dispatcher(&configuration),
        shape({static_cast<btScalar>(spec.body_length_m / 2),
               static_cast<btScalar>(spec.body_width_m / 2),
               static_cast<btScalar>(spec.body_height_m / 2)}),
        chassis(ChassisInfo(spec, &shape)),
        discs(spec),
        world(&dispatcher, &broadphase, &solver, &configuration) {}

  ~Bullet() {
    for (const auto& wall : walls) world.removeCollisionObject(wall.get());
    world.removeRigidBody(&chassis);
  }

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher;
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btBoxShape shape;
  btRigidBody chassis;
  Discs discs;
  OneBodyWorld world;
  std::vector<std::unique_ptr<btCollisionObject>> walls;
};

CarWorld::CarWorld(std::shared_ptr<const VehicleModel> model,
                   std::shared_ptr<const WallShapes> walls)
    : model_(std::move(model)),
      walls_(std::move(walls)),
      bullet_(std::make_unique<Bullet>(model_->spec)) {
  OneBodyWorld& world = bullet_->world;
  world.setGravity({0, 0, static_cast<btScalar>(-kGravityMps2)});
  world.setForceUpdateAllAabbs(false);

  // proxies in a fixed order: chassis, then walls as the track lists them
  bullet_->chassis.setActivationState(DISABLE_DEACTIVATION);
  world.SetBody(&bullet_->chassis);
  world.addRigidBody(&bullet_->chassis, kChassisGroup, btBroadphaseProxy::AllFilter);
  if (walls_ == nullptr) return;
  for (const WallShapes::Wall& wall : walls_->walls_) {
    auto object = std::make_unique<btCollisionObject>();
    object->setCollisionShape(wall.shape.get());
    object->setWorldTransform(wall.transform);
    object->setFriction(kWallFriction);
    object->setRestitution(kWallRestitution);
    // asleep, or Bullet would renew the bounds of every wall in every substep
    object->forceActivationState(ISLAND_SLEEPING);
    world.addCollisionObject(object.get(), btBroadphaseProxy::StaticFilter, kChassisGroup);
    bullet_->walls.push_back(std::move(object));
  }
}

CarWorld::~CarWorld() = default;

void CarWorld::Prefetch() const {
  PrefetchObject(bullet_->chassis);
  PrefetchObject(bullet_->discs);
  PrefetchObject(bullet_->world);
}

void CarWorld::BeginControlStep() {
  if (walls_ == nullptr) return;
  btCollisionDispatcher& dispatcher = bullet_->dispatcher;
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    dispatcher.getManifoldByIndexInternal(i)->clearManifold();
  }
  bullet_->solver.reset();
}

void CarWorld::Substep(const DriveInput& input) {
  ApplyVehicleForces(*model_, input, bullet_->chassis, wheels_);
  bullet_->world.Step(model_->substep_s, IsFarFromWalls() ? OneBodyWorld::Surroundings::kFree
                                                          : OneBodyWorld::Surroundings::kWalls);
}

bool CarWorld::IsFarFromWalls() const {
  if (walls_ == nullptr) return true;
  const Discs& discs = bullet_->discs;
  const float reach_m = discs.radius_m + kWallHalfThicknessM + kContactRoomM;
  if (reach_m > WallField::kReachM) return false;
  const btTransform& transform = bullet_->chassis.getCenterOfMassTransform();
  const btVector3 ahead = transform.getBasis().getColumn(0) * discs.ahead_m;
  for (const btVector3& middle : {transform.getOrigin() + ahead, transform.getOrigin() - ahead}) {
    if (!walls_->field_.IsFree(middle.x(), middle.y(), reach_m)) return false;
  }
  return true;
}

Vec2 CarWorld::PointAhead(double ahead_m) const {
  const btTransform& transform = bullet_->chassis.getCenterOfMassTransform();
  return {transform.getOrigin().x() + transform.getBasis()[0].x() * ahead_m,
          transform.getOrigin().y() + transform.getBasis()[1].x() * ahead_m};
}

BodyState CarWorld::state() const {
  const btRigidBody& chassis = bullet_->chassis;
  BodyState state;
  for (int row = 0; row < 3; ++row) {
    CopyVector(chassis.getCenterOfMassTransform().getBasis()[row], state.basis + 3 * row);
  }
  CopyVector(chassis.getCenterOfMassPosition(), state.position_m);
  CopyVector(chassis.getLinearVelocity(), state.velocity_mps);
  CopyVector(chassis.getAngularVelocity(), state.angular_velocity_radps);
  state.wheels = wheels_;
  return state;
}

void CarWorld::set_state(const BodyState& state) {
  const float* b = state.basis;
  const btTransform transform({b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8]},
                              VectorFrom(state.position_m));
  btRigidBody& chassis = bullet_->chassis;
  chassis.setCenterOfMassTransform(transform);
  chassis.setLinearVelocity(VectorFrom(state.velocity_mps));
  chassis.setAngularVelocity(VectorFrom(state.angular_velocity_radps));
  chassis.setInterpolationWorldTransform(transform);
  chassis.setInterpolationLinearVelocity(chassis.getLinearVelocity());
  chassis.setInterpolationAngularVelocity(chassis.getAngularVelocity());
  chassis.clearForces();

  // Bullet switches a body off whose bounds overflowed (a fault)
  chassis.forceActivationState(DISABLE_DEACTIVATION);
  wheels_ = state.wheels;
}

BodyState StandingBody(const VehicleModel& model, Vec2 com_m, double yaw_rad, double speed_mps) {
  const float c = static_cast<float>(std::cos(yaw_rad));
  const float s = static_cast<float>(std::sin(yaw_rad));
  const float speed = static_cast<float>(speed_mps);
  BodyState state;
  const float basis[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
  std::copy(basis, basis + 9, state.basis);
  state.position_m[0] = static_cast<float>(com_m.x);
  state.position_m[1] = static_cast<float>(com_m.y);
  state.position_m[2] = model.com_height_m;
  state.velocity_mps[0] = speed * c;
  state.velocity_mps[1] = speed * s;
  for (int i = 0; i < kNumWheels; ++i) {
    state.wheels.speed_radps[i] = speed * model.inverse_wheel_radius_1pm;
    state.wheels.load_n[i] = model.wheels[i].rest_load_n;
    state.wheels.forward_speed_mps[i] = speed;
  }
  return state;
}

}  // namespace lapforge::sim
