// Tests generated tracks: sound for a thousand seeds, winding as asked, the same each time.
#include <algorithm>
#include <iterator>

#include "sim/base/hash.h"
#include "tests/tracks/track_geometry.h"
#include "tests/tracks/track_samples.h"
#include "tracks/track_check.h"
#include "tracks/track_generator.h"

namespace lapforge::tracks {
namespace {

GeneratedTrack Generate(const GeneratorOptions& options) {
  const Result<GeneratedTrack> generated = GenerateTrack(options);
  INFO((generated.ok() ? "" : generated.error().message));
  REQUIRE(generated.ok());
  return *generated;
}

std::string ErrorFor(const GeneratorOptions& options) {
  const Result<GeneratedTrack> generated = GenerateTrack(options);
  REQUIRE_FALSE(generated.ok());
  CHECK(generated.error().message.find('\n') == std::string::npos);
  return generated.error().message;
}

double MinRadius(const GeneratorOptions& options) {
  return options.min_radius_m > 0 ? options.min_radius_m : std::max(0.5, 0.7 * options.width_m);
}

double Gap(const GeneratorOptions& options) {
  return options.gap_m > 0 ? options.gap_m : std::max(0.3, 0.3 * options.width_m);
}

// Everything that a caller was promised, found from the rows alone.
void CheckSound(const Track& track, const GeneratorOptions& options) {
  CAPTURE(options.seed, options.length_m, options.width_m, options.difficulty);
  REQUIRE(track.is_closed());
  CHECK(track.is_counter_clockwise() != options.is_clockwise);
  CHECK(track.length_m() == Approx(options.length_m).epsilon(0.005));
  CHECK(TotalTurn(track) == Approx(options.is_clockwise ? -2 * kPi : 2 * kPi));
  CHECK(SmallestRadius(track) > 0.995 * MinRadius(options));
  const auto [narrowest_m, widest_m] = WidthRange(track);
  CHECK(narrowest_m == Approx(options.width_m));
  CHECK(widest_m == Approx(options.width_m));
  CHECK_FALSE(BordersMeet(track));
  const double pitch_m = options.width_m + Gap(options);
  CHECK(SmallestPitch(track, 0.5 * kPi * pitch_m) > 0.99 * pitch_m);
}

// The n-th of options that cover all that can be asked for.
GeneratorOptions Sample(int n) {
  constexpr double kLengths_m[] = {8, 10, 14, 20, 28, 40, 55, 75, 100};
  constexpr double kWidths_m[] = {0.5, 0.61, 0.76, 0.9, 1.07, 1.5, 2.2, 3};
  GeneratorOptions options;
  options.seed = static_cast<uint64_t>(n);
  options.width_m = kWidths_m[n % std::size(kWidths_m)];
  // the shortest that such a road can be, and more
  const double shortest_m = 10.5 * std::max(0.5, 0.7 * options.width_m) + 0.005;
  options.length_m = std::max(shortest_m, kLengths_m[n % std::size(kLengths_m)]);
  options.difficulty = (n % 11) / 10.0;
  options.is_clockwise = n % 5 == 0;
  return options;
}

void CheckSeeds(int first, int end) {
  for (int n = first; n < end; ++n) {
    const GeneratorOptions options = Sample(n);
    CheckSound(Generate(options).track, options);
  }
}

// four cases, so that they run side by side
TEST_CASE("seeds 0 to 249 give sound tracks") { CheckSeeds(0, 250); }
TEST_CASE("seeds 250 to 499 give sound tracks") { CheckSeeds(250, 500); }
TEST_CASE("seeds 500 to 749 give sound tracks") { CheckSeeds(500, 750); }
TEST_CASE("seeds 750 to 999 give sound tracks") { CheckSeeds(750, 1000); }

TEST_CASE("the longest tracks are sound") {
  for (const auto& [length_m, width_m, difficulty] :
       {std::tuple(300.0, 0.5, 0.8), {500.0, 1.07, 0.0}, {500.0, 2.2, 1.0}, {500.0, 3.0, 0.5}}) {
    GeneratorOptions options;
    options.length_m = length_m;
    options.width_m = width_m;
    options.difficulty = difficulty;
    CheckSound(Generate(options).track, options);
  }
}

TEST_CASE("radius and gap are kept as asked") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    GeneratorOptions options;
    options.seed = seed;
    options.length_m = 50;
    options.difficulty = 0.8;
    options.min_radius_m = 1.2;
    options.gap_m = 1.1;
    const GeneratedTrack generated = Generate(options);
    CheckSound(generated.track, options);
    CHECK(generated.min_radius_m >= 1.2 - 1e-6);
    CHECK(generated.min_radius_m == Approx(SmallestRadius(generated.track)).epsilon(0.03));
  }
}

TEST_CASE("the track check finds nothing in generated tracks") {
  for (int n = 0; n < 1000; n += 7) {
    const GeneratorOptions options = Sample(n);
    CAPTURE(n, options.length_m, options.width_m);
    for (const TrackFinding& finding : CheckRows(RowsOf(Generate(options).track), {})) {
      CAPTURE(finding.sentence);
      CHECK(finding.severity == FindingSeverity::kNote);
    }
  }
}

