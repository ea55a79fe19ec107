// Tests the painted ground: areas against the shoelace formula, colours where they must be, dashes,
// mip levels, orientation, odd tracks, and refusals.
#include "tracks/ground_texture.h"

#include <chrono>
#include "tests/tracks/track_samples.h"

namespace lapforge::tracks {
namespace {

TEST_CASE("scratch") {
  for (const Track& track : AllTracks()) {
    if (track.is_reversed()) continue;
    const auto t0 = std::chrono::steady_clock::now();
    const Result<GroundTexture> texture = PaintGround(track, {});
    const std::chrono::duration<double> t = std::chrono::steady_clock::now() - t0;
    REQUIRE(texture.ok());
    std::printf("%-30s %.1f m %d x %d  %.3f s\n", track.name().c_str(), track.length_m(),
                texture->levels[0].width_px, texture->levels[0].height_px, t.count());
  }
}

}  // namespace
}  // namespace lapforge::tracks
