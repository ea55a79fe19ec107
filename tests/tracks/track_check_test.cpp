// Tests that every fault of a track file is found where it was made, and that sound tracks are left
// alone. The tracks are circles and straights, so that every expected number is a closed form.
#include "tracks/track_check.h"

#include <array>
#include <limits>
#include <map>

#include "tests/tracks/polygons.h"
#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

using enum FindingKind;
using enum FindingSeverity;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A sound lap: 18.85 m of bend with 3 m of radius, rows every 157 mm.
constexpr double kRadius_m = 3;
constexpr int kNumSegments = 120;
const double kChord_m = 2 * kRadius_m * std::sin(kPi / kNumSegments);
TrackRows Lap() { return CircleRows(kRadius_m, 1, kNumSegments); }

std::array<std::vector<Vec2>*, 3> ColumnsOf(TrackRows& rows) {
  return {&rows.center_m, &rows.inner_m, &rows.outer_m};
}

// Inserts copies of the rows from `first` to `last` before row `at`.
void InsertCopies(TrackRows& rows, int at, int first, int last) {
  for (std::vector<Vec2>* column : ColumnsOf(rows)) {
    const std::vector<Vec2> copies(column->begin() + first, column->begin() + last + 1);
    column->insert(column->begin() + at, copies.begin(), copies.end());
  }
}

void SetWidth(TrackRows& rows, int i, double width_m) {
  const Vec2 out = rows.center_m[i] / Length(rows.center_m[i]);
  rows.inner_m[i] = rows.center_m[i] - 0.5 * width_m * out;
  rows.outer_m[i] = rows.center_m[i] + 0.5 * width_m * out;
}

TrackRows Scaled(TrackRows rows, double factor) {
  for (std::vector<Vec2>* column : ColumnsOf(rows)) {
    for (Vec2& point : *column) point *= factor;
  }
  return rows;
}

std::string ListOf(const std::vector<TrackFinding>& findings) {
  std::string list;
  for (const TrackFinding& finding : findings) {
    list +=
        StrCat(NameOf(finding.severity), " ", NameOf(finding.kind), ": ", finding.sentence, "\n");
  }
  return list;
}

// The findings, each of which must be of `kind`.
std::vector<TrackFinding> AllOf(FindingKind kind, const TrackRows& rows,
                                const CheckLimits& limits = {}) {
  const std::vector<TrackFinding> findings = CheckRows(rows, limits);
  INFO(ListOf(findings));
  for (const TrackFinding& finding : findings) {
    CHECK(finding.kind == kind);
    CHECK_FALSE(finding.sentence.empty());
    CHECK((finding.sentence + finding.fix).find('\n') == std::string::npos);
  }
  return findings;
}

// The finding, which must be the only one.
TrackFinding Only(FindingKind kind, FindingSeverity severity, const TrackRows& rows,
                  const CheckLimits& limits = {}) {
  const std::vector<TrackFinding> findings = AllOf(kind, rows, limits);
  INFO(ListOf(findings));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == severity);
  return findings[0];
}

// Those of `kind` among all.
std::vector<TrackFinding> Among(FindingKind kind, const TrackRows& rows,
                                const CheckLimits& limits = {}) {
  std::vector<TrackFinding> found = CheckRows(rows, limits);
  std::erase_if(found, [&](const TrackFinding& finding) { return finding.kind != kind; });
  return found;
}

void CheckIsAt(const TrackFinding& finding, RowRange rows, Vec2 place_m) {
  INFO(finding.sentence);
  CHECK(finding.rows.first == rows.first);
  CHECK(finding.rows.last == rows.last);
  CHECK(Length(finding.place_m - place_m) < 1e-6);
}

TEST_CASE("sound tracks have no findings") {
  CHECK(CheckRows(Lap(), {}).empty());
  for (const std::string& name : BuiltInTrackNames()) {
    const Result<TrackRows> rows = LoadTrackRows(name);
    REQUIRE(rows.ok());
    const std::vector<TrackFinding> findings = CheckRows(*rows, {});
    INFO(name << "\n" << ListOf(findings));
    CHECK(WorstOf(findings) == kNote);
  }
}

TEST_CASE("rows that are no places are found") {
  TrackRows rows = Lap();
  rows.inner_m[7].y = kNan;
  rows.outer_m[8].x = 1e308;
  const TrackFinding finding = Only(kNotAPlace, kError, rows);
  CheckIsAt(finding, {7, 8}, rows.center_m[6]);
  CHECK(finding.arc_length_m == Approx(6 * kChord_m));
  CHECK(finding.measured == 2);

  rows = Lap();
  for (std::vector<Vec2>* column : ColumnsOf(rows)) {
    for (Vec2& point : *column) point += Vec2{500123, 4649776};
  }
  CHECK(Only(kFarFromOrigin, kError, rows).is_mended);
}

