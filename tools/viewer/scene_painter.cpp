#include "tools/viewer/scene_painter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/strings.h"

namespace lapforge::viewer {
namespace {

using tracks::Align;
using tracks::Color;
using tracks::TextStyle;

constexpr Color kField = {72, 104, 78};
constexpr Color kPanel = {27, 30, 34};
constexpr Color kGroove = {56, 61, 68};
constexpr Color kText = {255, 255, 255};
constexpr Color kSmallText = {176, 184, 192};
constexpr Color kNotice = {255, 214, 92};
constexpr Color kFollowed = {255, 96, 56};
constexpr Color kOther = {166, 182, 214};
constexpr Color kTire = {16, 16, 18};
constexpr Color kGlass = {30, 34, 40};
constexpr Color kObject = {206, 166, 112};

// Sizes in units.
constexpr double kPanelWidth = 340;
constexpr double kGap = 16;
constexpr double kTitleRoom = 56;   // above the map
constexpr double kLegendRoom = 56;  // below it
constexpr double kReadingsHeight = 210;
constexpr double kMinCarLength = 22;  // on the map

constexpr double kCarShareOfCloseUp = 0.2;   // of its width
constexpr double kSteeringBar_rad = 0.5236;  // a full bar: 30 degrees

std::string Seconds(int64_t time_us, int digits) {
  return FormatFixed(static_cast<double>(time_us) * 1e-6, digits) + " s";
}

std::vector<Vec2> Rectangle(Vec2 center_m, double yaw_rad, Vec2 half_size_m) {
  const Pose2 pose = {center_m, yaw_rad};
  return {pose.ToWorld(half_size_m), pose.ToWorld({-half_size_m.x, half_size_m.y}),
          pose.ToWorld(-half_size_m), pose.ToWorld({half_size_m.x, -half_size_m.y})};
}

void FillOnGround(std::vector<Vec2> corners_m, Color color, const tracks::MapView& view,
                  tracks::Canvas& canvas) {
  for (Vec2& corner : corners_m) corner = view.ToPixel(corner);
  canvas.FillPolygons({corners_m}, color);
}

void FillBox(Vec2 corner_px, Vec2 size_px, Color color, tracks::Canvas& canvas) {
  canvas.FillPolygons({{corner_px, corner_px + Vec2{size_px.x, 0}, corner_px + size_px,
                        corner_px + Vec2{0, size_px.y}}},
                      color);
}

}  // namespace

int WidthOf(int height_px) { return 2 * static_cast<int>(std::lround(height_px * 8.0 / 9)); }

SceneCar CarIn(const sim::StepFacts& facts) {
  const sim::CarState& car = facts.car;
  return {{car.position_world_m.x, car.position_world_m.y},
          car.yaw_rad,
          car.steering_rad,
          car.velocity_body_mps.x};
}

SceneCar Between(const SceneCar& before, const SceneCar& after, double share) {
  return {Lerp(before.position_m, after.position_m, share),
          before.yaw_rad + share * WrapAngle(after.yaw_rad - before.yaw_rad),
          Lerp(before.steering_rad, after.steering_rad, share),
          Lerp(before.speed_mps, after.speed_mps, share)};
}

ScenePainter::ScenePainter(const tracks::Track& track, const sim::CarSpec& car,
                           const SceneSetting& setting)
    : track_(track),
      car_(car),
      setting_(setting),
      unit_px_(setting.height_px / 720.0),
      backdrop_(WidthOf(setting.height_px), setting.height_px, kField) {
  const double u = unit_px_;
  const double panel_left = width_px() - kPanelWidth * u;
  map_ = tracks::MapView::Fit(
      track, {kGap * u, kTitleRoom * u},
      {panel_left - 2 * kGap * u, height_px() - (kTitleRoom + kLegendRoom) * u});
  map_.unit_px = u;

  const double box_left = panel_left + kGap * u;
  const double box_width = (kPanelWidth - 2 * kGap) * u;
  const double boxes_height = height_px() - (kReadingsHeight + 2 * kGap) * u;
  const double camera_height = setting.has_camera ? 0.5 * (boxes_height - kGap * u) : 0;
  camera_box_ = {box_left, kGap * u, box_width, camera_height};
  const double close_up_top = kGap * u + camera_height + (setting.has_camera ? kGap * u : 0);
  close_up_box_ = {box_left, close_up_top, box_width, boxes_height + kGap * u - close_up_top};
  readings_box_ = {box_left, height_px() - kReadingsHeight * u, box_width, kReadingsHeight * u};
  PaintBackdrop();
}

void ScenePainter::PaintBackdrop() {
  const double u = unit_px_;
  tracks::DrawGround(track_, map_, backdrop_);
  FillBox({width_px() - kPanelWidth * u, 0}, {kPanelWidth * u, double(height_px())}, kPanel,
          backdrop_);
  backdrop_.DrawText(setting_.title, {kGap * u, 34 * u}, {17 * u, 1.4 * u, kText, Align::kLeft});

  // the colours of trails
  const double top_px = height_px() - 26 * u;
  constexpr int kNumSteps = 48;
  const double step_px = 4 * u;
  for (int i = 0; i < kNumSteps; ++i) {
    FillBox({kGap * u + i * step_px, top_px}, {step_px, 10 * u},
            tracks::RampColor((i + 0.5) / kNumSteps), backdrop_);
  }
  backdrop_.DrawText("0 .. " + FormatFixed(setting_.top_speed_mps, 1) + " m/s",
                     {kGap * u + kNumSteps * step_px + 10 * u, top_px + 10 * u},
                     {10 * u, u, kText, Align::kLeft});
}

tracks::PixelCanvas ScenePainter::Paint(const Scene& scene) const {
  LAPFORGE_ASSERT(!scene.cars.empty(), "a scene has a car");
  tracks::PixelCanvas canvas = backdrop_;
  PaintWorld(scene, map_, canvas);
  PaintCloseUp(scene, canvas);
  if (setting_.has_camera && scene.camera.num_channels > 0) PaintCamera(scene.camera, canvas);
  PaintReadings(scene, canvas);
  if (!scene.notice.empty()) {
    const double panel_left = width_px() - kPanelWidth * unit_px_;
    canvas.DrawText(scene.notice, {panel_left - kGap * unit_px_, 34 * unit_px_},
                    {17 * unit_px_, 1.6 * unit_px_, kNotice, Align::kRight});
  }
  return canvas;
}

// Trail, objects and cars, the followed one on top.
void ScenePainter::PaintWorld(const Scene& scene, const tracks::MapView& view,
                              tracks::Canvas& canvas) const {
  for (size_t i = 0; i + 1 < scene.trail.size(); ++i) {
    const Vec2 ends[] = {view.ToPixel(scene.trail[i].position_m),
                         view.ToPixel(scene.trail[i + 1].position_m)};
    if (!std::isfinite(ends[0].x + ends[1].x)) continue;
    canvas.DrawLine(ends, 3.5 * view.unit_px,
                    tracks::RampColor(scene.trail[i + 1].speed_mps / setting_.top_speed_mps));
  }
  for (const sim::ObjectFacts& object : scene.objects) {
    if (object.kind != sim::ObjectKind::kBox) {
      PaintCar({object.position_m, object.yaw_rad}, kOther, view, canvas);
      continue;
    }
    const Vec2 half_size_m = {0.5 * object.length_m, 0.5 * object.width_m};
    FillOnGround(Rectangle(object.position_m, object.yaw_rad, half_size_m), kObject, view, canvas);
  }
  for (size_t i = scene.cars.size(); i-- > 0;) {
    PaintCar(scene.cars[i], i == 0 ? kFollowed : kOther, view, canvas);
  }
}

void ScenePainter::PaintCar(const SceneCar& car, Color color, const tracks::MapView& view,
                            tracks::Canvas& canvas) const {
  const double min_length_m = kMinCarLength * view.unit_px / view.px_per_m;
  const double scale = std::max(1.0, min_length_m / car_.body_length_m);
  const Pose2 pose = {car.position_m, car.yaw_rad};
  const auto fill = [&](Vec2 local_m, double turn_rad, Vec2 half_size_m, Color part_color) {
    FillOnGround(
        Rectangle(pose.ToWorld(scale * local_m), car.yaw_rad + turn_rad, scale * half_size_m),
        part_color, view, canvas);
  };
  // narrower than the body, so that tyres show; the collision box is length times width
  const double length_m = car_.body_length_m;
  const double width_m = car_.body_width_m;
  const Vec2 tire_m = {car_.wheel_radius_m, 0.4 * car_.wheel_radius_m};
  for (const double side : {-0.5, 0.5}) {
    fill({car_.com_to_front_axle_m, side * car_.front_axle_track_m}, car.steering_rad, tire_m,
         kTire);
    fill({-car_.com_to_rear_axle_m, side * car_.rear_axle_track_m}, 0, tire_m, kTire);
  }
  fill({0, 0}, 0, {0.5 * length_m, 0.32 * width_m}, color);
  fill({0.12 * length_m, 0}, 0, {0.07 * length_m, 0.26 * width_m}, kGlass);
}

void ScenePainter::PaintCloseUp(const Scene& scene, tracks::PixelCanvas& canvas) const {
  const Box& box = close_up_box_;
  tracks::PixelCanvas picture(static_cast<int>(box.width_px), static_cast<int>(box.height_px),
                              kField);
  tracks::MapView view;
  view.low_m = scene.cars.front().position_m;
  view.corner_px = {0.5 * picture.width_px(), 0.5 * picture.height_px()};
  view.px_per_m = kCarShareOfCloseUp * box.width_px / car_.body_length_m;
  view.unit_px = 1.5 * unit_px_;
  tracks::DrawGround(track_, view, picture);
  PaintWorld(scene, view, picture);
  canvas.Paste(picture, static_cast<int>(box.left_px), static_cast<int>(box.top_px));
}

// As large as fits, each pixel a rectangle.
void ScenePainter::PaintCamera(const CameraImage& image, tracks::PixelCanvas& canvas) const {
  const Box& box = camera_box_;
  const double zoom = std::min(box.width_px / image.width_px, box.height_px / image.height_px);
  const int width_px = static_cast<int>(image.width_px * zoom);
  const int height_px = static_cast<int>(image.height_px * zoom);
  const int left_px = static_cast<int>(box.left_px + 0.5 * (box.width_px - width_px));
  const int top_px = static_cast<int>(box.top_px + 0.5 * (box.height_px - height_px));
  const size_t plane = static_cast<size_t>(image.width_px) * static_cast<size_t>(image.height_px);
  const size_t channel = image.num_channels == 3 ? plane : 0;
  for (int y = 0; y < height_px; ++y) {
    const int row = y * image.height_px / height_px;
    for (int x = 0; x < width_px; ++x) {
      const size_t i = static_cast<size_t>(row * image.width_px + x * image.width_px / width_px);
      canvas.SetPixel(
          left_px + x, top_px + y,
          {static_cast<uint8_t>(image.planes[i]), static_cast<uint8_t>(image.planes[i + channel]),
           static_cast<uint8_t>(image.planes[i + 2 * channel])});
    }
  }
}

void ScenePainter::PaintReadings(const Scene& scene, tracks::Canvas& canvas) const {
  const double u = unit_px_;
  const double left = readings_box_.left_px;
  const double right = left + readings_box_.width_px;
  const double top = readings_box_.top_px;
  const TextStyle clock = {30 * u, 2.4 * u, kText, Align::kRight};
  const TextStyle small = {11 * u, u, kSmallText, Align::kLeft};
  TextStyle small_right = small;
  small_right.align = Align::kRight;

  canvas.DrawText(StrCat("lap ", scene.lap_number), {left, top + 34 * u},
                  {17 * u, 1.4 * u, kText, Align::kLeft});
  canvas.DrawText(Seconds(scene.lap_clock_us, 2), {right, top + 34 * u}, clock);
  if (scene.last_lap_us > 0) {
    canvas.DrawText("last " + Seconds(scene.last_lap_us, 3), {left, top + 64 * u}, small);
    canvas.DrawText("best " + Seconds(scene.best_lap_us, 3), {right, top + 64 * u}, small_right);
  }

  // a bar from `from` to `to`, shares of the width
  const auto reading = [&](int row, const std::string& text, double from, double to, Color color) {
    const double y = top + (96 + 38 * row) * u;
    const Vec2 corner = {left, y};
    const double width = right - left;
    canvas.DrawText(text, {left, y - 6 * u}, small);
    FillBox(corner, {width, 9 * u}, kGroove, canvas);
    const double low = Clamp(std::min(from, to), 0.0, 1.0);
    const double high = Clamp(std::max(from, to), 0.0, 1.0);
    FillBox(corner + Vec2{low * width, 0}, {(high - low) * width, 9 * u}, color, canvas);
  };
  const SceneCar& car = scene.cars.front();
  const double speed_share = car.speed_mps / setting_.top_speed_mps;
  reading(0, "speed  " + FormatFixed(car.speed_mps, 2) + " m/s", 0, speed_share,
          tracks::RampColor(speed_share));
  reading(1, "steering  " + FormatFixed(DegFromRad(car.steering_rad), 0) + " deg", 0.5,
          0.5 - 0.5 * car.steering_rad / kSteeringBar_rad, kText);
  reading(2, "progress  " + FormatFixed(scene.progress_pct, 1) + " %", 0, scene.progress_pct / 100,
          kSmallText);
}

}  // namespace lapforge::viewer
