// Tests the camera: geometry against an independent projection, kernels against each other, boxes,
// lens, effects.
#include "sim/sensors/camera/camera_sensor.h"

#include "sim/base/rng.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

constexpr double kTexelM = 0.005;
constexpr uint8_t kDark = 20;
constexpr uint8_t kBright = 255;

CarState CarAt(Vec2 position_m, double yaw_rad) {
  CarState car;
  car.position_world_m = {position_m.x, position_m.y, TestCar().com_height_m};
  car.yaw_rad = yaw_rad;
  return car;
}

// A bright square on the ground.
struct Spot {
  Vec2 middle_m;
  int half_texels;  // half its side
};

// Ground of one dark colour, 12 x 12 m around the origin, with bright spots; all levels by means of
// 2 x 2.
tracks::GroundTexture SpottedGround(const std::vector<Spot>& spots) {
  tracks::GroundTexture texture;
  texture.format = tracks::TextureFormat::kGray;
  texture.field = {kDark, kDark, kDark};
  tracks::TextureLevel level;
  level.width_px = level.height_px = 2400;
  level.texel_m = kTexelM;
  level.origin_m = {-6, -6};
  level.texels.assign(2400 * 2400, kDark);
  for (const auto& [spot_m, half_texels] : spots) {
    const int x = static_cast<int>(std::floor((spot_m.x + 6) / kTexelM));
    const int y = static_cast<int>(std::floor((spot_m.y + 6) / kTexelM));
    for (int row = y - half_texels; row < y + half_texels; ++row) {
      for (int column = x - half_texels; column < x + half_texels; ++column) {
        level.texels[static_cast<size_t>(row * 2400 + column)] = kBright;
      }
    }
  }
  texture.levels.push_back(level);
  while (level.width_px % 2 == 0) {
    const tracks::TextureLevel fine = level;
    level.width_px /= 2;
    level.height_px /= 2;
    level.texel_m *= 2;
    const size_t width = static_cast<size_t>(level.width_px);
    level.texels.assign(width * width, 0);
    for (size_t row = 0; row < width; ++row) {
      for (size_t column = 0; column < width; ++column) {
        const uint8_t* const at = &fine.texels[2 * row * 2 * width + 2 * column];
        level.texels[row * width + column] =
            static_cast<uint8_t>((at[0] + at[1] + at[2 * width] + at[2 * width + 1] + 2) / 4);
      }
    }
    texture.levels.push_back(level);
  }
  return texture;
}

struct Frame {
  int width_px, height_px;
  std::vector<uint8_t> bytes;

  double At(int column, int row) const {
    return bytes[static_cast<size_t>(row * width_px + column)];
  }
};

Frame Photograph(const SimOptions& options, const CameraGround& ground, const StepFacts& facts,
                 const EpisodeVariation& variation = {},
                 const CameraKernels& kernels = RunnableCameraKernels().back()) {
  CameraSensor sensor(options, TestCar(), std::span(&ground, 1));
  sensor.UseKernels(kernels);
  const CameraOptions& camera = options.sensors.camera;
  Frame frame{camera.width_px, camera.height_px, {}};
  const std::vector<int> shape = ObservationSpecOf(options.sensors).sensors[0].shape;
  frame.bytes.resize(static_cast<size_t>(shape[0] * shape[1] * shape[2]));
  RngStream random(1, 0, 0, RngPurpose::kTest);
  sensor.Write(facts, variation, ground, random, frame.bytes);
  return frame;
}

SimOptions CameraOnly(int width_px = 160, int height_px = 120) {
  SimOptions options;
  options.sensors.kinds = {"camera"};
  options.sensors.camera.width_px = width_px;
  options.sensors.camera.height_px = height_px;
  return options;
}

// The centre of what is brighter than the ground near a place.
std::optional<Vec2> BrightCenter(const Frame& frame, Vec2 near) {
  constexpr int kReachAcross = 9;
  constexpr int kReachDown = 3;
  double sum = 0, sum_x = 0, sum_y = 0;
  const int x = static_cast<int>(std::lround(near.x));
  const int y = static_cast<int>(std::lround(near.y));
  for (int row = y - kReachDown; row <= y + kReachDown; ++row) {
    for (int column = x - kReachAcross; column <= x + kReachAcross; ++column) {
      if (row < 0 || column < 0 || row >= frame.height_px || column >= frame.width_px) {
        return std::nullopt;
      }
      const double weight = frame.At(column, row) - kDark;
      sum += weight;
      sum_x += weight * column;
      sum_y += weight * row;
    }
  }
  if (sum < 10) return std::nullopt;
  return Vec2{sum_x / sum, sum_y / sum};
}

