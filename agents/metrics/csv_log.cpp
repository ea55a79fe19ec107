#include "agents/metrics/csv_log.h"

#include <algorithm>
#include <cmath>

#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

constexpr size_t kMaxLogBytes = size_t{1} << 30;

Result<std::vector<std::string>> ReadColumns(const std::filesystem::path& path) {
  LAPFORGE_TRY(const std::string text, ReadFile(path, kMaxLogBytes));
  std::vector<std::string> columns;
  const std::string_view header = std::string_view(text).substr(0, text.find('\n'));
  for (const std::string_view name : Split(header, ',')) columns.emplace_back(name);
  return columns;
}

// Nothing for NaN, counts as whole numbers ("1000000", not "1e+06"), the rest in the shortest exact
// form.
std::string CellOf(double value) {
  constexpr double kMaxWhole = 1e15;  // up to here every whole number is exact
  if (std::isnan(value)) return "";
  const bool is_whole = std::trunc(value) == value && std::abs(value) < kMaxWhole;
  return is_whole ? FormatFixed(value, 0) : StrCat(value);
}

}  // namespace

Result<CsvLog> CsvLog::Open(const std::filesystem::path& path) {
  LAPFORGE_TRY(AppendFile file, AppendFile::Open(path));
  std::vector<std::string> columns;
  if (file.size() > 0) {
    LAPFORGE_TRY(columns, ReadColumns(path));
  }
  return CsvLog(path, std::move(file), std::move(columns));
}

Result<void> CsvLog::Append(std::span<const Metric> row) {
  if (!columns_.empty()) return AppendCells("", columns_, row);

  // the columns count once they are in the file
  std::vector<std::string> columns;
  for (const Metric& metric : row) {
    if (metric.name.empty() || metric.name.find_first_of(",\"\r\n") != std::string::npos) {
      return ErrorOf(path_, ": bad column name ", QuoteText(metric.name),
                     ": expected one without comma, quote or line break");
    }
    columns.push_back(metric.name);
  }
  LAPFORGE_CHECK_OK(AppendCells(Join(columns, ",") + "\n", columns, row));
  columns_ = std::move(columns);
  return {};
}

Result<void> CsvLog::AppendCells(const std::string& header, const std::vector<std::string>& columns,
                                 std::span<const Metric> row) {
  std::vector<std::string> cells(columns.size());
  for (const Metric& metric : row) {
    const auto column = std::find(columns.begin(), columns.end(), metric.name);
    if (column == columns.end()) {
      return ErrorOf(path_, ": there is no column '", metric.name, "'",
                     DidYouMean(metric.name, columns));
    }
    cells[static_cast<size_t>(column - columns.begin())] = CellOf(metric.value);
  }
  return file_.Append(header + Join(cells, ",") + "\n");
}

}  // namespace lapforge::agents
