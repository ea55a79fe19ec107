// What became of DeepRacer's files, for people.
#pragma once

#include "agents/deepracer/deepracer_files.h"
#include "agents/train_options.h"

namespace lapforge::cli {

// "From your files": a row a key. Says where `options`, as they are in the end, differ from what a
// file asked for. Nothing without files.
void PrintDeepRacerTable(const agents::DeepRacerSettings& settings,
                         const agents::TrainOptions& options);

}  // namespace lapforge::cli
