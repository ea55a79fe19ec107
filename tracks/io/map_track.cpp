#include "tracks/io/map_track.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "sim/base/log.h"
#include "tracks/io/loop.h"
#include "tracks/io/map_image.h"
#include "tracks/io/map_ring.h"

namespace lapforge::tracks {
namespace {

constexpr uint8_t kFree = 254, kWall = 0, kUnknown = 205;  // as ROS's map_saver writes them

// Free where the chance of an obstacle is below the threshold, as map_server decides it.
cv::Mat FreePixels(const cv::Mat& image, const MapInfo& info) {
  cv::Mat is_free(1, 256, CV_8UC1);
  for (int value = 0; value < 256; ++value) {
    const double chance = (info.is_negated ? value : 255 - value) / 255.0;
    is_free.at<uint8_t>(value) = chance < info.free_thresh ? 255 : 0;
  }
  cv::Mat mask;
  cv::LUT(image, is_free, mask);
  return mask;
}

// From pixels of a ring's field to metres: the origin is the picture's lower left corner.
Vec2 ToWorld(Vec2 place_px, const RingField& field, const MapInfo& info, int num_picture_rows) {
  const double column = place_px.x + field.offset_px.x;
  const double row = place_px.y + field.offset_px.y;
  return info.origin.ToWorld(Vec2{column + 0.5, num_picture_rows - 0.5 - row} * info.resolution_m);
}

// How far the wall is from a place on the road, in pixels: steps as long as the way is certainly
// free. The wall begins half a pixel before the centre of its first pixel.
double DistanceToWall(const cv::Mat& distance_px, Vec2 from_px, Vec2 direction) {
  constexpr double kHalfPixel = 0.5, kSmallStep = 0.02;
  const double nearest_px = SampleAt(distance_px, from_px) - kHalfPixel;
  const double farthest_px = 2 * std::max(nearest_px, kHalfPixel);  // in an opening corner
  double way_px = 0;
  while (way_px < farthest_px) {
    const double free_px = SampleAt(distance_px, from_px + way_px * direction) - kHalfPixel;
    if (free_px <= 0) return way_px;
    way_px += std::max(free_px, kSmallStep);
  }
  return farthest_px;
}

size_t NumRows(const RingField& field, const std::vector<Vec2>& middle_px) {
  constexpr double kSpacing = 0.3, kMinSpacing_px = 2, kMinRows = 12, kMaxRows = 2000;
  const double spacing_px =
      std::max(kSpacing * MeanAt(field.to_outer_px, middle_px), kMinSpacing_px);
  return static_cast<size_t>(Clamp(LoopLength(middle_px) / spacing_px, kMinRows, kMaxRows));
}

// Distances to a wall without the steps between its pixels: smoothed over neighbouring rows, by no
// more than half a pixel, so that corners stay.
std::vector<double> WithoutSteps(const std::vector<double>& distance_px) {
  constexpr double kSmoothing = 1, kHalfPixel = 0.5;  // rows; pixels
  std::vector<double> smooth_px = Smoothed(distance_px, kSmoothing);
  for (size_t i = 0; i < smooth_px.size(); ++i) {
    smooth_px[i] = Clamp(smooth_px[i], distance_px[i] - kHalfPixel, distance_px[i] + kHalfPixel);
  }
  return smooth_px;
}

// A border at the given distances from a loop. Where it would run backwards, inside a corner
// sharper than the road is wide, it stands still.
std::vector<Vec2> BorderOf(const std::vector<Vec2>& center_px, const std::vector<Vec2>& to_border,
                           const std::vector<double>& distance_px) {
  const size_t count = center_px.size();
  std::vector<Vec2> border_px;
  for (size_t i = 0; i < count; ++i) {
    Vec2 point_px = center_px[i] + distance_px[i] * to_border[i];
    const Vec2 along = center_px[(i + 1) % count] - center_px[(i + count - 1) % count];
    if (i > 0 && Dot(point_px - border_px.back(), along) < 0) point_px = border_px.back();
    border_px.push_back(point_px);
  }
  return border_px;
}

struct Lines {
  std::vector<Vec2> center;
  std::vector<Vec2> inner;
  std::vector<Vec2> outer;
};

// In pixels of the field.
Lines LinesOf(const RingField& field) {
  Lines lines;
  const std::vector<Vec2> middle = MiddleOf(field);
  if (middle.size() < 3) return lines;
  lines.center = Resampled(middle, NumRows(field, middle));
  const size_t count = lines.center.size();
  std::vector<Vec2> to_inner, to_outer;
  std::vector<double> inner_px, outer_px;
  for (size_t i = 0; i < count; ++i) {
    const Vec2 point = lines.center[i];
    const Vec2 along = lines.center[(i + 1) % count] - lines.center[(i + count - 1) % count];
    Vec2 normal = LeftNormal(along / std::max(Length(along), 1e-9));
    const double ahead = SampleAt(field.to_inner_px, point + normal);
    const double behind = SampleAt(field.to_inner_px, point - normal);
    if (ahead > behind) normal = -normal;
    to_inner.push_back(normal);
    to_outer.push_back(-normal);
    inner_px.push_back(DistanceToWall(field.to_inner_px, point, normal));
    outer_px.push_back(DistanceToWall(field.to_outer_px, point, -normal));
  }
  lines.inner = BorderOf(lines.center, to_inner, WithoutSteps(inner_px));
  lines.outer = BorderOf(lines.center, to_outer, WithoutSteps(outer_px));
  return lines;
}

// The loop counter-clockwise from the point nearest to the origin, its first point repeated.
void Arrange(TrackRows& rows) {
  double twice_area = 0;
  const size_t count = rows.center_m.size();
  size_t start = 0;
  for (size_t i = 0; i < count; ++i) {
    twice_area += Cross(rows.center_m[i] - rows.center_m[0],
                        rows.center_m[(i + 1) % count] - rows.center_m[0]);
    if (Length(rows.center_m[i]) < Length(rows.center_m[start])) start = i;
  }
  for (auto* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
    std::rotate(column->begin(), column->begin() + static_cast<std::ptrdiff_t>(start),
                column->end());
    if (twice_area < 0) std::reverse(column->begin() + 1, column->end());
    column->push_back(column->front());
  }
}

// The picture of a track's bounding box with a margin around it.
Result<TrackMap> EmptyMap(const Track& track, double resolution_m) {
  constexpr double kMargin_px = 10;
  Vec2 low_m = track.waypoint(0).center_m, high_m = low_m;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    const Waypoint row = track.waypoint(i);
    for (const Vec2 point_m : {row.center_m, row.left_m, row.right_m}) {
      low_m = {std::min(low_m.x, point_m.x), std::min(low_m.y, point_m.y)};
      high_m = {std::max(high_m.x, point_m.x), std::max(high_m.y, point_m.y)};
    }
  }
  const auto corner = [&](double low) {
    return (std::floor(low / resolution_m) - kMargin_px) * resolution_m;
  };
  TrackMap map;
  map.info.resolution_m = resolution_m;
  map.info.origin.position_m = {corner(low_m.x), corner(low_m.y)};
  const Vec2 size_px = (high_m - map.info.origin.position_m) / resolution_m;
  const double width = std::ceil(size_px.x) + kMargin_px,
               height = std::ceil(size_px.y) + kMargin_px;
  if (!(width * height <= kMaxMapPixels)) {
    return ErrorOf("a map of ", width, " x ", height, " pixels; at most ",
                   kMaxMapPixels / 1'000'000,
                   " million fit, raise the resolution (metres a pixel)");
  }
  map.image = cv::Mat(static_cast<int>(height), static_cast<int>(width), CV_8UC1, kUnknown);
  return map;
}

// Adds where a closed border crosses a horizontal line.
void AppendCrossings(const std::vector<Vec2>& border_m, double y_m, std::vector<double>& x_m) {
  for (size_t i = 0; i + 1 < border_m.size(); ++i) {
    const Vec2 a = border_m[i], b = border_m[i + 1];
    if ((a.y <= y_m) == (b.y <= y_m)) continue;
    x_m.push_back(a.x + (y_m - a.y) / (b.y - a.y) * (b.x - a.x));
  }
}

}  // namespace