// The textbook pinhole, as OpenCV's projectPoints has it: a camera at `position`, level but for
// pitch (down) and yaw, its own axes x right, y down, z forward.
Vec2 TextbookProjection(Vec3 point, Vec3 position, double pitch_rad, double yaw_rad,
                        const CameraOptions& camera) {
  const double cp = std::cos(pitch_rad), sp = std::sin(pitch_rad);
  const double cy = std::cos(yaw_rad), sy = std::sin(yaw_rad);
  const Vec3 away = point - position;
  const double right = Dot(Vec3{sy, -cy, 0}, away);
  const double down = Dot(Vec3{-sp * cy, -sp * sy, -cp}, away);
  const double forward = Dot(Vec3{cp * cy, cp * sy, -sp}, away);
  const double focal_px = camera.width_px / 2.0 / std::tan(RadFromDeg(camera.fov_deg) / 2);
  return {focal_px * right / forward + (camera.width_px - 1) / 2.0,
          focal_px * down / forward + (camera.height_px - 1) / 2.0};
}

TEST_CASE("known ground points land where the textbook projects them") {
  SimOptions options = CameraOnly();
  options.sensors.camera.mount_yaw_deg = 10;
  const double yaw_rad = 0.7;
  const Vec2 car_m = {-1.2, 0.4};
  // spots some way apart, near and far, left and right; far ones larger than a pixel sees
  std::vector<Spot> spots;
  const Pose2 car_pose{car_m, yaw_rad + RadFromDeg(10)};
  for (const double ahead : {0.35, 0.5, 0.75, 1.1}) {
    for (const double left : {-0.4, -0.15, 0.1, 0.35}) {
      const Vec2 spot = car_pose.ToWorld({ahead, left * ahead});
      // on a corner of texels, so that the square around it is centred
      spots.push_back({{std::round(spot.x / kTexelM) * kTexelM + 1e-6,
                        std::round(spot.y / kTexelM) * kTexelM + 1e-6},
                       static_cast<int>(std::lround(6 * ahead))});
    }
  }
  const CameraGround ground(SpottedGround(spots));
  StepFacts facts;
  facts.car = CarAt(car_m, yaw_rad);
  const Frame frame = Photograph(options, ground, facts);

  const CarSpec car = TestCar();
  const double ahead_m = options.sensors.camera.mount_x_m - car.origin_to_com_m;
  const Vec2 lens_m = car_m + ahead_m * DirectionOf(yaw_rad);
  int num_seen = 0;
  for (const auto& [spot_m, half_texels] : spots) {
    const Vec2 place = TextbookProjection({spot_m.x, spot_m.y, 0},
                                          {lens_m.x, lens_m.y, options.sensors.camera.mount_z_m},
                                          RadFromDeg(options.sensors.camera.mount_pitch_deg),
                                          yaw_rad + RadFromDeg(10), options.sensors.camera);
    const auto center = BrightCenter(frame, place);
    if (!center) continue;
    ++num_seen;
    CAPTURE(place.x, place.y, center->x, center->y);
    CHECK(std::abs(center->x - place.x) < 0.5);
    CHECK(std::abs(center->y - place.y) < 0.5);
  }
  CHECK(num_seen >= 10);
}

TEST_CASE("a ray and its place in the image belong together, in both lenses") {
  for (const CameraLensKind kind : {CameraLensKind::kPinhole, CameraLensKind::kFisheye}) {
    CameraOptions options;
    options.lens = kind;
    options.fov_deg = kind == CameraLensKind::kPinhole ? 90 : 200;
    const CameraLens lens(options);
    for (const PixelPlace place : {PixelPlace{0, 0}, {79.5, 59.5}, {159, 20}, {30.25, 118}}) {
      const Vec3 ray = lens.RayOf(place);
      const auto back = lens.PlaceOf(2.5 * ray);
      REQUIRE(back.has_value());
      CHECK(back->column == Approx(place.column).margin(1e-9));
      CHECK(back->row == Approx(place.row).margin(1e-9));
    }
    // half the field of view at the image's left edge
    const Vec3 edge = lens.RayOf({-0.5, 59.5});
    CHECK(std::atan2(edge.y, edge.x) == Approx(RadFromDeg(options.fov_deg / 2)));
  }
  CHECK(!CameraLens(CameraOptions{}).PlaceOf({-1, 0, 0}).has_value());
}

