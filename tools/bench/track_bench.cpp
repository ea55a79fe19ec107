#include "tools/bench/track_bench.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "sim/base/hash.h"
#include "tracks/ground_texture.h"
#include "tracks/track_files.h"

namespace lapforge::bench {
namespace {

constexpr int kRepetitions = 20;
constexpr int kNumCars = 64;  // asked in turn, as the simulator does
constexpr int kSteps = 100;
constexpr double kStep_m = 0.1;  // 1.5 m/s, 15 times a second

struct Measured {
  double ns = std::numeric_limits<double>::infinity();  // a call
  uint64_t hash = 0;
};

// Calls `ask(i)`, which answers with two numbers, for all i below `count`, again and again.
template <class Ask>
Measured Measure(int repetitions, size_t count, Ask ask) {
  Measured measured;
  std::vector<Vec2> answers(count);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto begin = std::chrono::steady_clock::now();
    for (size_t i = 0; i < count; ++i) answers[i] = ask(i);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    measured.ns = std::min(measured.ns, time.count() / static_cast<double>(count));
  }
  StateHasher hasher;
  for (const Vec2 answer : answers) {
    hasher.Add(answer.x);
    hasher.Add(answer.y);
  }
  measured.hash = hasher.Finish();
  return measured;
}

class TrackBench {
 public:
  explicit TrackBench(const tracks::Track& track) : track_(track) {
    for (int i = 0; i < kSteps * kNumCars; ++i) {
      const int car = i % kNumCars;
      const double arc_m = track.length_m() * car / kNumCars + kStep_m * (i / kNumCars);
      points_m_.push_back(track.PointAt(arc_m, 0.3 * std::sin(0.7 * arc_m + car)));
      positions_.push_back(track.Project(points_m_.back()));
    }
  }

  void RunQueries() {
    std::vector<int> hints(kNumCars);
    for (int car = 0; car < kNumCars; ++car) hints[car] = positions_[car].segment_index;
    Report("project near", [&](size_t i) {
      const tracks::TrackPosition position = track_.ProjectNear(points_m_[i], hints[i % kNumCars]);
      hints[i % kNumCars] = position.segment_index;
      return Vec2{position.arc_length_m, position.lateral_offset_m};
    });
    Report("project", [&](size_t i) {
      const tracks::TrackPosition position = track_.Project(points_m_[i]);
      return Vec2{position.arc_length_m, position.lateral_offset_m};
    });
    Report("borders", [&](size_t i) { return track_.NearestBorders(positions_[i]).left_m; });
    Report("on road", [&](size_t i) {
      return Vec2{double(track_.IsOnRoad(points_m_[i], positions_[i])), 0};
    });
    Report("curvature", [&](size_t i) {
      return Vec2{track_.CurvatureAt(positions_[i].arc_length_m), 0};
    });
    Report("half widths", [&](size_t i) {
      const tracks::HalfWidths widths = track_.HalfWidthsAt(positions_[i].arc_length_m);
      return Vec2{widths.left_m, widths.right_m};
    });
  }

  Result<void> RunLoading() {
    constexpr int kLoads = 5;
    const std::string bytes = tracks::TrackToNpy(track_);
    LAPFORGE_CHECK_OK(tracks::ParseNpyTrack(bytes, track_.name()));
    const Measured load = Measure(kLoads, 1, [&](size_t) {
      const Result<tracks::Track> track = tracks::ParseNpyTrack(bytes, track_.name());
      return Vec2{track->length_m(), 0};
    });
    Print("load", load.ns / 1e6, "ms", load.hash);
    return {};
  }

  Result<void> RunPainting() {
    constexpr int kPaintings = 3;
    LAPFORGE_TRY(const tracks::GroundTexture texture, tracks::PaintGround(track_, {}));
    StateHasher hasher;
    size_t num_bytes = 0;
    for (const tracks::TextureLevel& level : texture.levels) {
      hasher.AddSpan(std::span<const uint8_t>(level.texels));
      num_bytes += level.texels.size();
    }
    const Measured paint = Measure(
        kPaintings, 1, [&](size_t) { return tracks::PaintGround(track_, {})->levels[0].origin_m; });
    Print("paint ground", paint.ns / 1e6, "ms", hasher.Finish());
    Print("ground's memory", num_bytes / 1e6, "MB", hasher.Finish());
    return {};
  }

 private:
  template <class Ask>
  void Report(const char* scene, Ask ask) const {
    const Measured measured = Measure(kRepetitions, points_m_.size(), ask);
    Print(scene, measured.ns, "ns", measured.hash);
  }

  void Print(const char* scene, double value, const char* unit, uint64_t hash) const {
    std::printf("track  %-16s %9.2f %s  hash %016" PRIx64 "\n", scene, value, unit, hash);
  }

  const tracks::Track& track_;
  std::vector<Vec2> points_m_;
  std::vector<tracks::TrackPosition> positions_;
};

}  // namespace

int BenchTrack(const tracks::Track& track) {
  TrackBench bench(track);
  bench.RunQueries();
  for (const Result<void>& done : {bench.RunLoading(), bench.RunPainting()}) {
    if (done.ok()) continue;
    std::fprintf(stderr, "lapforge bench: %s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}

}  // namespace lapforge::bench
