// A compiled reward: loads the library, checks its version, hands it facts as plain C.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "reward/lapforge_reward.h"
#include "reward/plugin/library_trial.h"
#include "reward/reward_function.h"
#include "sim/base/assert.h"
#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

constexpr double kMaxReward = 1e5;  // as for Python

static_assert(LAPFORGE_REWARD_MAX_OBJECTS == sim::kMaxObjects);

// The functions of a library that stays loaded while this lives.
class Library {
 public:
  static Result<Library> Open(const std::string& path) {
    // a name without a folder would be searched for in the system's
    std::error_code error;
    const std::string file = std::filesystem::absolute(path, error).string();
    if (!std::filesystem::exists(file, error)) {
      return ErrorOf("cannot read '", path, "': No such file or directory");
    }
    LAPFORGE_CHECK_OK(TryLibrary(path, file));
    Library library;
    library.handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ == nullptr) return ErrorOf(path, " is no compiled reward: ", dlerror());
    LAPFORGE_CHECK_OK(library.Find(path, "lapforge_reward_version", library.version_));
    const uint32_t version = library.version_();
    if (version != LAPFORGE_REWARD_VERSION) {
      return ErrorOf(path, " was compiled for version ", version,
                     " of lapforge_reward.h, this program has version ", LAPFORGE_REWARD_VERSION,
                     "; compile it again");
    }
    LAPFORGE_CHECK_OK(library.Find(path, "lapforge_reward_create", library.create));
    LAPFORGE_CHECK_OK(library.Find(path, "lapforge_reward_evaluate", library.evaluate));
    LAPFORGE_CHECK_OK(library.Find(path, "lapforge_reward_destroy", library.destroy));
    return library;
  }

  Library() = default;
  Library(Library&& other) noexcept { *this = std::move(other); }
  Library& operator=(Library&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::tie(version_, create, evaluate, destroy) =
        std::tie(other.version_, other.create, other.evaluate, other.destroy);
    return *this;
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }

  decltype(&lapforge_reward_create) create = nullptr;
  decltype(&lapforge_reward_evaluate) evaluate = nullptr;
  decltype(&lapforge_reward_destroy) destroy = nullptr;

 private:
  template <class Function>
  Result<void> Find(const std::string& path, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function != nullptr) return {};
    return ErrorOf(path, " has no function ", name,
                   "; reward/lapforge_reward.h says what it needs");
  }

  void* handle_ = nullptr;
  decltype(&lapforge_reward_version) version_ = nullptr;
};

// The tracks as plain C, with the arrays that they point into.
class PlainTracks {
 public:
  explicit PlainTracks(std::span<const tracks::Track> views) : views_(views.begin(), views.end()) {
    for (const tracks::Track& view : views_) {
      std::vector<double>& numbers = numbers_.emplace_back();
      for (const Vec2 tracks::Waypoint::*line :
           {&tracks::Waypoint::center_m, &tracks::Waypoint::left_m, &tracks::Waypoint::right_m}) {
        for (int i = 0; i < view.num_waypoints(); ++i) {
          numbers.push_back((view.waypoint(i).*line).x);
          numbers.push_back((view.waypoint(i).*line).y);
        }
      }
    }
    for (size_t i = 0; i < views_.size(); ++i) {
      const tracks::Track& view = views_[i];
      const double* const center_m = numbers_[i].data();
      const ptrdiff_t size = 2 * view.num_waypoints();
      plain_.push_back({view.name().c_str(), view.is_closed(), view.is_reversed(), view.length_m(),
                        view.num_waypoints(), center_m, center_m + size, center_m + 2 * size});
    }
  }

  lapforge_reward_setup setup() const {
    return {static_cast<int32_t>(plain_.size()), plain_.data()};
  }

 private:
  std::vector<tracks::Track> views_;
  std::vector<std::vector<double>> numbers_;
  std::vector<lapforge_reward_track> plain_;
};

void DescribeEpisode(const sim::StepFacts& facts, lapforge_reward_facts& plain) {
  plain.car = facts.env_index;
  plain.track = facts.track_index;
  plain.steps = facts.steps;
  plain.is_terminal = facts.terminated;
  plain.is_truncated = facts.truncated;
  plain.lap_count = facts.lap_count;
  plain.lap_time_s = double(facts.lap_time_us) * 1e-6;
  plain.time_s = facts.sim_time_s;
  plain.steering_cmd_rad = facts.steering_cmd_rad;
  plain.speed_cmd_mps = facts.speed_cmd_mps;
  std::copy_n(facts.action.begin(), 2, plain.action);
  std::copy_n(facts.last_action.begin(), 2, plain.last_action);
}