TEST_CASE("rows that make no line are found") {
  TrackRows rows = Lap();
  rows.outer_m.pop_back();
  CHECK_FALSE(Only(kColumns, kError, rows).is_mended);
  Only(kTooFewRows, kError, TrackRows{});
  rows = CircleRows(3, 1, 3);
  rows.center_m.assign(4, {1, 1});
  CHECK_FALSE(Among(kTooFewRows, rows).empty());
  CHECK(Only(kTooManyRows, kError, CircleRows(30, 1, 6000)).measured == 6001);
}

TEST_CASE("repeated rows are found, also DeepRacer's old closing point") {
  TrackRows rows = Lap();
  InsertCopies(rows, 50, 49, 49);
  const TrackFinding finding = Only(kRepeatedRow, kNote, rows);
  CheckIsAt(finding, {50, 50}, rows.center_m[49]);
  CHECK(finding.arc_length_m == Approx(49 * kChord_m));
}

TEST_CASE("rows in the wrong order are found") {
  for (const auto& [first, last] : {std::pair(10, 11), {20, 30}, {1, 2}, {118, 119}}) {
    TrackRows rows = Lap();
    for (std::vector<Vec2>* column : ColumnsOf(rows)) {
      std::reverse(column->begin() + first, column->begin() + last + 1);
    }
    const TrackFinding finding = Only(kReversedRows, last == first + 1 ? kWarning : kError, rows);
    CheckIsAt(finding, {first, last}, rows.center_m[first]);
  }
}

TEST_CASE("a step back is found") {
  TrackRows rows = Lap();
  InsertCopies(rows, 45, 40, 44);
  TrackFinding finding = Only(kBackStep, kWarning, rows);
  CheckIsAt(finding, {40, 44}, rows.center_m[40]);
  const double way_back_m = 2 * kRadius_m * std::sin(4 * kPi / kNumSegments);
  CHECK(finding.measured == Approx(way_back_m));

  // one row too far back
  rows = Lap();
  for (std::vector<Vec2>* column : ColumnsOf(rows)) {
    (*column)[60] = Lerp((*column)[56], (*column)[57], 0.5);
  }
  CheckIsAt(Only(kBackStep, kWarning, rows), {60, 60}, rows.center_m[60]);
}

TEST_CASE("ends that almost meet are told from open ones") {
  TrackRows rows = Lap();
  for (std::vector<Vec2>* column : ColumnsOf(rows)) column->pop_back();
  TrackFinding finding = Only(kNearlyClosed, kWarning, rows);
  CheckIsAt(finding, {119, 119}, rows.center_m[119]);
  CHECK(finding.measured == Approx(kChord_m));

  rows = Lap();
  rows.outer_m.back().y += 1e-12;
  CHECK(Only(kNearlyClosed, kWarning, rows).measured == 0);
  CHECK(Only(kOpen, kNote, StraightRows(5.7, 0.61, 21)).measured == Approx(5.7));
}

TEST_CASE("more than a lap is found") {
  for (const int num_more : {1, 2, 30, 119}) {
    TrackRows rows = Lap();
    InsertCopies(rows, kNumSegments + 1, 1, num_more);
    const TrackFinding finding = Only(kSecondLap, kError, rows);
    CheckIsAt(finding, {kNumSegments, kNumSegments + num_more}, rows.center_m[0]);
    CHECK(finding.measured == Approx(num_more * kChord_m));
  }
}

TEST_CASE("exchanged and reversed borders are found") {
  TrackRows rows = Lap();
  std::swap(rows.inner_m, rows.outer_m);
  CHECK(Only(kExchanged, kError, rows).rows.first == -1);

  rows = Lap();
  for (int i = 20; i <= 30; ++i) std::swap(rows.inner_m[i], rows.outer_m[i]);
  CheckIsAt(Only(kExchanged, kError, rows), {20, 30}, rows.center_m[20]);

  rows = Lap();
  std::reverse(rows.outer_m.begin(), rows.outer_m.end());
  Only(kReversedBorder, kError, rows);
  rows = StraightRows(5, 1, 40);
  std::reverse(rows.inner_m.begin(), rows.inner_m.end());
  CHECK(Among(kReversedBorder, rows).size() == 1);
}

