// Tests raceline files: TUM's conventions, the round trip, and damaged files.
#include "tests/tracks/track_samples.h"
#include "tracks/raceline.h"

namespace lapforge::tracks {
namespace {

Result<Raceline> Parse(std::string_view text) {
  return ParseRacelineCsv(MakeTrack(CircleRows(2, 1, 60)), text, "line.csv");
}

TEST_CASE("psi is zero to the north and counter-clockwise, as TUM writes it") {
  // three rows of f1tenth_racetracks' Spielberg_raceline.csv
  const Result<Raceline> line = Parse(
      "# 17b4de0d-c737-4d0b-b937-32bd2ef0c95b\n"
      "# 603fd3987364b09f9aacb70d1ed12c268e24dd56\n"
      "# s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2\n"
      "0.0000000; -0.0440806; -0.8491629; 1.8326155; 0.0000525; 8.0000000; 0.0000000\n"
      "0.1999592; -0.2372250; -0.9009210; 1.8326266; 0.0000585; 8.0000000; 0.0000000\n"
      "0.3999183; -0.4303688; -0.9526814; 1.8326389; 0.0000644; 8.0000000; 0.0000000\n");
  REQUIRE(line.ok());
  CHECK_FALSE(line->is_closed);
  CHECK(line->points.size() == 3);
  const Vec2 along = line->points[1].position_m - line->points[0].position_m;
  CHECK(line->points[0].yaw_rad == Approx(std::atan2(along.y, along.x)).margin(1e-4));
  CHECK(line->lap_time_s == Approx(0.3999183 / 8));
}

TEST_CASE("a written line begins with three comments, ends where it began, and reads back") {
  const Track track = *LoadBuiltInTrack("esses");
  const Result<Raceline> line = ComputeRaceline(track, {});
  REQUIRE(line.ok());
  const std::string text = RacelineToCsv(*line, "esses\ndriven");
  const std::vector<std::string_view> rows = Split(text, '\n');
  CHECK(rows[0] == "# esses driven");
  CHECK(rows[1].substr(0, 11) == "# lap time ");
  CHECK(rows[2] == "# s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2");
  CHECK(rows.size() == line->points.size() + 5);  // and an empty one behind the last line feed
  CHECK(Split(rows[3], ';').size() == 7);
  CHECK(rows[3].substr(0, 11) == "0.0000000; ");
  CHECK(rows[3].substr(rows[3].find(';')) ==
        rows[rows.size() - 2].substr(rows[rows.size() - 2].find(';')));

  const Result<Raceline> read = ParseRacelineCsv(track, text, "esses.csv");
  REQUIRE(read.ok());
  CHECK(read->is_closed);
  CHECK(read->length_m == Approx(line->length_m).margin(1e-6));
  CHECK(read->lap_time_s == Approx(line->lap_time_s).margin(1e-5));
  REQUIRE(read->points.size() == line->points.size());
  for (size_t i = 0; i < read->points.size(); ++i) {
    const RacelinePoint& a = read->points[i];
    const RacelinePoint& b = line->points[i];
    CHECK(Length(a.position_m - b.position_m) < 1e-6);
    CHECK(std::abs(WrapAngle(a.yaw_rad - b.yaw_rad)) < 1e-6);
    CHECK(a.arc_length_m == Approx(b.arc_length_m).margin(1e-6));
    CHECK(a.curvature_1pm == Approx(b.curvature_1pm).margin(1e-6));
    CHECK(a.speed_mps == Approx(b.speed_mps).margin(1e-6));
    CHECK(a.accel_mps2 == Approx(b.accel_mps2).margin(1e-6));
    CHECK(a.lateral_offset_m == Approx(b.lateral_offset_m).margin(1e-6));
  }
}

TEST_CASE("commas, tight separators and carriage returns are read") {
  const Result<Raceline> line = Parse("0,0,0,0,0,1,0\r\n1,0,1,0,0,1,0\r\n\r\n2,0,2,0,0,1,0\r\n");
  REQUIRE(line.ok());
  CHECK(line->points[1].yaw_rad == Approx(0.5 * kPi));
  CHECK(line->length_m == 2);
}

TEST_CASE("damaged raceline files are refused with the line") {
  const auto message = [](std::string_view text) {
    const Result<Raceline> line = Parse(text);
    return line.ok() ? "read" : line.error().message;
  };
  const std::string good = "0;0;0;0;0;1;0\n1;0;1;0;0;1;0\n2;0;2;0;0;1;0\n";
  CHECK(message(good) == "read");
  CHECK(message("").find("line.csv") == 0);
  CHECK(message("0,0\n1,0\n2,0\n").find("line.csv:1: 2 columns; expected 7: s_m; x_m;") == 0);
  CHECK(message("0;0;0;0;0;1;0\n1;0;1;0;0;1;0\n") == "line.csv: 2 rows; expected 3 or more");
  for (const char* bad : {"3;0;3;zero;0;1;0", "3;0;inf;0;0;1;0", "3;0;1;0;0;1"}) {
    CHECK(message(good + bad).find("line.csv:4: ") == 0);
  }
  CHECK(message(good + "2;0;3;0;0;1;0").find("line.csv:4: s_m 2 is not beyond") == 0);
  CHECK(message(good + "3;0;3;0;0;-1;0") == "line.csv:4: a negative speed, -1");
  CHECK(message("0;0;0;0;0;0;0\n1;0;1;0;0;0;0\n2;0;2;0;0;1;0\n") ==
        "line.csv:2: the car stands still between two rows");

  // cut anywhere and every byte changed: read or refused, never a crash
  const Track track = MakeTrack(CircleRows(2, 1, 60));
  for (size_t i = 0; i <= good.size(); ++i) {
    (void)ParseRacelineCsv(track, std::string_view(good).substr(0, i), "cut");
    for (int byte = 0; i < good.size() && byte < 256; ++byte) {
      std::string changed = good;
      changed[i] = static_cast<char>(byte);
      const Result<Raceline> line = ParseRacelineCsv(track, changed, "changed");
      if (line.ok()) CHECK(std::isfinite(line->lap_time_s));
    }
  }
}

}  // namespace
}  // namespace lapforge::tracks
