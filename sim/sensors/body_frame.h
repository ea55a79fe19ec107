// The rotation between body and world of a measured car state.
#pragma once

#include <cmath>

#include "sim/base/math.h"

namespace lapforge::sim {

// A rotation as rows of its matrix.
struct Rotation3 {
  Vec3 x{1, 0, 0};
  Vec3 y{0, 1, 0};
  Vec3 z{0, 0, 1};

  Vec3 Apply(Vec3 v) const { return {Dot(x, v), Dot(y, v), Dot(z, v)}; }
  Vec3 ApplyInverse(Vec3 v) const { return v.x * x + v.y * y + v.z * z; }
};

// First about x by the roll, then about y by the pitch, then about z by the yaw: local to outer
// frame. Positive pitch lowers the nose.
inline Rotation3 RotationOf(double roll_rad, double pitch_rad, double yaw_rad) {
  const double cr = std::cos(roll_rad), sr = std::sin(roll_rad);
  const double cp = std::cos(pitch_rad), sp = std::sin(pitch_rad);
  const double cy = std::cos(yaw_rad), sy = std::sin(yaw_rad);
  return {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
          {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
          {-sp, cp * sr, cp * cr}};
}

// The rotation that applies `inner` first.
inline Rotation3 Compose(const Rotation3& outer, const Rotation3& inner) {
  return {inner.ApplyInverse(outer.x), inner.ApplyInverse(outer.y), inner.ApplyInverse(outer.z)};
}

}  // namespace lapforge::sim