TEST_CASE("a centerline beside the middle is measured") {
  TrackRows rows = Lap();
  for (Vec2& point : rows.inner_m) point *= 2.4 / 2.5;
  const TrackFinding finding = Only(kOffCenter, kNote, rows);
  CHECK(finding.measured == Approx(0.05));

  rows = Lap();
  for (Vec2& point : rows.center_m) point *= 3.6 / 3;
  const std::vector<TrackFinding> off_road = Among(kOffRoad, rows);
  REQUIRE(off_road.size() == 1);
  CHECK(off_road[0].severity == kError);
  CHECK(off_road[0].is_mended);
}

TEST_CASE("other units than metres are recognised") {
  TrackFinding finding = Only(kUnits, kWarning, Scaled(Lap(), 100));
  CHECK(finding.measured == Approx(100));
  CHECK(finding.fix.find("--scale 0.0100 makes it 1.00 m wide and 18.85 m long") == 0);
  CHECK(Only(kUnits, kWarning, Scaled(Lap(), 1000)).fix.find("--scale 0.0010") == 0);
  CHECK(Only(kUnits, kWarning, Scaled(Lap(), 1 / 0.0254)).fix.find("--scale 0.0254") == 0);
  CHECK(Only(kUnits, kWarning, Scaled(Lap(), 15)).fix.find("--scale 0.0556") == 0);
  CHECK(Only(kUnits, kError, Scaled(Lap(), 0.01)).fix.find("--scale 100") == 0);
}

TEST_CASE("widths are compared with the car") {
  TrackRows rows = Lap();
  for (int i = 30; i <= 32; ++i) SetWidth(rows, i, 0.1);
  TrackFinding finding = Only(kNarrow, kError, rows);
  CHECK(finding.rows.first == 30);
  CHECK(finding.rows.last == 32);
  CHECK(finding.measured == Approx(0.1).margin(1e-3));

  rows = Lap();
  for (int i = 118; i <= 122; ++i) SetWidth(rows, i % 120, 0.3);
  SetWidth(rows, 120, 0.3);
  finding = Only(kNarrow, kWarning, rows);
  CHECK(finding.rows.first == 118);
  CHECK(finding.rows.last == 2);

  rows = CircleRows(20, 1, 800);
  for (int i = 30; i <= 60; ++i) SetWidth(rows, i, 10);
  CHECK(Only(kWide, kWarning, rows).rows.last == 60);

  for (int i = 30; i <= 60; ++i) SetWidth(rows, i, 2);
  const std::vector<TrackFinding> jumps = AllOf(kWidthJump, rows);
  REQUIRE(jumps.size() == 2);
  CheckIsAt(jumps[0], {29, 30}, rows.center_m[29]);
  CheckIsAt(jumps[1], {60, 61}, rows.center_m[60]);
  CHECK(jumps[0].measured == Approx(1));
}

TEST_CASE("a row that lies askew does not hide a narrow road") {
  TrackRows rows = StraightRows(10, 0.15, 60);
  for (Vec2& point : rows.outer_m) point.x += 0.4;
  const std::vector<TrackFinding> narrow = Among(kNarrow, rows);
  REQUIRE_FALSE(narrow.empty());
  CHECK(narrow[0].measured == Approx(0.15));
}

TEST_CASE("bends are compared with the car") {
  TrackRows rows = CircleRows(1.5, 1, 60);
  CHECK(Only(kStartInBend, kNote, rows).measured == Approx(1.5).epsilon(1e-3));

  const std::vector<TrackFinding> tight = Among(kTightBend, CircleRows(0.25, 0.4, 30));
  REQUIRE(tight.size() == 1);
  CHECK(tight[0].severity == kNote);
  CHECK(tight[0].measured == Approx(0.25).epsilon(0.01));

  CheckLimits limits;
  limits.turning_radius_m = 0.6;
  CHECK(Among(kTightBend, CircleRows(0.25, 0.4, 30), limits).front().severity == kWarning);
}

TEST_CASE("a corner at one row is found") {
  std::vector<Vec2> points_m;
  for (const Vec2 corner : {Vec2{0, 0}, {8, 0}, {8, 8}, {0, 8}}) {
    const Vec2 along = Rotate({0.5, 0}, 0.5 * kPi * (points_m.size() / 16));
    for (int i = 0; i < 16; ++i) points_m.push_back(corner + i * along);
  }
  std::rotate(points_m.begin(), points_m.begin() + 8, points_m.end());
  const std::vector<TrackFinding> corners = AllOf(kCorner, RoadAlong(points_m, 0.8));
  REQUIRE(corners.size() == 4);
  CheckIsAt(corners[0], {8, 8}, {8, 0});
  CHECK(corners[0].measured == Approx(90));
}

