// Tests the lidar against closed forms and a test of every border segment in double precision.
#include "sim/sensors/lidar/lidar_sensor.h"

#include "sim/base/rng.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

constexpr Vec2 kToCenterM;  // the test car's centre of mass is its origin

CarState CarAt(Vec2 position_m, double yaw_rad) {
  CarState car;
  car.position_world_m = {position_m.x, position_m.y, 0.04};
  car.yaw_rad = yaw_rad;
  return car;
}

// Ranges without noise, from a mount in the middle of the car.
LidarOptions PlainLidar(int num_beams, double fov_deg) {
  LidarOptions options;
  options.num_beams = num_beams;
  options.fov_deg = fov_deg;
  options.noise_m = 0;
  options.min_range_m = 0;
  options.mount_x_m = 0;
  return options;
}

std::vector<float> Scan(const LidarOptions& options, const CarState& car,
                        const LidarSensor::View& view, int num_numbers = 0) {
  const LidarSensor sensor(options, kToCenterM);
  RngStream random(1, 0, 0, RngPurpose::kTest);
  std::vector<float> numbers(static_cast<size_t>(num_numbers ? num_numbers : options.num_beams));
  sensor.Write(car, view, random, numbers);
  return numbers;
}

// The nearest border by brute force.
double NearestBorder(const tracks::Track& track, Vec2 from, Vec2 direction, double max_range_m) {
  double nearest_m = max_range_m;
  const auto test = [&](Vec2 a, Vec2 b) {
    const double across = Cross(direction, b - a);
    if (across == 0) return;
    const double range_m = Cross(a - from, b - a) / across;
    const double along = Cross(a - from, direction) / across;
    if (range_m >= 0 && along >= 0 && along <= 1) nearest_m = std::min(nearest_m, range_m);
  };
  for (int i = 0; i < track.num_segments(); ++i) {
    test(track.waypoint(i).left_m, track.waypoint(i + 1).left_m);
    test(track.waypoint(i).right_m, track.waypoint(i + 1).right_m);
  }
  return nearest_m;
}

void CompareWithBruteForce(const tracks::Track& track, int num_rays) {
  const LidarGrid grid(track);
  RngStream random(5, 0, 0, RngPurpose::kTest);
  int num_hits = 0;
  for (int i = 0; i < num_rays; ++i) {
    const double arc_m = random.Uniform(0, track.length_m());
    // most on the road, some far off it
    const double offset_m = random.Uniform(-1, 1) * (i % 10 == 0 ? 8 : 0.45);
    const Vec2 from = track.PointAt(arc_m, offset_m);
    const Vec2 direction = i % 50 == 1   ? Vec2{1, 0}
                           : i % 50 == 2 ? Vec2{0, -1}
                                         : DirectionOf(random.Uniform(-kPi, kPi));
    const double expected_m = NearestBorder(track, from, direction, 12);
    const double range_m = grid.Cast(from, direction, 12);
    num_hits += expected_m < 12 ? 1 : 0;
    if (std::abs(range_m - expected_m) < 1e-4) continue;

    // only a ray past a corner may differ: then one a hair beside it agrees
    CAPTURE(i, from.x, from.y, direction.x, direction.y, expected_m, range_m);
    const double left_m = NearestBorder(track, from, Rotate(direction, 2e-5), 12);
    const double right_m = NearestBorder(track, from, Rotate(direction, -2e-5), 12);
    CHECK(std::min(std::abs(range_m - left_m), std::abs(range_m - right_m)) < 2e-3);
  }
  CHECK(num_hits > num_rays / 2);
}

TEST_CASE("between two straight borders each range is known") {
  const tracks::Track track = StraightTrack(40, 0.8);
  const LidarGrid grid(track);
  const LidarOptions options = PlainLidar(121, 240);
  const std::vector<float> ranges = Scan(options, CarAt({15, 0.1}, 0), {grid, {}, 1});
  for (int i = 0; i < 121; ++i) {
    const double angle_rad = RadFromDeg(-120 + 2 * i);
    CAPTURE(i, angle_rad);
    const double to_border_m = angle_rad > 0 ? 0.3 : 0.5;
    const double expected_m = std::min(to_border_m / std::abs(std::sin(angle_rad)), 12.0);
    CHECK(ranges[static_cast<size_t>(i)] == Approx(expected_m).margin(1e-4));
  }
}

TEST_CASE("the mount moves and turns the beams") {
  const LidarGrid grid(StraightTrack(40, 0.8));
  LidarOptions options = PlainLidar(1, 90);  // one beam looks along the mount
  options.mount_x_m = 0.2;
  options.mount_yaw_deg = 90;
  CHECK(Scan(options, CarAt({10, 0}, 0), {grid, {}, 1})[0] == Approx(0.4));
  CHECK(Scan(options, CarAt({10, 0}, kPi / 4), {grid, {}, 1})[0] ==
        Approx((0.4 - 0.2 * std::sin(kPi / 4)) / std::sin(3 * kPi / 4)));
}

TEST_CASE("a full circle has one step between the last beam and the first") {
  const LidarGrid grid(CircleTrack(3, 0.8));
  const LidarOptions options = PlainLidar(4, 360);
  const std::vector<float> ranges = Scan(options, CarAt({3, 0}, 0), {grid, {}, 1});
  CHECK(ranges[0] == Approx(0.4).margin(1e-3));  // behind: the inner border
  CHECK(ranges[2] == Approx(0.4).margin(1e-3));  // ahead: the outer border
  const double side_m = std::sqrt(3.4 * 3.4 - 9);
  CHECK(ranges[1] == Approx(side_m).margin(5e-3));
  CHECK(ranges[3] == Approx(side_m).margin(5e-3));
}

