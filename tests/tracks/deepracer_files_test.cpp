// Tests DeepRacer's own files: lengths of all, and the golden rows of its reward parameters.
#include <algorithm>
#include <map>

#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

struct Expected {
  double length_m;  // computed from the file with NumPy
  int num_waypoints;
  bool is_counter_clockwise;
};

const std::map<std::string, Expected> kFiles = {
    {"2022_april_open", {50.300489, 168, true}},
    {"2024_reinvent_champ_cw", {25.106791, 86, false}},
    {"AWS_track", {69.253917, 301, true}},
    {"Albert", {51.388508, 343, false}},
    {"Bowtie_track", {17.428422, 162, true}},
    {"Canada_Training", {21.743155, 202, true}},
    {"Monaco", {60.265719, 234, false}},
    {"Oval_track", {19.549800, 101, true}},
    {"Spain_track", {59.997850, 258, false}},
    {"Straight_track", {5.707380, 22, true}},
    {"Tokyo_Training_track", {22.629639, 168, true}},
    {"Vegas_track", {22.551144, 150, true}},
    {"jyllandsringen_pro_ccw", {62.132065, 210, true}},
    {"jyllandsringen_pro_cw", {62.132065, 210, false}},
    {"reInvent2019_track", {23.118222, 154, true}},
    {"reinvent_base", {17.709159, 119, true}},
};

TEST_CASE("all of DeepRacer's files read with their length and winding") {
  for (const std::filesystem::path& file : SharedTrackFiles()) {
    INFO(file);
    REQUIRE(kFiles.count(file.stem().string()) == 1);
    const Expected& expected = kFiles.at(file.stem().string());
    const Result<Track> track = LoadTrackFile(file);
    REQUIRE(track.ok());
    CHECK(track->name() == file.stem().string());
    CHECK(track->length_m() == Approx(expected.length_m).margin(1e-6));
    CHECK(track->num_waypoints() == expected.num_waypoints);
    CHECK(track->is_counter_clockwise() == expected.is_counter_clockwise);
    CHECK(track->is_closed() == (track->name() != "Straight_track"));
    CHECK(track->inner_is_left() == expected.is_counter_clockwise);
  }
}

// One row of the golden table: computed by an independent program from DeepRacer's definitions.
struct GoldenRow {
  const char* file;
  bool is_reversed;
  Vec2 point_m;
  int num_waypoints;
  double track_length, projection_distance, distance_from_center, track_width;
  int previous, next;
  bool is_left_of_center;
};

const GoldenRow kGolden[] = {
    {"reinvent_base", false, {3.110, 0.783}, 119, 17.70916, 0.05059, 0.10018, 0.76200, 0, 1, true},
    {"reinvent_base",
     false,
     {3.010, 0.583},
     119,
     17.70916,
     17.65978,
     0.09983,
     0.76199,
     117,
     118,
     false},
    {"reinvent_base",
     false,
     {7.330, 1.467},
     119,
     17.70916,
     4.57047,
     0.08228,
     0.75979,
     30,
     31,
     false},
    {"reinvent_base",
     true,
     {7.330, 1.467},
     119,
     17.70916,
     13.13869,
     0.08228,
     0.75979,
     87,
     88,
     true},
    {"reinvent_base",
     false,
     {3.772, 4.118},
     119,
     17.70916,
     9.59385,
     0.22383,
     0.76200,
     63,
     64,
     false},
    {"reinvent_base", false, {3.809, 0.484}, 119, 17.70916, 0.74920, 0.19952, 0.76200, 5, 6, false},
    {"Spain_track",
     false,
     {-4.647, 1.969},
     258,
     59.99785,
     22.64202,
     0.10529,
     0.88916,
     97,
     98,
     true},
    {"Spain_track",
     true,
     {-4.647, 1.969},
     258,
     59.99785,
     37.35583,
     0.10529,
     0.88916,
     159,
     160,
     false},
    {"2022_april_open",
     false,
     {-0.939, 5.145},
     168,
     50.30049,
     27.46391,
     0.13093,
     1.06112,
     91,
     92,
     false},
};

TEST_CASE("the golden rows of DeepRacer's parameters are reproduced") {
  if (SharedTrackFiles().empty()) return;
  for (const GoldenRow& row : kGolden) {
    INFO(row.file << (row.is_reversed ? " reversed " : " ") << row.point_m.x);
    const Result<Track> loaded =
        LoadTrackFile(std::filesystem::path(LAPFORGE_SHARED_DATA_DIR) / StrCat(row.file, ".npy"));
    REQUIRE(loaded.ok());
    const Track track = row.is_reversed ? loaded->Reversed() : *loaded;
    const TrackPosition position = track.Project(row.point_m);
    const BorderPoints borders = track.NearestBorders(position);
    constexpr double kTolerance = 2e-5;
    CHECK(track.num_waypoints() == row.num_waypoints);
    CHECK(track.length_m() == Approx(row.track_length).margin(kTolerance));
    CHECK(position.arc_length_m == Approx(row.projection_distance).margin(kTolerance));
    CHECK(std::abs(position.lateral_offset_m) ==
          Approx(row.distance_from_center).margin(kTolerance));
    CHECK(Length(borders.left_m - borders.right_m) == Approx(row.track_width).margin(kTolerance));

    // DeepRacer: the vertices before and behind along the centerline
    std::vector<double> distances;
    for (int i = 0; i < track.num_waypoints(); ++i) {
      distances.push_back(track.waypoint_arc_length_m(i));
    }
    const auto next = std::upper_bound(distances.begin(), distances.end(), position.arc_length_m);
    CHECK(next - distances.begin() == row.next);
    CHECK(position.segment_index == row.previous);

    // DeepRacer: nearer to the inner border than to the outer one, exchanged when clockwise
    const Vec2 inner_m = track.inner_is_left() ? borders.left_m : borders.right_m;
    const Vec2 outer_m = track.inner_is_left() ? borders.right_m : borders.left_m;
    const bool inner_is_nearer = Length(row.point_m - inner_m) < Length(row.point_m - outer_m);
    CHECK((inner_is_nearer != !track.is_counter_clockwise()) == row.is_left_of_center);
    CHECK((position.lateral_offset_m > 0) == row.is_left_of_center);
  }
}

}  // namespace
}  // namespace lapforge::tracks
