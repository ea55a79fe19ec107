// Tests reading tracks from CSV in all its dialects, and what is said of faults.
#include "tracks/io/csv_track.h"

#include "sim/base/file_io.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

// A circle of 2 m around the origin, counter-clockwise, the road 0.3 m to the left and 0.5 m to the
// right; not repeated at the end, as TUM's files are.
std::string CircleLines(const std::string& separator, const std::string& line_end = "\n",
                        int num_points = 40) {
  std::string text;
  for (int i = 0; i < num_points; ++i) {
    const Vec2 point = 2 * DirectionOf(2 * kPi * i / num_points);
    text += StrCat(point.x, separator, point.y, separator, "0.5", separator, "0.3", line_end);
  }
  return text;
}

Track Parse(const std::string& text, const ReadOptions& options = {}) {
  const Result<Track> track = ParseCsvTrack(text, "my.csv", options);
  INFO((track.ok() ? "" : track.error().message));
  REQUIRE(track.ok());
  return *track;
}

std::string ErrorFor(const std::string& text, const ReadOptions& options = {}) {
  const Result<Track> track = ParseCsvTrack(text, "my.csv", options);
  REQUIRE_FALSE(track.ok());
  CHECK(track.error().message.find('\n') == std::string::npos);
  return track.error().message;
}

void CheckCircle(const Track& track) {
  CHECK(track.is_closed());
  CHECK(track.is_counter_clockwise());
  CHECK(track.num_waypoints() == 41);
  CHECK(track.length_m() == Approx(40 * 4 * std::sin(kPi / 40)).epsilon(1e-12));
  CHECK(track.waypoint(0).center_m == Vec2{2, 0});
  for (int i = 0; i < track.num_waypoints(); ++i) {
    CHECK(Length(track.waypoint(i).left_m) == Approx(1.7).epsilon(1e-12));
    CHECK(Length(track.waypoint(i).right_m) == Approx(2.5).epsilon(1e-12));
  }
}

TEST_CASE("TUM's form is read in every dialect") {
  const std::string header = "# x_m,y_m,w_tr_right_m,w_tr_left_m\n";
  CheckCircle(Parse(header + CircleLines(",")));
  CheckCircle(Parse("# x_m, y_m, w_tr_right_m, w_tr_left_m\n" + CircleLines(", ")));
  CheckCircle(Parse(CircleLines(",")));
  CheckCircle(Parse("x_m;y_m;w_tr_right_m;w_tr_left_m\n" + CircleLines("; ")));
  CheckCircle(Parse("\"x_m\",\"y_m\",\"w_tr_right_m\",\"w_tr_left_m\"\n" + CircleLines(",")));
  CheckCircle(Parse(CircleLines(" ")));
  CheckCircle(Parse(CircleLines("\t")));
  CheckCircle(Parse("  # by hand\n\n" + header + "\n" + CircleLines(",") + "\n\n  \n# end"));
  CheckCircle(Parse("\xef\xbb\xbf" + header + CircleLines(",", "\r\n") + "\r\n\r\n"));
  CheckCircle(Parse(CircleLines(",", ",\n")));
  CHECK(Parse(CircleLines(",")).name() == "my");
  CHECK(Parse(CircleLines(","), {0, "ring"}).name() == "ring");
}

TEST_CASE("a header gives columns another order") {
  std::string text = "note,w_tr_left,y,w_tr_right,x\n";
  for (int i = 0; i < 40; ++i) {
    const Vec2 point = 2 * DirectionOf(2 * kPi * i / 40);
    text += StrCat("7,0.3,", point.y, ",0.5,", point.x, "\n");
  }
  CheckCircle(Parse(text));
}

TEST_CASE("the first row may be repeated at the end, exactly or nearly") {
  const std::string lines = CircleLines(",");
  CheckCircle(Parse(lines + "2,0,0.5,0.3\n"));
  CheckCircle(Parse(lines + "2,-2.4e-16,0.5,0.3\n"));
  CheckCircle(Parse(lines + "1.9999999,0.0000001,0.5,0.3\n"));
}

TEST_CASE("a line whose ends are apart is an open track") {
  const std::string lines = CircleLines(",");
  const Track track = Parse(CircleLines(",").substr(0, lines.find('\n', lines.size() / 2)));
  CHECK_FALSE(track.is_closed());
  const Track straight = Parse("0,0,0.3,0.3\n1,0,0.3,0.3\n");
  CHECK(straight.waypoint(0).left_m == Vec2{0, 0.3});
  CHECK(straight.waypoint(1).right_m == Vec2{1, -0.3});
}

TEST_CASE("a racing line is a track once its width is given") {
  std::string text =
      "# 2c2f\n# made by hand\n# s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2\n";
  for (int i = 0; i <= 40; ++i) {
    const Vec2 point = 2 * DirectionOf(2 * kPi * i / 40);
    text += StrCat(i * 0.3, "; ", point.x, "; ", point.y, "; 0.1; 0.5; 3.0; 0.0\n");
  }
  CHECK(ErrorFor(text).find("my.csv:4: a line without widths; give the road's width (--width "
                            "METRES), or columns x_m, y_m, w_tr_right_m") == 0);
  const Track track = Parse(text, {0.8, ""});
  CHECK(track.is_closed());
  CHECK(track.num_waypoints() == 41);
  CHECK(Length(track.waypoint(9).left_m) == Approx(1.6));
  CHECK(Length(track.waypoint(9).right_m) == Approx(2.4));

  // the same by the number of columns
  CHECK(Parse(text.substr(text.find("0; ")), {0.8, ""}).num_waypoints() == 41);
  const LogLines log;
  CHECK(Length(Parse(CircleLines(","), {0.1, ""}).waypoint(9).left_m) == Approx(1.7));
  CHECK(log.text() == "warning: my.csv has widths of its own; the given one is not used\n");
}

