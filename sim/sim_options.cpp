#include "sim/sim_options.h"

#include <array>

#include "sim/base/math.h"
#include "sim/base/strings.h"

namespace lapforge::sim {
namespace {

constexpr std::array<std::string_view, 2> kActionKindNames = {"continuous", "discrete"};
constexpr std::array<std::string_view, 2> kFactsNames = {"measured", "deepracer"};
constexpr std::array<std::string_view, 4> kStartNames = {"line", "spread", "round_robin",
                                                         "anywhere"};
constexpr std::array<std::string_view, 3> kDirectionNames = {"forward", "reversed", "alternate"};

constexpr size_t kMinDiscreteActions = 2;
constexpr size_t kMaxDiscreteActions = 512;
constexpr size_t kMaxLookAheadPoints = 64;
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

Result<void> ValidateSensors(const SensorOptions& sensors) {
  if (!sensors.track_state) {
    return ErrorOf("sensors.track_state is false, but it is the only sensor: nothing to observe");
  }
  const std::vector<double>& distances = sensors.look_ahead_m;
  if (distances.size() > kMaxLookAheadPoints) {
    return ErrorOf("sensors.look_ahead_m has ", distances.size(), " numbers; expected at most ",
                   kMaxLookAheadPoints);
  }
  for (size_t i = 1; i < distances.size(); ++i) {
    if (distances[i] > distances[i - 1]) continue;
    return ErrorOf("sensors.look_ahead_m[", i, "] is ", distances[i],
                   "; distances must grow from one to the next");
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
}

void VisitFields(SensorOptions& sensors, FieldVisitor& visitor) {
  visitor.Bool("track_state", sensors.track_state);
  visitor.DoubleList("look_ahead_m", sensors.look_ahead_m, {0.01, 50});
}

void VisitFields(SimOptions& options, FieldVisitor& visitor) {
  visitor.Int("num_envs", options.num_envs, {1, 65536});
  visitor.Uint64("seed", options.seed);
  visitor.String("car", options.car);
  visitor.Enum("facts", options.facts, kFactsNames);
  visitor.Bool("walls", options.walls);
  visitor.Group("timing", options.timing);
  visitor.Group("actions", options.actions);
  visitor.Group("episode", options.episode);
  visitor.Group("sensors", options.sensors);
}

Result<void> Validate(const SimOptions& options) {
  LAPFORGE_CHECK_OK(ValidateOptions(options));
  LAPFORGE_CHECK_OK(ValidateActions(options.actions));
  LAPFORGE_CHECK_OK(ValidateSensors(options.sensors));
  const double substep_hz = options.timing.control_hz * options.timing.substeps_per_control;
  if (substep_hz < kMinSubstepHz) {
    return ErrorOf("timing.control_hz x timing.substeps_per_control is ", substep_hz,
                   " Hz; the tyres need at least ", kMinSubstepHz);
  }
  return {};
}

}  // namespace lapforge::sim
