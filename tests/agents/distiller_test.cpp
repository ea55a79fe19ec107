// Tests teacher to student on the oval: its phases, the same bits at any number of threads and
// across saving in each phase, laps by lidar and by camera, and PPO that goes on from the student.
#include "agents/distiller.h"

#include "agents/evaluation.h"
#include "agents/nets/row_layout.h"
#include "sim/base/strings.h"
#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

TrainOptions LidarOptionsOf(sim::ActionKind actions) {
  TrainOptions options = SmallOptions();
  if (actions == sim::ActionKind::kDiscrete) options = DiscreteOptions();
  options.sim.sensors.kinds = {"lidar"};
  options.sim.sensors.lidar.num_beams = 8;
  options.distill.teacher_env_steps = 512;
  options.distill.teacher_max_env_steps = 512;
  options.distill.horizon = 4;
  options.distill.num_minibatches = 3;
  options.distill.minibatch_size = 9;
  options.distill.ring_frames = 4 * 64;
  options.distill.max_steps = 11;
  return options;
}

Evaluation CleanEvaluation() {
  Evaluation evaluation;
  sim::LapResult lap;
  lap.is_clean = true;
  lap.lap_time_us = 5000000;
  lap.completion_pct = 100;
  lap.reason = sim::EndReason::kLapComplete;
  evaluation.laps.push_back(lap);
  return evaluation;
}

/// With all that it borrows.
struct School {
  explicit School(const TrainOptions& train_options, int num_threads = 1)
      : options(train_options),
        pool(num_threads),
        car(ValueOf(sim::LoadCar(options.sim.car))),
        teacher_sim(
            ValueOf(sim::VectorSim::Create(TeacherSimOptions(options), car, {Oval()}, &pool))),
        student_sim(
            ValueOf(sim::VectorSim::Create(StudentSimOptions(options), car, {Oval()}, &pool))),
        then_ppo_sim(
            ValueOf(sim::VectorSim::Create(ThenPpoSimOptions(options), car, {Oval()}, &pool))),
        reward(reward::MakeNativeReward(options.reward.native)),
        distiller(
            ValueOf(Distiller::Create(options, {teacher_sim.get(), reward.get(), student_sim.get(),
                                                then_ppo_sim.get(), &pool}))) {}

  /// One iteration, and what a run tells a learner that waits.
  IterationStats Iterate() {
    const IterationStats stats = ValueOf(distiller->RunIteration()).value();
    if (distiller->awaits_evaluation()) distiller->OnEvaluation(CleanEvaluation());
    return stats;
  }
  void Iterate(int num_iterations) {
    for (int i = 0; i < num_iterations; ++i) Iterate();
  }

  TrainOptions options;
  ThreadPool pool;
  sim::CarSpec car;
  std::unique_ptr<sim::VectorSim> teacher_sim;
  std::unique_ptr<sim::VectorSim> student_sim;
  std::unique_ptr<sim::VectorSim> then_ppo_sim;
  std::unique_ptr<reward::RewardFunction> reward;
  std::unique_ptr<Distiller> distiller;
};

/// Two iterations of a teacher, five of a student, then PPO.
TrainOptions WithPpo(TrainOptions options) {
  options.run.total_env_steps = 512 + 5 * 64 + 960;
  options.distill.then_ppo_env_steps = 960;
  options.distill.then_ppo_warm_up_iterations = 2;
  return options;
}

TrainOptions ChosenOptions() {
  const auto actions = GENERATE(sim::ActionKind::kContinuous, sim::ActionKind::kDiscrete);
  const bool has_ppo = GENERATE(false, true);
  const TrainOptions options = LidarOptionsOf(actions);
  return has_ppo ? WithPpo(options) : options;
}

TEST_CASE("which options mean teacher to student") {
  TrainOptions options;
  CHECK_FALSE(IsDistilled(options));
  using Kinds = std::vector<std::string>;
  for (const Kinds& kinds : {Kinds{"lidar"}, Kinds{"imu", "camera"}}) {
    options.sim.sensors.kinds = kinds;
    options.run.method = Method::kAuto;
    CHECK(IsDistilled(options));
    options.run.method = Method::kPpo;
    CHECK_FALSE(IsDistilled(options));
  }
  for (const Kinds& kinds : {Kinds{"lidar", "track_state"}, Kinds{"imu"}}) {
    options.sim.sensors.kinds = kinds;
    options.run.method = Method::kAuto;
    CHECK_FALSE(IsDistilled(options));
    options.run.method = Method::kDistill;
    CHECK(IsDistilled(options));
  }

  options.run.total_env_steps = options.distill.teacher_env_steps;
  const Result<void> too_short = Validate(options);
  REQUIRE_FALSE(too_short.ok());
  CHECK(too_short.error().message.find("distill.teacher_env_steps") != std::string::npos);
}

