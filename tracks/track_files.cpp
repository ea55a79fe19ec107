#include "tracks/track_files.h"

#include "sim/base/file_io.h"
#include "tracks/io/npy.h"

namespace lapforge::tracks {
namespace {

constexpr size_t kNumColumns = 6;  // centre x, y, inner x, y, outer x, y

constexpr size_t kMaxFileSize = size_t{4} << 20;  // 16 times the largest track that fits

}  // namespace

Result<Track> LoadTrackFile(const std::filesystem::path& path) {
  LAPFORGE_TRY(const std::string bytes, ReadFile(path, kMaxFileSize));
  if (IsNpy(bytes)) return ParseNpyTrack(bytes, path.string());
  return ErrorOf(path, ": not a .npy track");
}

Result<Track> ParseNpyTrack(std::string_view bytes, const std::string& source) {
  const Result<NpyTable> table = ParseNpy(bytes);
  if (!table.ok()) return ErrorOf(source, ": ", table.error().message);
  if (table->num_columns < kNumColumns) {
    return ErrorOf(source, ": ", table->num_columns,
                   " columns; expected centre x, y, inner x, y, outer x, y");
  }
  TrackRows rows;
  rows.name = std::filesystem::path(source).stem().string();
  rows.source = source;
  for (size_t i = 0; i < table->num_rows; ++i) {
    rows.center_m.push_back({table->at(i, 0), table->at(i, 1)});
    rows.inner_m.push_back({table->at(i, 2), table->at(i, 3)});
    rows.outer_m.push_back({table->at(i, 4), table->at(i, 5)});
  }
  return Track::FromRows(rows);
}

std::string TrackToNpy(const Track& track) {
  NpyTable table{static_cast<size_t>(track.num_waypoints()), kNumColumns, {}};
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const Waypoint row = track.waypoint(i);
    const Vec2 inner_m = track.inner_is_left() ? row.left_m : row.right_m;
    const Vec2 outer_m = track.inner_is_left() ? row.right_m : row.left_m;
    for (const Vec2 point_m : {row.center_m, inner_m, outer_m}) {
      table.values.insert(table.values.end(), {point_m.x, point_m.y});
    }
  }
  return NpyFromTable(table);
}

}  // namespace lapforge::tracks
