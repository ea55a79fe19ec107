// Worlds small enough that the best action, or the value of a state, is known.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "agents/nets/actor_critic.h"
#include "agents/rollout/environment.h"
#include "sim/base/math.h"
#include "sim/base/rng.h"
#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {

inline constexpr int kNumSmallEnvs = 16;

/// Rows of some numbers.
inline sim::ObservationSpec RowOfNumbers(int count) {
  const size_t row_bytes = size_t(count) * sizeof(float);
  return {{{"numbers", sim::ObservationType::kFloat32, {count}, 0, row_bytes}}, row_bytes};
}

/// Nets that see all of a small world.
inline ActorCritic NetsFor(const EnvironmentSpec& spec, const NetOptions& options, uint64_t seed) {
  return ValueOf(ActorCritic::Create(spec, {spec.row, spec.row}, options, seed));
}

/// One observed number, 1 unless a world says otherwise.
class SmallEnvironment : public Environment {
 public:
  SmallEnvironment(DistributionKind kind, int num_outputs)
      : spec_{kNumSmallEnvs, RowOfNumbers(1), kind, num_outputs,
              kind == DistributionKind::kGaussian ? num_outputs : 1} {}

  const EnvironmentSpec& spec() const override { return spec_; }
  void Reset(std::span<std::byte> observations) override {
    std::ranges::fill(FloatsOf(observations), 1.0f);
  }
  EpisodeStats TakeEpisodeStats() override { return {}; }
  std::vector<std::byte> Save() const override { return {}; }
  Result<void> Restore(std::span<const std::byte>) override { return {}; }

 protected:
  /// A step that ended every episode.
  void EndAll(const EnvironmentStep& step) {
    Reset(step.observations);
    std::fill(step.terminated.begin(), step.terminated.end(), uint8_t{1});
    std::fill(step.truncated.begin(), step.truncated.end(), uint8_t{0});
  }

 private:
  EnvironmentSpec spec_;
};

/// Four arms, the third pays best; episodes of one step.
class ArmedBandit : public SmallEnvironment {
 public:
  static constexpr size_t kBestArm = 2;
  ArmedBandit() : SmallEnvironment(DistributionKind::kCategorical, 4) {}

  Result<void> Step(const EnvironmentStep& step) override {
    constexpr std::array<double, 4> kPay = {0.1, 0.6, 1.0, 0.4};
    for (size_t env = 0; env < step.rewards.size(); ++env) {
      const double pay = kPay.at(static_cast<size_t>(step.actions[env]));
      step.rewards[env] = static_cast<float>(pay + 0.3 * random_.Normal());
    }
    EndAll(step);
    return {};
  }

 private:
  RngStream random_{5, 0, 0, RngPurpose::kTest};
};

/// Minus the squared distance to a point; episodes of one step. Where told to, pays NaN
/// once.
class PointBandit : public SmallEnvironment {
 public:
  static constexpr std::array<float, 2> kBest = {0.3f, -0.6f};
  explicit PointBandit(bool* pays_nan = nullptr)
      : SmallEnvironment(DistributionKind::kGaussian, 2), pays_nan_(pays_nan) {}

  Result<void> Step(const EnvironmentStep& step) override {
    for (size_t env = 0; env < step.rewards.size(); ++env) {
      const float x = step.actions[2 * env] - kBest[0];
      const float y = step.actions[2 * env + 1] - kBest[1];
      step.rewards[env] = -x * x - y * y;
    }
    if (pays_nan_ != nullptr && std::exchange(*pays_nan_, false)) {
      step.rewards.back() = std::numeric_limits<float>::quiet_NaN();
    }
    EndAll(step);
    return {};
  }

 private:
  bool* pays_nan_;
};

enum class CorridorEnd { kTerminated, kTruncated };

/// Pays 1 a step whatever one does, and ends after ten steps. The observation is the share of the
/// way that is done: 0, 0.1, ... 0.9 and, at the end, 1.
class Corridor : public SmallEnvironment {
 public:
  static constexpr int kNumSteps = 10;
  explicit Corridor(CorridorEnd end)
      : SmallEnvironment(DistributionKind::kCategorical, 2), end_(end) {}

  void Reset(std::span<std::byte> observations) override {
    place_ = 0;
    std::ranges::fill(FloatsOf(observations), 0.0f);
  }

