// Tests policies: to disk and back, damage, and that a stored one drives as the nets did.
#include "agents/policy.h"

#include <cmath>
#include <fstream>
#include <iterator>

#include "sim/base/file_io.h"
#include "tests/agents/agents_fixture.h"
#include "tests/base/temporary_folder.h"

namespace lapforge::agents {
namespace {

TrainOptions OptionsOf(bool normalize_observations) {
  TrainOptions options = SmallOptions();
  options.net.normalize_observations = normalize_observations;
  return options;
}

Policy SmallPolicy() {
  TrainOptions options = OptionsOf(true);
  options.net.hidden_units = {3};
  options.sim.sensors.look_ahead_m = {0.5, 1};
  OvalTraining training(options);
  training.Iterate(1);
  return training.trainer->policy();
}

void CheckEqual(const Policy& actual, const Policy& expected) {
  CHECK(OptionsToText(actual.actions) == OptionsToText(expected.actions));
  CHECK(OptionsToText(actual.sensors) == OptionsToText(expected.sensors));
  CHECK(actual.control_hz == expected.control_hz);
  CHECK(actual.net_kind == expected.net_kind);
  CHECK(actual.hidden_units == expected.hidden_units);
  CHECK(actual.env_steps == expected.env_steps);
  REQUIRE(actual.tensors.size() == expected.tensors.size());
  for (size_t i = 0; i < expected.tensors.size(); ++i) {
    CHECK(actual.tensors[i].name == expected.tensors[i].name);
    CHECK(actual.tensors[i].shape == expected.tensors[i].shape);
    CHECK(actual.tensors[i].values == expected.tensors[i].values);
  }
}

// Thousands of files: plain writes, nothing flushed.
void WritePlain(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), std::streamsize(bytes.size()));
}

std::string LoadError(const std::filesystem::path& path) {
  const auto loaded = LoadPolicy(path);
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message.find('\n') == std::string::npos);
  CHECK(loaded.error().message.find(path.filename().string()) != std::string::npos);
  return loaded.error().message;
}

TEST_CASE("a stored policy drives as the nets it came from") {
  const TrainOptions options = GENERATE(OptionsOf(false), OptionsOf(true), DiscreteOptions());
  OvalTraining training(options);
  training.Iterate(4);
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.policy";
  RequireOk(SavePolicy(training.trainer->policy(), path));
  const Policy loaded = ValueOf(LoadPolicy(path));
  CheckEqual(loaded, training.trainer->policy());
  CHECK(loaded.env_steps == 4 * 256);
  CHECK(loaded.tensors.size() == (options.net.normalize_observations ? 8 : 6));

  constexpr size_t kNumRows = 150;
  std::vector<float> observations = RandomNumbers<float>(kNumRows * 29, 4);
  for (size_t i = 0; i < observations.size(); i += 10) observations[i] *= 1000;  // clipped
  const auto bytes = std::as_bytes(std::span(observations));
  const size_t action_dim = size_t(options.sim.action_dim());
  std::vector<float> expected(kNumRows * action_dim);
  training.trainer->driver().Act(bytes, expected);
  std::vector<float> actions(expected.size());
  const auto driver = ValueOf(MakeDriver(loaded));
  driver->Act(bytes, actions);
  CHECK(actions == expected);

  // a row alone gives the same bits as among others
  std::vector<float> alone(action_dim);
  driver->Act(bytes.subspan(70 * 29 * sizeof(float), 29 * sizeof(float)), alone);
  CHECK(std::equal(alone.begin(), alone.end(), expected.begin() + std::ptrdiff_t(70 * action_dim)));
}

