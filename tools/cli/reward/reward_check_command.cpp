// lapforge reward check: a reward function on real laps, and what a coach would say.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "reward/reward_check.h"
#include "sim/base/strings.h"
#include "tools/cli/command.h"
#include "tools/cli/reward/guard_arguments.h"
#include "tools/cli/reward/reward_commands.h"
#include "tools/cli/track/race_check.h"

namespace lapforge::cli {
namespace {

namespace fs = std::filesystem;
using reward::RewardSeverity;

struct CheckArguments {
  std::string file;
  std::string track = kDefaultTrack;
  std::string car = "rc_1_18";
  int num_objects = 0;
  double discount = 0.99;
  bool is_measured = false;
  bool is_strict = false;
  bool is_json = false;
};

struct Verdicts {
  reward::ConsoleVerdict console;
  reward::ConsoleVerdict droa;
};

struct CheckOutcome {
  reward::RewardCheckReport report;
  std::optional<Verdicts> verdicts;  // with --strict

  // Nothing that training would stop with, and with --strict nothing that the console refuses.
  bool is_good() const {
    const bool is_accepted =
        !verdicts || (verdicts->console.is_accepted && verdicts->droa.is_accepted);
    return report.CountOf(RewardSeverity::kError) == 0 && is_accepted;
  }
};

std::string Figure(double value) {
  const double size = std::abs(value);
  return FormatFixed(value, size >= 1000 ? 0 : size >= 10 ? 1 : 3);
}

std::string Count(int count, const char* noun) {
  return StrCat(count, " ", noun, count == 1 ? "" : "s");
}

void PrintDrives(const reward::RewardCheckReport& report) {
  std::printf("%-15s %6s %8s %10s %10s %10s %11s %11s\n", "drive", "steps", "lap", "min", "mean",
              "max", "sum", "discounted");
  for (const reward::RewardedDrive& drive : report.drives) {
    const std::string lap = drive.is_lap() ? FormatFixed(drive.lap_time_s, 2) + " s" : "-";
    std::printf("%-15s %6d %8s %10s %10s %10s %11s %11s\n", drive.name.c_str(), drive.num_steps,
                lap.c_str(), Figure(drive.min_reward).c_str(), Figure(drive.mean_reward).c_str(),
                Figure(drive.max_reward).c_str(), Figure(drive.total_reward).c_str(),
                Figure(drive.discounted_return).c_str());
  }
}

void PrintQuantiles(const reward::RewardCheckReport& report) {
  std::printf("\nReward of a step:");
  for (size_t i = 0; i < report.reward_quantiles.size(); ++i) {
    std::printf("  %d %%: %s", reward::kRewardQuantilesPct[i],
                Figure(report.reward_quantiles[i]).c_str());
  }
  std::printf("\n");
}

void PrintBranches(const reward::RewardCheckReport& report) {
  if (report.branches.empty()) return;
  std::printf("\nBranches taken, of all calls:\n");
  for (const reward::RewardBranch& branch : report.branches) {
    const std::string share =
        branch.share == 0 ? "never" : FormatFixed(100 * branch.share, 1) + " %";
    std::printf("%8s  line %-4d %s\n", share.c_str(), branch.line, branch.text.c_str());
  }
}

// What the console would answer, one line.
void PrintVerdict(const char* name, const reward::ConsoleVerdict& verdict) {
  const char* const lint = verdict.is_linted ? "" : " (its lint was not run: install flake8)";
  if (verdict.is_accepted) {
    std::printf("%s: accepted%s\n", name, lint);
    return;
  }
  for (const nlohmann::json& record : nlohmann::json::parse(verdict.records_json)) {
    std::string line;
    if (record.contains("lineNumber")) {
      const nlohmann::json& number = record["lineNumber"];
      line = "line " + (number.is_string() ? number.get<std::string>() : number.dump()) + ": ";
    }
    std::printf("%s: refused: %s%s [%s]%s\n", name, line.c_str(),
                record["message"].get<std::string>().c_str(),
                record["type"].get<std::string>().c_str(), lint);
  }
}

void PrintText(const CheckOutcome& outcome, const CheckArguments& arguments) {
  const reward::RewardCheckReport& report = outcome.report;
  PrintDrives(report);
  PrintQuantiles(report);
  PrintBranches(report);
  std::printf("\nKeys read: %s\n", Join(report.keys_read, ", ").c_str());
  if (report.us_per_call > 0) std::printf("Time: %.1f us a call\n", report.us_per_call);
  std::printf("\n");

  for (const reward::RewardFinding& finding : report.findings) {
    const std::string line = finding.line > 0 ? StrCat("line ", finding.line, ": ") : "";
    std::printf("%s: %s%s\n", reward::RewardSeverityName(finding.severity), line.c_str(),
                finding.message.c_str());
  }
  if (report.findings.empty()) std::printf("Nothing to object to.\n");
  if (outcome.verdicts) {
    PrintVerdict("console", outcome.verdicts->console);
    PrintVerdict("DeepRacer on AWS", outcome.verdicts->droa);
  }
  std::printf("%s: %s, %s\n", arguments.file.c_str(),
              Count(report.CountOf(RewardSeverity::kError), "error").c_str(),
              Count(report.CountOf(RewardSeverity::kWarning), "warning").c_str());
}

nlohmann::json ToJson(const reward::RewardedDrive& drive) {
  nlohmann::json json = {{"name", drive.name},
                         {"steps", drive.num_steps},
                         {"lap_time_s", nullptr},
                         {"min_reward", drive.min_reward},
                         {"mean_reward", drive.mean_reward},
                         {"max_reward", drive.max_reward},
                         {"total_reward", drive.total_reward},
                         {"discounted_return", drive.discounted_return}};
  if (drive.is_lap()) json["lap_time_s"] = drive.lap_time_s;
  return json;
}

nlohmann::json ToJson(const CheckOutcome& outcome, const CheckArguments& arguments) {
  const reward::RewardCheckReport& report = outcome.report;
  nlohmann::json json = {{"file", arguments.file},
                         {"is_good", outcome.is_good()},
                         {"findings", nlohmann::json::array()},
                         {"drives", nlohmann::json::array()},
                         {"branches", nlohmann::json::array()},
                         {"keys_read", report.keys_read},
                         {"keys_unread", report.keys_unread},
                         {"calls", report.num_calls},
                         {"us_per_call", report.us_per_call}};
  for (const reward::RewardFinding& finding : report.findings) {
    json["findings"].push_back({{"severity", reward::RewardSeverityName(finding.severity)},
                                {"line", finding.line},
                                {"message", finding.message}});
  }
  for (const reward::RewardedDrive& drive : report.drives) json["drives"].push_back(ToJson(drive));
  for (const reward::RewardBranch& branch : report.branches) {
    json["branches"].push_back(
        {{"line", branch.line}, {"text", branch.text}, {"share", branch.share}});
  }
  for (size_t i = 0; i < report.reward_quantiles.size(); ++i) {
    json["reward_quantiles"][std::to_string(reward::kRewardQuantilesPct[i])] =
        report.reward_quantiles[i];
  }
  if (outcome.verdicts) {
    json["console"] = nlohmann::json::parse(outcome.verdicts->console.records_json);
    json["deepracer_on_aws"] = nlohmann::json::parse(outcome.verdicts->droa.records_json);
    json["is_linted"] = outcome.verdicts->console.is_linted;
  }
  return json;
}

Result<CheckOutcome> Check(const CheckArguments& arguments) {
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(arguments.car));
  LAPFORGE_TRY(const tracks::Track track, LoadTrackFor(car, arguments.track));

