#include "tracks/track_files.h"

#include <algorithm>

#include "sim/base/file_io.h"
#include "sim/base/log.h"
#include "tracks/data/tracks_data.h"
#include "tracks/design/track_design.h"
#include "tracks/geometry/closing.h"
#include "tracks/io/csv_track.h"
#include "tracks/io/file_kind.h"
#include "tracks/io/map_image.h"
#include "tracks/io/map_track.h"
#include "tracks/io/npy.h"
#include "tracks/io/track_design_io.h"
#include "tracks/track_generator.h"

namespace lapforge::tracks {
namespace {

constexpr size_t kNumColumns = 6;                 // centre x, y, inner x, y, outer x, y
constexpr size_t kMaxFileSize = size_t{4} << 20;  // several times what 5000 rows take

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

// The rows, named by the user, the file's content or the file, in this order.
TrackRows Named(TrackRows rows, const std::string& source, const ReadOptions& options) {
  if (!options.name.empty()) rows.name = options.name;
  if (rows.name.empty()) rows.name = StemOf(source);
  return rows;
}

// A map's picture. F1TENTH's simulator looks for one named as the .yaml file, and so does this
// where there is no file of the name inside: several maps of its collection were renamed.
std::filesystem::path PictureOf(const std::filesystem::path& path, const MapInfo& info) {
  const std::filesystem::path named = path.parent_path() / info.image;
  std::error_code error;
  if (std::filesystem::exists(named, error)) return named;
  for (const char* ending : {".png", ".pgm"}) {
    std::filesystem::path beside = path;
    beside.replace_extension(ending);
    if (!std::filesystem::exists(beside, error)) continue;
    LogWarning(path, ": there is no picture ", named.string(), "; ", beside.string(),
               " is read in its place");
    return beside;
  }
  return named;
}

Result<TrackRows> RowsOfNpy(std::string_view bytes, const std::string& source,
                            const ReadOptions& options) {
  const Result<NpyTable> table = ParseNpy(bytes);
  if (!table.ok()) return ErrorOf(source, ": ", table.error().message);
  if (table->num_columns < kNumColumns) {
    return ErrorOf(source, ": ", table->num_columns,
                   " columns; expected centre x, y, inner x, y, outer x, y");
  }
  TrackRows rows;
  rows.source = source;
  for (size_t i = 0; i < table->num_rows; ++i) {
    rows.center_m.push_back({table->at(i, 0), table->at(i, 1)});
    rows.inner_m.push_back({table->at(i, 2), table->at(i, 3)});
    rows.outer_m.push_back({table->at(i, 4), table->at(i, 5)});
  }
  return Named(std::move(rows), source, options);
}

Result<TrackRows> RowsOfCsv(std::string_view text, const std::string& source,
                            const ReadOptions& options) {
  LAPFORGE_TRY(const CsvTable table, ParseCsv(text, source));
  LAPFORGE_TRY(TrackRows rows, RowsFromCsv(table, options.width_m, source));
  return Named(std::move(rows), source, options);
}

Result<TrackRows> RowsOfTextproto(std::string_view text, const std::string& source,
                                  const ReadOptions& options) {
  LAPFORGE_TRY(const TrackDesign design, ParseTrackDesign(text, source));
  LAPFORGE_TRY(TrackRows rows, RowsFromDesign(design, source));
  return Named(std::move(rows), source, options);
}

Result<TrackRows> RowsOfMap(std::string_view text, const std::filesystem::path& path,
                            const ReadOptions& options) {
  constexpr size_t kMaxPictureSize = size_t{64} << 20;
  LAPFORGE_TRY(const MapInfo info, ParseMapInfo(text, path.string()));
  const std::filesystem::path picture = PictureOf(path, info);
  LAPFORGE_TRY(const std::string bytes, ReadFile(picture, kMaxPictureSize));
  LAPFORGE_TRY(const cv::Mat image, DecodeMapImage(bytes, picture.string()));
  LAPFORGE_TRY(TrackRows rows, RowsFromMap(image, info, path.string()));
  return Named(std::move(rows), path.string(), options);
}

// The rows of a file by its content, before any check.
Result<TrackRows> RowsOfFile(std::string_view bytes, const std::filesystem::path& path,
                             const ReadOptions& options) {
  if (bytes.empty()) return ErrorOf(path, ": the file is empty");
  switch (KindOf(bytes, path.string())) {
    case FileKind::kNpy:
      return RowsOfNpy(bytes, path.string(), options);
    case FileKind::kCsv:
      return RowsOfCsv(bytes, path.string(), options);
    case FileKind::kMap:
      return RowsOfMap(bytes, path, options);
    case FileKind::kTextproto:
      return RowsOfTextproto(bytes, path.string(), options);
    case FileKind::kImage:
      return ErrorOf(path, ": a picture; give the .yaml file that belongs to the map");
    case FileKind::kUnknown:
      break;
  }
  return ErrorOf(path, ": no track file; expected .npy, .csv, .yaml (ROS map) or .textproto");
}

constexpr std::string_view kGenerate = "generate:";

Result<GeneratedTrack> GenerateByName(std::string_view name) {
  LAPFORGE_TRY(const GeneratorOptions options,
               ParseGeneratorOptions(name.substr(kGenerate.size())));
  return GenerateTrack(options);
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

Result<Track> LoadTrackFile(const std::filesystem::path& path, const ReadOptions& options) {
  LAPFORGE_TRY(const std::string bytes, ReadFile(path, kMaxFileSize));
  if (IsNpy(bytes)) return ParseNpyTrack(bytes, path.string(), options);
  LAPFORGE_TRY(const TrackRows rows, RowsOfFile(bytes, path, options));
  return Track::FromRows(rows);
}

Result<Track> LoadTrack(const std::string& name_or_path) {
  if (StartsWith(name_or_path, kGenerate)) {
    LAPFORGE_TRY(GeneratedTrack generated, GenerateByName(name_or_path));
    return generated.track;
  }
  const std::vector<std::string> names = BuiltInTrackNames();
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) {
    return LoadBuiltInTrack(name_or_path);
  }
  std::error_code error;
  if (std::filesystem::exists(name_or_path, error)) return LoadTrackFile(name_or_path);
  return ErrorOf("no track '", name_or_path, "'", DidYouMean(name_or_path, names),
                 "; expected a .npy, .csv, .yaml or .textproto file, or one of ",
                 Join(names, ", "));
}

Result<TrackRows> LoadTrackRows(const std::string& name_or_path) {
  if (StartsWith(name_or_path, kGenerate)) {
    LAPFORGE_TRY(const GeneratedTrack generated, GenerateByName(name_or_path));
    return RowsOfTextproto(generated.text, name_or_path, {});
  }
  for (const EmbeddedFile& file : TracksDataFiles()) {
    if (StemOf(file.name) != name_or_path) continue;
    return RowsOfTextproto(file.text, std::string(file.name), {});
  }
  std::error_code error;
  if (!std::filesystem::exists(name_or_path, error)) return LoadTrack(name_or_path).error();
  LAPFORGE_TRY(const std::string bytes, ReadFile(name_or_path, kMaxFileSize));
  return RowsOfFile(bytes, name_or_path, {});
}

Result<Track> ParseNpyTrack(std::string_view bytes, const std::string& source,
                            const ReadOptions& options) {
  LAPFORGE_TRY(TrackRows rows, RowsOfNpy(bytes, source, options));
  if (const double gap_m = CloseRepeatedRow(rows); gap_m > 0) {
    LogWarning(source, ": the last row is ", gap_m,
               " m off the first, read as closed; DeepRacer itself would read an open track");
  }
  LAPFORGE_TRY(const Track track, Track::FromRows(rows));
  WarnIfNearlyClosed(track, source);
  return track;
}

Result<Track> ParseCsvTrack(std::string_view text, const std::string& source,
                            const ReadOptions& options) {
  LAPFORGE_TRY(const TrackRows rows, RowsOfCsv(text, source, options));
  return Track::FromRows(rows);
}

Result<Track> ParseTextprotoTrack(std::string_view text, const std::string& source,
                                  const ReadOptions& options) {
  LAPFORGE_TRY(const TrackRows rows, RowsOfTextproto(text, source, options));
  return Track::FromRows(rows);
}

}  // namespace lapforge::tracks
