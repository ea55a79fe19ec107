// Tests the car on Bullet against closed forms: turns, braking, launch, load transfer, rest,
// energy.
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

constexpr double kG = 9.81;

// Share of the friction that the tyre curve gives at a slip (spec/simulation.md section 1).
double CurveAt(const CarSpec& car, double slip) {
  return std::sin(car.tire_shape_factor * std::atan(car.tire_stiffness_factor * slip));
}

// But for those whose wheels turn at the commanded speed whatever the forces.
std::vector<CarSpec> AllCars() {
  std::vector<CarSpec> cars;
  for (const std::string& name : BuiltInCarNames()) {
    CarSpec car = ValueOf(LoadBuiltInCar(name));
    if (car.speed_control != SpeedControl::kKinematic) cars.push_back(std::move(car));
  }
  return cars;
}

// Strong enough that only the tyres limit.
CarSpec Strong(CarSpec car) {
  car.max_drive_torque_nm = 50;
  car.max_brake_torque_nm = 50;
  car.speed_gain_1ps = 500;
  car.rolling_resistance_frac = 0;
  return car;
}

double SpeedOf(const CarState& car) {
  return std::hypot(car.velocity_body_mps.x, car.velocity_body_mps.y);
}

TEST_CASE("a car turns as the bicycle model says in the linear range") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  // Stiffness grows with the axle's load, so both axles need the same slip: neutral steering,
  // yaw rate = v * tan(steering) / wheelbase, rear slip angle = a_y / (mu * B * C * g).
  const CarSpec& spec = base;
  const double stiffness = spec.friction * spec.tire_stiffness_factor * spec.tire_shape_factor;
  for (const double speed_mps : {0.8, 1.5, 2.5}) {
    for (const double steering_rad : {0.02, 0.05, -0.05}) {
      CAPTURE(speed_mps, steering_rad);
      CarRig rig(spec);
      rig.Start(speed_mps);
      rig.Drive(steering_rad, speed_mps, 4);
      const CarState car = rig.car();
      const double yaw_rate_radps = car.angular_velocity_body_radps.z;
      const double expected_radps = SpeedOf(car) * std::tan(steering_rad) / spec.wheelbase_m();
      CHECK(yaw_rate_radps == Approx(expected_radps).epsilon(0.03));
      const double radius_m = SpeedOf(car) / yaw_rate_radps;
      CHECK(radius_m == Approx(spec.wheelbase_m() / std::tan(steering_rad)).epsilon(0.03));

      if (speed_mps < 1.4) continue;  // below, the tyre is softened for the substep's sake
      const double lateral_mps2 = SpeedOf(car) * yaw_rate_radps;
      const double slip_rad = std::atan2(car.velocity_body_mps.y, car.velocity_body_mps.x);
      const double expected_slip_rad =
          spec.com_to_rear_axle_m / radius_m - lateral_mps2 / (stiffness * kG);
      CHECK(slip_rad == Approx(expected_slip_rad).epsilon(0.03).margin(1e-3));
    }
  }
}

TEST_CASE("equal front wheels turn the car on the same circle within a few percent") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  CarSpec spec = base;
  spec.steering_geometry = SteeringGeometry::kParallel;
  CarRig rig(spec);
  rig.Start(1.5);
  rig.Drive(0.05, 1.5, 4);
  const CarState car = rig.car();
  CHECK(car.angular_velocity_body_radps.z ==
        Approx(SpeedOf(car) * std::tan(0.05) / spec.wheelbase_m()).epsilon(0.03));
}

TEST_CASE("locked wheels brake with the sliding friction of the curve") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  const CarSpec spec = Strong(base);
  CarRig rig(spec);
  rig.Start(4);
  rig.Drive(0, 0, 0.1);
  const double before_mps = rig.car().velocity_body_mps.x;
  rig.Drive(0, 0, 0.2);
  const CarState car = rig.car();
  const double braking_mps2 = (before_mps - car.velocity_body_mps.x) / 0.2;
  CHECK(braking_mps2 == Approx(spec.friction * kG * CurveAt(spec, 1)).epsilon(0.03));
  CHECK(std::abs(car.wheel_speed_radps[0]) < 1);
}

