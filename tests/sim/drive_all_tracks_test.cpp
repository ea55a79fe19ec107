// Tests geometry and physics together: a slow driver laps every track file cleanly, both ways.
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

// 1.2 m/s: a hundredth of the grip would hold the car in most corners.
constexpr float kSlow = -0.6f;

void CheckLaps(const tracks::Track& track) {
  for (const DirectionMode direction : {DirectionMode::kForward, DirectionMode::kReversed}) {
    CAPTURE(track.name(), track.is_closed(), direction == DirectionMode::kReversed);
    SimOptions options = LineOptions(3);
    options.episode.start = StartMode::kSpread;
    options.episode.direction = direction;
    options.episode.max_laps = 1;
    SimRig rig(options, {track});
    rig.Step();
    std::vector<bool> is_done(3);
    for (int step = 0; step < 2500; ++step) {
      rig.Pursue(kSlow, 0.6);
      rig.Step();
      for (size_t i = 0; i < 3; ++i) {
        if (is_done[i] || !rig.facts[i].ended()) continue;
        CAPTURE(i, rig.facts[i].progress_pct, EndReasonName(rig.facts[i].reason));
        REQUIRE(rig.facts[i].reason == EndReason::kLapComplete);
        CHECK(rig.facts[i].lap_time_us > 1000000);
        is_done[i] = true;
      }
      if (is_done[0] && is_done[1] && is_done[2]) break;
    }
    CHECK((is_done[0] && is_done[1] && is_done[2]));
  }
}

TEST_CASE("a slow driver laps every built-in track") {
  for (const std::string& name : tracks::BuiltInTrackNames()) {
    CheckLaps(ValueOf(tracks::LoadBuiltInTrack(name)));
  }
}

TEST_CASE("a slow driver laps every DeepRacer track file") {
  for (const std::filesystem::path& path : SharedTrackFiles()) {
    CheckLaps(ValueOf(tracks::LoadTrackFile(path)));
  }
}

}  // namespace
}  // namespace lapforge::sim
