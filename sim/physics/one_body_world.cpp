#include "sim/physics/one_body_world.h"

#include <algorithm>

namespace lapforge::sim {

void OneBodyWorld::Step(btScalar dt_s, Surroundings surroundings) {
  body_->applyGravity();
  touching_.clear();
  if (surroundings == Surroundings::kWalls) FindTouching();
  if (touching_.empty()) {
    AddImpulses(dt_s);
  } else {
    SolveContacts(dt_s);
  }

  btTransform moved;
  body_->predictIntegratedTransform(dt_s, moved);
  body_->proceedToTransform(moved);
  body_->clearForces();
}

void OneBodyWorld::FindTouching() {
  performDiscreteCollisionDetection();
  for (int i = 0; i < m_dispatcher1->getNumManifolds(); ++i) {
    btPersistentManifold* const manifold = m_dispatcher1->getManifoldByIndexInternal(i);
    if (manifold->getNumContacts() > 0) touching_.push_back(manifold);
  }
  std::sort(touching_.begin(), touching_.end(),
            [this](const auto* a, const auto* b) { return WallOf(a) < WallOf(b); });
}

void OneBodyWorld::SolveContacts(btScalar dt_s) {
  btContactSolverInfo& info = getSolverInfo();
  info.m_timeStep = dt_s;
  btCollisionObject* body = body_;
  m_constraintSolver->prepareSolve(1, static_cast<int>(touching_.size()));
  m_constraintSolver->solveGroup(&body, 1, touching_.data(), static_cast<int>(touching_.size()),
                                 nullptr, 0, info, nullptr, m_dispatcher1);
  m_constraintSolver->allSolved(info, nullptr);
}

// What the solver does where nothing touches: forces and the gyroscopic torque become velocity.
void OneBodyWorld::AddImpulses(btScalar dt_s) {
  const btVector3 impulse = body_->getTotalForce() * body_->getInvMass() * dt_s;
  const btVector3 torque_impulse =
      body_->getTotalTorque() * body_->getInvInertiaTensorWorld() * dt_s +
      body_->computeGyroscopicImpulseImplicit_Body(dt_s);
  const btVector3 nothing(0, 0, 0);  // the solver adds it, which turns -0 into 0
  body_->setLinearVelocity(body_->getLinearVelocity() + nothing + impulse);
  body_->setAngularVelocity(body_->getAngularVelocity() + nothing + torque_impulse);
}

// Index of the wall that a contact is with.
int OneBodyWorld::WallOf(const btPersistentManifold* manifold) const {
  const btCollisionObject* const first = manifold->getBody0();
  return (first == body_ ? manifold->getBody1() : first)->getWorldArrayIndex();
}

}  // namespace lapforge::sim
