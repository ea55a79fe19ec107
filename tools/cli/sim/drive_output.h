// What a drive leaves: its laps for programs, its recording, a picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/cli/laps.h"
#include "tools/cli/sim/drive.h"
#include "tracks/track.h"

namespace lapforge::cli {

// A completed lap.
nlohmann::json LapJson(const sim::LapResult& lap);

// The picture shows the way of every car on `view`, the track as it was driven.
Result<void> WriteDrive(const DriveReport& report, const tracks::Track& view,
                        const std::string& title, const LapOutputs& outputs);

}  // namespace lapforge::cli
