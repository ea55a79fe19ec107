// Bullet's world, cut down to one moving body among walls.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <vector>

namespace lapforge::sim {

// Takes the steps of btDiscreteDynamicsWorld that one body needs, in Bullet's order and with its
// arithmetic, so that the result is Bullet's own bit for bit. What it leaves out: islands (Bullet
// sorts contacts into them by an unstable sort whose outcome depends on pairs that touched earlier;
// here contacts are taken in the order of the walls, so that they depend on the present state
// alone), sleeping, damping (the body has none), continuous collisions, visits to resting bodies,
// and where nothing touches the solver.
class OneBodyWorld : public btDiscreteDynamicsWorld {
 public:
  using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;

  // `body` outlives the world's steps.
  void SetBody(btRigidBody* body) { body_ = body; }

  enum class Surroundings { kFree, kWalls };  // kFree: no wall can touch the body

  // One substep with the forces collected on the body.
  void Step(btScalar dt_s, Surroundings surroundings);

  void updateAabbs() override { updateSingleAabb(body_); }

 private:
  void FindTouching();
  void SolveContacts(btScalar dt_s);
  void AddImpulses(btScalar dt_s);
  int WallOf(const btPersistentManifold* manifold) const;

  btRigidBody* body_ = nullptr;
  std::vector<btPersistentManifold*> touching_;  // in the order of the walls
};

}  // namespace lapforge::sim
