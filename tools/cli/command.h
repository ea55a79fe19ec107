// The commands of the program: one file each, one row of the table in main.cpp each.
#pragma once

#include <string>

#include "sim/base/result.h"

namespace CLI {
class App;
}

namespace lapforge::cli {

// Exit codes of every command. `lapforge train` under a supervisor: kPreempted means start me
// again, kBadInput means never.
enum ExitCode : int {
  kOk = 0,
  kFailure = 1,
  kBadInput = 42,
  kPreempted = 75,     // SIGTERM, everything saved
  kInterrupted = 130,  // Ctrl-C, everything saved
};

// `run` parses its own arguments (argv[0] is the command's name) and returns an exit code.
struct Command {
  const char* name;
  const char* summary;
  int (*run)(int argc, char** argv);
};

int RunTrainCommand(int argc, char** argv);
int RunEvalCommand(int argc, char** argv);
int RunTrackCommand(int argc, char** argv);
int RunReplayCommand(int argc, char** argv);
int RunBenchCommand(int argc, char** argv);

// Parses the arguments; returns true to go on, else fills `exit_code` (help was shown, or one line
// about what is wrong).
bool ParseArguments(CLI::App& app, int argc, char** argv, int* exit_code);

// "lapforge: message" on stderr; returns `exit_code` for a one-line return.
int Fail(const Error& error, ExitCode exit_code = kBadInput);

// Threads to use when the user does not say: one a core, at most 16.
int DefaultThreads();

}  // namespace lapforge::cli
