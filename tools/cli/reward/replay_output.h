// Replayed laps for people and programs: a table, JSON, a CSV file, a picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reward/reward_replay.h"
#include "sim/base/result.h"

namespace lapforge::cli {

// What one recording gave with one function.
struct ReplayedFile {
  std::string recording;  // path
  std::string reward;     // as the user named it
  reward::RewardReplay replay;
};

// A heading and one row a lap.
void PrintReplay(const ReplayedFile& file);

nlohmann::json ReplayToJson(const ReplayedFile& file);

// One row a step of all laps, and of a second function's the reward (`compared`: as long as
// `files`, or empty). Terms of native rewards have a column each. Errors name the file.
Result<void> WriteReplayCsv(const std::vector<ReplayedFile>& files,
                            const std::vector<ReplayedFile>& compared, const std::string& path);

// One lap over its track, coloured by reward, with the rewards along the way below. PNG or SVG.
Result<void> DrawReplay(const ReplayedFile& file, const reward::RewardedLap& lap,
                        const std::string& path);

}  // namespace lapforge::cli
