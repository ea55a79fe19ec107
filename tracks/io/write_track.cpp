// The writers of track files.
#include <algorithm>

#include "sim/base/file_io.h"
#include "tracks/io/csv_track.h"
#include "tracks/io/losses.h"
#include "tracks/io/map_image.h"
#include "tracks/io/map_track.h"
#include "tracks/io/npy.h"
#include "tracks/io/track_text.h"
#include "tracks/track_files.h"

namespace lapforge::tracks {
namespace {

// A file to be written.
struct File {
  std::filesystem::path path;
  std::string bytes;
};

// What a format makes of a track: its files in the order of writing, and the track they hold.
struct Export {
  std::vector<File> files;
  Track reread;
};

Result<TrackFormat> FormatOf(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".npy") return TrackFormat::kNpy;
  if (ending == ".csv") return TrackFormat::kCsv;
  if (ending == ".textproto") return TrackFormat::kTextproto;
  if (ending == ".yaml" || ending == ".yml") return TrackFormat::kMap;
  const std::vector<std::string> endings = {".npy", ".csv", ".textproto", ".yaml"};
  return ErrorOf(path, ": no format has the ending '", ending, "'", DidYouMean(ending, endings),
                 "; expected ", Join(endings, ", "), ", or name the format");
}

// The picture first: a .yaml file never names one that is not there.
Result<Export> ExportMap(const Track& track, const std::filesystem::path& path,
                         double resolution_m) {
  constexpr double kMin_m = 0.001, kMax_m = 1;
  if (!(resolution_m >= kMin_m && resolution_m <= kMax_m)) {
    return ErrorOf("a resolution of ", resolution_m, " metres a pixel; expected ", kMin_m, " .. ",
                   kMax_m);
  }
  Result<TrackMap> map = MapFromTrack(track, resolution_m);
  if (!map.ok()) return ErrorOf(path, ": ", map.error().message);
  std::filesystem::path picture = path;
  picture.replace_extension(".pgm");
  std::error_code error;
  if (std::filesystem::exists(picture, error) && !std::filesystem::exists(path, error)) {
    return ErrorOf(picture, ": a picture of this name is there already, and may be another map's; ",
                   "choose another name");
  }
  map->info.image = picture.filename().string();
  LAPFORGE_TRY(const MapInfo info, ParseMapInfo(TextOf(map->info), path.string()));
  const Result<TrackRows> rows = RowsFromMap(map->image, info, path.string());
  if (!rows.ok()) {
    return ErrorOf(path, ": pixels of ", resolution_m,
                   " m are too coarse to keep the walls of this track apart");
  }
  LAPFORGE_TRY(const Track reread, Track::FromRows(*rows));
  return Export{{{picture, PgmOf(map->image)}, {path, TextOf(info)}}, reread};
}

Result<Export> ExportOf(const Track& track, const std::filesystem::path& path, TrackFormat format,
                        double resolution_m) {
  switch (format) {
    case TrackFormat::kNpy: {
      const std::string bytes = TrackToNpy(track);
      LAPFORGE_TRY(const Track reread, ParseNpyTrack(bytes, path.string()));
      return Export{{{path, bytes}}, reread};
    }
    case TrackFormat::kCsv: {
      const std::string text = CsvFromTrack(track);
      LAPFORGE_TRY(const Track reread, ParseCsvTrack(text, path.string()));
      return Export{{{path, text}}, reread};
    }
    case TrackFormat::kTextproto: {
      const std::string text = TextprotoFromTrack(track);
      LAPFORGE_TRY(const Track reread, ParseTextprotoTrack(text, path.string()));
      return Export{{{path, text}}, reread};
    }
    case TrackFormat::kMap:
      return ExportMap(track, path, resolution_m);
  }
  return ErrorOf(path, ": no such format");
}

}  // namespace

std::string TrackToNpy(const Track& track) {
  constexpr size_t kNumColumns = 6;
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

const std::vector<std::string>& TrackFormatNames() {
  static const std::vector<std::string> kNames = {"npy", "csv", "textproto", "map"};
  return kNames;
}

Result<TrackFormat> TrackFormatFromName(std::string_view name) {
  const std::vector<std::string>& names = TrackFormatNames();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<TrackFormat>(found - names.begin());
  return ErrorOf("no track format '", name, "'", DidYouMean(name, names), "; there are ",
                 Join(names, ", "));
}

Result<WrittenTrack> WriteTrackFile(const Track& track, const std::filesystem::path& path,
                                    const WriteOptions& options) {
  if (!options.format) {
    LAPFORGE_TRY(const TrackFormat format, FormatOf(path));
    return WriteTrackFile(track, path, {format, options.resolution_m});
  }
  LAPFORGE_TRY(const Export exported, ExportOf(track, path, *options.format, options.resolution_m));
  WrittenTrack written;
  written.losses = LossesBetween(track, exported.reread);
  for (const File& file : exported.files) {
    LAPFORGE_CHECK_OK(WriteFileAtomic(file.path, file.bytes));
    written.files.push_back(file.path);
  }
  return written;
}

}  // namespace lapforge::tracks
