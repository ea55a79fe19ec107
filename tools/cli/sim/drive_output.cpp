#include "tools/cli/sim/drive_output.h"

#include <nlohmann/json.hpp>

namespace lapforge::cli {

nlohmann::json LapJson(const sim::LapResult& lap) {
  return {{"lap_time_us", lap.lap_time_us},
          {"clean", lap.is_clean},
          {"resets", lap.num_resets},
          {"top_speed_mps", lap.top_speed_mps}};
}

Result<void> WriteDrive(const DriveReport& report, const tracks::Track& view,
                        const std::string& title, const LapOutputs& outputs) {
  if (!outputs.recording_path.empty()) {
    LAPFORGE_CHECK_OK(sim::SaveRecording(report.recording, outputs.recording_path));
  }
  if (outputs.picture_path.empty()) return {};
  tracks::PictureOptions picture;
  picture.show_waypoints = false;
  picture.title = title;
  picture.boxes = report.boxes;
  std::vector<tracks::DrivenLine> lines;
  for (const CarDrive& car : report.cars) lines.push_back(car.line);
  return tracks::DrawTrackPicture(view, lines, picture, outputs.picture_path);
}

}  // namespace lapforge::cli
