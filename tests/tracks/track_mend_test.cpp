// Tests that mended copies of broken tracks pass the check and are the tracks they were before.
#include <array>
#include <functional>
#include <limits>

#include "tests/tracks/track_samples.h"
#include "tracks/track_check.h"

namespace lapforge::tracks {
namespace {

std::array<std::vector<Vec2>*, 3> ColumnsOf(TrackRows& rows) {
  return {&rows.center_m, &rows.inner_m, &rows.outer_m};
}

MendedRows Mend(const TrackRows& rows, const MendOptions& options = {}) {
  const Result<MendedRows> mended = MendRows(rows, {}, options);
  INFO((mended.ok() ? "" : mended.error().message));
  REQUIRE(mended.ok());
  CHECK(WorstOf(mended->left) != FindingSeverity::kError);
  return *mended;
}

// Mends what `fault` does to a circle and expects the circle again.
void CheckIsUndone(const std::function<void(TrackRows&)>& fault) {
  const TrackRows good = CircleRows(3, 1, 120);
  TrackRows broken = good;
  fault(broken);
  const MendedRows mended = Mend(broken);
  CHECK(mended.done.size() == 1);
  CHECK(mended.rows.center_m == good.center_m);
  CHECK(mended.rows.inner_m == good.inner_m);
  CHECK(mended.rows.outer_m == good.outer_m);
}

TEST_CASE("a sound track stays as it is, bit by bit") {
  const TrackRows rows = CircleRows(3, 1, 120);
  const MendedRows mended = Mend(rows);
  CHECK(mended.done.empty());
  CHECK(mended.rows.center_m == rows.center_m);
  CHECK(mended.rows.outer_m == rows.outer_m);
  CHECK(mended.rows.name == rows.name);
}

TEST_CASE("faults that lose nothing are undone exactly") {
  CheckIsUndone([](TrackRows& rows) {
    for (auto* column : ColumnsOf(rows)) std::swap((*column)[10], (*column)[11]);
  });
  CheckIsUndone([](TrackRows& rows) {
    for (auto* column : ColumnsOf(rows)) {
      std::reverse(column->begin() + 20, column->begin() + 40);
    }
  });
  CheckIsUndone([](TrackRows& rows) {
    for (auto* column : ColumnsOf(rows)) column->insert(column->begin() + 30, (*column)[29]);
  });
  CheckIsUndone([](TrackRows& rows) {
    for (auto* column : ColumnsOf(rows)) column->pop_back();
  });
  CheckIsUndone([](TrackRows& rows) { rows.inner_m.back().x += 1e-9; });
  CheckIsUndone([](TrackRows& rows) { std::swap(rows.inner_m, rows.outer_m); });
  CheckIsUndone([](TrackRows& rows) {
    for (int i = 50; i < 60; ++i) std::swap(rows.inner_m[i], rows.outer_m[i]);
  });
  CheckIsUndone([](TrackRows& rows) { std::reverse(rows.outer_m.begin(), rows.outer_m.end()); });
  CheckIsUndone([](TrackRows& rows) {
    for (auto* column : ColumnsOf(rows)) {
      const std::vector<Vec2> more(column->begin() + 1, column->begin() + 50);
      column->insert(column->end(), more.begin(), more.end());
    }
  });
}

TEST_CASE("bad rows are dropped, map coordinates moved, the many made fewer") {
  TrackRows rows = CircleRows(3, 1, 120);
  rows.outer_m[40].y = std::numeric_limits<double>::quiet_NaN();
  CHECK(Mend(rows).rows.center_m.size() == 120);

  rows = CircleRows(3, 1, 120);
  for (auto* column : ColumnsOf(rows)) {
    for (Vec2& point : *column) point += Vec2{7e5, 5e6};
  }
  CHECK(MakeTrack(Mend(rows).rows).length_m() ==
        Approx(MakeTrack(CircleRows(3, 1, 120)).length_m()));

  CHECK(MakeTrack(Mend(CircleRows(30, 1, 20000)).rows).length_m() ==
        Approx(60 * kPi).epsilon(1e-5));
}

TEST_CASE("scale, spacing and middle are changed where asked for") {
  MendOptions options;
  options.scale = 0.01;
  options.spacing_m = 0.25;
  const Track track = MakeTrack(Mend(CircleRows(300, 100, 720), options).rows);
  CHECK(track.length_m() == Approx(6 * kPi).epsilon(1e-3));
  CHECK(track.num_segments() == 75);
  CHECK(track.waypoint_arc_length_m(1) == Approx(6 * kPi / 75).epsilon(1e-3));

  TrackRows rows = CircleRows(3, 1, 120);
  for (Vec2& point : rows.center_m) point *= 3.2 / 3;
  options = {};
  options.recenter = true;
  for (const Vec2 point : Mend(rows, options).rows.center_m) CHECK(Length(point) == Approx(3));
}

TEST_CASE("a folded border is cut off where it crosses itself") {
  // a square of sides, the inner border of which crosses itself at every corner
  std::vector<Vec2> points_m;
  for (int side = 0; side < 4; ++side) {
    for (int i = 0; i < 20; ++i) {
      points_m.push_back(Rotate({2.6 * (i / 10.0 - 1), -3}, 0.5 * kPi * side));
    }
    for (int i = 0; i < 8; ++i) {
      points_m.push_back(
          Rotate(Vec2{2.6, -2.6} + 0.4 * DirectionOf(0.5 * kPi * (i / 8.0 - 1)), 0.5 * kPi * side));
    }
  }
  const MendedRows mended = Mend(RoadAlong(points_m, 1.2));
  CHECK(mended.done.size() == 4);
  for (const TrackFinding& finding : mended.left) CHECK(finding.kind != FindingKind::kFold);
  double inner_m = 0;
  for (size_t i = 0; i + 1 < mended.rows.inner_m.size(); ++i) {
    inner_m += Length(mended.rows.inner_m[i + 1] - mended.rows.inner_m[i]);
  }
  CHECK(inner_m == Approx(4 * 4.8).margin(1e-3));
}

TEST_CASE("what only the author can mend is said") {
  const Result<MendedRows> eight = MendRows(EightRows(4, 0.8, 101), {}, {});
  REQUIRE_FALSE(eight.ok());
  CHECK(eight.error().message.find("the centre line crosses itself") == 0);
  CHECK(eight.error().message.find("to be mended by hand") != std::string::npos);

  const Result<MendedRows> tiny = MendRows(CircleRows(0.03, 0.01, 60), {}, {});
  REQUIRE_FALSE(tiny.ok());
  CHECK(tiny.error().message.find("--scale 100") != std::string::npos);
  CHECK_FALSE(MendRows(TrackRows{}, {}, {}).ok());
  TrackRows rows = CircleRows(3, 1, 120);
  rows.outer_m.pop_back();
  CHECK_FALSE(MendRows(rows, {}, {}).ok());
}

// Changes to rows as they happen to files.
void Mutate(TrackRows& rows, RngStream& random) {
  const int size = static_cast<int>(rows.center_m.size());
  const int at = 2 + random.Below(size - 20);
  const int count = 1 + random.Below(12);
  const auto columns = ColumnsOf(rows);
  switch (random.Below(10)) {
    case 0:
      (*columns[random.Below(3)])[at].x = std::numeric_limits<double>::quiet_NaN();
      return;
    case 1:
      for (auto* column : columns) column->insert(column->begin() + at, (*column)[at]);
      return;
    case 2:
      for (auto* column : columns) {
        std::reverse(column->begin() + at, column->begin() + at + count);
      }
      return;
    case 3:
      for (auto* column : columns) {
        const std::vector<Vec2> copies(column->begin() + at, column->begin() + at + count);
        column->insert(column->begin() + at + count, copies.begin(), copies.end());
      }
      return;
    case 4:
      for (auto* column : columns)
        column->erase(column->begin() + at, column->begin() + at + count);
      return;
    case 5:
      for (auto* column : columns) column->pop_back();
      return;
    case 6:
      for (int i = at; i < at + count; ++i) std::swap(rows.inner_m[i], rows.outer_m[i]);
      return;
    case 7:
      std::swap(rows.inner_m, rows.outer_m);
      return;
    case 8:
      rows.center_m[at] += 0.3 * Vec2{random.Normal(), random.Normal()};
      return;
    case 9:
      (*columns[1 + random.Below(2)])[at] += Vec2{random.Normal(), random.Normal()};
      return;
  }
}

TEST_CASE("whatever happens to a track is harmless, mended, or said to be beyond it") {
  std::vector<TrackRows> tracks = {CircleRows(3, 1, 120), StraightRows(8, 0.8, 60)};
  for (const std::string& name : BuiltInTrackNames()) tracks.push_back(*LoadTrackRows(name));
  const LogLines log;
  int num_sound = 0, num_mended = 0, num_beyond = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    RngStream random(seed, 0, 0, RngPurpose::kTest);
    TrackRows rows = tracks[seed % tracks.size()];
    for (uint32_t i = 0; i <= seed % 3; ++i) Mutate(rows, random);
    INFO("seed " << seed);
    const bool has_errors = WorstOf(CheckRows(rows, {})) == FindingSeverity::kError;
    if (!has_errors) CHECK(Track::FromRows(rows).ok());
    const Result<MendedRows> mended = MendRows(rows, {}, {});
    if (!mended.ok()) {
      CHECK(has_errors);
      ++num_beyond;
      continue;
    }
    CHECK(Track::FromRows(mended->rows).ok());
    CHECK(WorstOf(CheckRows(mended->rows, {})) != FindingSeverity::kError);
    CHECK(Mend(mended->rows).done.empty());
    (mended->done.empty() ? num_sound : num_mended) += 1;
  }
  CHECK(num_sound > 50);
  CHECK(num_mended > 500);
  CHECK(num_beyond < 150);
}

TEST_CASE("any numbers are taken") {
  const std::array<double, 8> odd = {0,     1e-320, 1e300, -1e9,
                                     99999, 1e-9,   3,     std::numeric_limits<double>::infinity()};
  for (uint32_t seed = 0; seed < 500; ++seed) {
    RngStream random(seed, 0, 0, RngPurpose::kTest);
    TrackRows rows;
    for (auto* column : ColumnsOf(rows)) {
      RngStream same = random;
      for (uint32_t i = 0; i < 1 + seed % 40; ++i) {
        const bool is_odd = random.Below(seed % 2 == 0 ? 10 : 1000000) == 0;
        column->push_back(is_odd ? Vec2{odd[random.Below(8)], odd[random.Below(8)]}
                                 : Vec2{random.Normal(), random.Normal()});
      }
      random = same;
      random.Normal();
    }
    INFO("seed " << seed);
    const std::vector<TrackFinding> findings = CheckRows(rows, {});
    for (const TrackFinding& finding : findings) {
      CHECK(std::isfinite(finding.place_m.x + finding.place_m.y));
    }
    FactsOf(rows);
    const Result<MendedRows> mended = MendRows(rows, {}, {});
    if (mended.ok()) CHECK(Track::FromRows(mended->rows).ok());
  }
}

}  // namespace
}  // namespace lapforge::tracks
