#include "tools/cli/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <thread>

namespace lapforge::cli {

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

int DefaultThreads() {
  constexpr unsigned kMaxThreads = 16;  // more only split the same few envs finer
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads));
}

}  // namespace lapforge::cli
