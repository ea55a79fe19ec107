// Tests that one pixel at a time, as a GPU does it, gives the bytes of the camera's scalar path.
#include "sim/sensors/camera/camera_pixel.inl"

#include "sim/base/rng.h"
#include "sim/sensors/camera/camera_sensor.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

// The image of a frame, every thread of a GPU in turn.
std::vector<uint8_t> PixelByPixel(const CameraScene& scene, const CameraFrame& frame) {
  const size_t num_pixels = static_cast<size_t>(scene.num_pixels);
  std::vector<uint8_t> painted(num_pixels * static_cast<size_t>(scene.num_planes));
  for (int pixel = 0; pixel < scene.num_pixels; ++pixel) {
    PaintFramePixel(scene, frame, pixel, painted.data());
  }
  std::vector<uint8_t> image(painted.size());
  for (size_t plane = 0; plane < static_cast<size_t>(scene.num_planes); ++plane) {
    for (int pixel = 0; pixel < scene.num_pixels; ++pixel) {
      image[plane * num_pixels + static_cast<size_t>(pixel)] =
          FinishedLevel(scene, frame.effects[plane], painted.data() + plane * num_pixels, pixel);
    }
  }
  return image;
}

SimOptions EyeOptions(CameraColor color, CameraLensKind lens) {
  SimOptions options;
  options.sensors.kinds = {"camera"};
  options.sensors.camera.width_px = 40;
  options.sensors.camera.height_px = 32;
  options.sensors.camera.color = color;
  options.sensors.camera.lens = lens;
  options.sensors.camera.fov_deg = lens == CameraLensKind::kFisheye ? 170 : 70;
  options.sensors.camera.texel_m = 0.02;
  options.sensors.camera.stereo = true;
  options.sensors.camera.noise_levels = 4;
  options.objects.count = 5;
  options.objects.placement = ObjectPlacement::kRandom;
  options.randomize.camera_shift_m = 0.02;
  options.randomize.camera_turn_deg = 6;
  options.randomize.camera_fov_frac = 0.2;
  options.randomize.brightness_levels = 40;
  options.randomize.contrast_frac = 0.4;
  options.randomize.blur_frac = 1;
  options.randomize.light_frac = 0.3;
  options.randomize.num_grounds = 3;
  return options;
}

std::vector<CameraGround> GroundsOf(const SimOptions& options, const tracks::Track& track) {
  std::vector<CameraGround> grounds;
  for (int i = 0; i < options.randomize.num_grounds; ++i) {
    tracks::GroundStyle style = GroundStyleOf(i, options.randomize.ground_color_levels);
    style.texel_m = options.sensors.camera.texel_m;
    style.format = options.sensors.camera.color == CameraColor::kRgb ? tracks::TextureFormat::kRgb
                                                                     : tracks::TextureFormat::kGray;
    grounds.emplace_back(ValueOf(tracks::PaintGround(track, style)));
  }
  return grounds;
}

// What an env sees at the start of an episode: 400 poses with boxes near and far.
void CompareEpisodes(const SimOptions& options) {
  const tracks::Track track = CircleTrack(3, 1.6);
  const CarSpec car = TestCar();
  const std::vector<CameraGround> grounds = GroundsOf(options, track);
  CameraSensor sensor(options, car, grounds);
  sensor.UseKernels(ScalarCameraKernels());
  std::vector<CameraLevel> levels;
  const CameraScene scene = sensor.SceneOf(grounds, levels);
  SimOptions blind = options;
  blind.sensors.kinds = {"track_state"};
  blind.episode.max_steps = 1;
  SimRig rig(blind, {track});
  int num_boxes = 0;
  for (uint32_t episode = 0; episode < 100; ++episode) {
    const StepFacts& facts = rig.sim().now(0);
    const EpisodeVariation variation = DrawVariation(options, 0, episode);
    const size_t ground = static_cast<size_t>(variation.ground_index);
    RngStream noise(7, 0, episode, RngPurpose::kTest);
    RngStream same_noise(7, 0, episode, RngPurpose::kTest);
    const size_t image_bytes = static_cast<size_t>(scene.num_planes * scene.num_pixels);
    std::vector<uint8_t> images(2 * image_bytes);
    sensor.Write(facts, variation, grounds[ground], noise, images);
    for (int i = 0; i < 2; ++i) {
      CAPTURE(episode, i);
      CameraFrame frame = sensor.FrameOf(facts, variation, grounds[ground], same_noise, i);
      frame.ground_index = variation.ground_index;
      num_boxes += frame.num_boxes;
      const std::vector<uint8_t> image = PixelByPixel(scene, frame);
      const auto begin = images.begin() + static_cast<std::ptrdiff_t>(image_bytes) * i;
      REQUIRE(std::equal(image.begin(), image.end(), begin));
    }
    rig.Step();
  }
  CHECK(num_boxes > 100);
}

TEST_CASE("pixel by pixel the image is the camera's, with boxes and all effects") {
  for (const CameraColor color : {CameraColor::kGray, CameraColor::kRgb}) {
    for (const CameraLensKind lens : {CameraLensKind::kPinhole, CameraLensKind::kFisheye}) {
      CAPTURE(static_cast<int>(color), static_cast<int>(lens));
      CompareEpisodes(EyeOptions(color, lens));
    }
  }
}

TEST_CASE("pixel by pixel the image is the camera's without effects") {
  SimOptions options = EyeOptions(CameraColor::kGray, CameraLensKind::kPinhole);
  options.sensors.camera.noise_levels = 0;
  options.randomize = {};
  CompareEpisodes(options);
}

}  // namespace
}  // namespace lapforge::sim
