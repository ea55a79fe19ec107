#include "sim/episode/env.h"

#include <algorithm>
#include <cmath>

#include "sim/episode/measure.h"
#include "sim/episode/progress.h"
#include "sim/sensors/track_state.h"

namespace lapforge::sim {
namespace {

// Both borders of a track as pieces of wall.
std::shared_ptr<const WallShapes> WallsOf(const tracks::Track& track) {
  std::vector<WallSegment> segments;
  for (int i = 0; i < track.num_segments(); ++i) {
    const tracks::Waypoint from = track.waypoint(i);
    const tracks::Waypoint to = track.waypoint(i + 1);
    segments.push_back({from.left_m, to.left_m});
    segments.push_back({from.right_m, to.right_m});
  }
  std::erase_if(segments, [](const WallSegment& wall) { return wall.from_m == wall.to_m; });
  return std::make_shared<const WallShapes>(segments);
}

double Fraction(double number) { return number - std::floor(number); }

}  // namespace

SharedModel::SharedModel(const SimOptions& sim_options, const CarSpec& spec,
                         std::vector<tracks::Track> track_views)
    : options(sim_options),
      car(spec),
      actions(options.actions),
      substep_s(options.control_dt_s() / options.timing.substeps_per_control),
      actuators(car, substep_s),
      vehicle(std::make_shared<const VehicleModel>(car, substep_s)),
      views(std::move(track_views)) {
  for (size_t i = 0; i < views.size(); i += 2) {
    walls.push_back(options.walls ? WallsOf(views[i]) : nullptr);
  }
}

Env::Env(std::shared_ptr<const SharedModel> model, int env_index)
    : model_(std::move(model)),
      env_index_(env_index),
      world_(model_->vehicle, model_->walls[size_t(env_index) % model_->walls.size()]),
      front_points_m_(size_t(model_->options.timing.substeps_per_control) + 1) {}

void Env::Reset() {
  state_ = EnvState();
  Spawn();
}

bool Env::IsReversed() const {
  switch (model_->options.episode.direction) {
    case DirectionMode::kForward:
      return false;
    case DirectionMode::kReversed:
      return true;
    case DirectionMode::kAlternate:
      return state_.episode_index % 2 == 1;
  }
  return false;
}

// On an open track a car needs room behind its front point, and some way to drive before the end.
double Env::StartArcLength(RngStream& random) const {
  constexpr double kMinDriveFrac = 0.25;
  const EpisodeOptions& episode = model_->options.episode;
  const tracks::Track& track = view();
  double share = episode.start_offset_frac;
  if (episode.start == StartMode::kSpread) {
    share += static_cast<double>(env_index_) / model_->options.num_envs;
  } else if (episode.start == StartMode::kRoundRobin) {
    share += episode.start_advance_frac * state_.episode_index;
  } else if (episode.start == StartMode::kAnywhere) {
    share += random.Uniform();
  }
  if (track.is_closed()) {
    return track.WrapArcLength(track.start_m() + Fraction(share) * track.length_m());
  }
  const double first_m = std::max(track.start_m(), model_->car.body_length_m);
  const double last_m = std::max(first_m, (1 - kMinDriveFrac) * track.length_m());
  return first_m + Fraction(share) * (last_m - first_m);
}

void Env::Spawn() {
  const EpisodeOptions& episode = model_->options.episode;
  const size_t track_index = size_t(env_index_) % model_->walls.size();
  state_.view_index = static_cast<int32_t>(2 * track_index) + (IsReversed() ? 1 : 0);
  RngStream random(model_->options.seed, uint32_t(env_index_), state_.episode_index,
                   RngPurpose::kStartPose);
  Placement start;
  start.start_arc_length_m = StartArcLength(random);
  double offset_m = 0;
  start.yaw_rad = view().TangentYawAt(start.start_arc_length_m);
  if (episode.start == StartMode::kAnywhere) {
    const double side = random.Uniform(-episode.start_lateral_frac, episode.start_lateral_frac);
    const tracks::HalfWidths widths = view().HalfWidthsAt(start.start_arc_length_m);
    offset_m = side * (side > 0 ? widths.left_m : widths.right_m);
    start.yaw_rad += random.Uniform(-episode.start_heading_rad, episode.start_heading_rad);
    start.speed_mps = random.Uniform(0, episode.start_speed_mps);
  }
  start.front_point_m = view().PointAt(start.start_arc_length_m, offset_m);
  StartEpisode(start);
}

void Env::Place(const Placement& placement) { StartEpisode(placement); }

void Env::StartEpisode(const Placement& placement) {
  state_.num_steps = 0;
  state_.start_arc_length_m = view().WrapArcLength(placement.start_arc_length_m);
  state_.previous_progress_pct = placement.previous_progress_pct;
  state_.lap_time_us = 0;
  state_.lap_start_us = 0;
  state_.action = {};
  state_.actuators = model_->actuators.AtRest(placement.speed_mps);
  state_.judge = JudgeState();

  const double com_to_front_point_m = model_->car.front_point_m - model_->car.origin_to_com_m;
  const Vec2 com_m =
      placement.front_point_m - DirectionOf(placement.yaw_rad) * com_to_front_point_m;
  world_.set_state(StandingBody(*model_->vehicle, com_m, placement.yaw_rad, placement.speed_mps));

  // a place from nowhere: found by a full scan
  state_.segment_hint = view().Project(placement.front_point_m).segment_index;
  MeasureNow(state_.segment_hint);
  state_.arc_length_m = measured_.position.arc_length_m;
  state_.progress_pct = ProgressAt(view(), state_.arc_length_m, state_.start_arc_length_m,
                                   state_.previous_progress_pct);
  state_.progress_delta_m = 0;
}

void Env::Actuate(std::span<const float> numbers, StepFacts& facts) {
  const Action action = model_->actions.FromNumbers(numbers);

  // under DeepRacer's pairing the facts are those the action answered
  facts = measured_;
  facts.progress_pct = state_.progress_pct;
  facts.progress_delta_m = state_.progress_delta_m;
  facts.lap_time_us = state_.lap_time_us;

  ++state_.num_steps;
  facts.env_index = env_index_;
  facts.track_index = state_.view_index;
  facts.episode_index = state_.episode_index;
  facts.steps = state_.num_steps + 1;  // the first is DeepRacer's prepare step
  facts.sim_time_s = static_cast<double>(state_.total_steps) * model_->options.control_dt_s();
  facts.start_arc_length_m = state_.start_arc_length_m;
  facts.steering_cmd_rad = action.command.steering_rad;
  facts.speed_cmd_mps = action.command.speed_mps;
  facts.last_action = state_.action;
  facts.action = action.scaled;
  facts.action_index = action.index;

  state_.action = action.scaled;
  model_->actuators.Command(action.command, state_.actuators);
}

void Env::Integrate() {
  const double ahead_m = model_->car.front_point_m - model_->car.origin_to_com_m;
  world_.BeginControlStep();
  front_points_m_[0] = world_.PointAhead(ahead_m);
  for (size_t i = 1; i < front_points_m_.size(); ++i) {
    model_->actuators.Advance(state_.actuators);
    world_.Substep({static_cast<float>(state_.actuators.steering_rad),
                    static_cast<float>(state_.actuators.drive_speed_mps)});
    front_points_m_[i] = world_.PointAhead(ahead_m);
  }
  ++state_.total_steps;
}

void Env::MeasureNow(int segment_hint) {
  const CarState car = CarStateFrom(model_->car, world_.state(), state_.actuators);
  MeasurePlace(model_->car, view(), car, segment_hint, measured_);
  measured_.action = state_.action;
  state_.segment_hint = measured_.position.segment_index;
}

void Env::Measure(StepFacts& facts) {
  is_faulty_ = !IsFinite(world_.state());
  if (is_faulty_) return;  // facts and observation stay those of the last sound instant
  MeasureNow(state_.segment_hint);
  MeasureProgress();
  if (model_->options.facts == FactsInstant::kDeepracer) return;

  facts.car = measured_.car;
  facts.front_point_m = measured_.front_point_m;
  facts.wheels_m = measured_.wheels_m;
  facts.wheel_on_road = measured_.wheel_on_road;
  facts.position = measured_.position;
  facts.borders = measured_.borders;
  facts.heading_error_rad = measured_.heading_error_rad;
  facts.all_wheels_on_track = measured_.all_wheels_on_track;
  facts.is_off_track = measured_.is_off_track;
  facts.progress_pct = state_.progress_pct;
  facts.progress_delta_m = state_.progress_delta_m;
  facts.lap_time_us = state_.lap_time_us;
}

void Env::MeasureProgress() {
  const double arc_length_m = measured_.position.arc_length_m;
  state_.progress_delta_m = view().ArcLengthDelta(state_.arc_length_m, arc_length_m);
  state_.arc_length_m = arc_length_m;
  state_.progress_pct =
      ProgressAt(view(), arc_length_m, state_.start_arc_length_m, state_.previous_progress_pct);
  const bool is_lap_complete = state_.progress_pct == 100;
  state_.previous_progress_pct = is_lap_complete ? 0 : state_.progress_pct;
  state_.lap_time_us = 0;
  if (is_lap_complete) FinishLap();
}

void Env::FinishLap() {
  const double in_step_s =
      CrossingTimeInStep(view(), state_.start_arc_length_m, {front_points_m_, model_->substep_s});
  const double step_start_s = (state_.num_steps - 1) * model_->options.control_dt_s();
  const int64_t crossing_us = std::llround((step_start_s + in_step_s) * 1e6);
  state_.lap_time_us = std::max<int64_t>(crossing_us - state_.lap_start_us, 1);
  state_.lap_start_us = crossing_us;
}

void Env::JudgeStep(StepFacts& facts) {
  if (!is_faulty_) {
    Judge(model_->options.episode, state_.num_steps, state_.judge, facts);
    return;
  }
  ++state_.num_faults;
  facts.lap_count = state_.judge.lap_count;
  facts.lap_time_us = 0;
  facts.reason = EndReason::kFault;
  facts.terminated = true;
  facts.truncated = false;
}

void Env::RespawnIfEnded(const StepFacts& facts) {
  if (!facts.ended()) return;
  ++state_.episode_index;
  Spawn();
}

void Env::Observe(std::span<std::byte> row) const {
  WriteTrackState(model_->options.sensors, view(), measured_,
                  {reinterpret_cast<float*>(row.data()), row.size() / sizeof(float)});
}

void Env::Restore(const EnvState& state, const BodyState& body) {
  state_ = state;
  world_.set_state(body);
  MeasureNow(state_.segment_hint);
}

}  // namespace lapforge::sim
