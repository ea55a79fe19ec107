// lapforge: the table of commands and nothing else.
#include <malloc.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "sim/base/strings.h"
#include "tools/cli/command.h"

namespace {

using lapforge::cli::Command;

constexpr Command kCommands[] = {
    {"train", "learn to drive a track, from nothing to clean laps", lapforge::cli::RunTrainCommand},
    {"eval", "drive laps with a trained policy", lapforge::cli::RunEvalCommand},
    {"track", "list tracks, draw them, look at track files", lapforge::cli::RunTrackCommand},
    {"replay", "drive a recording again and compare every step", lapforge::cli::RunReplayCommand},
    {"bench", "measure the speed of the parts", lapforge::cli::RunBenchCommand},
};

void PrintHelp() {
  std::printf("Lapforge trains cars to race.\n\nUsage: lapforge COMMAND [OPTIONS]\n\n");
  for (const Command& command : kCommands) {
    std::printf("  %-8s %s\n", command.name, command.summary);
  }
  std::printf(
      "\n'lapforge COMMAND --help' lists a command's options.\n"
      "From a checkout, './lapforge test' builds and runs all tests.\n");
}

// Training makes and drops many mid-size buffers; giving them back to the system each time costs
// more than the arithmetic (spec of the learner: 3 to 9 times).
void KeepFreedMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

int Dispatch(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "--help";
  if (name == "--help" || name == "-h" || name == "help") {
    PrintHelp();
    return lapforge::cli::kOk;
  }
  if (name == "--version") {
    std::printf("lapforge %s\n", LAPFORGE_VERSION);
    return lapforge::cli::kOk;
  }

  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (name == command.name) return command.run(argc - 1, argv + 1);
    names.push_back(command.name);
  }
  return lapforge::cli::Fail(lapforge::ErrorOf("unknown command '", name, "'",
                                               lapforge::DidYouMean(name, names),
                                               "; 'lapforge --help' lists them"));
}

}  // namespace

int main(int argc, char** argv) {
  KeepFreedMemory();
  try {
    return Dispatch(argc, argv);
  } catch (const std::exception& error) {
    return lapforge::cli::Fail(lapforge::Error{error.what()}, lapforge::cli::kFailure);
  }
}