void DescribeCar(const sim::StepFacts& facts, lapforge_reward_facts& plain) {
  plain.x_m = facts.front_point_m.x;
  plain.y_m = facts.front_point_m.y;
  plain.yaw_rad = facts.car.yaw_rad;
  plain.velocity_forward_mps = facts.car.velocity_body_mps.x;
  plain.velocity_left_mps = facts.car.velocity_body_mps.y;
  plain.yaw_rate_radps = facts.car.angular_velocity_body_radps.z;
  plain.steering_rad = facts.car.steering_rad;
  std::copy_n(facts.car.slip_ratio.begin(), 4, plain.slip_ratio);
  std::copy_n(facts.car.tire_slip_angle_rad.begin(), 4, plain.tire_slip_angle_rad);
}

void DescribePlace(const sim::StepFacts& facts, lapforge_reward_facts& plain) {
  plain.arc_length_m = facts.position.arc_length_m;
  plain.lateral_offset_m = facts.position.lateral_offset_m;
  plain.heading_error_rad = facts.heading_error_rad;
  plain.half_width_left_m = Length(facts.borders.left_m - facts.position.nearest_center_m);
  plain.half_width_right_m = Length(facts.borders.right_m - facts.position.nearest_center_m);
  plain.progress_pct = facts.progress_pct;
  plain.progress_delta_m = facts.progress_delta_m;
  std::copy_n(facts.wheel_on_road.begin(), 4, plain.wheel_on_road);
  plain.is_off_track = facts.is_off_track;
  plain.is_crashed = facts.is_crashed;
}

void DescribeObjects(const sim::StepFacts& facts, lapforge_reward_facts& plain) {
  plain.num_objects = facts.num_objects;
  plain.previous_object = facts.previous_object;
  plain.next_object = facts.next_object;
  for (size_t i = 0; i < facts.objects.size(); ++i) {
    plain.object_arc_length_m[i] = facts.objects[i].arc_length_m;
    plain.object_lateral_offset_m[i] = facts.objects[i].lateral_offset_m;
  }
}

class PluginReward : public RewardFunction {
 public:
  PluginReward(std::string path, Library library, std::span<const tracks::Track> views)
      : path_(std::move(path)),
        library_(std::move(library)),
        tracks_(views),
        setup_(tracks_.setup()) {}

  ~PluginReward() override {
    if (is_created_) library_.destroy(reward_);
  }

  Result<void> Create() {
    const char* error = nullptr;
    reward_ = library_.create(&setup_, &error);
    if (error != nullptr) {
      std::string line = error;
      std::replace(line.begin(), line.end(), '\n', ' ');
      return ErrorOf(path_, ": ", Trim(line));
    }
    is_created_ = true;
    return {};
  }

  Result<void> Evaluate(std::span<const sim::StepFacts> facts, std::span<float> rewards) override {
    LAPFORGE_ASSERT(rewards.size() == facts.size(), "one reward for each env");
    // steps that ended in a fault are not shown
    plain_.clear();
    for (const sim::StepFacts& step : facts) {
      if (step.reason == sim::EndReason::kFault) continue;
      lapforge_reward_facts& plain = plain_.emplace_back();
      DescribeEpisode(step, plain);
      DescribeCar(step, plain);
      DescribePlace(step, plain);
      DescribeObjects(step, plain);
    }
    values_.assign(plain_.size(), NAN);
    const int code = library_.evaluate(reward_, plain_.data(), static_cast<int32_t>(plain_.size()),
                                       values_.data());
    if (code != 0) return ErrorOf(path_, ": lapforge_reward_evaluate returned ", code);

    size_t next = 0;
    for (size_t i = 0; i < facts.size(); ++i) {
      const bool is_fault = facts[i].reason == sim::EndReason::kFault;
      const double value = is_fault ? 0 : values_[next++];
      if (!(std::abs(value) <= kMaxReward)) {
        return ErrorOf(path_, ": a reward of ", value, " in step ", facts[i].steps, " of car ",
                       facts[i].env_index + 1, "; expected a number in -1e5 .. 1e5");
      }
      rewards[i] = static_cast<float>(value);
    }
    return {};
  }

 private:
  std::string path_;
  Library library_;
  PlainTracks tracks_;
  lapforge_reward_setup setup_;
  void* reward_ = nullptr;
  bool is_created_ = false;
  std::vector<lapforge_reward_facts> plain_;
  std::vector<double> values_;
};

}  // namespace

Result<std::unique_ptr<RewardFunction>> LoadPluginReward(const std::string& path,
                                                         std::span<const tracks::Track> tracks) {
  LAPFORGE_TRY(Library library, Library::Open(path));
  auto reward = std::make_unique<PluginReward>(path, std::move(library), tracks);
  LAPFORGE_CHECK_OK(reward->Create());
  return std::unique_ptr<RewardFunction>(std::move(reward));
}

}  // namespace lapforge::reward