TEST_CASE("braking at the best slip takes all of the friction") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  // a controller that holds the wheels at the curve's peak: B * slip = tan(pi / (2 C))
  const CarSpec spec = Strong(base);
  const double peak = std::tan(kPi / 2 / spec.tire_shape_factor) / spec.tire_stiffness_factor;
  CarRig rig(spec);
  rig.Start(4);
  double before_mps = 0;
  for (int i = 0; i < 30; ++i) {
    if (i == 6) before_mps = rig.car().velocity_body_mps.x;
    rig.Drive(0, rig.car().velocity_body_mps.x * (1 - peak), 1 / 120.0);
  }
  const double braking_mps2 = (before_mps - rig.car().velocity_body_mps.x) / (24 / 120.0);
  CHECK(braking_mps2 == Approx(spec.friction * kG).epsilon(0.03));
}

TEST_CASE("sliding sideways at the best slip takes all of the friction") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  const CarSpec& spec = base;
  const double peak = std::tan(kPi / 2 / spec.tire_shape_factor) / spec.tire_stiffness_factor;
  CarRig rig(spec);
  BodyState body = StandingBody(rig.model(), {0, 0}, 0, 10);
  body.velocity_mps[1] = static_cast<float>(-10 * peak);
  rig.SetBody(body);
  rig.Drive(0, 10, 6 / 120.0);
  const double lateral_mps2 = (rig.body().velocity_mps[1] - body.velocity_mps[1]) / (6 / 120.0);
  CHECK(lateral_mps2 == Approx(spec.friction * kG).epsilon(0.03));
}

TEST_CASE("a car that steers too much runs wide at nearly friction times g and stays stable") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  // twice the grip at full lock, if the wheels did not slide
  const double speed_mps = std::sqrt(2 * kG * base.wheelbase_m() / std::tan(0.5));
  CarRig rig(base);
  rig.Start(speed_mps);
  double largest_mps2 = 0;
  for (double steering_rad = 0; steering_rad < 0.5; steering_rad += 0.002) {
    rig.Drive(steering_rad, speed_mps, 4 / 120.0);
    const CarState car = rig.car();
    largest_mps2 = std::max(largest_mps2, SpeedOf(car) * car.angular_velocity_body_radps.z);
    CHECK(std::abs(std::atan2(car.velocity_body_mps.y, car.velocity_body_mps.x)) < 0.2);
  }
  // some grip goes into the drag of the steered wheels, more of it with softer tyres
  CHECK(largest_mps2 > 0.85 * base.friction * kG);
  CHECK(largest_mps2 < 1.0 * base.friction * kG);
}

TEST_CASE("a weak motor launches with torque over radius and mass") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  CarSpec spec = base;
  spec.max_drive_torque_nm = 0.4;
  CarRig rig(spec);
  rig.Drive(0, 50, 1);
  const double mass_kg =
      spec.mass_kg + 4 * spec.wheel_inertia_kgm2 / (spec.wheel_radius_m * spec.wheel_radius_m);
  const double force_n = spec.max_drive_torque_nm / spec.wheel_radius_m -
                         spec.rolling_resistance_frac * spec.mass_kg * kG;
  CHECK(rig.car().velocity_body_mps.x == Approx(force_n / mass_kg).epsilon(0.03));
}

TEST_CASE("a strong motor launches with spinning wheels and what grip is left") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  const CarSpec spec = Strong(base);
  CarRig rig(spec);
  rig.Drive(0, 4, 0.2);
  double speed_mps = 0;
  constexpr double kDtS = 1e-4;
  for (double t = 0; t < 0.2; t += kDtS) {
    const double slip = (4 - speed_mps) / std::max(speed_mps, 0.1);
    speed_mps += kDtS * spec.friction * kG * CurveAt(spec, slip);
  }
  CHECK(rig.car().velocity_body_mps.x == Approx(speed_mps).epsilon(0.03));
}

