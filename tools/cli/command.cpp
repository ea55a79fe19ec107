#include "tools/cli/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "sim/base/strings.h"

namespace lapforge::cli {

int Dispatch(const std::string& program, const std::string& title,
             std::span<const Command> commands, const std::string& footer, int argc, char** argv) {
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

bool ParseArguments(CLI::App& app, int argc, char** argv, int* exit_code) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success& success) {
    app.exit(success, std::cout, std::cerr);
    *exit_code = kOk;
  } catch (const CLI::ParseError& error) {
    *exit_code =
        Fail(ErrorOf(error.what(), " (see 'lapforge ", app.get_name(), " --help')"), kBadInput);
  }
  return false;
}

int Fail(const Error& error, ExitCode exit_code) {
  std::fprintf(stderr, "lapforge: %s\n", error.message.c_str());
  return exit_code;
}

void PrintJson(const nlohmann::json& json) {
  std::printf("%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

int DefaultThreads() {
  constexpr unsigned kMaxThreads = 16;  // more only split the same few envs finer
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads));
}

}  // namespace lapforge::cli
