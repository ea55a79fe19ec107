// lapforge track check: what is wrong with a track file, where, and a mended copy.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/strings.h"
#include "sim/car.h"
#include "tools/cli/command.h"
#include "tools/cli/track/race_check.h"
#include "tools/cli/track/track_commands.h"
#include "tracks/track_check.h"
#include "tracks/track_files.h"
#include "tracks/track_picture.h"

namespace lapforge::cli {
namespace {

using tracks::FindingSeverity;
using tracks::TrackFinding;

struct CheckArguments {
  std::string track;
  std::string car = "rc_1_18";
  std::string mended_path;
  std::string picture_path;
  tracks::MendOptions mend;
  bool is_strict = false;
  bool is_json = false;
};

// What a check came to.
struct CheckOutcome {
  tracks::TrackRows rows;
  std::vector<TrackFinding> findings;
  std::vector<std::string> changes;
};

std::string FactsText(const tracks::RowFacts& facts) {
  std::string width = FormatFixed(facts.min_width_m, 2);
  if (facts.max_width_m - facts.min_width_m > 0.01) {
    width += " to " + FormatFixed(facts.max_width_m, 2);
  }
  const bool is_straight = facts.min_radius_m > 1000;
  return StrCat(FormatFixed(facts.length_m, 2), " m, ", width, " m wide, ",
                is_straight ? std::string("straight")
                            : "tightest radius " + FormatFixed(facts.min_radius_m, 2) + " m",
                ", ", facts.num_rows, " rows, ",
                !facts.is_closed             ? "open"
                : facts.is_counter_clockwise ? "counter-clockwise"
                                             : "clockwise");
}

// "1 error, 2 notes"; "no findings".
std::string CountText(const std::vector<TrackFinding>& findings) {
  std::vector<std::string> parts;
  for (const FindingSeverity severity :
       {FindingSeverity::kError, FindingSeverity::kWarning, FindingSeverity::kNote}) {
    const auto count = std::count_if(findings.begin(), findings.end(), [&](const auto& finding) {
      return finding.severity == severity;
    });
    if (count == 0) continue;
    parts.push_back(StrCat(count, " ", tracks::NameOf(severity), count == 1 ? "" : "s"));
  }
  return parts.empty() ? "no findings" : Join(parts, ", ");
}

nlohmann::json RowsJson(tracks::RowRange rows) {
  if (rows.first < 0) return nullptr;
  return {rows.first, rows.last};
}

nlohmann::json FindingJson(const TrackFinding& finding) {
  return {{"severity", tracks::NameOf(finding.severity)},
          {"kind", tracks::NameOf(finding.kind)},
          {"rows", RowsJson(finding.rows)},
          {"other_rows", RowsJson(finding.other_rows)},
          {"arc_length_m", finding.arc_length_m},
          {"x_m", finding.place_m.x},
          {"y_m", finding.place_m.y},
          {"measured", finding.measured},
          {"expected", finding.expected},
          {"sentence", finding.sentence},
          {"fix", finding.fix},
          {"is_mended", finding.is_mended}};
}

void PrintJsonReport(const CheckArguments& arguments, const CheckOutcome& outcome) {
  const tracks::RowFacts facts = tracks::FactsOf(outcome.rows);
  nlohmann::json findings = nlohmann::json::array();
  for (const TrackFinding& finding : outcome.findings) findings.push_back(FindingJson(finding));
  nlohmann::json json = {
      {"name", outcome.rows.name},        {"rows", facts.num_rows},
      {"length_m", facts.length_m},       {"min_width_m", facts.min_width_m},
      {"max_width_m", facts.max_width_m}, {"min_radius_m", facts.min_radius_m},
      {"is_closed", facts.is_closed},     {"is_counter_clockwise", facts.is_counter_clockwise},
      {"findings", std::move(findings)}};
  if (!arguments.mended_path.empty()) {
    json["mended"] = arguments.mended_path;
    json["changes"] = outcome.changes;
  }
  PrintJson(json);
}

// One line: severity, number in the picture, place, sentence, fix.
void PrintFinding(size_t number, const TrackFinding& finding) {
  std::string line = StrCat(tracks::NameOf(finding.severity), " ", number, ": ", finding.sentence);
  if (finding.rows.first >= 0) {
    line +=
        StrCat(" (x ", FormatFixed(finding.place_m.x, 2), ", y ", FormatFixed(finding.place_m.y, 2),
               ", at ", FormatFixed(finding.arc_length_m, 2), " m)");
  }
  if (finding.is_mended) {
    line += StrCat("; --fix: ", finding.fix);
  } else if (!finding.fix.empty()) {
    line += StrCat("; ", finding.fix);
  } else if (finding.severity != FindingSeverity::kNote) {
    line += "; to be mended by hand";
  }
  std::printf("%s\n", line.c_str());
}

void PrintReport(const CheckArguments& arguments, const CheckOutcome& outcome) {
  std::printf("%s: %s; %s\n", outcome.rows.name.c_str(), CountText(outcome.findings).c_str(),
              FactsText(tracks::FactsOf(outcome.rows)).c_str());
  constexpr size_t kMaxLines = 40;
  const size_t num_lines = std::min(outcome.findings.size(), kMaxLines);
  for (size_t i = 0; i < num_lines; ++i) PrintFinding(i + 1, outcome.findings[i]);
  if (num_lines < outcome.findings.size()) {
    std::printf("... and %zu more; --json lists all\n", outcome.findings.size() - num_lines);
  }
  if (!arguments.picture_path.empty()) std::printf("Picture: %s\n", arguments.picture_path.c_str());
  if (arguments.mended_path.empty()) return;
  std::printf("Mended copy: %s\n", arguments.mended_path.c_str());
  for (const std::string& change : outcome.changes) std::printf("  %s\n", change.c_str());
  if (outcome.changes.empty()) std::printf("  nothing was to be mended\n");
}

Result<void> Draw(const CheckOutcome& outcome, const std::string& path) {
  std::vector<tracks::PictureMark> marks;
  for (size_t i = 0; i < outcome.findings.size(); ++i) {
    const TrackFinding& finding = outcome.findings[i];
    if (finding.rows.first < 0) continue;
    marks.push_back({finding.place_m, StrCat(i + 1), static_cast<int>(finding.severity)});
  }
  tracks::PictureOptions picture;
  picture.title = StrCat(outcome.rows.name, ": ", CountText(outcome.findings));
  return tracks::DrawRowsPng(outcome.rows, marks, picture, path);
}

Result<void> WriteMended(const CheckArguments& arguments, const tracks::CheckLimits& limits,
                         CheckOutcome& outcome) {
  const Result<tracks::MendedRows> mended = tracks::MendRows(outcome.rows, limits, arguments.mend);
  if (!mended.ok()) {
    return ErrorOf(arguments.mended_path, " was not written: ", mended.error().message);
  }
  LAPFORGE_TRY(const tracks::Track track, tracks::Track::FromRows(mended->rows));
  outcome.changes = mended->done;
  LAPFORGE_TRY(const tracks::WrittenTrack written,
               tracks::WriteTrackFile(track, arguments.mended_path));
  for (const std::string& loss : written.losses) outcome.changes.push_back("lost: " + loss);
  return {};
}

Result<CheckOutcome> Check(const CheckArguments& arguments) {
  CheckOutcome outcome;
  if (EndsWith(arguments.picture_path, ".svg")) {
    return ErrorOf("--picture ", arguments.picture_path, ": rows are drawn as .png only");
  }
  LAPFORGE_TRY(const sim::CarSpec car, sim::LoadCar(arguments.car));
  LAPFORGE_TRY(outcome.rows, tracks::LoadTrackRows(arguments.track));
  const tracks::CheckLimits limits = CheckLimitsOf(car);
  outcome.findings = tracks::CheckRows(outcome.rows, limits);
  if (!arguments.picture_path.empty()) {
    LAPFORGE_CHECK_OK(Draw(outcome, arguments.picture_path));
  }
  if (!arguments.mended_path.empty()) LAPFORGE_CHECK_OK(WriteMended(arguments, limits, outcome));
  return outcome;
}

// A mended copy makes up for errors of the file.
ExitCode ExitCodeFor(const CheckArguments& arguments, const CheckOutcome& outcome) {
  if (outcome.findings.empty() || !arguments.mended_path.empty()) return kOk;
  const FindingSeverity worst = tracks::WorstOf(outcome.findings);
  const FindingSeverity limit =
      arguments.is_strict ? FindingSeverity::kWarning : FindingSeverity::kError;
  return worst >= limit ? kBadInput : kOk;
}

void DeclareArguments(CLI::App& app, CheckArguments& arguments) {
  app.add_option("track", arguments.track, "Built-in name or file")->required();
  app.add_option("--car", arguments.car, "Car that must fit: built-in name or file [rc_1_18]");
  app.add_option("--picture", arguments.picture_path, "Draw rows and findings to this PNG file");
  auto* fix = app.add_option("--fix", arguments.mended_path,
                             "Write a mended copy; its ending says the format");
  app.add_flag("--recenter", arguments.mend.recenter, "With --fix: centre line into the middle")
      ->needs(fix);
  app.add_option("--spacing", arguments.mend.spacing_m, "With --fix: metres between rows")
      ->check(CLI::Range(0.01, 10.0))
      ->needs(fix);
  app.add_option("--scale", arguments.mend.scale, "With --fix: factor of all coordinates")
      ->check(CLI::Range(1e-4, 1e4))
      ->needs(fix);
  app.add_flag("--strict", arguments.is_strict, "Warnings count as errors");
  app.add_flag("--json", arguments.is_json, "Print JSON");
}

}  // namespace

int RunTrackCheckCommand(int argc, char** argv) {
  CLI::App app(
      "Finds what is wrong with a track file, and mends it.\n"
      "Exit code 42 where there are errors.",
      "track check");
  CheckArguments arguments;
  DeclareArguments(app, arguments);
  int exit_code = kOk;
  if (!ParseArguments(app, argc, argv, &exit_code)) return exit_code;
  const Result<CheckOutcome> outcome = Check(arguments);
  if (!outcome.ok()) return Fail(outcome.error());
  if (arguments.is_json) {
    PrintJsonReport(arguments, *outcome);
  } else {
    PrintReport(arguments, *outcome);
  }
  return ExitCodeFor(arguments, *outcome);
}

}  // namespace lapforge::cli
