#include "sim/physics/car_world.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/physics/contact_world.h"
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
// No track reaches further from the origin.
constexpr float kEverywhereM = 1e4f;
// Contacts of one car with a few walls; Bullet's default pools take 4.3 MB a world.
constexpr int kPoolSize = 16;
// The chassis' own group: boxes and walls collide with it and not with each other.
constexpr int kChassisGroup = 1 << 6;

btVector3 VectorFrom(const float v[3]) { return {v[0], v[1], v[2]}; }

void CopyVector(const btVector3& from, float to[3]) {
  for (int i = 0; i < 3; ++i) to[i] = from[i];
}

btVector3 VectorOf(Vec3 v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
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

// A chassis with its wheels.
struct CarWorld::Car {
  explicit Car(const VehicleModel& model)
      : shape({static_cast<btScalar>(model.spec.body_length_m / 2),
               static_cast<btScalar>(model.spec.body_width_m / 2),
               static_cast<btScalar>(model.spec.body_height_m / 2)}),
        chassis(ChassisInfo(model.spec, &shape)),
        discs(model.spec),
        radius_m(shape.getHalfExtentsWithMargin().length()),
        used_model(&model) {}

  const btVector3& middle_m() const { return chassis.getCenterOfMassPosition(); }

  btBoxShape shape;
  btRigidBody chassis;
  Discs discs;
  btScalar radius_m;
  const VehicleModel* used_model;  // of the car that the episode drives
  WheelStates wheels;
};

// Members are destroyed from the last to the first: the world before what it points to.
struct CarWorld::Bullet {
  Bullet(const Models& models, const BoxSet& boxes_of_world)
      : configuration(SmallPools()),
        dispatcher(&configuration),
        box_half_m(VectorOf(boxes_of_world.half_m)),
        box_shape(box_half_m),
        first_car(*models.front()),
        world(&dispatcher, &broadphase, &solver, &configuration) {
    cars.push_back(&first_car);
    for (size_t i = 1; i < models.size(); ++i) {
      other_cars.push_back(std::make_unique<Car>(*models[i]));
      cars.push_back(other_cars.back().get());
    }
    const btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, &box_shape);
    boxes.reserve(static_cast<size_t>(boxes_of_world.count));
    for (int i = 0; i < boxes_of_world.count; ++i) boxes.emplace_back(info);
  }

  ~Bullet() {
    for (const auto& wall : walls) world.removeCollisionObject(wall.get());
    for (btRigidBody& box : boxes) world.removeCollisionObject(&box);
    for (Car* const car : cars) world.removeRigidBody(&car->chassis);
  }

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher;
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btVector3 box_half_m;
  btBoxShape box_shape;
  Car first_car;  // here, so that it can be fetched without a detour
  std::vector<std::unique_ptr<Car>> other_cars;
  std::vector<Car*> cars;  // all
  std::vector<btRigidBody> boxes;
  ContactWorld world;
  std::vector<std::unique_ptr<btCollisionObject>> walls;
};

CarWorld::CarWorld(Models models, std::shared_ptr<const WallShapes> walls, const BoxSet& boxes)
    : models_(std::move(models)),
      walls_(std::move(walls)),
      bullet_(std::make_unique<Bullet>(models_, boxes)) {
  ContactWorld& world = bullet_->world;
  world.setGravity({0, 0, static_cast<btScalar>(-kGravityMps2)});
  world.setForceUpdateAllAabbs(false);

  // proxies in a fixed order: chassis, then boxes, then walls as the track lists them
  for (Car* const car : bullet_->cars) {
    car->chassis.setActivationState(DISABLE_DEACTIVATION);
    world.AddMoving(&car->chassis);
    world.addRigidBody(&car->chassis, kChassisGroup, btBroadphaseProxy::AllFilter);
  }
  for (btRigidBody& box : bullet_->boxes) {
    // a moving one has a velocity for those that it touches
    const int flags = box.getCollisionFlags();
    if (boxes.are_moving) box.setCollisionFlags(flags | btCollisionObject::CF_KINEMATIC_OBJECT);
    AddObstacle(box);
    // near everything: moving a proxy from episode to episode would allocate
    const btVector3 far(kEverywhereM, kEverywhereM, kEverywhereM);
    bullet_->broadphase.setAabb(box.getBroadphaseHandle(), -far, far, &bullet_->dispatcher);
  }
  if (walls_ == nullptr) return;
  for (const WallShapes::Wall& wall : walls_->walls_) {
    auto object = std::make_unique<btCollisionObject>();
    object->setCollisionShape(wall.shape.get());
    object->setWorldTransform(wall.transform);
    AddObstacle(*object);
    bullet_->walls.push_back(std::move(object));
  }
}

CarWorld::~CarWorld() = default;

void CarWorld::AddObstacle(btCollisionObject& object) {
  object.setFriction(kWallFriction);
  object.setRestitution(kWallRestitution);
  // asleep, or Bullet would renew the bounds of every wall in every substep
  object.forceActivationState(ISLAND_SLEEPING);
  bullet_->world.addCollisionObject(&object, btBroadphaseProxy::StaticFilter, kChassisGroup);
}

CarWorld::Car& CarWorld::CarAt(int car_index) const {
  return *bullet_->cars[static_cast<size_t>(car_index)];
}

void CarWorld::UseModel(const VehicleModel& model, int car_index) {
  Car& car = CarAt(car_index);
  car.used_model = &model;
  car.chassis.setMassProps(static_cast<btScalar>(model.spec.mass_kg),
                           VectorOf(model.spec.inertia_kgm2));
  // as a body of this mass has it that is added to the world
  car.chassis.setGravity(bullet_->world.getGravity());
  car.chassis.updateInertiaTensor();
}

