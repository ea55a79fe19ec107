#include "sim/pure_pursuit.h"

#include <cmath>

#include "sim/base/assert.h"
#include "sim/base/option_fields.h"
#include "sim/car/action_map.h"
#include "sim/driver/sampled_line.h"

namespace lapforge::sim {

void VisitFields(PursuitOptions& options, FieldVisitor& visitor) {
  visitor.Double("max_speed_mps", options.max_speed_mps, {0.1, 100});
  visitor.Double("lateral_mps2", options.lateral_mps2, {0.1, 100});
  visitor.Double("braking_mps2", options.braking_mps2, {0.1, 100});
  visitor.Double("look_ahead_wheelbases", options.look_ahead_wheelbases, {0.5, 20});
  visitor.Double("look_ahead_s", options.look_ahead_s, {0, 2});
  visitor.Double("preview_s", options.preview_s, {0, 2});
}

Result<void> Validate(const PursuitOptions& options) { return ValidateOptions(options); }

class PurePursuit::Impl {
 public:
  Impl(const VectorSim& sim, const PursuitOptions& options)
      : sim_(sim), options_(options), action_map_(sim.options().actions) {
    for (const tracks::Track& track : sim.tracks()) lines_.emplace_back(track, options);
  }

  Result<void> Follow(int track_index, const DrivingLine& line) {
    const tracks::Track& track = sim_.tracks()[static_cast<size_t>(track_index)];
    LAPFORGE_TRY(lines_[static_cast<size_t>(track_index)],
                 SampledLine::FromLine(track, line, options_));
    return {};
  }

  // The circle through the rear axle, tangent to the car, that meets the line ahead. Formula:
  // Coulter, "Implementation of the pure pursuit path tracking algorithm", 1992.
  int num_envs() const { return sim_.num_envs(); }

  CarCommand CommandOf(int env_index) const {
    const StepFacts& now = sim_.now(env_index);
    const CarSpec& car = sim_.car(env_index);
    const SampledLine& line = lines_[static_cast<size_t>(now.track_index)];
    const double speed_mps = now.car.velocity_body_mps.x;
    const double front_to_rear_m = car.front_point_m - car.origin_to_com_m + car.com_to_rear_axle_m;
    const Pose2 rear = {now.front_point_m - front_to_rear_m * DirectionOf(now.car.yaw_rad),
                        now.car.yaw_rad};

    const double arc_m = now.position.arc_length_m;
    const double look_ahead_m = options_.look_ahead_wheelbases * car.wheelbase_m() +
                                options_.look_ahead_s * std::max(speed_mps, 0.0);
    const Vec2 goal_m = rear.ToLocal(line.PointAt(arc_m - front_to_rear_m + look_ahead_m));
    const double curvature_1pm = 2 * goal_m.y / Dot(goal_m, goal_m);
    return {std::atan(curvature_1pm * car.wheelbase_m()),
            line.SpeedAt(arc_m + options_.preview_s * speed_mps)};
  }

  void Decide(std::span<float> actions, const EnvRange& envs) const {
    const size_t action_dim = static_cast<size_t>(sim_.options().action_dim());
    for (int i = envs.begin; i < envs.end; ++i) {
      action_map_.ToNumbers(CommandOf(i),
                            actions.subspan(static_cast<size_t>(i) * action_dim, action_dim));
    }
  }

 private:
  const VectorSim& sim_;
  const PursuitOptions options_;
  const ActionMap action_map_;
  std::vector<SampledLine> lines_;  // one a view
};

PurePursuit::PurePursuit(const VectorSim& sim, const PursuitOptions& options)
    : impl_(std::make_unique<Impl>(sim, options)) {
  LAPFORGE_ASSERT(Validate(options).ok(), "the driver's options are in range");
}
PurePursuit::~PurePursuit() = default;

Result<void> PurePursuit::Follow(int track_index, const DrivingLine& line) {
  return impl_->Follow(track_index, line);
}

CarCommand PurePursuit::CommandOf(int env_index) const { return impl_->CommandOf(env_index); }

void PurePursuit::Decide(std::span<float> actions) const {
  Decide(actions, {0, impl_->num_envs()});
}

void PurePursuit::Decide(std::span<float> actions, const EnvRange& envs) const {
  impl_->Decide(actions, envs);
}

}  // namespace lapforge::sim
