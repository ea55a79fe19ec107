// Arguments of a command: CLI11 parses, we say in plain words what is wrong with them.
#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <vector>

#include "agents/run_folder.h"
#include "sim/base/file_io.h"
#include "sim/base/strings.h"
#include "tools/cli/command.h"

namespace lapforge::cli {
namespace {

namespace fs = std::filesystem;

// Arguments that name a file to write, in every command that has them.
constexpr std::string_view kOutputs[] = {"--out", "--fix",  "--recording", "--picture",
                                         "--csv", "--plot", "--video",     "--strip"};

// "--track" and "-t"; a positional argument has none.
std::vector<std::string> DashedNames(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

// From "INT:INT in [1 - 256]", "TEXT:{sim,reward}" or "FLOAT".
std::string ExpectedValue(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t set = type.find('{');
  if (set != type.npos) {
    const std::string_view words = std::string_view(type).substr(set + 1, type.find('}') - set - 1);
    std::vector<std::string> names;
    for (const std::string_view word : Split(words, ',')) names.emplace_back(word);
    return "one of " + Join(names, ", ");
  }
  const std::string kind = StartsWith(type, "INT") || StartsWith(type, "UINT") ? "a whole number"
                           : StartsWith(type, "FLOAT")                         ? "a number"
                                                                               : "a value";
  const size_t low = type.rfind('[');
  const size_t middle = type.find(" - ", low);
  if (low == type.npos || middle == type.npos) return kind;
  return StrCat(kind, " in ", type.substr(low + 1, middle - low - 1), " .. ",
                type.substr(middle + 3, type.find(']', middle) - middle - 3));
}

// What nobody declared.
std::string ExplainExtra(const CLI::App& app, const std::vector<std::string>& extras) {
  for (const std::string& extra : extras) {
    if (!StartsWith(extra, "-")) continue;
    const std::string typed = extra.substr(0, extra.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : DashedNames(*option)) names.push_back(name);
    }
    return StrCat("unknown option '", typed, "'", DidYouMean(typed, names));
  }
  return StrCat("unexpected argument '", extras.front(), "'");
}

// What CLI11 did not like about one option.
std::string ExplainValue(const CLI::Option& option) {
  const std::string name = option.get_name();
  const std::vector<std::string>& values = option.results();
  if (option.get_expected_max() == 0) return StrCat(name, " takes no value");
  if (values.empty()) return StrCat(name, ": expected ", ExpectedValue(option), " after it");
  if (static_cast<int>(values.size()) > option.get_items_expected_max()) {
    return StrCat(name, " is given ", values.size(), " times; expected once");
  }
  return StrCat(name, " ", Join(values, " "), ": expected ", ExpectedValue(option));
}

std::string Explain(const CLI::App& app, const CLI::ParseError& error) {
  if (const std::vector<std::string> extras = app.remaining();
      dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty()) {
    return ExplainExtra(app, extras);
  }
  const std::string message = error.what();
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
      if (!option->get_required() || option->count() > 0) continue;
      return StrCat("'", name, "' is missing: ", option->get_description());
    }
    for (const char* before : {"", "Could not convert: "}) {
      for (const char* behind : {":", " = ", " was given"}) {
        if (StartsWith(message, StrCat(before, name, behind))) return ExplainValue(*option);
      }
    }
  }
  return message;
}

// "nan" is a FLOAT to CLI11, and inside every range.
bool IsEndless(const CLI::Option& option, const std::string& value) {
  const std::optional<double> number = ParseDouble(value);
  return StartsWith(option.get_type_name(), "FLOAT") && number && !std::isfinite(*number);
}

Result<void> CheckValues(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& value : option->results()) {
      if (IsEndless(*option, value)) {
        return ErrorOf(option->get_name(), " ", value, ": expected a number");
      }
      if (value.empty()) {
        return ErrorOf(option->get_name(), " is empty; expected ", ExpectedValue(*option));
      }
    }
  }
  return {};
}

bool IsSameFile(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) || fs::weakly_canonical(fs::absolute(a, error), error) ==
                                            fs::weakly_canonical(fs::absolute(b, error), error);
}

Result<void> CheckPicture(std::string_view output, const fs::path& path) {
  if (output != "--picture" && output != "--plot") return {};
  if (path.extension() == ".png" || path.extension() == ".svg") return {};
  return ErrorOf(output, " ", path, ": expected a name that ends in .png or .svg");
}

// What a command reads must outlive it, of two outputs to one file one would be lost, and what
// cannot be written is said before the work that fills it.
Result<void> CheckOutputs(const CLI::App& app) {
  const bool is_folder = app.get_option_no_throw("--count") != nullptr;  // of generated tracks
  for (const std::string_view output : kOutputs) {
    const CLI::Option* const option = app.get_option_no_throw(std::string(output));
    if (option == nullptr || option->count() == 0) continue;
    const bool is_flag = option->get_expected_max() == 0;
    if (is_flag) continue;
    const std::string path = option->results().front();
    if (agents::IsFileOfRun(path)) {
      return ErrorOf(output, " ", path, ": this is a run's own file; choose another name");
    }
    for (const CLI::Option* other : app.get_options()) {
      for (const std::string& value : other->results()) {
        if (other == option || !IsSameFile(path, value)) continue;
        return ErrorOf(output, " ", path, ": the same file as ", other->get_name(),
                       "; choose another name");
      }
    }
    LAPFORGE_CHECK_OK(CheckPicture(output, path));
    if (const Result<void> checked = CheckWritable(path); !checked.ok() && !is_folder) {
      return ErrorOf(output, ": ", checked.error().message);
    }
  }
  return {};
}

}  // namespace

bool ParseArguments(CLI::App& app, int argc, char** argv, int* exit_code) {
  const std::string command = StrCat(ProgramName(), " ", app.get_name());
  app.name(command);
  *exit_code = kOk;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    app.exit(success, std::cout, std::cerr);
    return false;
  } catch (const CLI::ParseError& error) {
    *exit_code = Fail(ErrorOf(Explain(app, error), " (see '", command, " --help')"));
    return false;
  }
  for (const Result<void>& check : {CheckValues(app), CheckOutputs(app)}) {
    if (check.ok()) continue;
    *exit_code = Fail(check.error());
    return false;
  }
  return true;
}

}  // namespace lapforge::cli