TEST_CASE("a stored policy that sees by camera drives as the nets it came from") {
  const TrainOptions options = CameraOptions();
  OvalTraining training(options);
  training.Iterate(2);
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "camera.policy";
  RequireOk(SavePolicy(training.trainer->policy(), path));
  const Policy loaded = ValueOf(LoadPolicy(path));
  CheckEqual(loaded, training.trainer->policy());

  constexpr size_t kNumRows = 7;
  const size_t row_bytes = sim::ObservationSpecOf(options.sim.sensors).row_bytes;
  std::vector<std::byte> rows(kNumRows * row_bytes);
  RngStream random(1, 0, 0, RngPurpose::kTest);
  for (size_t row = 0; row < kNumRows; ++row) {  // the wheels stand still
    for (size_t i = 0; i < 32 * 24; ++i) rows[row * row_bytes + i] = std::byte(random.Below(256));
  }
  std::vector<float> expected(kNumRows * 2);
  training.trainer->driver().Act(rows, expected);
  std::vector<float> actions(expected.size());
  const auto driver = ValueOf(MakeDriver(loaded));
  driver->Act(rows, actions);
  CHECK(actions == expected);
  CHECK(actions[0] != actions[2]);

  // a row alone gives the same bits as among others
  std::vector<float> alone(2);
  driver->Act(std::span(rows).subspan(5 * row_bytes, row_bytes), alone);
  CHECK(alone == std::vector<float>{expected[10], expected[11]});

  Policy other = loaded;
  other.net_kind = NetKind::kSlim160;
  CHECK_FALSE(MakeDriver(other).ok());
  other.net_kind = NetKind::kSlim80;
  CHECK(MakeDriver(other).error().message.find("another shape") != std::string::npos);
}

TEST_CASE("a policy that was cut short is refused") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "cut.policy";
  RequireOk(SavePolicy(SmallPolicy(), path));
  const std::string bytes = ValueOf(ReadFile(path));
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    WritePlain(path, std::string_view(bytes).substr(0, size));
    LoadError(path);
  }
}

TEST_CASE("a changed byte is refused or changes nothing") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "flipped.policy";
  const Policy policy = SmallPolicy();
  RequireOk(SavePolicy(policy, path));
  const std::string bytes = ValueOf(ReadFile(path));
  int num_refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    CAPTURE(at);
    std::string changed = bytes;
    changed[at] = char(changed[at] ^ (1 << (at % 8)));
    WritePlain(path, changed);
    const auto loaded = LoadPolicy(path);
    if (loaded.ok()) {
      CheckEqual(*loaded, policy);
    } else {
      REQUIRE(loaded.error().message.find('\n') == std::string::npos);
      ++num_refused;
    }
  }
  CHECK(num_refused > int(bytes.size() * 9 / 10));
}

TEST_CASE("files that are no policy, or a newer one, say so") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "some.policy";
  LoadError(path);
  WritePlain(path, "Dear diary, today I drove three laps.");
  CHECK(LoadError(path).find("not a policy file") != std::string::npos);

  RequireOk(SavePolicy(SmallPolicy(), path));
  std::string bytes = ValueOf(ReadFile(path));
  REQUIRE(bytes.substr(0, 2) == "\x08\x01");  // field 1, a number: format version 1
  bytes[1] = 2;
  WritePlain(path, bytes);
  CHECK(LoadError(path).find("policy format 2; this Lapforge reads up to 1") != std::string::npos);
}

std::string DriverError(const Policy& policy) {
  const auto driver = MakeDriver(policy);
  REQUIRE_FALSE(driver.ok());
  return driver.error().message;
}

TEST_CASE("tensors that are missing, misshapen or not finite make no driver") {
  const Policy good = SmallPolicy();
  REQUIRE(MakeDriver(good).ok());
  for (size_t i = 0; i < good.tensors.size(); ++i) {
    const std::string name = "'" + good.tensors[i].name + "'";
    CAPTURE(name);
    Policy policy = good;
    policy.tensors[i].shape.back() += 1;
    CHECK(DriverError(policy).find(name) != std::string::npos);

    policy = good;
    policy.tensors[i].values.pop_back();
    CHECK(DriverError(policy).find(name) != std::string::npos);

    policy = good;
    policy.tensors[i].values.back() = NAN;
    CHECK(DriverError(policy).find("finite") != std::string::npos);

    policy = good;
    policy.tensors[i].name = "something else";
    if (good.tensors[i].name == "normalizer.mean") continue;  // a policy without a normaliser
    CHECK(DriverError(policy).find(name) != std::string::npos);
  }
  Policy policy = good;
  policy.hidden_units = {4};
  CHECK(DriverError(policy).find("actor.0.weight") != std::string::npos);
  policy = good;
  policy.sensors.look_ahead_m.push_back(2);
  CHECK(DriverError(policy).find("actor.0.weight") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::agents
