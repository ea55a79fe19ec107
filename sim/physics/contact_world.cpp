#include "sim/physics/contact_world.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lapforge::sim {
namespace {

// What the solver does where nothing touches: forces and the gyroscopic torque become velocity.
void AddImpulses(btRigidBody& body, btScalar dt_s) {
  const btVector3 impulse = body.getTotalForce() * body.getInvMass() * dt_s;
  const btVector3 torque_impulse = body.getTotalTorque() * body.getInvInertiaTensorWorld() * dt_s +
                                   body.computeGyroscopicImpulseImplicit_Body(dt_s);
  const btVector3 nothing(0, 0, 0);  // the solver adds it, which turns -0 into 0
  body.setLinearVelocity(body.getLinearVelocity() + nothing + impulse);
  body.setAngularVelocity(body.getAngularVelocity() + nothing + torque_impulse);
}

bool IsFinite(const btVector3& v) { return std::isfinite(v.length2()); }

bool IsFinite(const btCollisionObject& object) {
  const btTransform& transform = object.getWorldTransform();
  if (!IsFinite(transform.getOrigin()) || !IsFinite(transform.getBasis().getColumn(0)))
    return false;
  const btRigidBody* const body = btRigidBody::upcast(&object);
  return body == nullptr ||
         (IsFinite(body->getLinearVelocity()) && IsFinite(body->getAngularVelocity()) &&
          IsFinite(body->getTotalForce()) && IsFinite(body->getTotalTorque()));
}

// Indices in the world of the two that touch, the lower one first.
std::pair<int, int> TouchOf(const btPersistentManifold* manifold) {
  const int a = manifold->getBody0()->getWorldArrayIndex();
  const int b = manifold->getBody1()->getWorldArrayIndex();
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

void ContactWorld::AddMoving(btRigidBody* body) {
  bodies_.push_back(body);
  objects_.push_back(body);
}

void ContactWorld::Step(btScalar dt_s, Surroundings surroundings) {
  for (btRigidBody* const body : bodies_) body->applyGravity();
  touching_.clear();
  if (surroundings == Surroundings::kInReach) FindTouching();
  if (touching_.empty()) {
    for (btRigidBody* const body : bodies_) AddImpulses(*body, dt_s);
  } else {
    SolveContacts(dt_s);
  }

  for (btRigidBody* const body : bodies_) {
    btTransform moved;
    body->predictIntegratedTransform(dt_s, moved);
    body->proceedToTransform(moved);
    body->clearForces();
  }
}

void ContactWorld::updateAabbs() {
  for (btRigidBody* const body : bodies_) updateSingleAabb(body);
}

// A body that has met a fault touches nothing: the others must not catch it.
void ContactWorld::FindTouching() {
  performDiscreteCollisionDetection();
  for (int i = 0; i < m_dispatcher1->getNumManifolds(); ++i) {
    btPersistentManifold* const manifold = m_dispatcher1->getManifoldByIndexInternal(i);
    if (manifold->getNumContacts() > 0 && IsFinite(*manifold->getBody0()) &&
        IsFinite(*manifold->getBody1())) {
      touching_.push_back(manifold);
    }
  }
  std::sort(touching_.begin(), touching_.end(),
            [](const auto* a, const auto* b) { return TouchOf(a) < TouchOf(b); });
}

void ContactWorld::SolveContacts(btScalar dt_s) {
  btContactSolverInfo& info = getSolverInfo();
  info.m_timeStep = dt_s;
  const int num_bodies = static_cast<int>(objects_.size());
  const int num_touching = static_cast<int>(touching_.size());
  m_constraintSolver->prepareSolve(num_bodies, num_touching);
  m_constraintSolver->solveGroup(objects_.data(), num_bodies, touching_.data(), num_touching,
                                 nullptr, 0, info, nullptr, m_dispatcher1);
  m_constraintSolver->allSolved(info, nullptr);
}

}  // namespace lapforge::sim
