// Who won, and how the others did: for people and programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tools/cli/race/racers.h"
#include "tools/cli/sim/drive.h"

namespace lapforge::cli {

// One car's part in a race, by place: who drove all laps in the least time first; behind these who
// came furthest.
struct Standing {
  size_t car = 0;        // of the race, from 0
  int64_t total_us = 0;  // of its completed laps, penalties included
  int64_t best_us = 0;   // 0 without a lap
  int64_t gap_us = -1;   // to the winner; -1: it did not finish
};
std::vector<Standing> StandingsOf(const DriveReport& report);

void PrintStandings(const DriveReport& report, const std::vector<Racer>& racers);
// The list of places.
nlohmann::json StandingsJson(const DriveReport& report, const std::vector<Racer>& racers);

}  // namespace lapforge::cli