TEST_CASE("a teacher may be held to a stricter judge than its student") {
  TrainOptions options;
  CHECK(TeacherSimOptions(options).episode.off_track_wheels == 4);
  options.distill.teacher_off_track_wheels = 2;
  CHECK(TeacherSimOptions(options).episode.off_track_wheels == 2);
  CHECK(StudentSimOptions(options).episode.off_track_wheels == 4);
  options.sim.episode.off_track_wheels = 1;  // never to a milder one
  CHECK(TeacherSimOptions(options).episode.off_track_wheels == 1);
}

TEST_CASE("a teacher learns first, then a student drives and learns") {
  School school(LidarOptionsOf(GENERATE(sim::ActionKind::kContinuous, sim::ActionKind::kDiscrete)));
  Distiller& distiller = *school.distiller;
  for (int i = 1; i <= 2; ++i) {
    CHECK(distiller.phase() == LearningPhase::kTeacher);
    CHECK_FALSE(distiller.awaits_evaluation());
    const IterationStats stats = ValueOf(distiller.RunIteration()).value();
    CHECK(stats.phase == LearningPhase::kTeacher);
    CHECK(stats.env_steps == 256 * i);
  }
  CHECK(distiller.awaits_evaluation());
  CHECK(distiller.phase() == LearningPhase::kTeacher);
  distiller.OnEvaluation(CleanEvaluation());
  CHECK(distiller.phase() == LearningPhase::kStudent);
  CHECK_FALSE(distiller.awaits_evaluation());
  for (int i = 1; i <= 7; ++i) {
    const IterationStats stats = school.Iterate();
    CHECK(stats.phase == LearningPhase::kStudent);
    CHECK(stats.iteration == 2 + i);
    CHECK(stats.new_env_steps == 64);
    CHECK(stats.env_steps == 512 + 64 * i);
    CHECK(stats.distill_loss > 0);
  }

  // the policy knows what it was asked to see and nothing else
  const Policy policy = distiller.policy();
  CHECK(policy.sensors.kinds == std::vector<std::string>{"lidar"});
  CHECK(policy.env_steps == 512 + 64 * 7);
  const auto stored = ValueOf(MakeDriver(policy));
  const std::vector<float> rows = RandomNumbers<float>(5 * 8, 1);
  std::vector<float> actions(5 * size_t(school.options.sim.action_dim()));
  std::vector<float> expected(actions.size());
  stored->Act(std::as_bytes(std::span(rows)), actions);
  distiller.driver().Act(std::as_bytes(std::span(rows)), expected);
  CHECK(actions == expected);
}

std::vector<float> ActorOf(const Policy& policy) {
  std::vector<float> numbers;
  for (const NamedTensor& tensor : policy.tensors) {
    numbers.insert(numbers.end(), tensor.values.begin(), tensor.values.end());
  }
  return numbers;
}

TEST_CASE("PPO goes on from the student, first with its critic only") {
  School school(WithPpo(LidarOptionsOf(sim::ActionKind::kContinuous)));
  Distiller& distiller = *school.distiller;
  SECTION("when the student has had its share") { school.Iterate(7); }
  SECTION("when the student no longer gets faster") {
    CHECK_FALSE(distiller.BeginNextPhase());  // a teacher learns on
    school.Iterate(4);
    CHECK(distiller.BeginNextPhase());
  }
  CHECK(distiller.phase() == LearningPhase::kReward);
  CHECK_FALSE(distiller.awaits_evaluation());
  CHECK_FALSE(distiller.BeginNextPhase());
  const std::vector<float> student = ActorOf(distiller.policy());
  const int64_t iteration = distiller.iteration();
  const int64_t env_steps = distiller.env_steps();
  for (int i = 1; i <= 4; ++i) {
    const IterationStats stats = school.Iterate();
    CHECK(stats.phase == LearningPhase::kReward);
    CHECK(stats.iteration == iteration + i);
    CHECK(stats.env_steps == env_steps + 256 * i);
    CHECK(distiller.policy().env_steps == stats.env_steps);
    CHECK(stats.learning_rate > 0);
    CHECK(stats.learning_rate <= school.options.distill.then_ppo_learning_rate);
    const bool is_student = ActorOf(distiller.policy()) == student;
    CHECK(is_student == (i <= 2));
  }
}

