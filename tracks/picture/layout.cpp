#include "tracks/picture/layout.h"

#include <algorithm>
#include <cmath>

#include "tracks/geometry/bounds.h"

namespace lapforge::tracks {
namespace {

constexpr double kReferenceWidth_px = 1600;
constexpr double kMargin = 48;        // in units, as all below
constexpr double kTitleHeight = 120;  // above the track, margin included
constexpr double kScaleHeight = 110;  // below
constexpr double kMaxHeightPerWidth = 1.25;

}  // namespace

Vec2 MapView::ToPixel(Vec2 world_m) const {
  return {corner_px.x + (world_m.x - low_m.x) * px_per_m,
          corner_px.y - (world_m.y - low_m.y) * px_per_m};
}

MapView MapView::Fit(const Track& track, Vec2 corner_px, Vec2 size_px) {
  const auto [low_m, high_m] = BoundsOf(track);
  const Vec2 size_m = {std::max(high_m.x - low_m.x, 1e-6), std::max(high_m.y - low_m.y, 1e-6)};
  MapView view;
  view.low_m = low_m;
  view.px_per_m = std::min(size_px.x / size_m.x, size_px.y / size_m.y);
  view.corner_px = {corner_px.x + 0.5 * (size_px.x - size_m.x * view.px_per_m),
                    corner_px.y + 0.5 * (size_px.y + size_m.y * view.px_per_m)};
  return view;
}

Layout Layout::Of(const Track& track, int width_px) {
  const auto [low_m, high_m] = BoundsOf(track);
  return Around(low_m, high_m, width_px);
}

Layout Layout::Around(Vec2 low_m, Vec2 high_m, int width_px) {
  const Vec2 size_m = {std::max(high_m.x - low_m.x, 1e-6), std::max(high_m.y - low_m.y, 1e-6)};

  Layout layout;
  layout.width_px = width_px;
  layout.unit_px = width_px / kReferenceWidth_px;
  layout.margin_px = kMargin * layout.unit_px;
  layout.low_m = low_m;

  const double frame_px = (kTitleHeight + kScaleHeight) * layout.unit_px;
  const double inner_width_px = width_px - 2 * layout.margin_px;
  const double max_track_height_px = kMaxHeightPerWidth * width_px - frame_px;
  layout.px_per_m = std::min(inner_width_px / size_m.x, max_track_height_px / size_m.y);
  const double track_height_px = size_m.y * layout.px_per_m;
  layout.height_px = static_cast<int>(std::ceil(track_height_px + frame_px));
  layout.corner_px.x = 0.5 * (width_px - size_m.x * layout.px_per_m);
  layout.corner_px.y = kTitleHeight * layout.unit_px + track_height_px;
  return layout;
}

}  // namespace lapforge::tracks
