// Tests that tracks survive every file format, and that what does not survive is said.
#include "sim/base/file_io.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracks/track_samples.h"
#include "tracks/io/losses.h"

namespace lapforge::tracks {
namespace {

struct Written {
  Track track;
  std::vector<std::string> losses;
  std::string text;
};

// Writes a track, reads it back.
Written PassThrough(const Track& track, const std::string& file_name,
                    const WriteOptions& options = {}) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / file_name;
  const Result<WrittenTrack> written = WriteTrackFile(track, file, options);
  INFO((written.ok() ? "" : written.error().message));
  REQUIRE(written.ok());
  for (const std::filesystem::path& path : written->files) CHECK(std::filesystem::exists(path));
  const Result<Track> reread = LoadTrackFile(file);
  INFO((reread.ok() ? "" : reread.error().message));
  REQUIRE(reread.ok());
  return {*reread, written->losses, *ReadFile(file)};
}

// The largest distance between rows of equal number.
double RowShift(const Track& a, const Track& b) {
  REQUIRE(a.num_waypoints() == b.num_waypoints());
  double shift_m = 0;
  for (int i = 0; i < a.num_waypoints(); ++i) {
    const Waypoint p = a.waypoint(i), q = b.waypoint(i);
    shift_m = std::max({shift_m, Length(p.center_m - q.center_m), Length(p.left_m - q.left_m),
                        Length(p.right_m - q.right_m)});
  }
  return shift_m;
}

bool Mentions(const std::vector<std::string>& losses, const std::string& words) {
  return std::any_of(losses.begin(), losses.end(),
                     [&](const auto& loss) { return loss.find(words) != std::string::npos; });
}

TEST_CASE("the text format keeps every bit of every track") {
  for (const Track& track : AllTracks()) {
    INFO(track.name());
    const Written written = PassThrough(track, "t.textproto");
    CHECK(written.losses.empty());
    CHECK((TrackToNpy(written.track) == TrackToNpy(track)));
    CHECK(written.track.name() == track.name());
    CHECK(written.track.description() == track.description());
  }
}

TEST_CASE("a point gives its half-widths or its borders") {
  const auto parse = [](const std::string& point) {
    return ParseTextprotoTrack(
        "is_open: true inner_is_right: true point { left_m: 1 right_m: 1 }\npoint { x_m: 1 " +
            point + " }",
        "my.textproto");
  };
  const Result<Track> track = parse("left { x_m: 1.1 y_m: 0.4 } right { x_m: 0.9 y_m: -0.3 }");
  REQUIRE(track.ok());
  CHECK(track->waypoint(0).left_m == Vec2{0, 1});
  CHECK(track->waypoint(1).left_m == Vec2{1.1, 0.4});
  CHECK(track->waypoint(1).right_m == Vec2{0.9, -0.3});
  CHECK_FALSE(track->inner_is_left());
  for (const std::string point : {"left { x_m: 1 }", "left { } right { } left_m: 1"}) {
    CHECK(parse(point).error().message ==
          "my.textproto:2: expected either both of left_m, right_m or both of left, right");
  }
}

TEST_CASE(".npy keeps every bit of every track but its description") {
  for (const Track& track : AllTracks()) {
    INFO(track.name());
    const Written written = PassThrough(track, "t.npy");
    CHECK((TrackToNpy(written.track) == TrackToNpy(track)));
    CHECK(written.losses.size() == (track.description().empty() ? 0 : 1));
  }
}

TEST_CASE("CSV keeps centerlines and borders at right angles within a micrometre") {
  for (const TrackRows& rows : {CircleRows(2, 0.8, 60), StraightRows(3, 0.6, 10)}) {
    const Track track = MakeTrack(rows);
    const Written written = PassThrough(track, "t.csv");
    CHECK(written.losses.empty());
    CHECK(RowShift(written.track, track) < 1e-6);
  }
  for (const Track& track : AllTracks()) {
    INFO(track.name());
    const Written written = PassThrough(track, "t.csv");
    for (int i = 0; i < track.num_waypoints(); ++i) {
      CHECK(written.track.waypoint(i).center_m == track.waypoint(i).center_m);
    }
    CHECK(written.track.is_closed() == track.is_closed());
    if (!track.is_closed()) continue;
    CHECK(written.track.is_counter_clockwise() == track.is_counter_clockwise());
  }
}

TEST_CASE("what CSV makes of slanted borders is measured") {
  // the border points of each row 0.1 m ahead of and behind it, on the same borders
  TrackRows rows = StraightRows(3, 0.6, 30);
  for (int i = 1; i < 30; ++i) rows.inner_m[i].x += 0.05;
  CHECK(PassThrough(MakeTrack(rows), "t.csv").losses.empty());

  // a border that turns outward between two rows: the reader's rows cut the tip off
  rows = StraightRows(3, 0.6, 3);
  rows.inner_m[1] = {1.5, 0.5};
  const Written written = PassThrough(MakeTrack(rows), "t.csv");
  // at x = 1 the border is 0.3 + 0.2 * 1 / 1.5 off, at x = 2 on its straight way back to 0.3
  CHECK(Length(written.track.waypoint(1).left_m - Vec2{1, 0.3 + 0.2 / 1.5}) < 1e-9);
  REQUIRE(written.losses.size() == 1);
  CHECK(written.losses[0].find("the borders move by up to ") == 0);
}

TEST_CASE("a TUM file's text is what other programs expect") {
  const std::string text = PassThrough(MakeTrack(CircleRows(2, 0.8, 30)), "t.csv").text;
  CHECK(text.find("# x_m,y_m,w_tr_right_m,w_tr_left_m\n2,0,") == 0);
  CHECK(std::count(text.begin(), text.end(), '\n') == 31);  // the closing row is not repeated
}

TEST_CASE("a map keeps the road within a pixel, and says what is lost") {
  for (const std::string& name : BuiltInTrackNames()) {
    INFO(name);
    const Track track = LoadBuiltInTrack(name)->Reversed();
    const Written written = PassThrough(track, "t.yaml", {{}, 0.04});
    CHECK(Mentions(written.losses, "rows become"));
    CHECK(Mentions(written.losses, "the centerline moves by up to "));
    CHECK(Mentions(written.losses, "the driving direction turns round") ==
          !track.is_counter_clockwise());
    for (int i = 0; i < track.num_waypoints(); ++i) {
      const double offset_m = written.track.Project(track.waypoint(i).center_m).lateral_offset_m;
      CHECK(std::abs(offset_m) < 0.04);
    }
  }
}

TEST_CASE("losses are told in words") {
  const Track circle = MakeTrack(CircleRows(2, 0.8, 60));
  CHECK(LossesBetween(circle, circle).empty());
  const std::vector<std::string> turned = LossesBetween(circle, circle.Reversed());
  CHECK(turned == std::vector<std::string>{"the driving direction turns round"});
  const Track wider = MakeTrack(CircleRows(2, 0.802, 60));
  CHECK(LossesBetween(circle, wider) ==
        std::vector<std::string>{"the borders move by up to 1.000 mm"});
  TrackRows open = CircleRows(2, 0.8, 60);
  for (auto* column : {&open.center_m, &open.inner_m, &open.outer_m}) column->pop_back();
  CHECK(Mentions(LossesBetween(circle, MakeTrack(open)), "becomes an open one"));
}

TEST_CASE("what cannot be written is refused, and leaves nothing behind") {
  const TemporaryFolder folder;
  const Track circle = MakeTrack(CircleRows(2, 0.8, 60));
  const auto error_for = [&](const Track& track, const std::string& name,
                             const WriteOptions& options = {}) {
    const std::filesystem::path file = folder.path() / name;
    const Result<WrittenTrack> written = WriteTrackFile(track, file, options);
    REQUIRE_FALSE(written.ok());
    CHECK(std::filesystem::is_empty(folder.path()));
    const std::string& message = written.error().message;
    CHECK(message.find('\n') == std::string::npos);
    return message.substr(message.find(": ") == std::string::npos ? 0 : message.find(": ") + 2);
  };
  CHECK(error_for(circle, "t.nyp") ==
        "no format has the ending '.nyp' (did you mean '.npy'?); expected .npy, .csv, .textproto, "
        ".yaml, or name the format");
  CHECK(error_for(MakeTrack(StraightRows(3, 0.6, 10)), "t.yaml") ==
        "a map shows closed tracks only, this one is open");
  CHECK(error_for(MakeTrack(CircleRows(3, 0.8, 60)), "t.yaml", {{}, 0.001}).find("a map of ") == 0);
  CHECK(error_for(circle, "t.yaml", {{}, 1}).find("pixels of 1 m are too coarse") == 0);
  CHECK(error_for(circle, "t.yaml", {{}, 2}).find("a resolution of 2 metres a pixel") == 0);
  CHECK_FALSE(WriteTrackFile(circle, folder.path() / "no" / "t.npy").ok());
  CHECK(TrackFormatFromName("cvs").error().message ==
        "no track format 'cvs' (did you mean 'csv'?); there are npy, csv, textproto, map");
  CHECK(PassThrough(circle, "t.dat", {TrackFormat::kNpy, 0.05}).losses.empty());
}

}  // namespace
}  // namespace lapforge::tracks