TEST_CASE("steps for PPO that leave nothing to the student are refused") {
  TrainOptions options = LidarOptionsOf(sim::ActionKind::kContinuous);
  options.run.total_env_steps = 2048;
  options.distill.then_ppo_env_steps = 2048 - 512;
  const Result<void> valid = Validate(options);
  REQUIRE_FALSE(valid.ok());
  CHECK(valid.error().message.find("distill.then_ppo_env_steps 1536") != std::string::npos);
  --options.distill.then_ppo_env_steps;
  RequireOk(Validate(options));
}

TEST_CASE("a teacher that needed long leaves a quarter of the rest to the student") {
  TrainOptions options = WithPpo(LidarOptionsOf(sim::ActionKind::kContinuous));
  options.distill.teacher_max_env_steps = 1280;  // 512 steps before the end
  School school(options);
  Distiller& distiller = *school.distiller;
  while (distiller.phase() == LearningPhase::kTeacher) {
    ValueOf(distiller.RunIteration());
    distiller.OnEvaluation(Evaluation());
  }
  CHECK(distiller.env_steps() == 1280);
  while (distiller.phase() == LearningPhase::kStudent) school.Iterate();
  CHECK(distiller.env_steps() == 1280 + 512 / 4);
}

TEST_CASE("a teacher that is not clean learns on, up to a limit") {
  TrainOptions options = LidarOptionsOf(sim::ActionKind::kContinuous);
  options.distill.teacher_max_env_steps = 1024;
  for (const bool becomes_clean : {true, false}) {
    School school(options);
    Distiller& distiller = *school.distiller;
    for (int i = 1; i <= 4; ++i) {
      CHECK(distiller.phase() == LearningPhase::kTeacher);
      ValueOf(distiller.RunIteration());
      CHECK(distiller.awaits_evaluation() == (i >= 2));
      const bool is_clean = becomes_clean && i == 3;
      distiller.OnEvaluation(is_clean ? CleanEvaluation() : Evaluation());
      if (is_clean) break;
    }
    CHECK(distiller.phase() == LearningPhase::kStudent);
    CHECK(distiller.env_steps() == (becomes_clean ? 768 : 1024));
  }
}

TEST_CASE("teacher and student have the same bits at any number of threads") {
  const TrainOptions options = ChosenOptions();
  School one(options, 1);
  one.Iterate(9);
  CHECK(
      one.distiller->phase() ==
      (options.distill.then_ppo_env_steps > 0 ? LearningPhase::kReward : LearningPhase::kStudent));
  for (const int num_threads : {2, 4}) {
    School many(options, num_threads);
    many.Iterate(9);
    CHECK(many.distiller->ParameterHash() == one.distiller->ParameterHash());
    CHECK((many.distiller->Save() == one.distiller->Save()));
  }
}

TEST_CASE("what is restored goes on to the same bits, in each phase") {
  const TrainOptions options = ChosenOptions();
  for (const int num_before : {1, 2, 5, 7, 12}) {
    CAPTURE(num_before);
    School whole(options);
    whole.Iterate(num_before);
    const std::vector<std::byte> saved = whole.distiller->Save();
    whole.Iterate(5);

    for (const int num_forgotten : {0, 8}) {
      School restored(options, 2);
      restored.Iterate(num_forgotten);
      RequireOk(restored.distiller->Restore(saved));
      CHECK((restored.distiller->Save() == saved));
      restored.Iterate(5);
      CHECK((restored.distiller->Save() == whole.distiller->Save()));
    }
  }
}

