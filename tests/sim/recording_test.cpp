// Tests recordings: a drive simulated again agrees hash by hash; damaged files are refused.
#include "sim/recording.h"

#include "sim/base/file_io.h"
#include "tests/base/temporary_folder.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

// Pure pursuit by three cars until each has a lap or two.
Recording Drive(const std::vector<tracks::Track>& tracks) {
  SimOptions options = LineOptions(3);
  options.episode.max_steps = 350;
  SimRig rig(options, tracks);
  Recorder recorder(rig.sim());
  for (int step = 0; step < 400; ++step) {
    rig.Step();
    recorder.Add(rig.actions);
    rig.Pursue(0.1f);
  }
  Recording recording = recorder.Take();
  recording.note = "pure pursuit";
  return recording;
}

TEST_CASE("a recording replays to the same hashes and tells its laps") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "drive.lfrec";
  const tracks::Track ring = CircleTrack(2);
  const std::vector<tracks::Track> tracks = {ring, ring.Reversed().WithStart(1.5),
                                             StraightTrack(6)};
  const Recording recording = Drive(tracks);
  CHECK(recording.num_steps() == 400);
  REQUIRE(SaveRecording(recording, path).ok());

  const Recording loaded = ValueOf(LoadRecording(path));
  CHECK(loaded.note == "pure pursuit");
  CHECK(loaded.actions == recording.actions);
  CHECK(loaded.hashes == recording.hashes);
  CHECK(OptionsToText(loaded.options) == OptionsToText(recording.options));
  CHECK(OptionsToText(loaded.cars.at(0)) == OptionsToText(recording.cars.at(0)));
  REQUIRE(loaded.tracks.size() == 3);
  CHECK(loaded.tracks[1].is_reversed());
  CHECK(loaded.tracks[1].start_m() == recording.tracks[1].start_m());
  CHECK(loaded.tracks[2].name() == "straight");

  for (const int num_threads : {1, 2}) {
    ThreadPool pool(num_threads);
    const ReplayReport report = ValueOf(Replay(loaded, &pool));
    CHECK(report.first_different_step == -1);
    CHECK(report.num_steps == 400);
    CHECK(report.laps.size() >= 3);
    for (const LapResult& lap : report.laps) {
      CHECK(lap.is_clean);
      CHECK(lap.lap_time_us > 1000000);
    }
  }
}

TEST_CASE("laps and lap clock add up to the time driven, penalties included") {
  SimOptions options = LineOptions();
  options.episode.max_resets = 1000;
  options.episode.off_track_penalty_s = 2.5;
  SimRig rig(options, {CircleTrack(2)});
  LapCollector collector(rig.sim(), 1);
  int64_t laps_us = 0;
  int64_t penalties_us = 0;
  std::vector<LapResult> laps;
  for (int step = 1; step <= 500; ++step) {
    rig.Pursue(0.1f);
    // the second lap leaves the road to the right for a while
    if (step >= 120 && step < 160) rig.SetActions(-1, 0);
    rig.Step();
    const StepFacts& facts = rig.facts[0];
    if (const LapResult* const lap = collector.Add(facts)) {
      laps.push_back(*lap);
      laps_us += lap->lap_time_us;
    }
    const int64_t driven_us = std::llround(step / options.timing.control_hz * 1e6);
    CHECK(laps_us + facts.lap_clock_us == driven_us + penalties_us);
    if (facts.reset_reason != EndReason::kNone) penalties_us += 2500000;
    CHECK(laps_us + rig.sim().now(0).lap_clock_us == driven_us + penalties_us);
  }
  REQUIRE(laps.size() >= 3);
  CHECK(penalties_us > 0);
  int num_resets = 0;
  for (size_t i = 0; i < laps.size(); ++i) {
    CHECK(laps[i].lap_index == int(i));
    CHECK(laps[i].episode_index == 0);
    CHECK(laps[i].is_complete());
    CHECK(laps[i].is_clean == (laps[i].num_resets == 0));
    CHECK(laps[i].num_off_tracks == laps[i].num_resets);
    CHECK(laps[i].top_speed_mps > 1);
    num_resets += laps[i].num_resets;
  }
  CHECK(num_resets * 2500000 == penalties_us);
}

TEST_CASE("a car put back behind the line that it has just crossed has a whole lap to drive") {
  SimOptions options = LineOptions();
  options.episode.max_resets = 1000;
  options.episode.off_track_wheels = 1;  // at once where its place is beside the road
  const tracks::Track circle = CircleTrack(2);
  SimRig rig(options, {circle});
  const double length_m = circle.length_m();
  Placement placement;
  placement.front_point_m = circle.PointAt(length_m - 0.1, -0.35);
  placement.yaw_rad = circle.TangentYawAt(length_m - 0.1);
  placement.speed_mps = 3;
  placement.previous_progress_pct = 99;
  rig.sim().Place(0, placement);

  LapCollector collector(rig.sim(), 1);
  rig.Step();
  REQUIRE(rig.facts[0].lap_time_us > 0);
  REQUIRE(rig.facts[0].reset_reason == EndReason::kOffTrack);
  const LapResult* lap = collector.Add(rig.facts[0]);
  REQUIRE(lap != nullptr);
  CHECK(lap->num_resets == 0);
  CHECK(rig.sim().now(0).progress_pct < 0);
  CHECK(rig.sim().now(0).progress_pct > -5);

  for (lap = nullptr; lap == nullptr && rig.facts[0].steps < 500;) {
    rig.Pursue(0.1f);
    rig.Step();
    lap = collector.Add(rig.facts[0]);
  }
  REQUIRE(lap != nullptr);
  CHECK(lap->num_resets == 1);
  CHECK_FALSE(lap->is_clean);
  // round the circle at 2.5 m/s or less, and the penalty
  CHECK(lap->lap_time_us * 1e-6 > options.episode.off_track_penalty_s + length_m / 2.5);
}

