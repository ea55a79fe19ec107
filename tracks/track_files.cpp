#include "tracks/track_files.h"

#include <algorithm>

#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "tracks/data/tracks_data.h"
#include "tracks/design/track_design.h"
#include "tracks/io/npy.h"
#include "tracks/io/track_design_io.h"
#include "tracks/track_generator.h"

namespace lapforge::tracks {
namespace {

constexpr size_t kNumColumns = 6;                 // centre x, y, inner x, y, outer x, y
constexpr size_t kMaxFileSize = size_t{4} << 20;  // 16 times the largest track that is accepted

// "tracks/oval.npy" -> "oval"
std::string StemOf(std::string_view file_name) {
  return std::filesystem::path(file_name).stem().string();
}

// Tells of a ring that its author may have forgotten to close.
void WarnIfNearlyClosed(const Track& track, const std::string& source) {
  const int num_segments = track.num_segments();
  double longest_m = 0;
  for (int i = 0; i < num_segments; ++i) {
    longest_m =
        std::max(longest_m, track.waypoint_arc_length_m(i + 1) - track.waypoint_arc_length_m(i));
  }
  const double gap_m = Length(track.waypoint(num_segments).center_m - track.waypoint(0).center_m);
  if (track.is_closed() || num_segments < 3 || gap_m > 1.5 * longest_m) return;
  LogWarning(source, ": the ends are ", FormatFixed(gap_m, 3),
             " m apart, read as an open track; a closed one repeats its first row at the end");
}

Result<TrackRows> RowsOfNpy(std::string_view bytes, const std::string& source) {
  const Result<NpyTable> table = ParseNpy(bytes);
  if (!table.ok()) return ErrorOf(source, ": ", table.error().message);
  if (table->num_columns < kNumColumns) {
    return ErrorOf(source, ": ", table->num_columns,
                   " columns; expected centre x, y, inner x, y, outer x, y");
  }
  TrackRows rows;
  rows.name = StemOf(source);
  rows.source = source;
  for (size_t i = 0; i < table->num_rows; ++i) {
    rows.center_m.push_back({table->at(i, 0), table->at(i, 1)});
    rows.inner_m.push_back({table->at(i, 2), table->at(i, 3)});
    rows.outer_m.push_back({table->at(i, 4), table->at(i, 5)});
  }
  return rows;
}

Result<TrackRows> RowsOfTextproto(std::string_view text, const std::string& source) {
  LAPFORGE_TRY(TrackDesign design, ParseTrackDesign(text, source));
  if (design.name.empty()) design.name = StemOf(source);
  return RowsFromDesign(design, source);
}

// The rows of a file by its content.
Result<TrackRows> RowsOfFile(const std::filesystem::path& path) {
  LAPFORGE_TRY(const std::string bytes, ReadFile(path, kMaxFileSize));
  if (IsNpy(bytes)) return RowsOfNpy(bytes, path.string());
  if (bytes.find('\0') != std::string::npos) {
    return ErrorOf(path, ": neither a .npy nor a .textproto track");
  }
  return RowsOfTextproto(bytes, path.string());
}

}  // namespace

std::vector<std::string> BuiltInTrackNames() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : TracksDataFiles()) names.push_back(StemOf(file.name));
  std::sort(names.begin(), names.end());
  return names;
}

Result<Track> LoadBuiltInTrack(std::string_view name) {
  for (const EmbeddedFile& file : TracksDataFiles()) {
    if (StemOf(file.name) == name) return ParseTextprotoTrack(file.text, std::string(file.name));
  }
  const std::vector<std::string> names = BuiltInTrackNames();
  return ErrorOf("no built-in track '", name, "'", DidYouMean(name, names), "; there are ",
                 Join(names, ", "));
}

Result<Track> LoadTrackFile(const std::filesystem::path& path) {
  LAPFORGE_TRY(const std::string bytes, ReadFile(path, kMaxFileSize));
  if (IsNpy(bytes)) return ParseNpyTrack(bytes, path.string());
  if (bytes.find('\0') != std::string::npos) {
    return ErrorOf(path, ": neither a .npy nor a .textproto track");
  }
  return ParseTextprotoTrack(bytes, path.string());
}

Result<Track> LoadTrack(const std::string& name_or_path) {
  constexpr std::string_view kGenerate = "generate:";
  if (StartsWith(name_or_path, kGenerate)) {
    LAPFORGE_TRY(const GeneratorOptions options,
                 ParseGeneratorOptions(std::string_view(name_or_path).substr(kGenerate.size())));
    LAPFORGE_TRY(GeneratedTrack generated, GenerateTrack(options));
    return generated.track;
  }
  const std::vector<std::string> names = BuiltInTrackNames();
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) {
    return LoadBuiltInTrack(name_or_path);
  }
  std::error_code error;
  if (std::filesystem::exists(name_or_path, error)) return LoadTrackFile(name_or_path);
  return ErrorOf("no track '", name_or_path, "'", DidYouMean(name_or_path, names),
                 "; expected a .npy or .textproto file, or one of ", Join(names, ", "));
}

Result<TrackRows> LoadTrackRows(const std::string& name_or_path) {
  for (const EmbeddedFile& file : TracksDataFiles()) {
    if (StemOf(file.name) == name_or_path)
      return RowsOfTextproto(file.text, std::string(file.name));
  }
  std::error_code error;
  if (std::filesystem::exists(name_or_path, error)) return RowsOfFile(name_or_path);
  return LoadTrack(name_or_path).error();
}

Result<Track> ParseNpyTrack(std::string_view bytes, const std::string& source) {
  LAPFORGE_TRY(const TrackRows rows, RowsOfNpy(bytes, source));
  LAPFORGE_TRY(Track track, Track::FromRows(rows));
  WarnIfNearlyClosed(track, source);
  return track;
}

Result<Track> ParseTextprotoTrack(std::string_view text, const std::string& source) {
  LAPFORGE_TRY(const TrackRows rows, RowsOfTextproto(text, source));
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