TEST_CASE("every range agrees with a test of all segments") {
  CompareWithBruteForce(CircleTrack(), 5000);
  CompareWithBruteForce(StraightTrack(), 5000);
  for (const std::string& name : tracks::BuiltInTrackNames()) {
    CAPTURE(name);
    CompareWithBruteForce(ValueOf(tracks::LoadTrack(name)), 5000);
  }
  for (const std::filesystem::path& path : SharedTrackFiles()) {
    CAPTURE(path.string());
    CompareWithBruteForce(ValueOf(tracks::LoadTrackFile(path.string())), 1000);
  }
}

TEST_CASE("boxes stand before the borders") {
  const tracks::Track track = StraightTrack(40, 2);
  const LidarGrid grid(track);
  // 0.4 x 0.3 m, its near side 1.8 m ahead, and one behind the car
  const std::array<LidarBox, 2> boxes = {LidarBox{12, 0, 1, 0, 0.2f, 0.15f},
                                         LidarBox{8, 0, 1, 0, 0.2f, 0.15f}};
  const LidarOptions options = PlainLidar(61, 60);
  const std::vector<float> ranges = Scan(options, CarAt({10, 0}, 0), {grid, boxes, 1});
  for (int i = 0; i < 61; ++i) {
    const double angle_rad = RadFromDeg(i - 30);
    CAPTURE(i);
    const double at_near_side_m = 1.8 * std::tan(std::abs(angle_rad));
    const double wall_m = std::min(12.0, 1 / std::sin(std::abs(angle_rad)));
    if (std::abs(at_near_side_m - 0.15) < 0.02) continue;  // a long way along the box's side
    const double expected_m = at_near_side_m < 0.15 ? 1.8 / std::cos(angle_rad) : wall_m;
    CHECK(ranges[static_cast<size_t>(i)] == Approx(expected_m).margin(1e-4));
  }

  // turned by 45 degrees its corner comes first
  const float half = std::sqrt(0.5f);
  const std::array<LidarBox, 1> turned = {LidarBox{12, 0, half, half, 0.2f, 0.2f}};
  CHECK(Scan(PlainLidar(1, 90), CarAt({10, 0}, 0), {grid, turned, 1})[0] ==
        Approx(2 - 0.2 * std::sqrt(2)).margin(1e-4));
}

TEST_CASE("sectors and steps follow DeepRacer's forms") {
  const LidarGrid grid(StraightTrack(40, 0.8));
  // quarters of a circle around the car: right rear, right front, left front, left rear
  LidarOptions options = PlainLidar(8, 315);
  options.num_sectors = 4;
  const std::vector<float> ranges = Scan(options, CarAt({20, 0.25}, 0), {grid, {}, 1});
  std::vector<float> nearest;
  for (size_t i = 0; i < 8; i += 2) nearest.push_back(std::min(ranges[i], ranges[i + 1]));

  options.form = LidarForm::kSectors;
  options.near_m = 0.3;
  const std::vector<float> sectors = Scan(options, CarAt({20, 0.25}, 0), {grid, {}, 1}, 4);
  for (size_t i = 0; i < 4; ++i) CHECK(sectors[i] == (nearest[i] < 0.3f ? 1 : 0));
  CHECK(sectors[0] == 0);
  CHECK(sectors[3] == 1);

  options.form = LidarForm::kDiscretized;
  options.values_per_sector = 5;
  options.clip_m = 1;
  const std::vector<float> steps = Scan(options, CarAt({20, 0.25}, 0), {grid, {}, 1}, 20);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t step = 0; step < 5; ++step) {
      const double low_m = 0.2 * static_cast<double>(step);
      const bool is_in = nearest[i] >= low_m && nearest[i] < low_m + 0.2;
      CHECK(steps[5 * i + step] == (is_in ? 1 : 0));
    }
  }

  // beyond the clip every number is 0
  options.sees_borders = false;
  for (const float number : Scan(options, CarAt({20, 0.25}, 0), {grid, {}, 1}, 20)) {
    CHECK(number == 0);
  }
}

TEST_CASE("noise and drop-outs have their size, and ranges keep their limits") {
  const LidarGrid grid(StraightTrack(40, 0.8));
  LidarOptions options = PlainLidar(1000, 60);
  options.sees_borders = false;
  options.max_range_m = 5;
  options.noise_m = 0.1;
  const std::array<LidarBox, 1> wall = {LidarBox{23, 0, 1, 0, 0.5f, 20}};
  const std::vector<float> clean = [&] {
    LidarOptions quiet = options;
    quiet.noise_m = 0;
    return Scan(quiet, CarAt({20, 0}, 0), {grid, wall, 1});
  }();
  const std::vector<float> noisy = Scan(options, CarAt({20, 0}, 0), {grid, wall, 0.5});
  double sum = 0, sum_of_squares = 0;
  for (size_t i = 0; i < 1000; ++i) {
    const double error_m = noisy[i] - clean[i];
    sum += error_m;
    sum_of_squares += error_m * error_m;
  }
  CHECK(std::abs(sum / 1000) < 0.006);
  CHECK(std::sqrt(sum_of_squares / 1000) == Approx(0.05).epsilon(0.1));

  options.noise_m = 0;
  options.dropout_frac = 0.2;
  int num_lost = 0;
  for (const float range_m : Scan(options, CarAt({20, 0}, 0), {grid, wall, 1})) {
    num_lost += range_m == 5 ? 1 : 0;
  }
  CHECK(std::abs(num_lost - 200) < 50);

  options.min_range_m = 2.6;
  options.max_range_m = 2.7;
  for (const float range_m : Scan(options, CarAt({20, 0}, 0), {grid, wall, 1})) {
    CHECK(range_m >= 2.6f);
    CHECK(range_m <= 2.7f);
  }
}

}  // namespace
}  // namespace lapforge::sim