TEST_CASE("loads move by mass times acceleration times height over the base") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  const CarSpec& spec = base;

  SECTION("to the front under braking") {
    CarSpec braking = spec;
    braking.max_brake_torque_nm = 0.6;
    CarRig rig(braking);
    rig.Start(8);
    rig.Drive(0, 0, 1);
    const double before_mps = rig.car().velocity_body_mps.x;
    rig.Drive(0, 0, 0.1);
    const CarState car = rig.car();
    const double braking_mps2 = (before_mps - car.velocity_body_mps.x) / 0.1;
    const double front_n = car.normal_load_n[kFrontLeft] + car.normal_load_n[kFrontRight];
    const double rest_n = spec.mass_kg * kG * spec.com_to_rear_axle_m / spec.wheelbase_m();
    // the body pitches over its contact points: the centre of mass moves ahead, too
    const double moved_n = spec.mass_kg * (braking_mps2 + kG * std::sin(car.pitch_rad)) *
                           spec.com_height_m / spec.wheelbase_m();
    CHECK(front_n - rest_n == Approx(moved_n).epsilon(0.02));
  }

  SECTION("to the outer side in a turn") {
    CarRig rig(spec);
    rig.Start(2);
    rig.Drive(0.15, 2, 3);
    const CarState car = rig.car();
    const double lateral_mps2 = SpeedOf(car) * car.angular_velocity_body_radps.z;
    const auto axle_nm = [&](WheelIndex left, WheelIndex right, double axle_track_m) {
      return (car.normal_load_n[right] - car.normal_load_n[left]) * axle_track_m / 2;
    };
    const double moment_nm = axle_nm(kRearLeft, kRearRight, spec.rear_axle_track_m) +
                             axle_nm(kFrontLeft, kFrontRight, spec.front_axle_track_m);
    const double overturning_mps2 = lateral_mps2 + kG * std::sin(car.roll_rad);
    CHECK(moment_nm == Approx(spec.mass_kg * overturning_mps2 * spec.com_height_m).epsilon(0.02));
    double total_n = 0;
    for (const double load_n : car.normal_load_n) total_n += load_n;
    CHECK(total_n == Approx(spec.mass_kg * kG).epsilon(0.02));
  }
}

TEST_CASE("a parked car stays where it is") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  for (const double substep_hz : {120.0, 240.0}) {
    CarRig rig(base, substep_hz);
    rig.Drive(0, 0, 20);
    const CarState car = rig.car();
    CHECK(std::abs(car.position_world_m.x) < 1e-5);
    CHECK(std::abs(car.position_world_m.y) < 1e-5);
    CHECK(car.position_world_m.z == Approx(base.com_height_m).margin(1e-5));
    CHECK(std::abs(car.yaw_rad) < 1e-5);
    CHECK(SpeedOf(car) < 1e-5);
  }
}

TEST_CASE("a sliding car comes to rest, without creep") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  CarRig rig(base);
  BodyState body = StandingBody(rig.model(), {0, 0}, 0, 0);
  body.velocity_mps[0] = 1;
  body.velocity_mps[1] = 2;
  body.angular_velocity_radps[2] = 6;
  rig.SetBody(body);
  rig.Drive(0.2, 0, 5);
  const CarState stopped = rig.car();
  rig.Drive(0.2, 0, 5);
  const CarState later = rig.car();
  CHECK(std::abs(later.position_world_m.x - stopped.position_world_m.x) < 1e-4);
  CHECK(std::abs(later.position_world_m.y - stopped.position_world_m.y) < 1e-4);
  CHECK(std::abs(later.yaw_rad - stopped.yaw_rad) < 1e-4);
}

// Kinetic, lifted and spring energy.
double EnergyOf(const VehicleModel& model, const CarState& car) {
  const CarSpec& spec = model.spec;
  const Vec3 v = car.velocity_body_mps;
  const Vec3 w = car.angular_velocity_body_radps;
  double energy_j = spec.mass_kg * (Dot(v, v) / 2 + kG * car.position_world_m.z) +
                    (spec.inertia_kgm2.x * w.x * w.x + spec.inertia_kgm2.y * w.y * w.y +
                     spec.inertia_kgm2.z * w.z * w.z) /
                        2;
  for (int i = 0; i < kNumWheels; ++i) {
    energy_j += spec.wheel_inertia_kgm2 * car.wheel_speed_radps[i] * car.wheel_speed_radps[i] / 2 +
                car.normal_load_n[i] * car.normal_load_n[i] / (2 * model.spring_npm);
  }
  return energy_j;
}

