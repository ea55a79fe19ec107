// lapforge: the table of commands and nothing else.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "reward/reward_worker.h"
#include "reward/user_code.h"
#include "tools/cli/command.h"
#include "tools/cli/stop_signal.h"

namespace {

using lapforge::cli::Command;

constexpr Command kCommands[] = {
    {"train", "learn to drive a track, from nothing to clean laps", lapforge::cli::RunTrainCommand},
    {"eval", "drive laps with a trained policy", lapforge::cli::RunEvalCommand},
    {"race", "let trained policies race each other", lapforge::cli::RunRaceCommand},
    {"track", "list, draw, check, convert and make tracks", lapforge::cli::RunTrackCommand},
    {"car", "list and describe cars", lapforge::cli::RunCarCommand},
    {"sim", "drive without a learner", lapforge::cli::RunSimCommand},
    {"reward", "try reward functions without training", lapforge::cli::RunRewardCommand},
    {"replay", "drive a recording again and compare every step", lapforge::cli::RunReplayCommand},
    {"bench", "measure the speed of the parts", lapforge::cli::RunBenchCommand},
};

// Training makes and drops many mid-size buffers; giving them back to the system each time costs
// more than the arithmetic (spec of the learner: 3 to 9 times).
void KeepFreedMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

// A file that we open must not become the standard output that somebody closed: its place is taken
// by one that cannot be written. A reader that ended (`| head`), or a file that may not grow, must
// not end a training.
void GuardStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // what is printed reaches a file at the end, where FinishOutput can say what went wrong
  static std::array<char, 1 << 16> buffer;
  if (isatty(STDOUT_FILENO) == 0) std::setvbuf(stdout, buffer.data(), _IOFBF, buffer.size());
}

int Run(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--version" || first == "-v") {
    std::printf("lapforge %s\n", LAPFORGE_VERSION);
    return lapforge::cli::kOk;
  }
  return lapforge::cli::Dispatch("", "Lapforge trains cars to race.", kCommands,
                                 "From a checkout, './lapforge test' builds and runs all tests.\n",
                                 argc, argv);
}

int RunToTheEnd(int argc, char** argv) {
  try {
    return lapforge::cli::FinishOutput(Run(argc, argv));
  } catch (const std::bad_alloc&) {
    return lapforge::cli::Fail(
        lapforge::Error{"there is not enough memory; smaller images, fewer cars (sim.num_envs), a "
                        "shorter ppo.horizon or distill.ring_frames need less"},
        lapforge::cli::kFailure);
  } catch (const std::exception& error) {
    return lapforge::cli::Fail(lapforge::Error{error.what()}, lapforge::cli::kFailure);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (lapforge::reward::IsRewardWorker(argc, argv)) return lapforge::reward::RunRewardWorker();
  KeepFreedMemory();
  GuardStandardStreams();
  lapforge::cli::RemoveTemporariesOnSignals();
  lapforge::reward::AdoptProcesses();
  const int exit_code = RunToTheEnd(argc, argv);
  lapforge::reward::EndProcesses();
  return exit_code;
}
