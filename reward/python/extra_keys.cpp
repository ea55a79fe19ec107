#include "reward/python/extra_keys.h"

#include <algorithm>
#include <cmath>

#include "sim/base/math.h"

namespace lapforge::reward {
namespace {

using sim::StepFacts;
using tracks::Track;

// Slower than this a car has no course to speak of.
constexpr double kStandingMps = 0.05;

double SpeedMps(const StepFacts& facts) {
  return Length(Vec2{facts.car.velocity_body_mps.x, facts.car.velocity_body_mps.y});
}

double SlipAngleDeg(const StepFacts& facts) {
  if (SpeedMps(facts) < kStandingMps) return 0;
  return DegFromRad(std::atan2(facts.car.velocity_body_mps.y, facts.car.velocity_body_mps.x));
}

template <class Wheels>
double LargestOf(const Wheels& wheels) {
  double largest = 0;
  for (const double value : wheels) largest = std::max(largest, std::abs(value));
  return largest;
}

constexpr auto kFloat = ExtraType::kFloat;
constexpr auto kInt = ExtraType::kInt;
constexpr auto kBool = ExtraType::kBool;

constexpr ExtraKey kExtraKeys[] = {
    // how the car moves
    {"speed_measured", kFloat, "m/s", "speed of the car over the ground",
     [](const StepFacts& f, const Track&) { return SpeedMps(f); }},
    {"forward_speed", kFloat, "m/s", "its part along the car, negative when rolling back",
     [](const StepFacts& f, const Track&) { return f.car.velocity_body_mps.x; }},
    {"lateral_speed", kFloat, "m/s", "its part across the car, left positive: sliding",
     [](const StepFacts& f, const Track&) { return f.car.velocity_body_mps.y; }},
    {"slip_angle", kFloat, "degrees", "from where the car points to where it goes, left positive",
     [](const StepFacts& f, const Track&) { return SlipAngleDeg(f); }},
    {"yaw_rate", kFloat, "degrees/s", "how fast the car turns, left positive",
     [](const StepFacts& f, const Track&) {
       return DegFromRad(f.car.angular_velocity_body_radps.z);
     }},
    {"lateral_acceleration", kFloat, "m/s^2", "forward speed times yaw rate, left positive",
     [](const StepFacts& f, const Track&) {
       return f.car.velocity_body_mps.x * f.car.angular_velocity_body_radps.z;
     }},
    {"steering_measured", kFloat, "degrees", "where the front wheels point, left positive",
     [](const StepFacts& f, const Track&) { return DegFromRad(f.car.steering_rad); }},
    {"steering_change", kFloat, "", "steering action minus that of the step before, -2 .. 2",
     [](const StepFacts& f, const Track&) { return f.action[0] - f.last_action[0]; }},
    {"tire_slip_angle", kFloat, "degrees", "largest of the four tyres, without sign",
     [](const StepFacts& f, const Track&) {
       return DegFromRad(LargestOf(f.car.tire_slip_angle_rad));
     }},
    {"slip_ratio", kFloat, "",
     "largest of the four wheels, without sign: wheel speed against ground speed, 0 when rolling",
     [](const StepFacts& f, const Track&) { return LargestOf(f.car.slip_ratio); }},

    // on the track
    {"lateral_offset", kFloat, "m", "from the centerline, left positive",
     [](const StepFacts& f, const Track&) { return f.position.lateral_offset_m; }},
    {"heading_error", kFloat, "degrees", "heading minus the centerline's direction, left positive",
     [](const StepFacts& f, const Track&) { return DegFromRad(f.heading_error_rad); }},
    {"curvature", kFloat, "1/m", "of the centerline here, left positive; 1 / radius",
     [](const StepFacts& f, const Track& view) {
       return view.CurvatureAt(f.position.arc_length_m);
     }},
    {"wheels_off_track", kInt, "", "0 .. 4",
     [](const StepFacts& f, const Track&) {
       return double(std::count(f.wheel_on_road.begin(), f.wheel_on_road.end(), false));
     }},

    // in the episode
    {"progress_delta", kFloat, "m",
     "along the centerline since the step before, negative backwards",
     [](const StepFacts& f, const Track&) { return f.progress_delta_m; }},
    {"start_distance", kFloat, "m", "projection_distance of where the episode began",
     [](const StepFacts& f, const Track&) { return f.start_arc_length_m; }},
    {"lap_count", kInt, "", "laps completed in this episode, this step included",
     [](const StepFacts& f, const Track&) { return double(f.lap_count); }},
    {"lap_time", kFloat, "s", "of the lap that this step completed, else 0",
     [](const StepFacts& f, const Track&) { return double(f.lap_time_us) * 1e-6; }},
    {"is_last_step", kBool, "", "the episode ends with this step, whatever the reason",
     [](const StepFacts& f, const Track&) { return f.ended() ? 1.0 : 0.0; }},
};

}  // namespace

std::span<const ExtraKey> ExtraKeys() { return kExtraKeys; }

}  // namespace lapforge::reward