  CheckOutcome outcome;
  if (arguments.is_strict) {
    Verdicts& verdicts = outcome.verdicts.emplace();
    LAPFORGE_TRY(verdicts.console, reward::ValidateAsConsole(arguments.file, track,
                                                             reward::ConsoleVariant::kConsole));
    LAPFORGE_TRY(verdicts.droa,
                 reward::ValidateAsConsole(arguments.file, track, reward::ConsoleVariant::kDroa));
  }
  reward::RewardCheckOptions options{arguments.file, track, car};
  options.num_objects = arguments.num_objects;
  options.discount = arguments.discount;
  if (arguments.is_measured) options.facts = sim::FactsInstant::kMeasured;
  LAPFORGE_TRY(outcome.report, reward::CheckReward(options));
  return outcome;
}

int CheckAndPrint(const CheckArguments& arguments) {
  const Result<CheckOutcome> outcome = Check(arguments);
  if (!outcome.ok()) return Fail(outcome.error());
  if (arguments.is_json) {
    PrintJson(ToJson(*outcome, arguments));
  } else {
    PrintText(*outcome, arguments);
  }
  return outcome->is_good() ? kOk : kBadInput;
}

}  // namespace

int RunRewardCheckCommand(int argc, char** argv) {
  CLI::App app("Tries a reward function on real laps, good and bad, and says what to mend.",
               "reward check");
  CheckArguments arguments;
  app.footer(
      "Ends with 0 where nothing would stop a training (with --strict: and both validators "
      "accept the file), else with 42.");
  app.add_option("file", arguments.file, "Python file with reward_function(params)")->required();
  app.add_option("-t,--track", arguments.track,
                 "Built-in track or file; the one that the function was made for [esses]");
  app.add_option("--car", arguments.car, "Car [rc_1_18]");
  app.add_option("--objects", arguments.num_objects,
                 "Boxes on the road, for functions that read objects_* [0]")
      ->check(CLI::Range(0, sim::kMaxObjects));
  app.add_option("--discount", arguments.discount, "For the discounted sums of laps [0.99]")
      ->check(CLI::Range(0.0, 1.0));
  app.add_flag("--measured", arguments.is_measured,
               "Show the state after each action, not the one before it as DeepRacer does");
  app.add_flag("--strict", arguments.is_strict, "Apply the rules of the console's validators too");
  app.add_flag("--json", arguments.is_json, "Print JSON");
  reward::GuardOptions guard;
  DeclareGuard(app, guard);
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;

  if (fs::path(arguments.file).extension() == ".so") {
    return Fail(ErrorOf(arguments.file,
                        " is a compiled reward, and this looks into Python files; '", ProgramName(),
                        " reward replay' shows what it pays"));
  }
  guard.files = {arguments.file};
  return RunGuardedCommand(guard, [&] { return CheckAndPrint(arguments); });
}

}  // namespace lapforge::cli
