// Tests teacher to student in a world where the best student is known: it is found, from frames of
// its own driving, with the same bits at any number of threads and across saving.
#include "agents/algorithms/imitation.h"

#include "agents/nets/actor_critic.h"
#include "agents/nets/mlp_network.h"
#include "agents/nets/policy_tensors.h"
#include "agents/rollout/frame_collector.h"
#include "tests/agents/agents_fixture.h"
#include "tests/agents/mixing_world.h"

namespace lapforge::agents {
namespace {

DistillOptions SmallDistill() {
  DistillOptions options;
  options.horizon = 4;
  options.num_minibatches = 8;
  options.minibatch_size = 31;
  options.ring_frames = 5 * 64;
  options.learning_rate = 3e-3;
  options.teacher_drives_steps = 3;
  return options;
}

/// A teacher and a student without hidden layers.
struct School {
  School(const DistillOptions& distill, DistributionKind kind, int num_outputs, int num_threads = 1)
      : options(distill),
        pool(num_threads),
        world(kind, num_outputs),
        teacher(num_outputs),
        net(MakeMlpNetwork({MixingWorld::kStudentNumbers, {}, num_outputs})),
        imitation(distill, kind, net.get(), &pool, 1),
        collector(distill, Parts(kind)) {}

  FrameCollectorParts Parts(DistributionKind kind) {
    FrameCollectorParts parts{
        &world, MixingWorld::StudentView(), MixingWorld::TeacherView(), &teacher, {}, &pool};
    for (int i = 0; i < kNumShards; ++i) {
      students.push_back(
          MakeNetworkDriver(kind, net.get(), [this] { return imitation.versioned_parameters(); }));
      parts.students.push_back(students.back().get());
    }
    return parts;
  }

  void Learn(int num_rounds) {
    for (int i = 0; i < num_rounds; ++i) {
      REQUIRE(ValueOf(collector.Collect()));
      loss = ValueOf(imitation.Update(collector.ring(), options.learning_rate)).value();
    }
  }

  std::vector<std::byte> Save() const {
    ByteWriter writer;
    imitation.Save(writer);
    collector.Save(writer);
    return writer.Take();
  }
  void Restore(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    REQUIRE(imitation.Restore(reader));
    RequireOk(collector.Restore(reader));
    CHECK(reader.AtEnd());
  }

