#include "tools/cli/race/standings.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/strings.h"
#include "tools/cli/laps.h"
#include "tools/cli/sim/drive_output.h"

namespace lapforge::cli {
namespace {

bool HasFinished(const CarDrive& drive) { return drive.end == sim::EndReason::kLapComplete; }

// "car 2, 3 x car 4"
std::string HitsOf(const CarDrive& drive) {
  std::vector<std::string> hits;
  for (size_t i = 0; i < drive.num_hits.size(); ++i) {
    const int count = drive.num_hits[i];
    if (count > 0) hits.push_back(StrCat(count > 1 ? StrCat(count, " x ") : "", "car ", i + 1));
  }
  return Join(hits, ", ");
}

std::string ResultOf(const CarDrive& drive) {
  if (HasFinished(drive)) return "finished";
  return StrCat(sim::EndReasonName(drive.end), " at ", FormatFixed(drive.last_progress_pct, 1),
                " %");
}

std::string TimeOrNothing(int64_t time_us) { return time_us > 0 ? LapTimeText(time_us) : ""; }

}  // namespace

std::vector<Standing> StandingsOf(const DriveReport& report) {
  std::vector<Standing> standings;
  for (const CarDrive& drive : report.cars) {
    Standing standing = {standings.size()};
    for (const sim::LapResult& lap : drive.laps) {
      standing.total_us += lap.lap_time_us;
      standing.best_us =
          standing.best_us == 0 ? lap.lap_time_us : std::min(standing.best_us, lap.lap_time_us);
    }
    standings.push_back(standing);
  }
  const auto is_before = [&](const Standing& a, const Standing& b) {
    const CarDrive& one = report.cars[a.car];
    const CarDrive& other = report.cars[b.car];
    if (HasFinished(one) && HasFinished(other)) return a.total_us < b.total_us;
    if (one.laps.size() != other.laps.size()) return one.laps.size() > other.laps.size();
    return one.last_progress_pct > other.last_progress_pct;
  };
  std::stable_sort(standings.begin(), standings.end(), is_before);
  for (Standing& standing : standings) {
    if (!HasFinished(report.cars[standing.car])) break;
    standing.gap_us = standing.total_us - standings.front().total_us;
  }
  return standings;
}

void PrintStandings(const DriveReport& report, const std::vector<Racer>& racers) {
  size_t width = std::string("driver").size();
  for (const Racer& racer : racers) width = std::max(width, racer.name.size());
  const auto driver = [&](const std::string& name) {
    return name + std::string(width - name.size(), ' ');
  };
  std::printf(
      "place  car  %s  laps      total   best lap        gap  off track  result, ran into\n",
      driver("driver").c_str());
  int place = 0;
  for (const Standing& standing : StandingsOf(report)) {
    const CarDrive& drive = report.cars[standing.car];
    const std::string hits = HitsOf(drive);
    std::printf("%5d  %3zu  %s  %4zu  %9s  %9s  %9s  %9d  %s%s\n", ++place, standing.car + 1,
                driver(racers[standing.car].name).c_str(), drive.laps.size(),
                TimeOrNothing(standing.total_us).c_str(), TimeOrNothing(standing.best_us).c_str(),
                standing.gap_us > 0 ? ("+" + LapTimeText(standing.gap_us)).c_str() : "",
                drive.num_off_tracks, ResultOf(drive).c_str(),
                hits.empty() ? "" : (", ran into " + hits).c_str());
  }
}

nlohmann::json StandingsJson(const DriveReport& report, const std::vector<Racer>& racers) {
  nlohmann::json places = nlohmann::json::array();
  for (const Standing& standing : StandingsOf(report)) {
    const CarDrive& drive = report.cars[standing.car];
    nlohmann::json laps = nlohmann::json::array();
    for (const sim::LapResult& lap : drive.laps) laps.push_back(LapJson(lap));
    nlohmann::json hits = nlohmann::json::array();
    for (size_t i = 0; i < drive.num_hits.size(); ++i) {
      if (drive.num_hits[i] > 0) hits.push_back({{"car", i + 1}, {"times", drive.num_hits[i]}});
    }
    places.push_back(
        {{"place", places.size() + 1},
         {"car", standing.car + 1},
         {"driver", racers[standing.car].name},
         {"model", racers[standing.car].car.name},
         {"laps", laps},
         {"total_us", TimeOrNull(standing.total_us)},
         {"best_lap_us", TimeOrNull(standing.best_us)},
         {"gap_us", standing.gap_us < 0 ? nlohmann::json() : nlohmann::json(standing.gap_us)},
         {"off_tracks", drive.num_off_tracks},
         {"hits", hits},
         {"end", sim::EndReasonName(drive.end)},
         {"progress_pct", drive.last_progress_pct}});
  }
  return places;
}

}  // namespace lapforge::cli
