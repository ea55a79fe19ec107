// The commands of the program: one file each, one row of a table each.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

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
int RunRaceCommand(int argc, char** argv);
int RunTrackCommand(int argc, char** argv);
int RunCarCommand(int argc, char** argv);
int RunSimCommand(int argc, char** argv);
int RunRewardCommand(int argc, char** argv);
int RunReplayCommand(int argc, char** argv);
int RunBenchCommand(int argc, char** argv);

// What people type to start this program: "lapforge", or "./lapforge" from a checkout, which says
// so in LAPFORGE_COMMAND.
std::string ProgramName();

// Runs the command of `commands` that argv[1] names; an unknown name is bad input and lists the
// nearest. `--help`, or no name at all, prints `title`, the list and `footer`. `group` is what
// comes between program and name: "", or "track".
int Dispatch(const std::string& group, const std::string& title, std::span<const Command> commands,
             const std::string& footer, int argc, char** argv);

// Parses the arguments; returns true to go on, else fills `exit_code` (help was shown, or one line
// about what is wrong). The app is named by its command: "train", "track show". Refuses empty
// values, and files for --out, --recording and --picture that another argument names too or that a
// run keeps for itself.
bool ParseArguments(CLI::App& app, int argc, char** argv, int* exit_code);

// "lapforge: message" on stderr; returns `exit_code` for a one-line return.
int Fail(const Error& error, ExitCode exit_code = kBadInput);

// Writes what is left for stdout. Success turns into kFailure where some of the output was lost:
// with one line on stderr, or in silence where nobody reads any more.
int FinishOutput(int exit_code);

// How a command ends that did its work, or found bad input: that is said as Fail does.
int ExitCodeOf(const Result<void>& outcome);

// An indented value and a line feed on stdout; text that is not UTF-8 is replaced.
void PrintJson(const nlohmann::json& json);

// Text as it is on stdout.
void PrintText(std::string_view text);

// The built-in track of commands that are not told one.
inline constexpr const char* kDefaultTrack = "esses";

// Threads to use when the user does not say: one a core, at most 16.
int DefaultThreads();

}  // namespace lapforge::cli
