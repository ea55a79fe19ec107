// The files of the folder deepracer/ that say what was trained: model_metadata.json,
// hyperparameters.json, reward_function.py, training_params.yaml.
#pragma once

#include <filesystem>
#include <string>

#include "agents/train_options.h"
#include "sim/base/result.h"

namespace lapforge::agents {

// Writes them into `tree`: the user's own where the run folder has them, else ones that say the
// same as the options.
Result<void> WriteInputFiles(const std::filesystem::path& run_folder,
                             const std::filesystem::path& tree, const TrainOptions& options);

// "FRONT_FACING_CAMERA" and the like, as model_metadata.json lists them.
std::string SensorListText(const TrainOptions& options);
// The actions as Python prints them.
std::string ActionSpaceText(const TrainOptions& options);
// The name of the net.
std::string NetworkName(const TrainOptions& options);

}  // namespace lapforge::agents
