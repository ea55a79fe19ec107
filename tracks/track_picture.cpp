#include "tracks/track_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/file_io.h"
#include "tracks/picture/layout.h"
#include "tracks/picture/legend.h"
#include "tracks/picture/profile.h"
#include "tracks/picture/road_marks.h"
#include "tracks/picture/row_drawing.h"
#include "tracks/picture/svg_canvas.h"

namespace lapforge::tracks {
namespace {

constexpr Color kField = {72, 104, 78};
constexpr Color kAsphalt = {52, 55, 60};
constexpr Color kBox = {166, 182, 214};
constexpr double kLineWidth = 5;  // of a driven line, in units

void DrawRoad(const Track& track, const MapView& view, Canvas& canvas) {
  std::vector<Vec2> left, right;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    left.push_back(view.ToPixel(track.waypoint(i).left_m));
    right.push_back(view.ToPixel(track.waypoint(i).right_m));
  }
  if (track.is_closed()) {
    canvas.FillPolygons({left, right}, kAsphalt);
  } else {
    std::vector<Vec2> outline = left;
    outline.insert(outline.end(), right.rbegin(), right.rend());
    canvas.FillPolygons({outline}, kAsphalt);
  }
  constexpr double kBorderWidth = 3;
  canvas.DrawLine(left, kBorderWidth * view.unit_px, {255, 255, 255});
  canvas.DrawLine(right, kBorderWidth * view.unit_px, {255, 255, 255});
}

void DrawDrivenLine(const DrivenLine& line, const ColorScale& scale, const Layout& layout,
                    Canvas& canvas) {
  LAPFORGE_ASSERT(line.values.size() == line.points_m.size(), "one value per point");
  for (size_t i = 0; i + 1 < line.points_m.size(); ++i) {
    const Vec2 ends[] = {layout.ToPixel(line.points_m[i]), layout.ToPixel(line.points_m[i + 1])};
    const double sum = ends[0].x + ends[0].y + ends[1].x + ends[1].y + line.values[i];
    if (!std::isfinite(sum)) continue;
    canvas.DrawLine(ends, kLineWidth * layout.unit_px, scale.ColorOf(line.values[i]));
  }
}

void DrawBox(const PictureBox& box, const Layout& layout, Canvas& canvas) {
  const double x = box.length_m / 2;
  const double y = box.width_m / 2;
  std::vector<Vec2> outline;
  for (const Vec2 corner : {Vec2{x, y}, Vec2{-x, y}, Vec2{-x, -y}, Vec2{x, -y}}) {
    outline.push_back(layout.ToPixel(box.middle.ToWorld(corner)));
  }
  canvas.FillPolygons({outline}, kBox);
}

Result<void> CheckWidth(const PictureOptions& options, const std::filesystem::path& path) {
  constexpr int kMinWidth_px = 64, kMaxWidth_px = 8192;
  if (options.width_px >= kMinWidth_px && options.width_px <= kMaxWidth_px) return {};
  return ErrorOf(path, ": a picture ", options.width_px, " pixels wide; expected ", kMinWidth_px,
                 " .. ", kMaxWidth_px);
}

template <class AnyCanvas>
Result<void> Draw(const Track& track, std::span<const DrivenLine> lines,
                  const PictureOptions& options, const std::filesystem::path& path) {
  LAPFORGE_CHECK_OK(CheckWidth(options, path));
  const Layout layout = Layout::Of(track, options.width_px);
  const double profile_px = options.show_profile ? ProfileHeightPx(layout) : 0;
  AnyCanvas canvas(layout.width_px, layout.height_px + static_cast<int>(profile_px), kField);
  DrawRoad(track, layout, canvas);
  DrawRoadMarks(track, layout, options.show_waypoints, canvas);

  const ColorScale scale(lines);
  for (const PictureBox& box : options.boxes) DrawBox(box, layout, canvas);
  for (const DrivenLine& line : lines) DrawDrivenLine(line, scale, layout, canvas);
  DrawTitle(track, options.title, layout, canvas);
  DrawScaleBar(layout, canvas);
  if (!lines.empty()) DrawColorScale(scale, lines.front().value_label, layout, canvas);
  if (options.show_profile) DrawProfile(track, lines, scale, layout, canvas);
  return WriteFileAtomic(path, canvas.Encode());
}

}  // namespace

void DrivenLine::Add(Vec2 point_m, double value) {
  points_m.push_back(point_m);
  values.push_back(value);
}

void DrivenLine::Break() {
  constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
  Add({kNowhere, kNowhere}, kNowhere);
}

void DrawGround(const Track& track, const MapView& view, Canvas& canvas) {
  DrawRoad(track, view, canvas);
  DrawRoadMarks(track, view, false, canvas);
}

Result<void> DrawTrackPng(const Track& track, std::span<const DrivenLine> lines,
                          const PictureOptions& options, const std::filesystem::path& path) {
  return Draw<PixelCanvas>(track, lines, options, path);
}

Result<void> DrawTrackSvg(const Track& track, std::span<const DrivenLine> lines,
                          const PictureOptions& options, const std::filesystem::path& path) {
  return Draw<SvgCanvas>(track, lines, options, path);
}

Result<void> DrawTrackPicture(const Track& track, std::span<const DrivenLine> lines,
                              const PictureOptions& options, const std::filesystem::path& path) {
  if (path.extension() == ".png") return DrawTrackPng(track, lines, options, path);
  if (path.extension() == ".svg") return DrawTrackSvg(track, lines, options, path);
  return ErrorOf(path, ": a picture of an unknown kind; expected a name that ends in .png or .svg");
}

Result<void> DrawRowsPng(const TrackRows& rows, std::span<const PictureMark> marks,
                         const PictureOptions& options, const std::filesystem::path& path) {
  LAPFORGE_CHECK_OK(CheckWidth(options, path));
  const TrackRows places = DrawableRows(rows);
  if (places.center_m.empty()) return ErrorOf(path, ": no row is a place that can be drawn");
  const Layout layout = LayoutOf(places, marks, options.width_px);
  PixelCanvas canvas(layout.width_px, layout.height_px, kField);
  DrawRows(places, layout, canvas);
  DrawMarks(marks, layout, canvas);
  DrawTitle(
      options.title.empty() ? rows.name : options.title,
      StrCat(rows.center_m.size(), " rows, ", marks.size(), marks.size() == 1 ? " mark" : " marks"),
      layout, canvas);
  DrawScaleBar(layout, canvas);
  return WriteFileAtomic(path, canvas.Encode());
}

}  // namespace lapforge::tracks