TEST_CASE("a lap that is not completed says how far it came and why it ended") {
  SimOptions options = LineOptions();
  options.episode.max_steps = 40;
  SimRig rig(options, {CircleTrack(2)});
  LapCollector collector(rig.sim(), 1);
  const LapResult* lap = nullptr;
  for (int step = 0; step < 40; ++step) {
    REQUIRE(lap == nullptr);
    rig.Pursue(0.1f);
    rig.Step();
    lap = collector.Add(rig.facts[0]);
  }
  REQUIRE(lap != nullptr);
  CHECK_FALSE(lap->is_complete());
  CHECK_FALSE(lap->is_clean);
  CHECK(lap->reason == EndReason::kStepLimit);
  CHECK(lap->completion_pct == rig.facts[0].progress_pct);
  CHECK(lap->completion_pct > 5);
}

TEST_CASE("whoever watches a replay sees every step as it was driven") {
  const Recording recording = Drive({CircleTrack(2)});
  ThreadPool pool(2);
  int num_seen = 0;
  const ReplayReport report =
      ValueOf(Replay(recording, &pool, [&](const VectorSim& sim, const StepRows& rows, int step) {
        CHECK(step == num_seen++);
        CHECK(sim.StateHash() == recording.hashes[size_t(step)]);
        if (step > 0) CHECK(rows.facts[2].env_index == 2);
      }));
  CHECK(report.first_different_step == -1);
  CHECK(num_seen == recording.num_steps() + 1);
}

TEST_CASE("a changed drive is found at its step") {
  Recording recording = Drive({CircleTrack(2)});
  ThreadPool pool(1);
  recording.actions[100 * 6 + 2] += 0.01f;
  CHECK(ValueOf(Replay(recording, &pool)).first_different_step == 101);
  recording.options.seed = 77;
  recording.options.episode.start = StartMode::kAnywhere;
  CHECK(ValueOf(Replay(recording, &pool)).first_different_step == 0);
}

TEST_CASE("files that are not whole recordings are refused by name") {
  const TemporaryFolder folder;
  const std::filesystem::path good = folder.path() / "good.lfrec";
  const std::filesystem::path bad = folder.path() / "bad.lfrec";
  Recording recording = Drive({CircleTrack(2)});
  REQUIRE(SaveRecording(recording, good).ok());
  const std::string bytes = ValueOf(ReadFile(good));
  const auto refuse = [&](const std::string& content) {
    REQUIRE(WriteFileAtomic(bad, content).ok());
    const Result<Recording> loaded = LoadRecording(bad);
    CHECK(!loaded.ok());
    if (loaded.ok()) return std::string();
    CHECK(loaded.error().message.find(bad.string()) == 0);
    CHECK(loaded.error().message.find('\n') == std::string::npos);
    return loaded.error().message;
  };

  SECTION("absent") { CHECK(!LoadRecording(folder.path() / "none.lfrec").ok()); }
  SECTION("empty or foreign") {
    refuse("");
    refuse("hello");
  }
  SECTION("cut short") {
    for (size_t size = 1; size < bytes.size(); size += bytes.size() / 37) {
      refuse(bytes.substr(0, size));
    }
  }
  SECTION("a flipped bit, at every byte of a short one") {
    SimRig rig(LineOptions(), {StraightTrack()});
    Recorder recorder(rig.sim());
    rig.Step();
    recorder.Add(rig.actions);
    REQUIRE(SaveRecording(recorder.Take(), good).ok());
    const std::string short_bytes = ValueOf(ReadFile(good));
    for (size_t i = 0; i < short_bytes.size(); ++i) {
      CAPTURE(i);
      std::string damaged = short_bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
      refuse(damaged);
    }
  }
  SECTION("a newer or older format") {
    std::string newer = bytes;
    REQUIRE(newer[0] == 0x08);  // field 1, a varint: the version
    newer[1] = static_cast<char>(newer[1] + 1);
    CHECK(refuse(newer).find("newer") != std::string::npos);
    std::string older = bytes;
    older[1] = 1;
    CHECK(refuse(older).find("older") != std::string::npos);
  }
  SECTION("counts that do not fit together") {
    recording.actions.pop_back();
    REQUIRE(SaveRecording(recording, bad).ok());
    CHECK(!LoadRecording(bad).ok());
    recording.hashes.clear();
    recording.actions.clear();
    REQUIRE(SaveRecording(recording, bad).ok());
    CHECK(!LoadRecording(bad).ok());
  }
}

}  // namespace
}  // namespace lapforge::sim
