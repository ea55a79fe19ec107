// The car's description: its fields, its rules and the built-in files.
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/file_io.h"
#include "sim/base/strings.h"
#include "sim/car.h"
#include "sim/car/data/cars_data.h"
#include "sim/options_text.h"

namespace lapforge::sim {
namespace {

constexpr std::array<std::string_view, 2> kGeometryNames = {"ackermann", "parallel"};
constexpr std::array<std::string_view, 3> kControlNames = {"closed_loop", "open_loop", "kinematic"};
constexpr std::string_view kFileEnding = ".textproto";

// From a toy on a desk to a full-size car.
constexpr Range kLengthM = {1e-3, 10};

struct InertiaFields {
  Vec3& vector;
};

void VisitFields(InertiaFields& fields, FieldVisitor& visitor) {
  visitor.Double("x", fields.vector.x, {1e-7, 1e5});
  visitor.Double("y", fields.vector.y, {1e-7, 1e5});
  visitor.Double("z", fields.vector.z, {1e-7, 1e5});
}

Result<CarSpec> ParseCar(std::string_view text, const std::string& source) {
  CarSpec spec;
  const auto set = [&](const std::string& path, const std::string& value) {
    return SetOption(spec, path, value);
  };
  LAPFORGE_CHECK_OK(ParseOptionsText(text, source, "lapforge.sim.proto.CarSpec", set));
  if (const auto checked = Validate(spec); !checked.ok()) {
    return ErrorOf(source, ": ", checked.error().message);
  }
  return spec;
}

}  // namespace

void VisitFields(CarSpec& spec, FieldVisitor& visitor) {
  visitor.String("name", spec.name);

  visitor.Double("mass_kg", spec.mass_kg, {0.01, 1e4});
  InertiaFields inertia{spec.inertia_kgm2};
  visitor.Group("inertia_kgm2", inertia);
  visitor.Double("com_height_m", spec.com_height_m, kLengthM);
  visitor.Double("com_to_front_axle_m", spec.com_to_front_axle_m, kLengthM);
  visitor.Double("com_to_rear_axle_m", spec.com_to_rear_axle_m, kLengthM);
  visitor.Double("front_axle_track_m", spec.front_axle_track_m, kLengthM);
  visitor.Double("rear_axle_track_m", spec.rear_axle_track_m, kLengthM);
  visitor.Double("body_length_m", spec.body_length_m, kLengthM);
  visitor.Double("body_width_m", spec.body_width_m, kLengthM);
  visitor.Double("body_height_m", spec.body_height_m, kLengthM);
  visitor.Double("front_point_m", spec.front_point_m, {-10, 10});
  visitor.Double("origin_to_com_m", spec.origin_to_com_m, {-10, 10});
  visitor.Double("com_left_m", spec.com_left_m, {-10, 10});

  visitor.Double("wheel_radius_m", spec.wheel_radius_m, kLengthM);
  visitor.Double("wheel_inertia_kgm2", spec.wheel_inertia_kgm2, {1e-8, 1e3});
  visitor.Double("suspension_stiffness_1ps2", spec.suspension_stiffness_1ps2, {10, 1000});
  visitor.Double("suspension_damping_ratio", spec.suspension_damping_ratio, {0.05, 2});
  visitor.Double("suspension_travel_m", spec.suspension_travel_m, {1e-3, 1});
  visitor.Double("friction", spec.friction, {0, 5});
  visitor.Double("tire_stiffness_factor", spec.tire_stiffness_factor, {0.5, 50});
  visitor.Double("tire_shape_factor", spec.tire_shape_factor, {0.5, 2});
  visitor.Double("rolling_resistance_frac", spec.rolling_resistance_frac, {0, 0.5});

  visitor.Enum("steering_geometry", spec.steering_geometry, kGeometryNames);
  visitor.Enum("speed_control", spec.speed_control, kControlNames);
  visitor.Double("drive_front_frac", spec.drive_front_frac, {0, 1});
  visitor.Double("max_steering_rad", spec.max_steering_rad, {0.01, 1.2});
  visitor.Double("min_speed_cmd_mps", spec.min_speed_cmd_mps, {-100, 100});
  visitor.Double("max_speed_cmd_mps", spec.max_speed_cmd_mps, {0.1, 100});
  visitor.Double("max_drive_torque_nm", spec.max_drive_torque_nm, {1e-4, 1e5});
  visitor.Double("max_brake_torque_nm", spec.max_brake_torque_nm, {1e-4, 1e5});
  visitor.Double("speed_gain_1ps", spec.speed_gain_1ps, {0.01, 1000});
  visitor.Double("steering_lag_s", spec.steering_lag_s, {0, 5});
  visitor.Double("motor_lag_s", spec.motor_lag_s, {0, 5});
  visitor.Int("control_latency_steps", spec.control_latency_steps, {0, kMaxLatencySteps});
}

Result<void> Validate(const CarSpec& spec) {
  LAPFORGE_CHECK_OK(ValidateOptions(spec));
  if (spec.min_speed_cmd_mps >= spec.max_speed_cmd_mps) {
    return ErrorOf("min_speed_cmd_mps ", spec.min_speed_cmd_mps,
                   " must be below max_speed_cmd_mps ", spec.max_speed_cmd_mps);
  }
  const double half_track_m = std::min(spec.front_axle_track_m, spec.rear_axle_track_m) / 2;
  if (std::abs(spec.com_left_m) >= half_track_m) {
    return ErrorOf("com_left_m ", spec.com_left_m, " is beyond the wheels at ", half_track_m);
  }
  return {};
}

std::vector<std::string> BuiltInCarNames() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : CarsDataFiles()) {
    names.emplace_back(file.name.substr(0, file.name.size() - kFileEnding.size()));
  }
  return names;
}

Result<CarSpec> LoadBuiltInCar(std::string_view name) {
  for (const EmbeddedFile& file : CarsDataFiles()) {
    if (file.name == StrCat(name, kFileEnding)) return ParseCar(file.text, std::string(file.name));
  }
  const std::vector<std::string> names = BuiltInCarNames();
  return ErrorOf("no built-in car '", name, "'", DidYouMean(name, names),
                 "; built in: ", Join(names, ", "));
}

Result<CarSpec> LoadCar(const std::string& name_or_path) {
  if (!EndsWith(name_or_path, kFileEnding)) return LoadBuiltInCar(name_or_path);
  LAPFORGE_TRY(const std::string text, ReadFile(name_or_path));
  return ParseCar(text, name_or_path);
}

}  // namespace lapforge::sim
