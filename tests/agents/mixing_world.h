// A world of numbers for teachers and students: the student sees four numbers that move, the
// teacher six others that are a linear function of them, so that the best student is known.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "agents/nets/row_layout.h"
#include "agents/policy.h"
#include "agents/rollout/environment.h"
#include "sim/base/byte_buffer.h"
#include "sim/base/rng.h"
#include "tests/agents/small_environments.h"

namespace lapforge::agents {

/// Episodes of ten steps, but for every third env, which ends after seven.
class MixingWorld : public Environment {
 public:
  static constexpr int kNumEnvs = 16;
  static constexpr int kStudentNumbers = 4;
  static constexpr int kTeacherNumbers = 6;
  static constexpr int kNumbers = kStudentNumbers + kTeacherNumbers;

  /// What the teacher sees is this times what the student sees.
  static float Mixed(int row, int column) {
    return 0.2f * std::sin(float(1 + row * 5 + column * 3));
  }
  /// Sensors of these sizes: wheel speeds for the student, an inertial unit for the teacher.
  static sim::SensorOptions SensorsOf(std::vector<std::string> kinds) {
    sim::SensorOptions sensors;
    sensors.kinds = std::move(kinds);
    return sensors;
  }
  static RowView StudentView() {
    return RowView(SensorsOf({"wheel_speed"}), SensorsOf({"wheel_speed", "imu"}));
  }
  static RowView TeacherView() {
    return RowView(SensorsOf({"imu"}), SensorsOf({"wheel_speed", "imu"}));
  }

  explicit MixingWorld(DistributionKind kind, int num_outputs)
      : spec_{kNumEnvs, RowOfNumbers(kNumbers), kind, num_outputs,
              kind == DistributionKind::kGaussian ? num_outputs : 1} {}

  const EnvironmentSpec& spec() const override { return spec_; }
  void Reset(std::span<std::byte> observations) override {
    cars_ = {};
    Observe(observations);
  }
  Result<void> Step(const EnvironmentStep& step) override {
    for (size_t env = 0; env < kNumEnvs; ++env) {
      Car& car = cars_[env];
      const float push = step.actions[env * size_t(spec_.action_dim)];
      for (float& number : car.numbers) {
        number = 0.8f * number + 0.1f * push + 0.4f * Noise(env, car.num_draws++);
      }
      step.rewards[env] = 0;
      step.terminated[env] = 0;
      step.truncated[env] = ++car.num_steps == (env % 3 == 0 ? 7 : 10);
      if (step.truncated[env] == 0) continue;
      car.num_steps = 0;
      car.numbers = {};
    }
    Observe(step.observations);
    return {};
  }
  EpisodeStats TakeEpisodeStats() override { return {}; }
  std::vector<std::byte> Save() const override {
    ByteWriter writer;
    writer.Write(cars_);
    return writer.Take();
  }
  Result<void> Restore(std::span<const std::byte> bytes) override {
    ByteReader reader(bytes);
    std::array<Car, kNumEnvs> cars;
    reader.Read(cars);
    if (!reader.AtEnd()) return ErrorOf("damaged");
    cars_ = cars;
    return {};
  }

 private:
  struct Car {
    std::array<float, kStudentNumbers> numbers{};
    uint32_t num_draws = 0;
    int32_t num_steps = 0;
  };

  static float Noise(size_t env, uint32_t draw) {
    return float(RngStream(3, uint32_t(env), draw, RngPurpose::kTest).Normal());
  }

  void Observe(std::span<std::byte> observations) const {
    const std::span<float> rows = FloatsOf(observations);
    for (size_t env = 0; env < kNumEnvs; ++env) {
      const auto& seen = cars_[env].numbers;
      float* const row = &rows[env * kNumbers];
      std::copy(seen.begin(), seen.end(), row);
      for (int i = 0; i < kTeacherNumbers; ++i) {
        row[kStudentNumbers + i] = 0;
        for (int k = 0; k < kStudentNumbers; ++k) {
          row[kStudentNumbers + i] += Mixed(i, k) * seen[size_t(k)];
        }
      }
    }
  }

  EnvironmentSpec spec_;
  std::array<Car, kNumEnvs> cars_{};
};

/// Outputs are a linear function of the teacher's numbers.
class LinearTeacher : public PolicyDriver {
 public:
  explicit LinearTeacher(int num_outputs) : num_outputs_(size_t(num_outputs)) {}

  static float Weight(size_t output, size_t number) {
    return 0.3f * std::cos(float(2 + output * 7 + number * 2));
  }
  /// The same as a function of the student's numbers.
  static float WeightOfStudent(size_t output, int number) {
    float sum = 0;
    for (int i = 0; i < MixingWorld::kTeacherNumbers; ++i) {
      sum += Weight(output, size_t(i)) * MixingWorld::Mixed(i, number);
    }
    return sum;
  }

  void Act(std::span<const std::byte> rows, std::span<float> actions) override {
    Outputs(rows, actions);
  }
  void Outputs(std::span<const std::byte> rows, std::span<float> outputs) override {
    std::array<float, MixingWorld::kTeacherNumbers> seen;
    for (size_t row = 0; row * num_outputs_ < outputs.size(); ++row) {
      std::memcpy(seen.data(), &rows[row * sizeof(seen)], sizeof(seen));
      for (size_t k = 0; k < num_outputs_; ++k) {
        float sum = 0;
        for (size_t i = 0; i < seen.size(); ++i) sum += Weight(k, i) * seen[i];
        outputs[row * num_outputs_ + k] = sum;
      }
    }
  }

 private:
  size_t num_outputs_;
};

}  // namespace lapforge::agents
