#include "tools/viewer/direct/director.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/base/strings.h"

namespace lapforge::viewer {
namespace {

constexpr double kNoticeS = 1.5;
constexpr double kLastSceneS = 1.5;
constexpr double kSameTime = 1e-9;  // in frames

std::string LapWords(int64_t lap_time_us) {
  return StrCat("lap ", FormatFixed(static_cast<double>(lap_time_us) * 1e-6, 3), " s");
}

std::string ReasonWords(sim::EndReason reason) {
  std::string words = sim::EndReasonName(reason);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace

int NumLastScenes(double fps) {
  return std::max(1, static_cast<int>(std::lround(kLastSceneS * fps)));
}

Director::Director(const sim::Recording& recording, int env_index, double fps, Sink sink)
    : env_(static_cast<size_t>(env_index)),
      num_tracks_(recording.tracks.size()),
      cars_per_world_(static_cast<size_t>(recording.options.cars_per_world)),
      fps_(fps),
      dt_s_(recording.options.control_dt_s()),
      is_rgb_(recording.options.sensors.camera.color == sim::CameraColor::kRgb),
      sink_(std::move(sink)),
      before_(static_cast<size_t>(recording.options.num_envs)),
      has_ended_(before_.size(), 0) {}

void Director::OnStep(const sim::VectorSim& sim, const sim::StepRows& rows, int step) {
  if (has_ended_[env_]) return;
  if (step > 0) {
    ShowInterval(sim, rows, step);
    CloseInterval(rows.facts[env_]);
    for (size_t i = 0; i < has_ended_.size(); ++i) has_ended_[i] |= rows.facts[i].ended() ? 1 : 0;
    if (has_ended_[env_]) {
      ReadCamera(sim, rows.final_observations);
      return;
    }
  }
  OpenInterval(sim, rows);
  if (step == 0) ShowInterval(sim, rows, 0);
}

// Cars of the same world stay on its road; others on the same track are there for their first
// episodes.
bool Director::IsInPicture(size_t i) const {
  const size_t world = i / cars_per_world_, own_world = env_ / cars_per_world_;
  if (world == own_world) return true;
  return !has_ended_[i] && world % num_tracks_ == own_world % num_tracks_;
}

// The scenes after step - 1 up to `step`, this included.
void Director::ShowInterval(const sim::VectorSim& sim, const sim::StepRows& rows, int step) {
  const sim::StepFacts& after = rows.facts[env_];
  if (begins_lap_) {
    ++scene_.lap_number;
    scene_.trail = {{before_[env_].position_m, before_[env_].speed_mps}};
    begins_lap_ = false;
  }
  for (; next_frame_ / fps_ <= step * dt_s_ + kSameTime; ++next_frame_) {
    const double share = step == 0 ? 0 : next_frame_ / fps_ / dt_s_ - (step - 1);
    scene_.cars.clear();
    for (size_t i = 0; i < before_.size(); ++i) {
      if (!IsInPicture(i)) continue;
      const SceneCar car =
          share > 0 ? Between(before_[i], CarIn(rows.facts[i]), share) : before_[i];
      scene_.cars.insert(i == env_ ? scene_.cars.begin() : scene_.cars.end(), car);
    }
    scene_.lap_clock_us = clock_before_us_ + std::llround(share * dt_s_ * 1e6);
    scene_.progress_pct = share > 0 && after.progress_pct > progress_before_pct_
                              ? Lerp(progress_before_pct_, after.progress_pct, share)
                              : progress_before_pct_;
    if (share > 1 - kSameTime) {
      ReadCamera(sim, after.ended() ? rows.final_observations : rows.observations);
    }
    if (next_frame_ >= notice_end_frame_) scene_.notice.clear();
    scene_.trail.push_back({scene_.cars.front().position_m, scene_.cars.front().speed_mps});
    sink_(scene_);
    scene_.trail.pop_back();
  }
}

// What the step's end adds to the scene.
void Director::CloseInterval(const sim::StepFacts& facts) {
  scene_.cars.front() = CarIn(facts);
  scene_.trail.push_back({scene_.cars.front().position_m, scene_.cars.front().speed_mps});
  scene_.progress_pct = facts.progress_pct;
  if (facts.lap_time_us > 0) {
    scene_.last_lap_us = facts.lap_time_us;
    const bool is_best = scene_.best_lap_us == 0 || facts.lap_time_us < scene_.best_lap_us;
    if (is_best) scene_.best_lap_us = facts.lap_time_us;
    Announce(LapWords(facts.lap_time_us));
  }
  if (facts.ended() || facts.lap_time_us > 0) {
    scene_.lap_clock_us = facts.lap_time_us > 0 ? facts.lap_time_us : facts.lap_clock_us;
  }
  if (facts.ended() && facts.lap_time_us == 0) Announce(ReasonWords(facts.reason));
  begins_lap_ = facts.lap_time_us > 0;
}

// Where the next step starts from, after any putting back.
void Director::OpenInterval(const sim::VectorSim& sim, const sim::StepRows& rows) {
  for (size_t i = 0; i < before_.size(); ++i) before_[i] = CarIn(sim.now(static_cast<int>(i)));
  const sim::StepFacts& now = sim.now(static_cast<int>(env_));
  const sim::StepFacts& facts = rows.facts[env_];
  if (facts.reset_reason != sim::EndReason::kNone) {
    const double penalty_s = static_cast<double>(now.lap_clock_us - facts.lap_clock_us) * 1e-6;
    Announce(
        StrCat(ReasonWords(facts.reset_reason), ": put back, +", FormatFixed(penalty_s, 1), " s"));
    constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
    scene_.trail.push_back({{kNowhere, kNowhere}, 0});
  }
  if (scene_.trail.empty())
    scene_.trail.push_back({before_[env_].position_m, before_[env_].speed_mps});
  clock_before_us_ = now.lap_clock_us;
  progress_before_pct_ = now.progress_pct < 100 ? now.progress_pct : 0;
  // cars are in the scene already
  objects_.clear();
  std::copy_if(now.objects.begin(), now.objects.begin() + now.num_objects,
               std::back_inserter(objects_),
               [](const auto& object) { return object.kind != sim::ObjectKind::kCar; });
  scene_.objects = objects_;
  ReadCamera(sim, rows.observations);
}

// The left one of two images.
void Director::ReadCamera(const sim::VectorSim& sim, std::span<const std::byte> rows) {
  for (const sim::SensorSpec& sensor : sim.observation_spec().sensors) {
    if (sensor.name != "camera") continue;
    const auto row = rows.subspan(env_ * sim.observation_spec().row_bytes + sensor.offset_bytes);
    scene_.camera.num_channels = is_rgb_ ? 3 : 1;
    scene_.camera.height_px = sensor.shape[1];
    scene_.camera.width_px = sensor.shape[2];
    camera_.assign(row.begin(),
                   row.begin() + scene_.camera.num_channels * sensor.shape[1] * sensor.shape[2]);
    scene_.camera.planes = camera_;
  }
}

void Director::Announce(const std::string& words) {
  scene_.notice = words;
  notice_end_frame_ = next_frame_ + static_cast<int>(std::lround(kNoticeS * fps_));
}

void Director::Finish() {
  for (int i = 0; i < NumLastScenes(fps_); ++i) sink_(scene_);
}

}  // namespace lapforge::viewer
