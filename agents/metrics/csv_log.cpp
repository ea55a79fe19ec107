#include "agents/metrics/csv_log.h"

#include <algorithm>

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
  std::string text;
  if (columns_.empty()) {
    for (const Metric& metric : row) columns_.push_back(metric.name);
    text = Join(columns_, ",") + "\n";
  }
  std::vector<std::string> cells(columns_.size());
  for (const Metric& metric : row) {
    const auto column = std::find(columns_.begin(), columns_.end(), metric.name);
    if (column == columns_.end()) {
      return ErrorOf(path_, ": there is no column '", metric.name, "'",
                     DidYouMean(metric.name, columns_));
    }
    cells[size_t(column - columns_.begin())] = StrCat(metric.value);
  }
  return file_.Append(text + Join(cells, ",") + "\n");
}

}  // namespace lapforge::agents