Result<TrackRows> RowsFromMap(const cv::Mat& image, const MapInfo& info,
                              const std::string& source) {
  const std::optional<RingField> field = FindRing(FreePixels(image, info));
  const Lines lines = field ? LinesOf(*field) : Lines();
  if (lines.center.empty()) {
    return ErrorOf(source, ": no closed road in the map; expected one ring of free (",
                   info.is_negated ? "black" : "white",
                   ") pixels between an inner and an outer wall, away from the picture's edges");
  }
  if (field->num_filled > 0) {
    LogInfo(source, ": ", field->num_filled, " small obstacles on the road are left out");
  }
  TrackRows rows;
  rows.source = source;
  const auto append = [&](const std::vector<Vec2>& from_px, std::vector<Vec2>& to_m) {
    for (const Vec2 point_px : from_px) {
      to_m.push_back(ToWorld(point_px, *field, info, image.rows));
    }
  };
  append(lines.center, rows.center_m);
  append(lines.inner, rows.inner_m);
  append(lines.outer, rows.outer_m);
  Arrange(rows);
  return rows;
}

Result<TrackMap> MapFromTrack(const Track& track, double resolution_m) {
  if (!track.is_closed()) return ErrorOf("a map shows closed tracks only, this one is open");
  LAPFORGE_TRY(TrackMap map, EmptyMap(track, resolution_m));
  std::vector<Vec2> left_m, right_m;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    left_m.push_back(track.waypoint(i).left_m);
    right_m.push_back(track.waypoint(i).right_m);
  }
  const Vec2 corner_m = map.info.origin.position_m;
  for (int row = 0; row < map.image.rows; ++row) {
    const double y_m = corner_m.y + (map.image.rows - 0.5 - row) * resolution_m;
    std::vector<double> crossings_m;
    AppendCrossings(left_m, y_m, crossings_m);
    AppendCrossings(right_m, y_m, crossings_m);
    std::sort(crossings_m.begin(), crossings_m.end());
    for (size_t i = 0; i + 1 < crossings_m.size(); i += 2) {
      const auto first_centre_behind = [&](double x_m) {
        return static_cast<int>(std::ceil((x_m - corner_m.x) / resolution_m - 0.5));
      };
      const int begin = first_centre_behind(crossings_m[i]);
      const int end = first_centre_behind(crossings_m[i + 1]);
      std::fill(map.image.ptr(row) + begin, map.image.ptr(row) + end, kFree);
    }
  }
  cv::Mat near_road;
  cv::dilate(map.image == kFree, near_road, cv::Mat::ones(5, 5, CV_8UC1));
  map.image.setTo(kWall, near_road & (map.image != kFree));
  return map;
}

}  // namespace lapforge::tracks
