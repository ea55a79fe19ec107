#include "tools/cli/command.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <vector>

#include "sim/base/strings.h"

namespace lapforge::cli {

std::string ProgramName() {
  const char* const name = std::getenv("LAPFORGE_COMMAND");
  return name != nullptr && *name != '\0' ? name : "lapforge";
}

int Dispatch(const std::string& group, const std::string& title, std::span<const Command> commands,
             const std::string& footer, int argc, char** argv) {
  const std::string program = group.empty() ? ProgramName() : StrCat(ProgramName(), " ", group);
  const std::string name = argc > 1 ? argv[1] : "--help";
  if (name == "--help" || name == "-h" || name == "help") {
    std::printf("%s\n\nUsage: %s COMMAND [OPTIONS]\n\n", title.c_str(), program.c_str());
    for (const Command& command : commands) {
      std::printf("  %-10s %s\n", command.name, command.summary);
    }
    std::printf("\n'%s COMMAND --help' lists a command's options.\n%s", program.c_str(),
                footer.c_str());
    return kOk;
  }

  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (name == command.name) return command.run(argc - 1, argv + 1);
    names.push_back(command.name);
  }
  return Fail(ErrorOf("unknown command '", name, "'", DidYouMean(name, names), "; '", program,
                      " --help' lists them"));
}

int Fail(const Error& error, ExitCode exit_code) {
  std::fprintf(stderr, "lapforge: %s\n", error.message.c_str());
  return exit_code;
}

int FinishOutput(int exit_code) {
  const bool is_whole = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (is_whole || exit_code != kOk) return exit_code;
  // what was lost may be lost for long: one more byte tells why
  errno = 0;
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, "\n", 1);
  if (errno == EPIPE) return kFailure;
  const std::string reason = errno != 0 ? StrCat(": ", std::generic_category().message(errno)) : "";
  return Fail(ErrorOf("cannot write standard output", reason), kFailure);
}

int ExitCodeOf(const Result<void>& outcome) { return outcome.ok() ? kOk : Fail(outcome.error()); }

void PrintText(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void PrintJson(const nlohmann::json& json) {
  std::printf("%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

int DefaultThreads() {
  constexpr unsigned kMaxThreads = 16;  // more only split the same few envs finer
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads));
}

}  // namespace lapforge::cli