TEST_CASE("bends grow in number and tightness with difficulty") {
  for (const auto& [length_m, width_m] : {std::pair(20.0, 0.76), {40.0, 0.9}, {100.0, 2.2}}) {
    double turn_before = 0, bends_before = 0, radius_before = 1e9;
    for (const double difficulty : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      CAPTURE(length_m, width_m, difficulty);
      double turn = 0, bends = 0, radius_m = 0;
      constexpr int kNumSeeds = 30;
      for (uint64_t seed = 0; seed < kNumSeeds; ++seed) {
        GeneratorOptions options;
        options.seed = seed;
        options.length_m = length_m;
        options.width_m = width_m;
        options.difficulty = difficulty;
        const Track track = Generate(options).track;
        turn += MeanCurvature(track) / kNumSeeds;
        bends += CountBends(track) / length_m * 10 / kNumSeeds;
        radius_m += SmallestRadius(track) / kNumSeeds;
      }
      CHECK(turn > turn_before);
      CHECK(bends > 1.1 * bends_before);
      CHECK(radius_m < radius_before);
      turn_before = turn;
      bends_before = bends;
      radius_before = radius_m;
    }
  }
}

TEST_CASE("seeds give different tracks") {
  std::vector<Vec2> sizes_m;
  double narrowest = 1, widest = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    GeneratorOptions options;
    options.seed = seed;
    const Track track = Generate(options).track;
    const Vec2 size_m = BoundingBox(track);
    for (const Vec2 other_m : sizes_m) CHECK(Length(size_m - other_m) > 1e-4);
    sizes_m.push_back(size_m);
    const double fullness = EnclosedArea(track) / (size_m.x * size_m.y);
    narrowest = std::min(narrowest, fullness);
    widest = std::max(widest, fullness);
  }
  // from winding ribbons to full loops
  CHECK(narrowest < 0.5);
  CHECK(widest > 0.8);
}

TEST_CASE("a track starts in the middle of its longest straight") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    GeneratorOptions options;
    options.seed = seed;
    const Track track = Generate(options).track;
    const double before_m = StraightFrom(track, -1), after_m = StraightFrom(track, 1);
    CHECK(before_m == Approx(after_m).margin(0.2));
    CHECK(before_m + after_m > LongestStraight(track) - 0.4);
    CHECK(before_m + after_m > 0.5);
    CHECK(track.waypoint(0).center_m == Vec2{0, 0});
  }
}

TEST_CASE("the same options give the same track, and its text reads back to it") {
  GeneratorOptions options;
  options.seed = 7;
  const GeneratedTrack generated = Generate(options);
  CHECK(generated.text == Generate(options).text);
  CHECK(generated.track.name() == "generated_7");
  const Track again = *ParseTextprotoTrack(generated.text, "x");
  CHECK(TrackToNpy(again) == TrackToNpy(generated.track));

  // what this seed means must not change
  CHECK(HashText(generated.text) == 0xdf674863fef7ff5d);
}

TEST_CASE("clockwise tracks mirror the others") {
  GeneratorOptions options;
  options.seed = 3;
  const Track left = Generate(options).track;
  options.is_clockwise = true;
  const Track right = Generate(options).track;
  REQUIRE(left.num_waypoints() == right.num_waypoints());
  for (int i = 0; i < left.num_waypoints(); ++i) {
    const Vec2 a = left.waypoint(i).center_m, b = right.waypoint(i).center_m;
    CHECK(Length(a - Vec2{b.x, -b.y}) < 1e-9);
  }
}

TEST_CASE("options that cannot be met are refused in one line") {
  const auto refuse = [](auto&& change) {
    GeneratorOptions options;
    change(options);
    return ErrorFor(options);
  };
  using Options = GeneratorOptions;
  CHECK(refuse([](Options& o) { o.length_m = 7; }).find("length_m") != std::string::npos);
  CHECK(refuse([](Options& o) { o.length_m = std::nan(""); }).find("length_m") !=
        std::string::npos);
  CHECK(refuse([](Options& o) { o.width_m = 4; }).find("width_m") != std::string::npos);
  CHECK(refuse([](Options& o) { o.difficulty = 1.5; }).find("difficulty") != std::string::npos);
  CHECK(refuse([](Options& o) { o.gap_m = -1; }).find("gap_m") != std::string::npos);
  CHECK(refuse([](Options& o) { o.min_radius_m = 0.4; }) ==
        "min_radius_m = 0.4 is too small for a road 0.9 m wide; expected at least 0.495");
  CHECK(refuse([](Options& o) {
          o.length_m = 8;
          o.width_m = 3;
        }) ==
        "length_m = 8 is too short for a road 3 m wide whose bends have a radius of 2.10 m; "
        "expected at least 22.05");
  // the length that the message names will do
  GeneratorOptions shortest;
  shortest.length_m = 22.055;
  shortest.width_m = 3;
  CheckSound(Generate(shortest).track, shortest);
}

TEST_CASE("tracks are generated by name") {
  const Result<Track> track = LoadTrack("generate:seed=7, length_m=40,difficulty=0.2");
  REQUIRE(track.ok());
  CHECK(track->name() == "generated_7");
  CHECK(track->length_m() == Approx(40).epsilon(0.005));
  CHECK(LoadTrack("generate:sed=7").error().message.find("did you mean 'seed'") !=
        std::string::npos);
  CHECK(LoadTrack("generate:seed=-7").error().message.find("seed") != std::string::npos);
  CHECK(LoadTrack("generate:").error().message.find("expected key=value") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::tracks
