// Tracks for tests: closed forms, and DeepRacer's own files where they are at hand.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "sim/base/log.h"
#include "sim/base/rng.h"
#include "tracks/track_files.h"

namespace lapforge::tracks {

// Collects log lines while it lives.
class LogLines {
 public:
  LogLines() {
    SetLogSink([this](LogLevel, std::string_view line) { text_ += std::string(line) + "\n"; });
  }
  ~LogLines() { SetLogSink({}); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// A ring of `num_segments` around the origin, counter-clockwise from (radius, 0).
inline TrackRows CircleRows(double radius_m, double width_m, int num_segments) {
  TrackRows rows;
  rows.name = "circle";
  for (int i = 0; i <= num_segments; ++i) {
    const Vec2 direction = DirectionOf(2 * kPi * (i % num_segments) / num_segments);
    rows.center_m.push_back(radius_m * direction);
    rows.inner_m.push_back((radius_m - width_m / 2) * direction);
    rows.outer_m.push_back((radius_m + width_m / 2) * direction);
  }
  return rows;
}

// A ring through these points, with borders half the width to the left (inner) and to the right.
inline TrackRows RoadAlong(const std::vector<Vec2>& points_m, double width_m) {
  TrackRows rows;
  rows.name = "road";
  const size_t size = points_m.size();
  for (size_t i = 0; i <= size; ++i) {
    const Vec2 along = points_m[(i + 1) % size] - points_m[(i + size - 1) % size];
    const Vec2 left_m = LeftNormal(along) * (0.5 * width_m / Length(along));
    rows.center_m.push_back(points_m[i % size]);
    rows.inner_m.push_back(points_m[i % size] + left_m);
    rows.outer_m.push_back(points_m[i % size] - left_m);
  }
  return rows;
}

// A figure eight that crosses itself at the origin, under right angles, between rows. The loop to
// the left is `radius_m` long and as high, that to the right half as large again. Row 0 is its tip.
inline TrackRows EightRows(double radius_m, double width_m, int num_segments) {
  std::vector<Vec2> points_m;
  for (int i = 0; i < num_segments; ++i) {
    const double angle_rad = 0.5 * kPi + 2 * kPi * i / num_segments;
    const double size_m = std::sin(angle_rad) > 0 ? 1.5 * radius_m : radius_m;
    points_m.push_back({size_m * std::sin(angle_rad), 0.5 * size_m * std::sin(2 * angle_rad)});
  }
  return RoadAlong(points_m, width_m);
}

// An open road along x from the origin, the inner border on its left.
inline TrackRows StraightRows(double length_m, double width_m, int num_segments) {
  TrackRows rows;
  rows.name = "straight";
  for (int i = 0; i <= num_segments; ++i) {
    const double x = length_m * i / num_segments;
    rows.center_m.push_back({x, 0});
    rows.inner_m.push_back({x, width_m / 2});
    rows.outer_m.push_back({x, -width_m / 2});
  }
  return rows;
}

inline Track MakeTrack(const TrackRows& rows) {
  const Result<Track> track = Track::FromRows(rows);
  INFO((track.ok() ? "" : track.error().message));
  REQUIRE(track.ok());
  return *track;
}

// DeepRacer's files, sorted; empty, and the test says that it is skipped, where they are absent.
inline std::vector<std::filesystem::path> SharedTrackFiles() {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(LAPFORGE_SHARED_DATA_DIR, error)) {
    if (entry.path().extension() == ".npy") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) std::cout << "SKIPPED: no track files in the shared data folder\n";
  return files;
}

// All tracks at hand, each in both directions.
inline std::vector<Track> AllTracks() {
  std::vector<Track> tracks;
  const auto add = [&](const Result<Track>& track) {
    INFO((track.ok() ? "" : track.error().message));
    REQUIRE(track.ok());
    tracks.push_back(*track);
    tracks.push_back(track->Reversed());
  };
  for (const std::string& name : BuiltInTrackNames()) add(LoadBuiltInTrack(name));
  add(Track::FromRows(StraightRows(3, 0.6, 10)));
  for (const std::filesystem::path& file : SharedTrackFiles()) add(LoadTrackFile(file));
  return tracks;
}

}  // namespace lapforge::tracks
