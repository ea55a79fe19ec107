#include "tools/cli/sim/line_driver.h"

#include <algorithm>

#include "sim/base/file_io.h"
#include "sim/base/strings.h"
#include "tools/cli/track/raceline_limits.h"

namespace lapforge::cli {
namespace {

// The points of a racing line: the best one for the car, or one from a file.
Result<sim::DrivingLine> LineOf(const std::string& name, const tracks::Track& view,
                                const sim::CarSpec& car) {
  constexpr double kMarginM = 0.1;  // room for a driver that cuts corners a little
  constexpr size_t kMaxBytes = size_t{64} << 20;
  tracks::Raceline raceline;
  if (name == kRaceline) {
    LAPFORGE_TRY(raceline, tracks::ComputeRaceline(view, LimitsOf(car, kMarginM)));
  } else if (!NamesLine(name)) {
    return ErrorOf("--policy ", name, ": expected ", kCenterline, ", ", kRaceline,
                   " or a .csv file",
                   DidYouMean(name, std::vector<std::string>{kCenterline, kRaceline}));
  } else {
    LAPFORGE_TRY(const std::string text, ReadFile(name, kMaxBytes));
    LAPFORGE_TRY(raceline, tracks::ParseRacelineCsv(view, text, name));
  }
  sim::DrivingLine line;
  for (const tracks::RacelinePoint& point : raceline.points) {
    line.points_m.push_back(point.position_m);
  }
  return line;
}

class LineDriver : public CarDriver {
 public:
  LineDriver(const sim::VectorSim& sim, const sim::PursuitOptions& options, int env_index)
      : pursuit_(sim, options),
        env_index_(env_index),
        actions_(size_t(sim.num_envs()) * size_t(sim.options().action_dim())) {}

  Result<void> Follow(int view, const sim::DrivingLine& line) {
    return pursuit_.Follow(view, line);
  }

  void Decide(std::span<float> action) override {
    pursuit_.Decide(actions_, {env_index_, env_index_ + 1});
    std::copy_n(&actions_[static_cast<size_t>(env_index_) * action.size()], action.size(),
                action.begin());
  }

 private:
  sim::PurePursuit pursuit_;
  const int env_index_;
  std::vector<float> actions_;  // of all cars; only its own row counts
};

}  // namespace

bool NamesLine(const std::string& name) {
  return name == kCenterline || name == kRaceline || name.ends_with(".csv");
}

Result<std::unique_ptr<CarDriver>> MakeLineDriver(const std::string& line,
                                                  const sim::PursuitOptions& options, int env_index,
                                                  const sim::VectorSim& sim) {
  auto driver = std::make_unique<LineDriver>(sim, options, env_index);
  if (line != kCenterline) {
    const bool is_reversed = sim.options().episode.direction == sim::DirectionMode::kReversed;
    const int view = is_reversed ? 1 : 0;
    LAPFORGE_TRY(const sim::DrivingLine way,
                 LineOf(line, sim.tracks()[static_cast<size_t>(view)], sim.car(env_index)));
    if (const Result<void> followed = driver->Follow(view, way); !followed.ok()) {
      return ErrorOf(line, ": ", followed.error().message, "; or is it the line of another track?");
    }
  }
  return std::unique_ptr<CarDriver>(std::move(driver));
}

}  // namespace lapforge::cli