TEST_CASE("lengths and distances of rows out of the usual are told") {
  CHECK(Among(kTooShort, CircleRows(0.15, 0.25, 30)).size() == 1);
  CHECK(Among(kTooLong, StraightRows(1200, 1, 1200)).front().measured == Approx(1200));
  CHECK(Only(kCoarseRows, kNote, CircleRows(20, 1, 60)).measured ==
        Approx(40 * std::sin(kPi / 60)));
  CHECK(Only(kFineRows, kNote, CircleRows(3, 1, 4000)).measured ==
        Approx(6 * std::sin(kPi / 4000)).epsilon(0.01));
  TrackRows rows = CircleRows(3, 1, 480);
  for (std::vector<Vec2>* column : ColumnsOf(rows)) {
    column->erase(column->begin() + 100, column->begin() + 105);
  }
  CheckIsAt(Only(kUnevenRows, kNote, rows), {99, 99}, rows.center_m[99]);
}

// A square with rounded corners around the origin, counter-clockwise from the middle of its lower
// side.
std::vector<Vec2> RoundedSquare(double half_side_m, double radius_m) {
  std::vector<Vec2> side;
  const double straight_m = half_side_m - radius_m;
  for (int i = 0; i < 40; ++i) side.push_back({straight_m * i / 40, -half_side_m});
  for (int i = 0; i < 12; ++i) {
    side.push_back(Vec2{straight_m, -straight_m} +
                   radius_m * DirectionOf(0.5 * kPi * (i / 12.0 - 1)));
  }
  for (int i = 0; i < 40; ++i) side.push_back({half_side_m, straight_m * (i / 40.0 - 1)});
  std::vector<Vec2> square;
  for (int quarter = 0; quarter < 4; ++quarter) {
    for (const Vec2 point : side) square.push_back(Rotate(point, 0.5 * kPi * quarter));
  }
  return square;
}

TEST_CASE("a border that folds in a bend is found where it crosses itself") {
  const std::vector<TrackFinding> folds = Among(kFold, RoadAlong(RoundedSquare(3, 0.32), 1));
  REQUIRE(folds.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    // where the inner borders of the two sides cross
    CHECK(Length(folds[i].place_m - Rotate({2.5, -2.5}, 0.5 * kPi * i)) < 1e-6);
    CHECK(folds[i].severity == kWarning);
    CHECK(folds[i].is_mended);
  }
  CHECK(AllOf(kFold, RoadAlong(RoundedSquare(3, 0.6), 1)).empty());
}

TEST_CASE("a border that runs backwards without crossing itself is told") {
  TrackRows rows = Lap();
  rows.inner_m[30] = 0.99 * Lerp(rows.inner_m[29], rows.inner_m[28], 0.5);
  const std::vector<TrackFinding> backwards = Among(kBorderBack, rows);
  REQUIRE(backwards.size() == 1);
  CheckIsAt(backwards[0], {29, 30}, rows.inner_m[29]);
}

TEST_CASE("borders that meet leave no road") {
  TrackRows rows = Lap();
  rows.inner_m[30] = rows.outer_m[30];
  const std::vector<TrackFinding> meetings = Among(kBordersCross, rows);
  REQUIRE(meetings.size() == 1);
  CHECK(meetings[0].severity == kError);
  CheckIsAt(meetings[0], {29, 31}, rows.outer_m[30]);
}

TEST_CASE("a figure eight is found where it crosses itself") {
  for (const int num_segments : {101, 200, 4001, 10000}) {
    const TrackRows rows = EightRows(20, 0.8, num_segments);
    const std::vector<TrackFinding> crossings = Among(kCrossing, rows);
    REQUIRE(crossings.size() == 1);
    CHECK(crossings[0].severity == kError);
    CHECK(Length(crossings[0].place_m) < 1e-6 + 30.0 / num_segments);
    CHECK(std::abs(crossings[0].rows.first - num_segments / 4) <= 1);
    CHECK(std::abs(crossings[0].other_rows.first - 3 * num_segments / 4) <= 1);
    CHECK(Among(kOverlap, rows).empty());
  }
}

