// Tests the car beyond its grip: understeer, oversteer, a flick that is caught, a spin.
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

struct Phase {
  double steering_rad = 0;
  double speed_mps = 0;
  double duration_s = 0;
};

double BodySlipOf(const CarState& car) {
  return std::atan2(car.velocity_body_mps.y, car.velocity_body_mps.x);
}

double RadiusOf(const CarState& car) {
  return car.velocity_body_mps.x / car.angular_velocity_body_radps.z;
}

// The largest slips on the way.
struct Slides {
  double body_rad = 0;
  double rear_tire_rad = 0;
};

Slides DriveThrough(CarRig& rig, const std::vector<Phase>& phases) {
  Slides slides;
  for (const Phase& phase : phases) {
    for (double t = 0; t < phase.duration_s; t += 1 / 120.0) {
      rig.Drive(phase.steering_rad, phase.speed_mps, 1 / 120.0);
      const CarState car = rig.car();
      slides.body_rad = std::max(slides.body_rad, std::abs(BodySlipOf(car)));
      slides.rear_tire_rad =
          std::max(slides.rear_tire_rad, std::abs(car.tire_slip_angle_rad[kRearLeft]));
    }
  }
  return slides;
}

CarSpec RearDriven() {
  CarSpec car = TestCar();
  car.drive_front_frac = 0;
  car.max_drive_torque_nm = 3;
  car.max_brake_torque_nm = 3;
  return car;
}

TEST_CASE("a car steered too much at speed understeers: its front slides, not its tail") {
  CarRig rig(TestCar());
  rig.Start(3);
  DriveThrough(rig, {{0.5, 3, 1.5}});
  const CarState car = rig.car();
  CHECK(RadiusOf(car) > 2 * TestCar().wheelbase_m() / std::tan(0.5));
  CHECK(car.tire_slip_angle_rad[kFrontLeft] > 3 * car.tire_slip_angle_rad[kRearLeft]);
  CHECK(std::abs(BodySlipOf(car)) < 0.1);
}

TEST_CASE("a rear-driven car oversteers on power") {
  CarRig rig(RearDriven());
  rig.Start(2);
  DriveThrough(rig, {{0.25, 2, 0.5}});
  CHECK(RadiusOf(rig.car()) == Approx(RearDriven().wheelbase_m() / std::tan(0.25)).epsilon(0.05));
  DriveThrough(rig, {{0.25, 4, 1.0}});
  const CarState car = rig.car();
  CHECK(car.tire_slip_angle_rad[kRearLeft] > 1.2 * car.tire_slip_angle_rad[kFrontLeft]);
  CHECK(BodySlipOf(car) < -0.3);  // the nose points into the bend
  CHECK(car.slip_ratio[kRearLeft] > 0.2);
}

TEST_CASE("a flick makes the tail slide and straight wheels catch it") {
  CarRig rig(TestCar());
  rig.Start(3.5);
  const Slides slides = DriveThrough(rig, {{-0.3, 3.5, 0.25}, {0.5, 3.5, 0.35}, {0.5, 1.5, 0.5}});
  CHECK(slides.body_rad > 0.2);
  CHECK(slides.rear_tire_rad > 0.4);
  DriveThrough(rig, {{0, 1.5, 0.5}});
  CHECK(std::abs(BodySlipOf(rig.car())) < 0.01);
  CHECK(std::abs(rig.car().angular_velocity_body_radps.z) < 0.05);
}

TEST_CASE("rear wheels locked in a bend spin the car, which comes to rest") {
  CarRig rig(RearDriven());
  rig.Start(3);
  DriveThrough(rig, {{0.15, 3, 0.3}});
  const double yaw_rad = rig.car().yaw_rad;
  const Slides slides = DriveThrough(rig, {{0.15, 0, 1.5}});
  CHECK(slides.body_rad > 0.6);
  CHECK(slides.rear_tire_rad > 1.2);
  CHECK(std::abs(WrapAngle(rig.car().yaw_rad - yaw_rad)) > 2.5);
  CHECK(std::abs(rig.car().velocity_body_mps.x) < 0.01);
}

}  // namespace
}  // namespace lapforge::sim