TEST_CASE("centre, inner and outer border are read as DeepRacer's") {
  const TrackRows rows = CircleRows(2, 0.8, 30);
  for (const int num_rows : {30, 31}) {
    std::string text;
    for (int i = 0; i < num_rows; ++i) {
      for (const Vec2 point : {rows.center_m[i], rows.inner_m[i], rows.outer_m[i]}) {
        text += StrCat(text.empty() || text.back() == '\n' ? "" : ",", point.x, ",", point.y);
      }
      text += "\n";
    }
    CHECK(TrackToNpy(Parse(text)) == TrackToNpy(MakeTrack(rows)));
    CHECK(TrackToNpy(Parse("center_x,center_y,inner_x,inner_y,outer_x,outer_y\n" + text)) ==
          TrackToNpy(MakeTrack(rows)));
  }
}

TEST_CASE("repeated points are dropped") {
  const std::string lines = CircleLines(",");
  const size_t second = lines.find('\n') + 1;
  CheckCircle(Parse(lines.substr(0, second) + lines));
}

TEST_CASE("borders that cross are reported, not refused") {
  const LogLines log;
  CHECK(ParseCsvTrack("0,0,0.3,0.3\n4,4,0.3,0.3\n4,0,0.3,0.3\n0,4,0.3,0.3\n", "my.csv").ok());
  CHECK(log.text().find("warning: my.csv: the borders cross near x = ") == 0);
}

TEST_CASE("faults are told with their line") {
  CHECK(ErrorFor("") == "my.csv: no rows of numbers");
  CHECK(ErrorFor("# nothing\n\n") == "my.csv: no rows of numbers");
  CHECK(ErrorFor("1,2,3,4\n1,2,3\n") == "my.csv:2: 3 values; expected 4 as in line 1");
  CHECK(ErrorFor("x_m,y_m,w_tr_right_m,w_tr_left_m\n1,2,3\n") ==
        "my.csv:2: 3 values; expected 4 as in line 1");
  CHECK(ErrorFor("1,2,3,4\n\n1,2,abc,4\n") ==
        "my.csv:3: column 3 is 'abc'; expected a number such as 1.25");
  CHECK(ErrorFor("x,y,w_tr_right,w_tr_left\n1;2;0,5;4\n") ==
        "my.csv:2: column w_tr_right is '0,5'; expected a number such as 1.25");
  CHECK(ErrorFor("1,2,3,4\n1,nan,3,4\n") ==
        "my.csv:2: column 2 is 'nan'; expected a number such as 1.25");
  CHECK(ErrorFor("1,2,3,inf\n").find("my.csv:1: column 4 is 'inf'") == 0);
  CHECK(ErrorFor("1,2,3,1e999\n").find("my.csv:1: column 4 is '1e999'") == 0);
  CHECK(ErrorFor("1,2,3\n").find("my.csv:1: 3 columns without names; expected x_m, y_m") == 0);
  CHECK(ErrorFor("x_m,y_m,w_tr_rihgt_m,w_tr_left_m\n1,2,3,4\n")
            .find("my.csv:1: no column w_tr_right_m (did you mean 'w_tr_rihgt_m'?); expected") ==
        0);
  CHECK(ErrorFor("east,north\n1,2\n").find("my.csv:1: no column x_m; expected x_m, y_m") == 0);
  CHECK(ErrorFor("0,0,1,1\n1,0,-1,1\n2,0,1,1\n") ==
        "my.csv:2: a width of -1; expected 0 .. 200 metres");
  CHECK(ErrorFor("0,0,1,1\n1,0,1,1e308\n2,0,1,1\n") ==
        "my.csv:2: a width of 1e+308; expected 0 .. 200 metres");
  CHECK(ErrorFor("0,0,1,1\n1e308,0,1,1\n2,0,1,1\n") ==
        "my.csv: row 1: centre x is 1e+308; expected metres, at most 100000; "
        "see 'lapforge track check my.csv'");
  CHECK(ErrorFor("3,3,1,1\n3,3,1,1\n").find("my.csv:1: 1 different points; expected 2 ..") == 0);
  CHECK(ErrorFor(std::string(1000, ',') + "\n").find("my.csv:1: more than 64 columns") == 0);
}

TEST_CASE("ten million rows are refused at the 5002nd") {
  std::string text;
  for (int i = 0; i < 10'000'000; ++i) text += "1,2,3,4\n";
  CHECK(ErrorFor(text) ==
        "my.csv:5002: more than 5001 rows; leave out rows, a track has at most 5000");

  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "long.csv";
  REQUIRE(WriteFileAtomic(file, text).ok());
  CHECK(LoadTrackFile(file).error().message.find(file.string()) != std::string::npos);
}

}  // namespace
}  // namespace lapforge::tracks