// Frames of a car that pitches, rolls and turns among boxes, with everything switched on.
std::vector<std::vector<uint8_t>> FramesOf(const SimOptions& options, const CameraGround& ground,
                                           const tracks::Track& track,
                                           const CameraKernels& kernels) {
  std::vector<std::vector<uint8_t>> frames;
  RngStream random(3, 0, 0, RngPurpose::kTest);
  for (int i = 0; i < 60; ++i) {
    const double arc_m = random.Uniform(0, track.length_m());
    StepFacts facts;
    facts.car = CarAt(track.PointAt(arc_m, random.Uniform(-2, 2)), random.Uniform(-kPi, kPi));
    facts.car.pitch_rad = random.Uniform(-0.3, 0.3);
    facts.car.roll_rad = random.Uniform(-0.3, 0.3);
    facts.car.position_world_m.z = random.Uniform(0.01, 0.3);
    facts.num_objects = kMaxObjects;
    for (ObjectFacts& box : facts.objects) {
      const Vec2 near = {random.Uniform(-2, 2), random.Uniform(-2, 2)};
      box.position_m = Vec2{facts.car.position_world_m.x, facts.car.position_world_m.y} + near;
      box.yaw_rad = random.Uniform(-kPi, kPi);
    }
    EpisodeVariation variation;
    variation.camera_fov_factor = static_cast<float>(random.Uniform(0.8, 1.2));
    frames.push_back(Photograph(options, ground, facts, variation, kernels).bytes);
  }
  return frames;
}

TEST_CASE("all kernels give the same bytes") {
  const tracks::Track track = ValueOf(tracks::LoadTrack("esses"));
  std::cout << "camera kernels here:";
  for (const CameraKernels& kernels : RunnableCameraKernels()) std::cout << ' ' << kernels.name;
  std::cout << '\n';
  for (const CameraColor color : {CameraColor::kGray, CameraColor::kRgb}) {
    for (const CameraLensKind lens : {CameraLensKind::kPinhole, CameraLensKind::kFisheye}) {
      SimOptions options = CameraOnly(lens == CameraLensKind::kPinhole ? 160 : 40, 60);
      options.sensors.camera.color = color;
      options.sensors.camera.lens = lens;
      options.sensors.camera.stereo = true;
      if (lens == CameraLensKind::kFisheye) options.sensors.camera.fov_deg = 190;
      tracks::GroundStyle style;
      style.format =
          color == CameraColor::kGray ? tracks::TextureFormat::kGray : tracks::TextureFormat::kRgb;
      const CameraGround ground(ValueOf(tracks::PaintGround(track, style)));
      const auto reference = FramesOf(options, ground, track, ScalarCameraKernels());
      for (const CameraKernels& kernels : RunnableCameraKernels()) {
        CAPTURE(kernels.name);
        CHECK(FramesOf(options, ground, track, kernels) == reference);
      }
    }
  }
}

TEST_CASE("above the horizon there is sky, beyond the texture there is field") {
  const CameraGround ground(SpottedGround({}));
  StepFacts facts;
  facts.car = CarAt({4.5, 0}, 0);  // looks off the painted ground
  SimOptions options = CameraOnly();
  options.sensors.camera.mount_pitch_deg = 0;
  const Frame frame = Photograph(options, ground, facts);
  for (int column = 0; column < 160; column += 7) {
    CHECK(frame.At(column, 0) > 100);
    CHECK(frame.At(column, 59) > 100);
    for (int row = 60; row < 120; ++row) CHECK(frame.At(column, row) == kDark);
  }
}

ObjectFacts BoxAt(Vec2 middle_m) {
  return {.position_m = middle_m, .length_m = 0.4f, .width_m = 0.3f, .height_m = 0.25f};
}

