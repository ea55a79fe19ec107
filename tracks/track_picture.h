// Pictures of tracks for people.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "sim/base/result.h"
#include "tracks/canvas.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// The colours of driven lines: from blue (0) over green and yellow to red (1).
Color RampColor(double share);

// How the ground lies on a canvas, north up.
struct MapView {
  // The whole track in the middle of a rectangle.
  static MapView Fit(const Track& track, Vec2 corner_px, Vec2 size_px);
  Vec2 ToPixel(Vec2 world_m) const;

  Vec2 low_m;      // this place in the world
  Vec2 corner_px;  // lies here
  double px_per_m = 0;
  double unit_px = 1;  // of line and mark sizes
};

// Draws road, borders, centerline, direction arrows and start line.
void DrawGround(const Track& track, const MapView& view, Canvas& canvas);

// One driven line over the track, coloured by a value (usually speed) from blue (low) to red
// (high).
struct DrivenLine {
  std::vector<Vec2> points_m;  // one that is not finite breaks the line
  std::vector<double> values;  // [points_m.size()]
  std::string value_label;     // for example "speed, m/s"; drawn beside the colour scale

  void Add(Vec2 point_m, double value);
  // What is added next is not joined with what is there: the car was put somewhere else.
  void Break();
};

// A thing on the road, seen from above.
struct PictureBox {
  Pose2 middle;
  double length_m = 0;  // along its yaw
  double width_m = 0;
};

struct PictureOptions {
  int width_px = 1600;         // 64 .. 8192; the height follows from the track's shape
  bool show_waypoints = true;  // numbers beside the centerline, thinned so that they do not touch
  bool show_profile = false;   // below it the lines' values, as curves over the way driven
  std::string title;           // empty: the track's name and length
  std::vector<PictureBox> boxes;
};

// Draws road, borders, centerline, direction arrows, start line, scale bar and length, boxes and
// the given lines, to a PNG file (written atomically). Errors name the file.
Result<void> DrawTrackPng(const Track& track, std::span<const DrivenLine> lines,
                          const PictureOptions& options, const std::filesystem::path& path);

// The same to an SVG file, which stays sharp at every size and keeps text as text.
Result<void> DrawTrackSvg(const Track& track, std::span<const DrivenLine> lines,
                          const PictureOptions& options, const std::filesystem::path& path);

// The one or the other by the path's ending, .png or .svg; others are refused.
Result<void> DrawTrackPicture(const Track& track, std::span<const DrivenLine> lines,
                              const PictureOptions& options, const std::filesystem::path& path);

// A place to look at, with a short word beside it.
struct PictureMark {
  Vec2 place_m;
  std::string label;
  int severity = 0;  // 0 blue, 1 yellow, 2 red; the most severe are drawn last
};

// Draws rows as a file holds them, sound or not: road, borders, centerline, every row as a dot and
// row 0 as a cross bar, and the marks. Rows that are no places are left out, also what lies far
// away from all others. Errors name the file; rows without any place are one.
Result<void> DrawRowsPng(const TrackRows& rows, std::span<const PictureMark> marks,
                         const PictureOptions& options, const std::filesystem::path& path);

}  // namespace lapforge::tracks
