// Tracks from files and from the built-in collection, and the way back to files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// Names of the built-in tracks, sorted.
std::vector<std::string> BuiltInTrackNames();

// A built-in track by name, or an error with the nearest name.
Result<Track> LoadBuiltInTrack(std::string_view name);

// What a reader cannot know from a file.
struct ReadOptions {
  double width_m = 0;  // of the road around a line that has no widths; 0: not known
  std::string name;    // of the track; empty: what the file says, or else its own name
};

// Reads a track file, of the kind that its content is: DeepRacer `.npy` (N x 6 or more: centre,
// inner, outer), CSV of TUM and F1TENTH (a line with widths, or a racing line and a width),
// a ROS map's `.yaml` beside its picture, Lapforge `.textproto`. Files have at most 4 MiB and 5000
// rows, pictures 25 million pixels. Errors are one line that names the file, the row or line, and
// the cure.
Result<Track> LoadTrackFile(const std::filesystem::path& path, const ReadOptions& options = {});

// What users type: a built-in name, "generate:seed=7,length_m=40" (see track_generator.h), or else
// a file. An unknown word lists the nearest built-in name.
Result<Track> LoadTrack(const std::string& name_or_path);

// The rows of a built-in track or a file before any check, for those who look for its faults.
// Errors only where there are no rows: no file, or one whose format cannot be read.
Result<TrackRows> LoadTrackRows(const std::string& name_or_path);

// Parsers of file contents; `source` is the name used in messages and for the track's own name. A
// last row that is the first one but for rounding closes a track, with a warning from `.npy` files:
// DeepRacer itself would read an open track.
Result<Track> ParseNpyTrack(std::string_view bytes, const std::string& source,
                            const ReadOptions& options = {});
Result<Track> ParseCsvTrack(std::string_view text, const std::string& source,
                            const ReadOptions& options = {});
Result<Track> ParseTextprotoTrack(std::string_view text, const std::string& source,
                                  const ReadOptions& options = {});

// The rows of a track as an `.npy` file's bytes (version 1.0, float64, C order); reading them back
// gives the same track bit by bit. Recordings and run folders keep their track so.
std::string TrackToNpy(const Track& track);

enum class TrackFormat {
  kNpy,        // keeps every bit but the description
  kCsv,        // TUM form; borders are put at right angles to the centerline
  kTextproto,  // keeps every bit
  kMap,        // ROS map: a .yaml, and a .pgm of the same name beside it; loses what pixels lose
};

// Names of the formats as users write them, in the order of TrackFormat.
const std::vector<std::string>& TrackFormatNames();

// The format of that name, or an error with the nearest one.
Result<TrackFormat> TrackFormatFromName(std::string_view name);

struct WriteOptions {
  std::optional<TrackFormat> format;  // absent: what the file's ending says
  double resolution_m = 0.05;         // 0.001 .. 1: the side of a map's pixel
};

struct WrittenTrack {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> losses;  // one line each, found by reading back; empty: nothing is lost
};

// Writes a track from its waypoint 0 in driving direction, each file whole or not at all.
Result<WrittenTrack> WriteTrackFile(const Track& track, const std::filesystem::path& path,
                                    const WriteOptions& options = {});

}  // namespace lapforge::tracks