TEST_CASE("a box covers exactly where its corners project to") {
  // straight ahead, 1 m from the lens to its face, level camera
  SimOptions options = CameraOnly();
  options.sensors.camera.mount_pitch_deg = 0;
  options.objects.gray_level = 100;
  const CarSpec car = TestCar();
  const CameraGround ground(SpottedGround({}));
  StepFacts facts;
  facts.car = CarAt({0, 0}, 0);
  facts.num_objects = 1;
  const double lens_x_m = options.sensors.camera.mount_x_m - car.origin_to_com_m;
  facts.objects[0] = BoxAt({lens_x_m + 1 + options.objects.length_m / 2, 0});
  const Frame frame = Photograph(options, ground, facts);

  const double focal = 80 / std::tan(RadFromDeg(options.sensors.camera.fov_deg) / 2);
  const double left = 79.5 - focal * options.objects.width_m / 2;
  const double right = 79.5 + focal * options.objects.width_m / 2;
  const double top = 59.5 - focal * (options.objects.height_m - options.sensors.camera.mount_z_m);
  const double bottom = 59.5 + focal * options.sensors.camera.mount_z_m;
  int num_box = 0;
  for (int row = 0; row < 120; ++row) {
    for (int column = 0; column < 160; ++column) {
      const bool is_box = column > left && column < right && row > top && row < bottom;
      CAPTURE(row, column);
      CHECK((frame.At(column, row) == 80) == is_box);  // the face across the road
      num_box += is_box ? 1 : 0;
    }
  }
  CHECK(num_box > 500);

  // a nearer box covers a farther one, whatever their order
  facts.num_objects = 2;
  facts.objects[1] = facts.objects[0];
  facts.objects[1].position_m.x += 1;
  const Frame two = Photograph(options, ground, facts);
  std::swap(facts.objects[0], facts.objects[1]);
  CHECK(Photograph(options, ground, facts).bytes == two.bytes);
  CHECK(two.At(80, 60) == 80);
}

TEST_CASE("stereo images are seen from each side") {
  SimOptions options = CameraOnly();
  options.sensors.camera.stereo = true;
  options.sensors.camera.mount_pitch_deg = 0;
  const CameraGround ground(SpottedGround({}));
  StepFacts facts;
  facts.car = CarAt({0, 0}, 0);
  facts.num_objects = 1;
  facts.objects[0] = BoxAt({2, 0});
  const Frame frame = Photograph(options, ground, facts);
  const auto middle = [&](int image) {
    double sum = 0, count = 0;
    for (int column = 0; column < 160; ++column) {
      if (frame.At(column, image * 120 + 60) != 120) continue;
      sum += column;
      count += 1;
    }
    return sum / count;
  };
  const double face_m = 1.8 - (options.sensors.camera.mount_x_m - TestCar().origin_to_com_m);
  const double focal = 80 / std::tan(RadFromDeg(options.sensors.camera.fov_deg) / 2);
  CHECK(middle(0) - middle(1) == Approx(focal * 0.06 / face_m).margin(1));
}

TEST_CASE("effects do what they say, and nothing when they are off") {
  const ImageEffector effector;
  RngStream random(1, 0, 0, RngPurpose::kTest);
  const auto apply = [&](const ImageEffects& effects, std::vector<uint8_t> plane) {
    effector.Apply(effector.Plan(effects, random), 4, plane);
    return plane;
  };
  const std::vector<uint8_t> plane = {0, 50, 100, 255, 0, 50, 100, 255, 0, 50, 100, 255};
  CHECK(apply({}, plane) == plane);
  ImageEffects effects;
  effects.light_factor = 0.5;
  CHECK(apply(effects, {0, 50, 100, 255}) == std::vector<uint8_t>{0, 25, 50, 128});
  effects = {};
  effects.contrast_factor = 2;
  CHECK(apply(effects, {0, 100, 128, 255}) == std::vector<uint8_t>{0, 72, 128, 255});
  effects = {};
  effects.brightness_levels = 10;
  CHECK(apply(effects, {0, 50, 100, 255}) == std::vector<uint8_t>{10, 60, 110, 255});
  effects = {};
  effects.blur_frac = 1;
  CHECK(apply(effects, plane) ==
        std::vector<uint8_t>{17, 50, 135, 203, 17, 50, 135, 203, 17, 50, 135, 203});

  effects = {};
  effects.noise_levels = 5;
  const std::vector<uint8_t> noisy = apply(effects, std::vector<uint8_t>(40000, 128));
  double sum = 0, squares = 0;
  for (const uint8_t pixel : noisy) {
    sum += pixel - 128.0;
    squares += std::pow(pixel - 128.0, 2);
  }
  CHECK(std::abs(sum / 40000) < 0.2);
  CHECK(std::sqrt(squares / 40000) == Approx(5).epsilon(0.05));
}

TEST_CASE("other grounds have other colours, the first the usual ones") {
  const tracks::GroundStyle usual = GroundStyleOf(0, 60);
  CHECK(usual.road.red == tracks::GroundStyle{}.road.red);
  CHECK(GroundStyleOf(1, 60).road.red != GroundStyleOf(2, 60).road.red);
  CHECK(GroundStyleOf(1, 60).road.red == GroundStyleOf(1, 60).road.red);
  CHECK(std::abs(GroundStyleOf(3, 20).field.green - usual.field.green) <= 20);
}

}  // namespace
}  // namespace lapforge::sim
