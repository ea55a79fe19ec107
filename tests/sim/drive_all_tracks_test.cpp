// Tests geometry, physics and the built-in driver together: clean laps of every track, both ways.
#include "sim/pure_pursuit.h"
#include "tests/sim/sim_fixture.h"

namespace lapforge::sim {
namespace {

constexpr int kNumLaps = 3;

// From standing at the line to the end of the third lap (of an open track: its only one).
void CheckLaps(const tracks::Track& track, const CarSpec& car) {
  for (const DirectionMode direction : {DirectionMode::kForward, DirectionMode::kReversed}) {
    CAPTURE(track.name(), car.name, direction == DirectionMode::kReversed);
    SimOptions options = LineOptions();
    options.episode.direction = direction;
    options.episode.max_laps = kNumLaps;
    SimRig rig(options, car, {track});
    const PurePursuit driver(rig.sim());
    int num_laps = 0;
    double widest_m = 0;
    for (int step = 0; step < 5000 && !rig.facts[0].ended(); ++step) {
      driver.Decide(rig.actions);
      rig.Step();
      num_laps += rig.facts[0].lap_time_us > 0 ? 1 : 0;
      widest_m = std::max(widest_m, std::abs(rig.facts[0].position.lateral_offset_m));
    }
    CAPTURE(rig.facts[0].progress_pct, EndReasonName(rig.facts[0].reason), widest_m);
    CHECK(rig.facts[0].reason == EndReason::kLapComplete);
    CHECK(num_laps == (track.is_closed() ? kNumLaps : 1));
  }
}

void CheckLapsOfAllCars(const tracks::Track& track) {
  for (const std::string& name : BuiltInCarNames()) {
    CheckLaps(track, ValueOf(LoadBuiltInCar(name)));
  }
}

TEST_CASE("the built-in driver laps every built-in track") {
  for (const std::string& name : tracks::BuiltInTrackNames()) {
    CheckLapsOfAllCars(ValueOf(tracks::LoadBuiltInTrack(name)));
  }
}

TEST_CASE("the built-in driver laps every DeepRacer track file") {
  for (const std::filesystem::path& path : SharedTrackFiles()) {
    CheckLapsOfAllCars(ValueOf(tracks::LoadTrackFile(path)));
  }
}

}  // namespace
}  // namespace lapforge::sim
