// Bullet's world, cut down to a few moving bodies among obstacles.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <vector>

#include "sim/physics/prefetch.h"

namespace lapforge::sim {

// Takes the steps of btDiscreteDynamicsWorld that its bodies need, in Bullet's order and with its
// arithmetic, so that the result for one body is Bullet's own bit for bit. What it leaves out:
// islands (Bullet sorts contacts into them by an unstable sort whose outcome depends on pairs that
// touched earlier; here contacts are taken in the order of the bodies and obstacles, so that they
// depend on the present state alone), sleeping, damping (the bodies have none), continuous
// collisions, visits to resting bodies, and where nothing touches the solver.
class ContactWorld : public btDiscreteDynamicsWorld {
 public:
  using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;

  // `body` outlives the world's steps.
  void AddMoving(btRigidBody* body);

  enum class Surroundings { kFree, kInReach };  // kFree: nothing can touch any body

  // One substep with the forces collected on the bodies.
  void Step(btScalar dt_s, Surroundings surroundings);

  void updateAabbs() override;

  void PrefetchLists() const { PrefetchArray(bodies_.data(), bodies_.size()); }

 private:
  void FindTouching();
  void SolveContacts(btScalar dt_s);

  std::vector<btRigidBody*> bodies_;
  std::vector<btCollisionObject*> objects_;      // the same bodies, as the solver takes them
  std::vector<btPersistentManifold*> touching_;  // in the order of what touches
};

}  // namespace lapforge::sim
