// Tests films: as long as the drive, with what the car saw, the same again; strips of moments.
#include "tools/viewer/film.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>

#include "sim/base/file_io.h"
#include "tests/base/temporary_folder.h"
#include "tests/sim/sim_fixture.h"
#include "tools/viewer/direct/director.h"

namespace lapforge::viewer {
namespace {

using sim::ValueOf;

// Pure pursuit of a straight road, by so many cars, until all have reached its end or left it.
sim::Recording DriveStraight(sim::SimOptions options, float steering = 0) {
  options.actions.speed_low_mps = 0;
  options.actions.speed_high_mps = 2;
  sim::SimRig rig(options, {sim::StraightTrack(6)});
  sim::Recorder recorder(rig.sim());
  size_t num_left = rig.facts.size();
  std::vector<bool> has_ended(rig.facts.size(), false);
  for (int step = 0; step < 400 && num_left > 0; ++step) {
    rig.SetActions(steering, 1);
    rig.Step();
    recorder.Add(rig.actions);
    for (size_t i = 0; i < rig.facts.size(); ++i) {
      if (has_ended[i] || !rig.facts[i].ended()) continue;
      has_ended[i] = true;
      --num_left;
    }
  }
  return recorder.Take();
}

FilmOptions SmallFilm() {
  FilmOptions options;
  options.height_px = 180;
  return options;
}

int FilmTo(const std::filesystem::path& path, const sim::Recording& recording,
           const FilmOptions& options) {
  ThreadPool pool(1);
  const auto video = ValueOf(VideoFile::Create(path, FormatOf(options)));
  const Result<void> filmed = FilmDrive(recording, options, &pool, *video);
  INFO((filmed.ok() ? "" : filmed.error().message));
  REQUIRE(filmed.ok());
  return video->num_frames();
}

TEST_CASE("a film is as long as its drive and a moment to look at the end") {
  const TemporaryFolder folder;
  const sim::Recording recording = DriveStraight(sim::LineOptions());
  const double drive_s = recording.num_steps() / recording.options.timing.control_hz;
  for (const double fps : {30.0, 15.0, 12.5}) {
    FilmOptions options = SmallFilm();
    options.fps = fps;
    const std::filesystem::path path = folder.path() / "drive.mp4";
    const int num_frames = FilmTo(path, recording, options);
    CHECK(num_frames == Approx((drive_s + 1.5) * fps).margin(1.6));
    cv::VideoCapture reader(path.string());
    REQUIRE(reader.isOpened());
    CHECK(reader.get(cv::CAP_PROP_FRAME_COUNT) == num_frames);
    CHECK(reader.get(cv::CAP_PROP_FPS) == Approx(fps));
    CHECK(reader.get(cv::CAP_PROP_FRAME_WIDTH) == 320);
  }
}

TEST_CASE("a film of a camera shows its images, and the same film comes out again") {
  sim::SimOptions options = sim::LineOptions(2);
  options.sensors.kinds = {"camera"};
  options.sensors.camera.width_px = 32;
  options.sensors.camera.height_px = 24;
  const sim::Recording recording = DriveStraight(options);
  const TemporaryFolder folder;
  FilmTo(folder.path() / "a.mp4", recording, SmallFilm());
  FilmTo(folder.path() / "b.mp4", recording, SmallFilm());
  CHECK(ValueOf(ReadFile(folder.path() / "a.mp4")) == ValueOf(ReadFile(folder.path() / "b.mp4")));

  // the ground's image is brighter than the empty panel
  cv::VideoCapture reader((folder.path() / "a.mp4").string());
  cv::Mat frame;
  REQUIRE(reader.read(frame));
  const cv::Vec3b inset = frame.at<cv::Vec3b>(50, 320 - 42);
  CHECK(inset[0] > 40);
  CHECK(std::abs(inset[0] - inset[2]) < 12);  // gray
}

TEST_CASE("a drive that does not simulate again is not filmed") {
  sim::Recording recording = DriveStraight(sim::LineOptions());
  recording.actions[20] += 0.01f;
  const TemporaryFolder folder;
  ThreadPool pool(1);
  const auto video = ValueOf(VideoFile::Create(folder.path() / "a.mp4", FormatOf(SmallFilm())));
  const Result<void> filmed = FilmDrive(recording, SmallFilm(), &pool, *video);
  REQUIRE_FALSE(filmed.ok());
  CHECK(filmed.error().message.find("from step 11 on") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "a.mp4"));
}

TEST_CASE("a strip is one picture of moments") {
  const TemporaryFolder folder;
  ThreadPool pool(1);
  sim::SimOptions options = sim::LineOptions();
  options.episode.max_resets = 2;
  const std::filesystem::path path = folder.path() / "strip.png";
  for (const float steering : {0.0f, 0.4f}) {  // along the road; off it, and put back
    const sim::Recording recording = DriveStraight(options, steering);
    REQUIRE(DrawStrip(recording, SmallFilm(), &pool, path).ok());
    const cv::Mat strip = cv::imread(path.string());
    CHECK(strip.cols == 2 * 320);
    CHECK(strip.rows == 4 * 180);
  }
  for (const char* name : {"strip.jpg", "absent/strip.png"}) {
    const Result<void> drawn =
        DrawStrip(DriveStraight(options), SmallFilm(), &pool, folder.path() / name);
    REQUIRE_FALSE(drawn.ok());
    CHECK(drawn.error().message.find(name) != std::string::npos);
    CHECK(CheckStripPath(folder.path() / name).error().message == drawn.error().message);
  }
}

// Every scene of a film of car `env_index`.
std::vector<Scene> ScenesOf(const sim::Recording& recording, int env_index) {
  ThreadPool pool(1);
  std::vector<Scene> scenes;
  Director director(recording, env_index, 30, [&](const Scene& scene) {
    scenes.push_back(scene);
    for (const sim::ObjectFacts& object : scene.objects) {
      CHECK(object.kind != sim::ObjectKind::kCar);  // those are among the scene's cars
    }
  });
  const auto observer = [&](const sim::VectorSim& sim, const sim::StepRows& rows, int step) {
    director.OnStep(sim, rows, step);
  };
  CHECK(ValueOf(sim::Replay(recording, &pool, observer)).first_different_step == -1);
  director.Finish();
  return scenes;
}

TEST_CASE("each car of a world is in each scene once, also after its first episode") {
  sim::SimOptions options = sim::LineOptions(2);
  options.cars_per_world = 2;
  options.objects.count = 1;
  options.objects.placement = sim::ObjectPlacement::kListed;
  options.objects.positions_frac = {0.9};
  options.objects.lanes = {-1};
  // the one in front is at the end first, and starts anew while the other one is filmed
  const std::vector<Scene> scenes = ScenesOf(DriveStraight(options), 1);
  REQUIRE(scenes.size() > 60);
  for (const Scene& scene : scenes) CHECK(scene.cars.size() == 2);
}

TEST_CASE("the last scene shows the lap that has just ended, also where the car drives on") {
  sim::SimRig rig(sim::LineOptions(), {sim::CircleTrack(2)});
  sim::Recorder recorder(rig.sim());
  while (rig.facts[0].lap_time_us == 0) {
    rig.Pursue(0.3f);
    rig.Step();
    recorder.Add(rig.actions);
  }
  REQUIRE_FALSE(rig.facts[0].ended());
  const Scene last = ScenesOf(recorder.Take(), 0).back();
  CHECK(last.lap_number == 1);
  CHECK(last.lap_clock_us == rig.facts[0].lap_time_us);
  CHECK(last.last_lap_us == rig.facts[0].lap_time_us);
  CHECK(last.trail.size() > 50);
}

TEST_CASE("the car with the fastest clean lap is followed") {
  sim::ReplayReport report;
  CHECK(EnvToFollow(report) == 0);
  const auto add = [&](int env_index, int64_t lap_time_us, bool is_clean, int episode_index) {
    sim::LapResult lap;
    lap.env_index = env_index;
    lap.episode_index = episode_index;
    lap.lap_time_us = lap_time_us;
    lap.is_clean = is_clean;
    report.laps.push_back(lap);
  };
  add(1, 5000000, false, 0);
  CHECK(EnvToFollow(report) == 1);
  add(2, 7000000, true, 0);
  add(3, 6000000, true, 0);
  add(4, 1000000, true, 1);  // not in the film
  CHECK(EnvToFollow(report) == 3);
}

TEST_CASE("sizes and speeds that no film has are refused by the option's name") {
  for (const int height_px : {0, 178, 181, 2162}) {
    FilmOptions options;
    options.height_px = height_px;
    REQUIRE_FALSE(Validate(options).ok());
    CHECK(Validate(options).error().message.find("--video-height") == 0);
  }
  for (const double fps : {0.0, -1.0, 121.0, std::nan("")}) {
    FilmOptions options;
    options.fps = fps;
    REQUIRE_FALSE(Validate(options).ok());
    CHECK(Validate(options).error().message.find("--video-fps") == 0);
  }
  CHECK(Validate(FilmOptions()).ok());
}

}  // namespace
}  // namespace lapforge::viewer
