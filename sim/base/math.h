// Angles, vectors and planar poses, in double precision. Frames and signs: counter-clockwise
// positive, x forward or east, y left or north.
#pragma once

#include <cmath>

namespace lapforge {

inline constexpr double kPi = 3.14159265358979323846;

constexpr double RadFromDeg(double angle_deg) { return angle_deg * (kPi / 180.0); }
constexpr double DegFromRad(double angle_rad) { return angle_rad * (180.0 / kPi); }

/// The same direction in (-pi, pi]. NaN for a non-finite angle.
inline double WrapAngle(double angle_rad) {
  const double wrapped = std::remainder(angle_rad, 2.0 * kPi);
  return wrapped <= -kPi ? kPi : wrapped;
}

/// `value` limited to [low, high]; NaN stays NaN. Needs low <= high.
template <class T>
constexpr T Clamp(T value, T low, T high) {
  return value < low ? low : (high < value ? high : value);
}

/// a at fraction 0, b at fraction 1, both exactly; extrapolates beyond. Numbers, Vec2 or Vec3.
template <class T>
constexpr T Lerp(T a, T b, double fraction) {
  return a * (1.0 - fraction) + b * fraction;
}

struct Vec2 {
  double x = 0;
  double y = 0;

  constexpr bool operator==(const Vec2&) const = default;
  constexpr Vec2& operator+=(Vec2 b) { return *this = {x + b.x, y + b.y}; }
  constexpr Vec2& operator-=(Vec2 b) { return *this = {x - b.x, y - b.y}; }
  constexpr Vec2& operator*=(double factor) { return *this = {x * factor, y * factor}; }
};

constexpr Vec2 operator+(Vec2 a, Vec2 b) { return a += b; }
constexpr Vec2 operator-(Vec2 a, Vec2 b) { return a -= b; }
constexpr Vec2 operator-(Vec2 a) { return {-a.x, -a.y}; }
constexpr Vec2 operator*(Vec2 a, double factor) { return a *= factor; }
constexpr Vec2 operator*(double factor, Vec2 a) { return a *= factor; }
constexpr Vec2 operator/(Vec2 a, double divisor) { return {a.x / divisor, a.y / divisor}; }

constexpr double Dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }

/// z of the cross product: positive when b points to the left of a.
constexpr double Cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }

inline double Length(Vec2 a) { return std::sqrt(Dot(a, a)); }

/// a turned a quarter to the left.
constexpr Vec2 LeftNormal(Vec2 a) { return {-a.y, a.x}; }

/// a turned counter-clockwise.
inline Vec2 Rotate(Vec2 a, double angle_rad) {
  const double c = std::cos(angle_rad);
  const double s = std::sin(angle_rad);
  return {c * a.x - s * a.y, s * a.x + c * a.y};
}

/// Unit vector in direction `angle_rad`.
inline Vec2 DirectionOf(double angle_rad) { return {std::cos(angle_rad), std::sin(angle_rad)}; }

struct Vec3 {
  double x = 0;
  double y = 0;
  double z = 0;

  constexpr bool operator==(const Vec3&) const = default;
  constexpr Vec3& operator+=(Vec3 b) { return *this = {x + b.x, y + b.y, z + b.z}; }
  constexpr Vec3& operator-=(Vec3 b) { return *this = {x - b.x, y - b.y, z - b.z}; }
  constexpr Vec3& operator*=(double f) { return *this = {x * f, y * f, z * f}; }
};

constexpr Vec3 operator+(Vec3 a, Vec3 b) { return a += b; }
constexpr Vec3 operator-(Vec3 a, Vec3 b) { return a -= b; }
constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator*(Vec3 a, double factor) { return a *= factor; }
constexpr Vec3 operator*(double factor, Vec3 a) { return a *= factor; }
constexpr Vec3 operator/(Vec3 a, double d) { return {a.x / d, a.y / d, a.z / d}; }

constexpr double Dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

constexpr Vec3 Cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline double Length(Vec3 a) { return std::sqrt(Dot(a, a)); }

/// A frame in the plane: its origin and the direction of its x-axis in the world.
struct Pose2 {
  Vec2 position_m;
  double yaw_rad = 0;

  constexpr bool operator==(const Pose2&) const = default;

  /// World coordinates of a point given in this frame.
  Vec2 ToWorld(Vec2 local_m) const { return position_m + Rotate(local_m, yaw_rad); }

  /// Coordinates in this frame of a point given in the world.
  Vec2 ToLocal(Vec2 world_m) const { return Rotate(world_m - position_m, -yaw_rad); }
};

}  // namespace lapforge
