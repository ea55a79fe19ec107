// Tests finding and telling apart track files, messages that name the file, and the way to .npy and
// back.
#include "tracks/track_files.h"

#include "sim/base/file_io.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracks/track_samples.h"
#include "tracks/io/npy.h"

namespace lapforge::tracks {
namespace {

std::string ErrorFor(const std::string& name_or_path) {
  const Result<Track> track = LoadTrack(name_or_path);
  REQUIRE_FALSE(track.ok());
  CHECK(track.error().message.find('\n') == std::string::npos);
  return track.error().message;
}

TEST_CASE("a name is a built-in track or a file") {
  CHECK(LoadTrack("oval")->name() == "oval");
  CHECK(ErrorFor("ovl") ==
        "no track 'ovl' (did you mean 'oval'?); expected a .npy, .csv, .yaml or .textproto file, "
        "or one of " +
            Join(BuiltInTrackNames(), ", "));
  CHECK(LoadBuiltInTrack("essses").error().message.find("(did you mean 'esses'?)") !=
        std::string::npos);

  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "strip.textproto";
  REQUIRE(
      WriteFileAtomic(file, "width_m: 1 is_open: true segment { straight { length_m: 3 } }").ok());
  CHECK(LoadTrack(file.string())->name() == "strip");
}

TEST_CASE("content decides, not the file's name") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "track.dat";
  const Track track = MakeTrack(CircleRows(2, 0.8, 30));
  REQUIRE(WriteFileAtomic(file, TrackToNpy(track)).ok());
  CHECK(LoadTrack(file.string())->num_waypoints() == 31);

  REQUIRE(WriteFileAtomic(file, "1,0,0.3,0.3\n2,0,0.3,0.3\n").ok());
  CHECK(LoadTrack(file.string())->num_waypoints() == 2);

  REQUIRE(WriteFileAtomic(file, std::string("\x7f"
                                            "ELF\0\0",
                                            6))
              .ok());
  CHECK(ErrorFor(file.string()) ==
        StrCat(file, ": no track file; expected .npy, .csv, .yaml (ROS map) or .textproto"));
  REQUIRE(WriteFileAtomic(file, "\x89PNG\r\n\x1a\n").ok());
  CHECK(ErrorFor(file.string()) ==
        StrCat(file, ": a picture; give the .yaml file that belongs to the map"));
}

TEST_CASE("faults of a file are told with its path and row") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "bad.npy";
  NpyTable table{3, 6, std::vector<double>(18, 1)};
  table.values[6] = std::nan("");
  REQUIRE(WriteFileAtomic(file, NpyFromTable(table)).ok());
  CHECK(ErrorFor(file.string()) ==
        StrCat(file, ": row 1: centre x is nan; expected metres, at most 100000; ",
               "see 'lapforge track check ", file, "'"));

  REQUIRE(WriteFileAtomic(file, NpyFromTable({3, 5, std::vector<double>(15, 1)})).ok());
  CHECK(ErrorFor(file.string()) ==
        StrCat(file, ": 5 columns; expected centre x, y, inner x, y, outer x, y"));

  const std::string whole = NpyFromTable(table);
  REQUIRE(WriteFileAtomic(file, whole.substr(0, whole.size() - 3)).ok());
  CHECK(ErrorFor(file.string()).find(StrCat(file, ": shape (3, 6) of 8-byte numbers")) == 0);

  CHECK(ErrorFor(folder.path().string()).find(folder.path().string()) != std::string::npos);
}

TEST_CASE("a file whose ends nearly meet is read as open, with a warning") {
  const LogLines log;
  TrackRows rows = CircleRows(2, 0.8, 20);
  for (auto* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) column->pop_back();
  const Result<Track> track = ParseNpyTrack(TrackToNpy(MakeTrack(rows)), "ring.npy");
  CHECK_FALSE(track->is_closed());
  CHECK(log.text().find("warning: ring.npy: the ends are 0.626 m apart, read as an open track") ==
        0);
}

TEST_CASE("a last row that is the first but for rounding closes the track, with a warning") {
  const LogLines log;
  NpyTable table = *ParseNpy(TrackToNpy(MakeTrack(CircleRows(2, 0.8, 20))));
  table.values[table.values.size() - 1] += 1e-9;
  table.values[table.values.size() - 6] -= 1e-15;
  const Result<Track> track = ParseNpyTrack(NpyFromTable(table), "ring.npy");
  CHECK(TrackToNpy(*track) == TrackToNpy(MakeTrack(CircleRows(2, 0.8, 20))));
  CHECK(log.text().find("warning: ring.npy: the last row is 1") == 0);
  CHECK(log.text().find("m off the first, read as closed; DeepRacer itself would read an open "
                        "track\n") != std::string::npos);
}

TEST_CASE("further columns are ignored") {
  const Track track = MakeTrack(StraightRows(3, 0.6, 2));
  const Result<NpyTable> table = ParseNpy(TrackToNpy(track));
  NpyTable wide{3, 8, {}};
  for (size_t row = 0; row < 3; ++row) {
    for (size_t column = 0; column < 8; ++column) {
      wide.values.push_back(column < 6 ? table->at(row, column) : 77);
    }
  }
  CHECK(ParseNpyTrack(NpyFromTable(wide), "wide.npy")->length_m() == track.length_m());
}

TEST_CASE("a file without repeated rows survives reading and writing byte by byte") {
  for (const std::filesystem::path& file : SharedTrackFiles()) {
    INFO(file);
    const std::string bytes = *ReadFile(file);
    const Track track = *LoadTrackFile(file);
    const NpyTable before = *ParseNpy(bytes);
    const NpyTable after = *ParseNpy(TrackToNpy(track));
    if (before.num_rows == after.num_rows) CHECK(before.values == after.values);
    CHECK(TrackToNpy(*ParseNpyTrack(TrackToNpy(track), "again")) == TrackToNpy(track));
    CHECK(TrackToNpy(track.Reversed().Reversed()) == TrackToNpy(track));
  }
}

}  // namespace
}  // namespace lapforge::tracks