// A lap with two parallel straights `distance_m` apart, along x from -2 to 2, that part to both
// sides into wide bends.
TrackRows Dumbbell(double distance_m, double width_m) {
  std::vector<Vec2> half;
  const double bend_m = 0.5 * distance_m + 2;
  for (int i = 0; i <= 60; ++i) {
    const double x = 5.0 - i / 6.0;
    const double share = Clamp((std::abs(x) - 2) / 3, 0.0, 1.0);
    half.push_back({x, 0.5 * distance_m + 2 * share * share * (3 - 2 * share)});
  }
  for (int i = 1; i < 40; ++i) {
    half.push_back(Vec2{-5, 0} + bend_m * DirectionOf(kPi * (0.5 + i / 40.0)));
  }
  std::vector<Vec2> points_m = half;
  for (const Vec2 point : half) points_m.push_back(-point);
  // row 0 in the middle of a bend
  std::rotate(points_m.begin(), points_m.end() - 20, points_m.end());
  return RoadAlong(points_m, width_m);
}

TEST_CASE("roads that lie over each other are found and measured") {
  CHECK(CheckRows(Dumbbell(1.1, 1), {}).empty());

  TrackFinding finding = Only(kOverlap, kWarning, Dumbbell(0.8, 1));
  CHECK(finding.measured == Approx(0.2));
  CHECK(std::abs(finding.place_m.x) < 2.5);
  CHECK(std::abs(finding.place_m.y) == Approx(0.4).margin(0.02));
  CHECK(finding.sentence.find("which leaves 0.80 m") != std::string::npos);
  // the straights are rows 38 to 62, and half a lap of 100 rows on
  CHECK(std::abs(finding.rows.first - 38) <= 2);
  CHECK(std::abs(finding.rows.last - 62) <= 2);
  CHECK(std::abs(finding.other_rows.first - 138) <= 2);
  CHECK(std::abs(finding.other_rows.last - 162) <= 2);

  finding = Only(kOverlap, kError, Dumbbell(0.3, 1));
  CHECK(finding.measured == Approx(0.7).epsilon(1e-3));
  CHECK(finding.expected == 0.4);
}

TEST_CASE("roads that share a border touch") {
  const TrackFinding finding = Only(kTouch, kWarning, Dumbbell(1, 1));
  CHECK(std::abs(finding.rows.first - 38) <= 2);
  CHECK(std::abs(finding.other_rows.first - 138) <= 2);
}

TEST_CASE("a crossing is found exactly where Shapely finds one") {
  CheckLimits limits;
  limits.car_width_m = 1e-4;  // roads thin as lines
  limits.min_width_m = 1e-4;
  int num_simple = 0;
  for (const PolygonCase& polygon : kPolygons) {
    const TrackRows rows = RoadAlong({polygon.points.begin(), polygon.points.end()}, 1e-3);
    const std::vector<TrackFinding> findings = CheckRows(rows, limits);
    const auto crossing =
        std::find_if(findings.begin(), findings.end(),
                     [](const TrackFinding& finding) { return finding.kind == kCrossing; });
    INFO(ListOf(findings));
    CHECK((crossing == findings.end()) == polygon.is_simple);
    num_simple += polygon.is_simple;
  }
  CHECK(num_simple > 20);
  CHECK(std::size(kPolygons) - num_simple > 20);
}

TEST_CASE("DeepRacer's files have no errors and no warnings") {
  for (const std::filesystem::path& file : SharedTrackFiles()) {
    const Result<TrackRows> rows = LoadTrackRows(file.string());
    REQUIRE(rows.ok());
    const std::vector<TrackFinding> findings = CheckRows(*rows, {});
    INFO(file << "\n" << ListOf(findings));
    CHECK(WorstOf(findings) == kNote);
  }
}

TEST_CASE("the centerlines of DeepRacer's old files are off by what NumPy measures") {
  // file, metres, row of the file
  const std::map<std::string, std::pair<double, int>> kOff = {
      {"AWS_track", {0.196, 235}},
      {"Bowtie_track", {0.115, 85}},
      {"Canada_Training", {0.105, 156}},
      {"Oval_track", {0.046, 94}},
      {"Tokyo_Training_track", {0.433, 137}}};
  for (const std::filesystem::path& file : SharedTrackFiles()) {
    const std::vector<TrackFinding> off = Among(kOffCenter, *LoadTrackRows(file.string()));
    const auto expected = kOff.find(file.stem().string());
    INFO(file);
    REQUIRE(off.size() == (expected == kOff.end() ? 0 : 1));
    if (off.empty()) continue;
    CHECK(off[0].measured == Approx(expected->second.first).margin(5e-4));
    CHECK(off[0].rows.first == expected->second.second);
  }
}

}  // namespace
}  // namespace lapforge::tracks