  Result<void> Step(const EnvironmentStep& step) override {
    const bool is_end = ++place_ == kNumSteps;
    const auto fill = [](auto span, auto value) { std::fill(span.begin(), span.end(), value); };
    fill(step.rewards, 1.0f);
    fill(step.terminated, uint8_t{is_end && end_ == CorridorEnd::kTerminated});
    fill(step.truncated, uint8_t{is_end && end_ == CorridorEnd::kTruncated});
    if (is_end) {
      fill(FloatsOf(step.final_observations), 1.0f);
      place_ = 0;
    }
    fill(FloatsOf(step.observations), static_cast<float>(place_) / kNumSteps);
    return {};
  }

 private:
  CorridorEnd end_;
  int place_ = 0;
};

/// A pole on a cart, to be kept up by pushes to the left and to the right (Barto, Sutton and
/// Anderson 1983; constants and bounds of the usual benchmark). Pays 1 a step; cut after 200.
class CartPole : public Environment {
 public:
  static constexpr int kMaxSteps = 200;
  CartPole()
      : poles_(kNumSmallEnvs),
        spec_{kNumSmallEnvs, RowOfNumbers(4), DistributionKind::kCategorical, 2, 1} {}

  const EnvironmentSpec& spec() const override { return spec_; }
  void Reset(std::span<std::byte> observations) override {
    for (size_t env = 0; env < poles_.size(); ++env) {
      poles_[env] = NewPole();
      Show(poles_[env], &FloatsOf(observations)[4 * env]);
    }
  }

  Result<void> Step(const EnvironmentStep& step) override {
    for (size_t env = 0; env < poles_.size(); ++env) {
      Pole& pole = poles_[env];
      Push(pole, step.actions[env] > 0.5f ? 10.0 : -10.0);
      step.rewards[env] = 1;
      step.terminated[env] = std::abs(pole.x) > 2.4 || std::abs(pole.angle) > 12 * kPi / 180;
      step.truncated[env] = !step.terminated[env] && pole.num_steps == kMaxSteps;
      if (step.terminated[env] || step.truncated[env]) {
        Show(pole, &FloatsOf(step.final_observations)[4 * env]);
        ++stats_.num_episodes;
        stats_.sum_return += pole.num_steps;
        pole = NewPole();
      }
      Show(pole, &FloatsOf(step.observations)[4 * env]);
    }
    return {};
  }

  EpisodeStats TakeEpisodeStats() override { return std::exchange(stats_, {}); }
  std::vector<std::byte> Save() const override { return {}; }
  Result<void> Restore(std::span<const std::byte>) override { return {}; }

 private:
  struct Pole {
    double x = 0;
    double speed = 0;
    double angle = 0;
    double rate = 0;
    int num_steps = 0;
  };

  Pole NewPole() {
    const auto draw = [&] { return 0.1 * random_.Uniform() - 0.05; };
    return {draw(), draw(), draw(), draw(), 0};
  }

  static void Show(const Pole& pole, float* row) {
    row[0] = static_cast<float>(pole.x);
    row[1] = static_cast<float>(pole.speed);
    row[2] = static_cast<float>(pole.angle);
    row[3] = static_cast<float>(pole.rate);
  }

  // Masses 1 kg and 0.1 kg, half the pole 0.5 m, steps of 20 ms.
  static void Push(Pole& pole, double force_n) {
    const double sine = std::sin(pole.angle);
    const double cosine = std::cos(pole.angle);
    const double common = (force_n + 0.05 * pole.rate * pole.rate * sine) / 1.1;
    const double turn =
        (9.8 * sine - cosine * common) / (0.5 * (4.0 / 3 - 0.1 * cosine * cosine / 1.1));
    const double push = common - 0.05 * turn * cosine / 1.1;
    pole.x += 0.02 * pole.speed;
    pole.speed += 0.02 * push;
    pole.angle += 0.02 * pole.rate;
    pole.rate += 0.02 * turn;
    ++pole.num_steps;
  }

  RngStream random_{6, 0, 0, RngPurpose::kTest};
  std::vector<Pole> poles_;
  EnvironmentSpec spec_;
  EpisodeStats stats_;
};

}  // namespace lapforge::agents
