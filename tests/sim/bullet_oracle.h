// The car in a complete Bullet world, stepped by Bullet's own stepSimulation: what CarWorld's
// shorter steps are compared with.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "sim/physics/car_world.h"

namespace lapforge::sim {

/// Bullet's world, but contacts of the one body in the order of the walls instead of islands.
class OrderedWorld : public btDiscreteDynamicsWorld {
 public:
  using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;
  btRigidBody* body = nullptr;
  int num_contacts = 0;  // ever solved

 protected:
  void calculateSimulationIslands() override {}
  void updateActivationState(btScalar) override {}

  void solveConstraints(btContactSolverInfo& info) override {
    std::vector<btPersistentManifold*> touching;
    for (int i = 0; i < m_dispatcher1->getNumManifolds(); ++i) {
      btPersistentManifold* const manifold = m_dispatcher1->getManifoldByIndexInternal(i);
      if (manifold->getNumContacts() > 0) touching.push_back(manifold);
    }
    const auto wall_of = [this](const btPersistentManifold* manifold) {
      const btCollisionObject* const first = manifold->getBody0();
      return (first == body ? manifold->getBody1() : first)->getWorldArrayIndex();
    };
    std::sort(touching.begin(), touching.end(),
              [&](const auto* a, const auto* b) { return wall_of(a) < wall_of(b); });
    const int count = static_cast<int>(touching.size());
    num_contacts += count;
    btCollisionObject* object = body;
    m_constraintSolver->prepareSolve(1, count);
    m_constraintSolver->solveGroup(&object, 1, touching.data(), count, nullptr, 0, info, nullptr,
                                   m_dispatcher1);
    m_constraintSolver->allSolved(info, nullptr);
  }
};

class BulletOracle {
 public:
  BulletOracle(std::shared_ptr<const VehicleModel> model, const std::vector<WallSegment>& walls)
      : model_(std::move(model)),
        dispatcher_(&configuration_),
        shape_({static_cast<btScalar>(model_->spec.body_length_m / 2),
                static_cast<btScalar>(model_->spec.body_width_m / 2),
                static_cast<btScalar>(model_->spec.body_height_m / 2)}),
        body_(InfoOf(model_->spec, &shape_)),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    world_.setGravity({0, 0, static_cast<btScalar>(-kGravityMps2)});
    body_.setActivationState(DISABLE_DEACTIVATION);
    world_.body = &body_;
    world_.addRigidBody(&body_);
    for (const WallSegment& wall : walls) AddWall(wall);
  }

  ~BulletOracle() {
    for (const auto& object : objects_) world_.removeCollisionObject(object.get());
    world_.removeRigidBody(&body_);
  }

  void SetState(const BodyState& state) {
    const float* b = state.basis;
    const btTransform transform({b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8]},
                                VectorOf(state.position_m));
    body_.setCenterOfMassTransform(transform);
    body_.setLinearVelocity(VectorOf(state.velocity_mps));
    body_.setAngularVelocity(VectorOf(state.angular_velocity_radps));
    wheels_ = state.wheels;
  }

  void BeginControlStep() {
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      dispatcher_.getManifoldByIndexInternal(i)->clearManifold();
    }
    solver_.reset();
  }

  void Substep(const DriveInput& input) {
    ApplyVehicleForces(*model_, input, body_, wheels_);
    world_.stepSimulation(model_->substep_s, 0);
  }

  BodyState state() const {
    BodyState state;
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        state.basis[3 * i + k] = body_.getCenterOfMassTransform().getBasis()[i][k];
      }
      state.position_m[i] = body_.getCenterOfMassPosition()[i];
      state.velocity_mps[i] = body_.getLinearVelocity()[i];
      state.angular_velocity_radps[i] = body_.getAngularVelocity()[i];
    }
    state.wheels = wheels_;
    return state;
  }

  int num_contacts() const { return world_.num_contacts; }

 private:
  static btVector3 VectorOf(const float v[3]) { return {v[0], v[1], v[2]}; }

  static btRigidBody::btRigidBodyConstructionInfo InfoOf(const CarSpec& spec, btBoxShape* shape) {
    btRigidBody::btRigidBodyConstructionInfo info(
        static_cast<btScalar>(spec.mass_kg), nullptr, shape,
        {static_cast<btScalar>(spec.inertia_kgm2.x), static_cast<btScalar>(spec.inertia_kgm2.y),
         static_cast<btScalar>(spec.inertia_kgm2.z)});
    info.m_friction = 0.5f;
    info.m_restitution = 0.5f;
    return info;
  }

  // A box as car_world.cpp describes it.
  void AddWall(const WallSegment& wall) {
    const Vec2 along = wall.to_m - wall.from_m;
    const Vec2 middle = Lerp(wall.from_m, wall.to_m, 0.5);
    shapes_.push_back(std::make_unique<btBoxShape>(
        btVector3(static_cast<btScalar>(Length(along) / 2), 0.05f, 0.1f)));
    auto object = std::make_unique<btCollisionObject>();
    btTransform transform;
    transform.setRotation({{0, 0, 1}, static_cast<btScalar>(std::atan2(along.y, along.x))});
    transform.setOrigin({static_cast<btScalar>(middle.x), static_cast<btScalar>(middle.y), 0.1f});
    object->setCollisionShape(shapes_.back().get());
    object->setWorldTransform(transform);
    object->setFriction(0.5f);
    object->setRestitution(0.2f);
    world_.addCollisionObject(object.get(), btBroadphaseProxy::StaticFilter);
    objects_.push_back(std::move(object));
  }

  std::shared_ptr<const VehicleModel> model_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btBoxShape shape_;
  btRigidBody body_;
  OrderedWorld world_;
  WheelStates wheels_;
  std::vector<std::unique_ptr<btBoxShape>> shapes_;
  std::vector<std::unique_ptr<btCollisionObject>> objects_;
};

}  // namespace lapforge::sim
