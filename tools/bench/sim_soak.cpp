#include "tools/bench/sim_soak.h"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "sim/base/hash.h"
#include "sim/base/rng.h"
#include "sim/vector_sim.h"

namespace lapforge::bench {
namespace {

// Steps after which caches and Bullet's pools have their size.
constexpr int64_t kWarmUpEnvSteps = 20000;
constexpr double kMaxGrowthMib = 4;
// An action holds this many steps, so that cars leave the road, slide, reverse and stand.
constexpr int kHoldSteps = 5;

sim::RandomizeOptions Everything(bool walls) {
  sim::RandomizeOptions randomize;
  randomize.friction_frac = 0.5;
  randomize.mass_frac = 0.3;
  randomize.com_shift_m = 0.01;
  randomize.drive_frac = 0.5;
  randomize.speed_gain_frac = 0.3;
  randomize.steering_gain_frac = 0.3;
  randomize.steering_trim_deg = 5;
  randomize.steering_lag_frac = 1;
  randomize.motor_lag_frac = 1;
  randomize.latency_steps = 3;
  randomize.camera_shift_m = 0.02;
  randomize.camera_turn_deg = 5;
  randomize.camera_fov_frac = 0.1;
  randomize.brightness_levels = 40;
  randomize.contrast_frac = 0.4;
  randomize.blur_frac = 1;
  randomize.light_frac = 0.3;
  randomize.num_grounds = 3;
  randomize.noise_frac = 0.5;
  if (!walls) randomize.track_width_frac = 0.2;
  return randomize;
}

sim::SimOptions FullOptions(int num_envs, bool walls) {
  sim::SimOptions options;
  options.num_envs = num_envs;
  options.walls = walls;
  options.episode.direction = sim::DirectionMode::kAlternate;
  options.episode.max_steps = 300;
  options.episode.max_resets = walls ? 3 : 0;
  options.objects.count = 4;
  options.objects.placement = sim::ObjectPlacement::kRandom;
  options.randomize = Everything(walls);
  options.actions.speed_low_mps = -2;  // the car's own limits hold
  options.sensors.kinds = {"track_state", "lidar", "camera", "imu", "wheel_speed", "objects_ahead"};
  options.sensors.lidar.dropout_frac = 0.02;
  options.sensors.camera.width_px = 32;
  options.sensors.camera.height_px = 24;
  options.sensors.camera.noise_levels = 4;
  options.sensors.camera.texel_m = 0.02;
  options.sensors.imu = {0.1, 0.02, 0.1, 0.02};
  options.sensors.wheel_speed = {0.02, 0.01};
  return options;
}

double ProcessMib() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0;
  statm >> pages >> pages;
  return static_cast<double>(pages * sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// A simulator, its buffers and what was found so far.
class Soak {
 public:
  explicit Soak(std::unique_ptr<sim::VectorSim> sim)
      : sim_(std::move(sim)),
        num_envs_(static_cast<size_t>(sim_->num_envs())),
        actions_(num_envs_ * 2),
        observations_(num_envs_ * sim_->observation_spec().row_bytes),
        final_observations_(observations_.size()),
        facts_(num_envs_) {
    sim_->Reset(observations_);
  }

  void Drive(int64_t num_env_steps) {
    for (int64_t done = 0; done < num_env_steps; done += static_cast<int64_t>(num_envs_)) {
      if (num_steps_++ % kHoldSteps == 0) DrawActions();
      sim_->Step({actions_, observations_, final_observations_, facts_});
      for (size_t env = 0; env < num_envs_; ++env) Inspect(env);
    }
  }

  int64_t num_env_steps() const { return num_steps_ * static_cast<int64_t>(num_envs_); }
  int64_t num_episodes() const { return num_episodes_; }
  int64_t num_faults() const { return sim_->num_faults(); }
  int64_t num_not_finite() const { return num_not_finite_; }
  uint64_t Hash() const {
    StateHasher hasher;
    hasher.Add(sim_->StateHash());
    hasher.Add(observations_.data(), observations_.size());
    return hasher.Finish();
  }

 private:
  void DrawActions() {
    RngStream random(1, 0, static_cast<uint32_t>(num_steps_), RngPurpose::kActionNoise);
    for (float& action : actions_) action = static_cast<float>(random.Uniform(-1.2, 1.2));
  }

  // Floats of a row that are not finite count, and facts that no fault excuses.
  void Inspect(size_t env) {
    const sim::StepFacts& facts = facts_[env];
    num_episodes_ += facts.ended() ? 1 : 0;
    const double sum = facts.front_point_m.x + facts.front_point_m.y + facts.progress_pct +
                       facts.position.lateral_offset_m + facts.car.velocity_body_mps.x +
                       facts.car.angular_velocity_body_radps.z + facts.car.position_world_m.z;
    num_not_finite_ += std::isfinite(sum) ? 0 : 1;
    const size_t row_bytes = sim_->observation_spec().row_bytes;
    for (const sim::SensorSpec& sensor : sim_->observation_spec().sensors) {
      if (sensor.type != sim::ObservationType::kFloat32) continue;
      const std::byte* const bytes = observations_.data() + env * row_bytes + sensor.offset_bytes;
      for (size_t i = 0; i < sensor.size_bytes; i += sizeof(float)) {
        float number = 0;
        std::memcpy(&number, bytes + i, sizeof(float));
        num_not_finite_ += std::isfinite(number) ? 0 : 1;
      }
    }
  }

  std::unique_ptr<sim::VectorSim> sim_;
  size_t num_envs_;
  std::vector<float> actions_;
  std::vector<std::byte> observations_;
  std::vector<std::byte> final_observations_;
  std::vector<sim::StepFacts> facts_;
  int64_t num_steps_ = 0;
  int64_t num_episodes_ = 0;
  int64_t num_not_finite_ = 0;
};

Result<void> SoakHalf(const tracks::Track& track, const SoakOptions& options, bool walls) {
  ThreadPool pool(options.num_threads);
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar("rc_1_18"));
  LAPFORGE_TRY(auto sim,
               sim::VectorSim::Create(FullOptions(options.num_envs, walls), car, {track}, &pool));
  Soak soak(std::move(sim));
  const int64_t num_env_steps = options.num_env_steps / 2;
  const int64_t num_first = std::min(kWarmUpEnvSteps, num_env_steps / 2);
  soak.Drive(num_first);
  const double before_mib = ProcessMib();
  soak.Drive(num_env_steps - num_first);
  const double after_mib = ProcessMib();
  const char* const name = walls ? "walls" : "widths";
  std::printf("%-7s %10" PRId64 " %9" PRId64 " %7" PRId64 " %11" PRId64 " %10.1f %9.1f  %016" PRIx64
              "\n",
              name, soak.num_env_steps(), soak.num_episodes(), soak.num_faults(),
              soak.num_not_finite(), before_mib, after_mib, soak.Hash());
  std::fflush(stdout);
  if (soak.num_not_finite() > 0) {
    return ErrorOf("soak ", name, ": ", soak.num_not_finite(), " numbers are not finite");
  }
  if (after_mib > before_mib + kMaxGrowthMib) {
    return ErrorOf("soak ", name, ": memory grew from ", before_mib, " to ", after_mib, " MiB");
  }
  return {};
}

}  // namespace

int SoakSim(const tracks::Track& track, const SoakOptions& options) {
  std::printf("soak         steps  episodes  faults  not finite  MiB before MiB after  hash\n");
  for (const bool walls : {true, false}) {
    if (const auto done = SoakHalf(track, options, walls); !done.ok()) {
      std::fprintf(stderr, "error: %s\n", done.error().message.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace lapforge::bench