void CarWorld::PlaceBox(int index, Vec2 middle_m, double yaw_rad) {
  btRigidBody& box = bullet_->boxes[static_cast<size_t>(index)];
  box.setWorldTransform(btTransform(btQuaternion({0, 0, 1}, static_cast<btScalar>(yaw_rad)),
                                    {static_cast<btScalar>(middle_m.x),
                                     static_cast<btScalar>(middle_m.y), bullet_->box_half_m.z()}));
}

void CarWorld::MoveBox(int index, const BoxMotion& motion) {
  PlaceBox(index, motion.middle_m, motion.yaw_rad);
  btRigidBody& box = bullet_->boxes[static_cast<size_t>(index)];
  box.setLinearVelocity(VectorOf({motion.velocity_mps.x, motion.velocity_mps.y, 0}));
  box.setAngularVelocity(VectorOf({0, 0, motion.yaw_rate_radps}));
}

void CarWorld::Prefetch() const {
  PrefetchObject(bullet_->first_car);
  PrefetchObject(bullet_->cars);
  PrefetchObject(bullet_->boxes);
  PrefetchObject(bullet_->world);
}

void CarWorld::PrefetchLists() const {
  PrefetchArray(models_.data(), models_.size());
  PrefetchArray(bullet_->cars.data(), bullet_->cars.size());
  bullet_->world.PrefetchLists();
}

void CarWorld::BeginControlStep() {
  if (walls_ == nullptr && bullet_->boxes.empty() && bullet_->cars.size() == 1) return;
  btCollisionDispatcher& dispatcher = bullet_->dispatcher;
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    dispatcher.getManifoldByIndexInternal(i)->clearManifold();
  }
  bullet_->solver.reset();
}

void CarWorld::Drive(int car_index, const DriveInput& input) {
  Car& car = CarAt(car_index);
  ApplyVehicleForces(*car.used_model, input, car.chassis, car.wheels);
}

void CarWorld::Advance() {
  bullet_->world.Step(models_.front()->substep_s, IsAnythingInReach()
                                                      ? ContactWorld::Surroundings::kInReach
                                                      : ContactWorld::Surroundings::kFree);
}

bool CarWorld::IsAnythingInReach() const {
  const std::vector<Car*>& cars = bullet_->cars;
  for (size_t i = 0; i < cars.size(); ++i) {
    if (!IsFarFromWalls(*cars[i]) || !IsFarFromBoxes(*cars[i])) return true;
    for (size_t other = 0; other < i; ++other) {
      const btScalar reach_m = cars[i]->radius_m + cars[other]->radius_m + kContactRoomM;
      if (cars[i]->middle_m().distance2(cars[other]->middle_m()) < reach_m * reach_m) return true;
    }
  }
  return false;
}

bool CarWorld::IsFarFromWalls(const Car& car) const {
  if (walls_ == nullptr) return true;
  const Discs& discs = car.discs;
  const float reach_m = discs.radius_m + kWallHalfThicknessM + kContactRoomM;
  if (reach_m > WallField::kReachM) return false;
  const btTransform& transform = car.chassis.getCenterOfMassTransform();
  const btVector3 ahead = transform.getBasis().getColumn(0) * discs.ahead_m;
  for (const btVector3& middle : {transform.getOrigin() + ahead, transform.getOrigin() - ahead}) {
    if (!walls_->field_.IsFree(middle.x(), middle.y(), reach_m)) return false;
  }
  return true;
}

bool CarWorld::IsFarFromBoxes(const Car& car) const {
  const btScalar reach_m = car.radius_m + bullet_->box_half_m.length() + kContactRoomM;
  for (const btRigidBody& box : bullet_->boxes) {
    if (car.middle_m().distance2(box.getWorldTransform().getOrigin()) < reach_m * reach_m) {
      return false;
    }
  }
  return true;
}

Vec2 CarWorld::PointAt(Vec2 place_m, int car_index) const {
  const btTransform& transform = CarAt(car_index).chassis.getCenterOfMassTransform();
  const btMatrix3x3& basis = transform.getBasis();
  const Vec2 com_m = {transform.getOrigin().x(), transform.getOrigin().y()};
  return com_m + place_m.x * Vec2{basis[0].x(), basis[1].x()} +
         place_m.y * Vec2{basis[0].y(), basis[1].y()};
}

BodyState CarWorld::state(int car_index) const {
  const btRigidBody& chassis = CarAt(car_index).chassis;
  BodyState state;
  for (int row = 0; row < 3; ++row) {
    CopyVector(chassis.getCenterOfMassTransform().getBasis()[row], state.basis + 3 * row);
  }
  CopyVector(chassis.getCenterOfMassPosition(), state.position_m);
  CopyVector(chassis.getLinearVelocity(), state.velocity_mps);
  CopyVector(chassis.getAngularVelocity(), state.angular_velocity_radps);
  state.wheels = CarAt(car_index).wheels;
  return state;
}

void CarWorld::set_state(const BodyState& state, int car_index) {
  const float* b = state.basis;
  const btTransform transform({b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8]},
                              VectorFrom(state.position_m));
  btRigidBody& chassis = CarAt(car_index).chassis;
  chassis.setCenterOfMassTransform(transform);
  chassis.setLinearVelocity(VectorFrom(state.velocity_mps));
  chassis.setAngularVelocity(VectorFrom(state.angular_velocity_radps));
  chassis.setInterpolationWorldTransform(transform);
  chassis.setInterpolationLinearVelocity(chassis.getLinearVelocity());
  chassis.setInterpolationAngularVelocity(chassis.getAngularVelocity());
  chassis.clearForces();

  // Bullet switches a body off whose bounds overflowed (a fault)
  chassis.forceActivationState(DISABLE_DEACTIVATION);
  CarAt(car_index).wheels = state.wheels;
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
