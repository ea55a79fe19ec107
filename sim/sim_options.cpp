#include "sim/sim_options.h"

#include <array>

#include "sim/base/math.h"
#include "sim/base/strings.h"
#include "sim/car.h"

namespace lapforge::sim {
namespace {

constexpr std::array<std::string_view, 2> kActionKindNames = {"continuous", "discrete"};
constexpr std::array<std::string_view, 2> kFactsNames = {"measured", "deepracer"};
constexpr std::array<std::string_view, 4> kStartNames = {"line", "spread", "round_robin",
                                                         "anywhere"};
constexpr std::array<std::string_view, 3> kDirectionNames = {"forward", "reversed", "alternate"};
constexpr std::array<std::string_view, 2> kObjectKindNames = {"box", "bot"};
constexpr std::array<std::string_view, 3> kPlacementNames = {"even", "random", "listed"};

constexpr size_t kMinDiscreteActions = 2;
constexpr size_t kMaxDiscreteActions = 512;
// Below this the tyre model depends on the substep (spec/simulation.md section 1).
constexpr double kMinSubstepHz = 100;

Result<void> ValidateActions(const ActionOptions& actions) {
  if (actions.kind == ActionKind::kDiscrete) {
    const size_t count = actions.discrete_speed_mps.size();
    if (count != actions.discrete_steering_deg.size()) {
      return ErrorOf("actions.discrete_steering_deg has ", actions.discrete_steering_deg.size(),
                     " numbers and actions.discrete_speed_mps ", count,
                     "; each action needs one of both");
    }
    if (count < kMinDiscreteActions || count > kMaxDiscreteActions) {
      return ErrorOf("actions.discrete_speed_mps has ", count, " numbers; expected ",
                     kMinDiscreteActions, " .. ", kMaxDiscreteActions);
    }
    return {};
  }
  if (actions.steering_low_deg >= actions.steering_high_deg) {
    return ErrorOf("actions.steering_low_deg ", actions.steering_low_deg,
                   " must be below actions.steering_high_deg ", actions.steering_high_deg);
  }
  if (actions.speed_low_mps >= actions.speed_high_mps) {
    return ErrorOf("actions.speed_low_mps ", actions.speed_low_mps,
                   " must be below actions.speed_high_mps ", actions.speed_high_mps);
  }
  return {};
}

Result<void> ValidateObjects(const ObjectOptions& objects) {
  if (objects.lane_change_low_s > objects.lane_change_high_s) {
    return ErrorOf("objects.lane_change_low_s ", objects.lane_change_low_s,
                   " must not be above objects.lane_change_high_s ", objects.lane_change_high_s);
  }
  if (objects.placement != ObjectPlacement::kListed) return {};
  if (objects.positions_frac.size() != static_cast<size_t>(objects.count) ||
      objects.lanes.size() != objects.positions_frac.size()) {
    return ErrorOf("objects.placement listed needs objects.count numbers (", objects.count,
                   ") in objects.positions_frac and objects.lanes; they have ",
                   objects.positions_frac.size(), " and ", objects.lanes.size());
  }
  return {};
}

Result<void> ValidateWorlds(const SimOptions& options) {
  if (options.num_envs % options.cars_per_world != 0) {
    return ErrorOf("num_envs ", options.num_envs, " must be a multiple of cars_per_world ",
                   options.cars_per_world);
  }
  if (options.objects.count + options.cars_per_world - 1 > kMaxObjects) {
    return ErrorOf("objects.count ", options.objects.count, " and the ", options.cars_per_world - 1,
                   " other cars of a world are more than ", kMaxObjects);
  }
  if (options.cars_per_world > 1 && options.randomize.track_width_frac > 0) {
    return ErrorOf("randomize.track_width_frac ", options.randomize.track_width_frac,
                   ": the cars of one world share its road; expected 0 with cars_per_world ",
                   options.cars_per_world);
  }
  if (options.cars_per_world > 1 && options.episode.direction == DirectionMode::kAlternate) {
    return ErrorOf("episode.direction alternate: the cars of one world drive the same way; ",
                   "expected forward or reversed with cars_per_world ", options.cars_per_world);
  }
  return {};
}

}  // namespace

void VisitFields(TimingOptions& timing, FieldVisitor& visitor) {
  visitor.Double("control_hz", timing.control_hz, {1, 200});
  visitor.Int("substeps_per_control", timing.substeps_per_control, {1, kMaxSubstepsPerControl});
}

void VisitFields(ActionOptions& actions, FieldVisitor& visitor) {
  visitor.Enum("kind", actions.kind, kActionKindNames);
  visitor.Double("steering_low_deg", actions.steering_low_deg, {-90, 90});
  visitor.Double("steering_high_deg", actions.steering_high_deg, {-90, 90});
  visitor.Double("speed_low_mps", actions.speed_low_mps, {-100, 100});
  visitor.Double("speed_high_mps", actions.speed_high_mps, {-100, 100});
  visitor.DoubleList("discrete_steering_deg", actions.discrete_steering_deg, {-90, 90});
  visitor.DoubleList("discrete_speed_mps", actions.discrete_speed_mps, {-100, 100});
}

void VisitFields(EpisodeOptions& episode, FieldVisitor& visitor) {
  visitor.Enum("start", episode.start, kStartNames);
  visitor.Enum("direction", episode.direction, kDirectionNames);
  visitor.Double("start_offset_frac", episode.start_offset_frac, {0, 1});
  visitor.Double("start_advance_frac", episode.start_advance_frac, {0, 1});
  visitor.Double("start_lateral_frac", episode.start_lateral_frac, {0, 1});
  visitor.Double("start_heading_rad", episode.start_heading_rad, {0, kPi});
  visitor.Double("start_speed_mps", episode.start_speed_mps, {0, 100});
  visitor.Int("max_steps", episode.max_steps, {0, 1000000000});
  visitor.Int("max_laps", episode.max_laps, {0, 1000000});
  visitor.Int("stuck_steps", episode.stuck_steps, {0, 1000000});
  visitor.Double("stuck_distance_m", episode.stuck_distance_m, {0, 1});
  visitor.Int("reversed_steps", episode.reversed_steps, {0, 1000000});
  visitor.Double("max_time_s", episode.max_time_s, {0, 1e6});
  visitor.Int("max_resets", episode.max_resets, {0, 1000000});
  visitor.Int("off_track_wheels", episode.off_track_wheels, {1, 4});
  visitor.Double("off_track_penalty_s", episode.off_track_penalty_s, {0, 1000});
  visitor.Double("crash_penalty_s", episode.crash_penalty_s, {0, 1000});
  visitor.Double("stuck_penalty_s", episode.stuck_penalty_s, {0, 1000});
}

void VisitFields(ObjectOptions& objects, FieldVisitor& visitor) {
  visitor.Enum("kind", objects.kind, kObjectKindNames);
  visitor.Int("count", objects.count, {0, kMaxObjects});
  visitor.Enum("placement", objects.placement, kPlacementNames);
  visitor.Double("min_distance_m", objects.min_distance_m, {0, 100});
  visitor.DoubleList("positions_frac", objects.positions_frac, {0, 1});
  visitor.DoubleList("lanes", objects.lanes, {-1, 1});
  visitor.Double("length_m", objects.length_m, {0.02, 2});
  visitor.Double("width_m", objects.width_m, {0.02, 2});
  visitor.Double("height_m", objects.height_m, {0.02, 2});
  visitor.Double("crash_margin_m", objects.crash_margin_m, {0, 1});
  visitor.Double("gray_level", objects.gray_level, {0, 255});
  visitor.Double("bot_speed_mps", objects.bot_speed_mps, {0, 20});
  visitor.Bool("lane_changes", objects.lane_changes);
  visitor.Double("lane_change_low_s", objects.lane_change_low_s, {0, 1000});
  visitor.Double("lane_change_high_s", objects.lane_change_high_s, {0, 1000});
  visitor.Double("lane_change_distance_m", objects.lane_change_distance_m, {0.2, 20});
}

void VisitFields(RandomizeOptions& randomize, FieldVisitor& visitor) {
  visitor.Double("friction_frac", randomize.friction_frac, {0, 0.9});
  visitor.Double("mass_frac", randomize.mass_frac, {0, 0.5});
  visitor.Double("com_shift_m", randomize.com_shift_m, {0, 0.1});
  visitor.Double("drive_frac", randomize.drive_frac, {0, 0.9});
  visitor.Double("speed_gain_frac", randomize.speed_gain_frac, {0, 0.9});
  visitor.Double("steering_gain_frac", randomize.steering_gain_frac, {0, 0.9});
  visitor.Double("steering_trim_deg", randomize.steering_trim_deg, {0, 20});
  visitor.Double("steering_lag_frac", randomize.steering_lag_frac, {0, 1});
  visitor.Double("motor_lag_frac", randomize.motor_lag_frac, {0, 1});
  visitor.Int("latency_steps", randomize.latency_steps, {0, kMaxLatencySteps});
  visitor.Double("camera_shift_m", randomize.camera_shift_m, {0, 0.2});
  visitor.Double("camera_turn_deg", randomize.camera_turn_deg, {0, 30});
  visitor.Double("camera_fov_frac", randomize.camera_fov_frac, {0, 0.5});
  visitor.Double("brightness_levels", randomize.brightness_levels, {0, 255});
  visitor.Double("contrast_frac", randomize.contrast_frac, {0, 0.9});
  visitor.Double("blur_frac", randomize.blur_frac, {0, 1});
  visitor.Double("light_frac", randomize.light_frac, {0, 1});
  visitor.Int("num_grounds", randomize.num_grounds, {1, 32});
  visitor.Double("ground_color_levels", randomize.ground_color_levels, {0, 255});
  visitor.Double("noise_frac", randomize.noise_frac, {0, 1});
  visitor.Double("track_width_frac", randomize.track_width_frac, {0, 0.5});
}

void VisitFields(SimOptions& options, FieldVisitor& visitor) {
  visitor.Int("num_envs", options.num_envs, {1, 65536});
  visitor.Int("cars_per_world", options.cars_per_world, {1, kMaxCarsPerWorld});
  visitor.Uint64("seed", options.seed);
  visitor.String("car", options.car);
  visitor.Enum("facts", options.facts, kFactsNames);
  visitor.Bool("walls", options.walls);
  visitor.Group("timing", options.timing);
  visitor.Group("actions", options.actions);
  visitor.Group("episode", options.episode);
  visitor.Group("sensors", options.sensors);
  visitor.Group("objects", options.objects);
  visitor.Group("randomize", options.randomize);
}

Result<void> Validate(const SimOptions& options) {
  LAPFORGE_CHECK_OK(ValidateOptions(options));
  LAPFORGE_CHECK_OK(ValidateActions(options.actions));
  LAPFORGE_CHECK_OK(Validate(options.sensors));
  LAPFORGE_CHECK_OK(ValidateObjects(options.objects));
  LAPFORGE_CHECK_OK(ValidateWorlds(options));
  const double substep_hz = options.timing.control_hz * options.timing.substeps_per_control;
  if (substep_hz < kMinSubstepHz) {
    return ErrorOf("timing.control_hz x timing.substeps_per_control is ", substep_hz,
                   " Hz; the tyres need at least ", kMinSubstepHz);
  }
  if (options.walls && options.randomize.track_width_frac > 0) {
    return ErrorOf("randomize.track_width_frac ", options.randomize.track_width_frac,
                   " needs walls: false; walls stay where they are");
  }
  return {};
}

}  // namespace lapforge::sim