TEST_CASE("a coasting car never gains energy") {
  CarSpec spec = TestCar();
  spec.max_drive_torque_nm = 1e-4;  // the smallest allowed
  spec.max_brake_torque_nm = 1e-4;
  for (const double steering_rad : {0.0, 0.3}) {
    CarRig rig(spec);
    BodyState body = StandingBody(rig.model(), {0, 0}, 0, 2.5);
    body.velocity_mps[1] = 1.5;
    body.angular_velocity_radps[2] = 5;
    rig.SetBody(body);
    double least_j = EnergyOf(rig.model(), rig.car());
    const double start_j = least_j;
    for (int i = 0; i < 360; ++i) {
      rig.Drive(steering_rad, 0, 1 / 120.0);
      const double energy_j = EnergyOf(rig.model(), rig.car());
      CHECK(energy_j < least_j + 0.01 * start_j);
      least_j = std::min(least_j, energy_j);
    }
  }
}

TEST_CASE("120 and 240 Hz drive the same slalom") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  const auto drive = [&base](double substep_hz) {
    CarRig rig(base, substep_hz);
    rig.Start(1.5);
    for (int i = 0; i < 30; ++i) rig.Drive(0.2 * std::sin(0.4 * i), i < 20 ? 2.5 : 1.0, 0.1);
    return rig.car();
  };
  const CarState coarse = drive(120);
  const CarState fine = drive(240);
  // 5 m of road: 2 percent
  CHECK(coarse.position_world_m.x == Approx(fine.position_world_m.x).margin(0.1));
  CHECK(coarse.position_world_m.y == Approx(fine.position_world_m.y).margin(0.1));
  CHECK(coarse.yaw_rad == Approx(fine.yaw_rad).margin(0.03));
  CHECK(SpeedOf(coarse) == Approx(SpeedOf(fine)).epsilon(0.02));
}

TEST_CASE("an open-loop motor settles at the commanded speed less its losses") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  CarSpec spec = base;
  spec.speed_control = SpeedControl::kOpenLoop;
  CarRig rig(spec);
  rig.Drive(0, 2, 10);
  // torque of a direct-current motor: T_max * (command - speed) / top speed
  const double loss_nm = spec.rolling_resistance_frac * spec.mass_kg * kG * spec.wheel_radius_m;
  const double expected_mps = 2 - loss_nm / spec.max_drive_torque_nm * spec.max_speed_cmd_mps;
  CHECK(rig.car().velocity_body_mps.x == Approx(expected_mps).epsilon(0.03));
}

TEST_CASE("a kinematic motor turns every wheel as asked, and the tyres do the rest") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  CarSpec spec = base;
  spec.speed_control = SpeedControl::kKinematic;
  CarRig rig(spec);
  rig.Drive(0, 3, 1 / 120.0);
  for (const double spin_radps : rig.car().wheel_speed_radps) {
    CHECK(spin_radps == Approx(3 / spec.wheel_radius_m).epsilon(1e-6));
  }
  // the wheels spin; the launch takes what the curve leaves of the grip
  rig.Drive(0, 3, 0.1);
  CHECK(rig.car().velocity_body_mps.x < 0.1 * 1.1 * spec.friction * kG);
  CHECK(rig.car().velocity_body_mps.x > 0.1 * 0.7 * spec.friction * kG);
  rig.Drive(0, 3, 2);
  CHECK(rig.car().velocity_body_mps.x == Approx(3).epsilon(1e-3));
  rig.Drive(0, 0, 3);
  CHECK(std::abs(rig.car().velocity_body_mps.x) < 1e-4);
}

TEST_CASE("a car on its roof lies on the floor and slides to rest") {
  const CarSpec base = GENERATE(from_range(AllCars()));
  CAPTURE(base.name);
  CarRig rig(base);
  BodyState body = StandingBody(rig.model(), {0, 0}, 0, 2);
  for (const int i : {4, 8}) body.basis[i] = -1;  // half a roll
  body.position_m[2] = 0.1f;
  rig.SetBody(body);
  rig.Drive(0, 2, 5);
  const CarState car = rig.car();
  CHECK(car.position_world_m.z > 0);
  CHECK(car.position_world_m.z < base.body_height_m / 2);
  CHECK(SpeedOf(car) < 0.01);
}

}  // namespace
}  // namespace lapforge::sim
