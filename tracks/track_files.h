// Tracks from files and from the built-in collection.
#pragma once

#include <filesystem>
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

// Reads a track file by its content: DeepRacer `.npy` (N x 6 float64: centre, inner, outer) or
// Lapforge `.textproto` (curve segments). Errors name the file, the row or line, and the cure.
Result<Track> LoadTrackFile(const std::filesystem::path& path);

// What users type: a built-in name, "generate:seed=7,length_m=40" (see track_generator.h), or else
// a file. An unknown word lists the nearest built-in name.
Result<Track> LoadTrack(const std::string& name_or_path);

// The rows of a built-in track or a file before any check, for those who look for its faults.
// Errors only where there are no rows: no file, or one whose format cannot be read.
Result<TrackRows> LoadTrackRows(const std::string& name_or_path);

// Parsers of file contents; `source` is the name used in messages and for the track's own name.
Result<Track> ParseNpyTrack(std::string_view bytes, const std::string& source);
Result<Track> ParseTextprotoTrack(std::string_view text, const std::string& source);

// The rows of a track as an `.npy` file's bytes (version 1.0, float64, C order); reading them back
// gives the same track bit by bit. Recordings and run folders keep their track so.
std::string TrackToNpy(const Track& track);

}  // namespace lapforge::tracks