  DistillOptions options;
  ThreadPool pool;
  MixingWorld world;
  LinearTeacher teacher;
  std::unique_ptr<Network> net;
  Imitation imitation;
  std::vector<std::unique_ptr<PolicyDriver>> students;
  FrameCollector collector;
  double loss = 0;
};

TEST_CASE("a linear teacher's actions are found by one who sees other numbers") {
  School school(SmallDistill(), DistributionKind::kGaussian, 2);
  school.Learn(400);
  CHECK(school.loss < 1e-5);
  for (size_t output = 0; output < 2; ++output) {
    for (int number = 0; number < MixingWorld::kStudentNumbers; ++number) {
      const size_t at = output * MixingWorld::kStudentNumbers + size_t(number);
      CHECK(school.imitation.parameters()[at] ==
            Approx(LinearTeacher::WeightOfStudent(output, number)).margin(0.01));
    }
  }
}

TEST_CASE("the probabilities of a teacher's choices are found") {
  // logits are known but for what is added to all of them
  School school(SmallDistill(), DistributionKind::kCategorical, 3);
  school.Learn(400);
  CHECK(school.loss < 1e-5);
  const auto weight = [&](size_t output, int number) {
    return school.imitation.parameters()[output * MixingWorld::kStudentNumbers + size_t(number)];
  };
  for (size_t output = 1; output < 3; ++output) {
    for (int number = 0; number < MixingWorld::kStudentNumbers; ++number) {
      CHECK(weight(output, number) - weight(0, number) ==
            Approx(LinearTeacher::WeightOfStudent(output, number) -
                   LinearTeacher::WeightOfStudent(0, number))
                .margin(0.02));
    }
  }
}

TEST_CASE("students are the same at any number of threads") {
  School one(SmallDistill(), DistributionKind::kGaussian, 2, 1);
  one.Learn(12);
  for (const int num_threads : {2, 4}) {
    School many(SmallDistill(), DistributionKind::kGaussian, 2, num_threads);
    many.Learn(12);
    CHECK((many.Save() == one.Save()));
  }
}

TEST_CASE("a restored student has the same frames and goes on to the same bits") {
  // before the first round, with a ring that is not full, full, and overwritten
  for (const int num_rounds : {0, 3, 5, 17}) {
    CAPTURE(num_rounds);
    School whole(SmallDistill(), DistributionKind::kGaussian, 2);
    whole.Learn(num_rounds);
    const std::vector<std::byte> saved = whole.Save();
    School restored(SmallDistill(), DistributionKind::kGaussian, 2, 2);
    restored.Learn(2);  // whatever it did before is forgotten
    restored.Restore(saved);
    CHECK((restored.Save() == saved));
    const FrameRing& ring = restored.collector.ring();
    REQUIRE(ring.num_frames() == whole.collector.ring().num_frames());
    for (int i = 0; i < ring.num_frames(); ++i) {
      const auto row = ring.RowOf(i);
      const auto expected = whole.collector.ring().RowOf(i);
      REQUIRE(std::equal(row.begin(), row.end(), expected.begin(), expected.end()));
    }
    whole.Learn(8);
    restored.Learn(8);
    CHECK((restored.Save() == whole.Save()));
  }
}

TEST_CASE("a round that is stopped or taken back leaves no trace") {
  School whole(SmallDistill(), DistributionKind::kGaussian, 2);
  School school(SmallDistill(), DistributionKind::kGaussian, 2);
  for (const int num_rounds : {1, 6}) {
    school.Learn(num_rounds);
    whole.Learn(num_rounds);
    const std::vector<std::byte> before = school.Save();
    for (int stop_at = 0; stop_at < school.options.horizon; ++stop_at) {
      int num_asked = 0;
      CHECK_FALSE(ValueOf(school.collector.Collect([&] { return num_asked++ == stop_at; })));
      CHECK((school.Save() == before));
    }
    CHECK(ValueOf(school.collector.Collect()));
    school.collector.UndoRound();
    CHECK((school.Save() == before));
  }
  whole.Learn(9);
  school.Learn(9);
  CHECK((school.Save() == whole.Save()));
}

TEST_CASE("the teacher drives the first steps of each episode") {
  // a student that always says 1 would be seen in the numbers: what moved them is its action
  DistillOptions options = SmallDistill();
  options.teacher_drives_steps = 1000;
  School taught(options, DistributionKind::kGaussian, 2);
  options.learning_rate = 0.1;  // another student, but the teacher drives
  School other(options, DistributionKind::kGaussian, 2);
  taught.Learn(5);
  other.Learn(5);
  const FrameRing& ring = taught.collector.ring();
  for (int i = 0; i < ring.num_frames(); ++i) {
    const auto row = ring.RowOf(i);
    REQUIRE(std::equal(row.begin(), row.end(), other.collector.ring().RowOf(i).begin()));
  }
  options.teacher_drives_steps = 0;
  School alone(options, DistributionKind::kGaussian, 2);
  alone.Learn(5);
  bool are_equal = true;
  for (int i = 0; i < ring.num_frames(); ++i) {
    const auto row = ring.RowOf(i);
    are_equal =
        are_equal && std::equal(row.begin(), row.end(), alone.collector.ring().RowOf(i).begin());
  }
  CHECK_FALSE(are_equal);
}

TEST_CASE("the state of another student is refused") {
  School school(SmallDistill(), DistributionKind::kGaussian, 2);
  school.Learn(7);
  const std::vector<std::byte> saved = school.Save();
  School larger(SmallDistill(), DistributionKind::kGaussian, 3);
  ByteReader reader(saved);
  CHECK_FALSE(larger.imitation.Restore(reader));

  ByteWriter writer;
  school.collector.Save(writer);
  const std::vector<std::byte> frames = writer.Take();
  for (size_t size = 0; size < frames.size(); size += 61) {
    ByteReader part{std::span(frames).first(size)};
    CHECK_FALSE(school.collector.Restore(part).ok());
  }
  school.Restore(saved);
  DistillOptions options = SmallDistill();
  options.ring_frames = 3 * 64;
  School smaller(options, DistributionKind::kGaussian, 2);
  ByteReader whole(frames);
  CHECK_FALSE(smaller.collector.Restore(whole).ok());
}

TEST_CASE("a loss that is not finite is an error") {
  School school(SmallDistill(), DistributionKind::kGaussian, 2);
  school.Learn(1);
  const auto failed = school.imitation.Update(school.collector.ring(), 1e38);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message.find("distill.learning_rate") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::agents