TEST_CASE("what does not fit is refused and changes nothing") {
  TrainOptions options = LidarOptionsOf(sim::ActionKind::kContinuous);
  if (GENERATE(false, true)) options = WithPpo(options);
  School school(options);
  school.Iterate(8);
  const std::vector<std::byte> before = school.distiller->Save();
  const auto refuses = [&](std::span<const std::byte> bytes) {
    const Result<void> restored = school.distiller->Restore(bytes);
    REQUIRE_FALSE(restored.ok());
    CHECK(restored.error().message.find('\n') == std::string::npos);
    const bool is_as_before = school.distiller->Save() == before;
    REQUIRE(is_as_before);
  };
  for (size_t size = 0; size < before.size(); size += before.size() / 23) {
    refuses(std::span(before).first(size));
  }
  TrainOptions changed = options;
  SECTION("sensors") { changed.sim.sensors.lidar.num_beams = 9; }
  SECTION("ring") {
    changed.distill.ring_frames = 64;
    changed.distill.then_ppo_env_steps = 0;
  }
  SECTION("horizon") {
    changed.distill.horizon = 5;
    changed.distill.then_ppo_env_steps = 0;
  }
  SECTION("envs") { changed.sim.num_envs = 15; }
  School other(changed);
  other.Iterate(7);
  refuses(other.distiller->Save());
}

TEST_CASE("a stop inside a student's round leaves no trace of it") {
  const TrainOptions options = LidarOptionsOf(sim::ActionKind::kContinuous);
  School whole(options);
  whole.Iterate(9);
  School school(options);
  school.Iterate(8);
  const std::vector<std::byte> before = school.distiller->Save();
  const int num_checks = options.distill.horizon + options.distill.num_minibatches;
  for (int stop_at = 0; stop_at < num_checks; ++stop_at) {
    int num_asked = 0;
    CHECK_FALSE(ValueOf(school.distiller->RunIteration([&] {
                  return num_asked++ == stop_at;
                })).has_value());
    const bool is_as_before = school.distiller->Save() == before;
    REQUIRE(is_as_before);
  }
  school.Iterate(1);
  CHECK((school.distiller->Save() == whole.distiller->Save()));
}

TEST_CASE("three clean laps of the oval within 60000 frames") {
  TrainOptions options;
  options.reward.native.smoothness = 0.5;
  options.distill.teacher_env_steps = 60000;
  SECTION("by lidar") { options.sim.sensors.kinds = {"lidar"}; }
  SECTION("by a camera of 64 x 48") {
    options.sim.sensors.kinds = {"camera"};
    options.sim.sensors.camera.width_px = 64;
    options.sim.sensors.camera.height_px = 48;
  }
  School school(options, 2);
  const auto evaluator =
      ValueOf(Evaluator::Create(options.sim, school.car, {Oval()}, {}, &school.pool));
  const auto teacher_evaluator = ValueOf(
      Evaluator::Create(TeacherSimOptions(options), school.car, {Oval()}, {}, &school.pool));
  Distiller& distiller = *school.distiller;
  while (distiller.phase() == LearningPhase::kTeacher) {
    ValueOf(distiller.RunIteration());
    if (distiller.awaits_evaluation()) {
      distiller.OnEvaluation(teacher_evaluator->Run(distiller.driver()));
    }
  }
  const int64_t student_start = distiller.env_steps();
  bool is_clean = false;
  while (!is_clean && distiller.env_steps() < student_start + 60000 - 4096) {
    school.Iterate(4);
    is_clean = evaluator->Run(distiller.driver()).all_clean();
  }
  CHECK(is_clean);
}

TEST_CASE("PPO after the student makes its laps of the oval no slower") {
  TrainOptions options;
  options.reward.native.smoothness = 0.5;
  options.distill.teacher_env_steps = 60000;
  options.distill.then_ppo_env_steps = 80000;
  options.sim.sensors.kinds = {"lidar"};
  School school(options, 2);
  const auto evaluator =
      ValueOf(Evaluator::Create(options.sim, school.car, {Oval()}, {}, &school.pool));
  Distiller& distiller = *school.distiller;
  while (distiller.phase() == LearningPhase::kTeacher) school.Iterate();
  Evaluation before;
  for (int i = 0; i < 60 && !before.all_clean(); ++i) {
    school.Iterate(4);
    before = evaluator->Run(distiller.driver());
  }
  REQUIRE(before.all_clean());
  REQUIRE(distiller.BeginNextPhase());
  school.Iterate(static_cast<int>(options.distill.then_ppo_env_steps / (64 * 64)));
  const Evaluation after = evaluator->Run(distiller.driver());
  REQUIRE(after.all_clean());
  CHECK(after.mean_lap_time_s() <= before.mean_lap_time_s());
}

}  // namespace
}  // namespace lapforge::agents
