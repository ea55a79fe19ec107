// Tests angles, vectors and poses against values known by hand.
#include "sim/base/math.h"

#include <catch2/catch.hpp>
#include <limits>

namespace lapforge {
namespace {

void CheckClose(Vec2 actual, Vec2 expected) {
  CHECK(actual.x == Approx(expected.x).margin(1e-12));
  CHECK(actual.y == Approx(expected.y).margin(1e-12));
}

TEST_CASE("Angles convert, and wrap to half a turn each side") {
  CHECK(RadFromDeg(180) == kPi);
  CHECK(DegFromRad(kPi / 2) == 90);
  CHECK(WrapAngle(0) == 0);
  CHECK(WrapAngle(kPi) == kPi);
  CHECK(WrapAngle(-kPi) == kPi);
  CHECK(WrapAngle(3 * kPi) == Approx(kPi).epsilon(1e-14));
  CHECK(WrapAngle(-3 * kPi) == Approx(kPi).epsilon(1e-14));
  CHECK(WrapAngle(1.5 * kPi) == Approx(-0.5 * kPi).epsilon(1e-14));
  CHECK(WrapAngle(-20.25 * kPi) == Approx(-0.25 * kPi).epsilon(1e-13));
  CHECK(std::isnan(WrapAngle(std::numeric_limits<double>::infinity())));
}

TEST_CASE("Clamp keeps the range and NaN, and Lerp meets its ends") {
  CHECK(Clamp(5, 0, 3) == 3);
  CHECK(Clamp(-5.0, 0.0, 3.0) == 0);
  CHECK(Clamp(2.0, 0.0, 3.0) == 2);
  CHECK(std::isnan(Clamp(std::nan(""), 0.0, 1.0)));
  CHECK(Lerp(0.1, 0.7, 0) == 0.1);
  CHECK(Lerp(0.1, 0.7, 1) == 0.7);
  CHECK(Lerp(Vec2{0, 2}, Vec2{4, 0}, 0.25) == Vec2{1, 1.5});
}

TEST_CASE("Plane vectors") {
  const Vec2 a{3, 4}, b{-1, 2};
  CHECK(a + b == Vec2{2, 6});
  CHECK(a - b == Vec2{4, 2});
  CHECK(-a == Vec2{-3, -4});
  CHECK(2 * a == Vec2{6, 8});
  CHECK(a / 2 == Vec2{1.5, 2});
  CHECK(Dot(a, b) == 5);
  CHECK(Cross(a, b) == 10);
  CHECK(Cross(Vec2{1, 0}, Vec2{0, 1}) == 1);
  CHECK(Length(a) == 5);
  CHECK(LeftNormal(Vec2{1, 0}) == Vec2{0, 1});
  CheckClose(Rotate({1, 0}, kPi / 2), {0, 1});
  CheckClose(Rotate({2, 1}, RadFromDeg(180)), {-2, -1});
  CheckClose(DirectionOf(kPi / 6), {std::sqrt(3.0) / 2, 0.5});
}

TEST_CASE("Space vectors") {
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  CHECK(Cross(x, y) == z);
  CHECK(Cross(y, z) == x);
  CHECK(Cross(z, x) == y);
  CHECK(Length(Vec3{2, 3, 6}) == 7);
  CHECK(Dot(Vec3{1, 2, 3}, Vec3{4, 5, 6}) == 32);
  CHECK((x + 2 * y - z) / 2 == Vec3{0.5, 1, -0.5});
  CHECK(-x == Vec3{-1, 0, 0});
}

TEST_CASE("A pose maps points to the world and back") {
  const Pose2 pose{{10, 20}, kPi / 2};
  CheckClose(pose.ToWorld({1, 0}), {10, 21});
  CheckClose(pose.ToWorld({0, 1}), {9, 20});
  CheckClose(pose.ToLocal({9, 20}), {0, 1});
  const Pose2 other{{-1.5, 0.25}, 2.2};
  CheckClose(other.ToLocal(other.ToWorld({0.3, -7})), {0.3, -7});
}

}  // namespace
}  // namespace lapforge
