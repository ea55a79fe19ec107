#include "tracks/io/csv_table.h"

#include <algorithm>
#include <cmath>

#include "tracks/geometry/polyline.h"
#include "tracks/io/text_lines.h"

namespace lapforge::tracks {
namespace {

constexpr size_t kMaxRows = Polyline::kMaxVertices + 1;
constexpr size_t kMaxColumns = 64;

std::string_view Unquoted(std::string_view cell) {
  const bool is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return is_quoted ? Trim(cell.substr(1, cell.size() - 2)) : cell;
}

std::vector<std::string_view> CellsBetweenBlanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string_view> cells;
  while (!line.empty()) {
    const size_t end = std::min(line.find_first_of(kBlanks), line.size());
    cells.push_back(Unquoted(line.substr(0, end)));
    line.remove_prefix(end);
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  }
  return cells;
}

// The cells of a line without white space at its ends.
std::vector<std::string_view> CellsOf(std::string_view line) {
  const bool has_semicolon = line.find(';') != std::string_view::npos;
  if (!has_semicolon && line.find(',') == std::string_view::npos) return CellsBetweenBlanks(line);
  std::vector<std::string_view> cells;
  for (const std::string_view cell : Split(line, has_semicolon ? ';' : ',')) {
    cells.push_back(Unquoted(Trim(cell)));
  }
  if (cells.back().empty()) cells.pop_back();
  return cells;
}

// One line, taken apart.
struct Line {
  explicit Line(std::string_view text) {
    is_comment = StartsWith(text, "#");
    cells = CellsOf(is_comment ? Trim(text.substr(1)) : text);
  }

  bool NamesXAndY() const {
    const auto has = [this](std::string_view name) {
      return std::any_of(cells.begin(), cells.end(), [&](std::string_view cell) {
        return cell == name || cell == StrCat(name, "_m");
      });
    };
    const bool has_center = (has("x") && has("y")) || (has("center_x") && has("center_y"));
    return has_center && cells.size() <= kMaxColumns;
  }
  bool BeginsWithNumber() const { return !cells.empty() && ParseDouble(cells[0]).has_value(); }

  bool is_comment = false;
  std::vector<std::string_view> cells;
};

// What is wrong with a row, without its place; empty where nothing is.
std::string AppendRow(const std::vector<std::string_view>& cells, CsvTable& table) {
  if (table.num_columns == 0) table.num_columns = cells.size();
  if (table.num_rows() == kMaxRows) {
    return StrCat("more than ", kMaxRows, " rows; leave out rows, a track has at most ",
                  Polyline::kMaxVertices);
  }
  if (cells.size() != table.num_columns) {
    return StrCat(cells.size(), " values; expected ", table.num_columns, " as in line ",
                  table.lines.empty() ? table.names_line : table.lines[0]);
  }
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::optional<double> value = ParseDouble(cells[i]);
    if (!value || !std::isfinite(*value)) {
      const std::string column = table.names.empty() ? StrCat(i + 1) : table.names[i];
      return StrCat("column ", column, " is '", Printable(cells[i]),
                    "'; expected a number such as 1.25");
    }
    table.values.push_back(*value);
  }
  return "";
}

}  // namespace

bool IsCsv(std::string_view text) {
  TextLines lines(text);
  while (const std::optional<std::string_view> text_line = lines.Next()) {
    if (text_line->empty()) continue;
    const Line line(*text_line);
    if (!line.is_comment) return line.BeginsWithNumber() || line.NamesXAndY();
  }
  return false;
}

Result<CsvTable> ParseCsv(std::string_view text, const std::string& source) {
  CsvTable table;
  TextLines lines(text);
  while (const std::optional<std::string_view> text_line = lines.Next()) {
    if (text_line->empty()) continue;
    const Line line(*text_line);
    if (!line.is_comment && line.cells.size() > kMaxColumns) {
      return ErrorOf(source, ":", lines.number(), ": more than ", kMaxColumns, " columns");
    }
    const bool is_header = line.is_comment ? line.NamesXAndY() : !line.BeginsWithNumber();
    if (is_header && table.lines.empty()) {
      table.names.clear();
      for (const std::string_view name : line.cells) table.names.push_back(Printable(name));
      table.names_line = lines.number();
      table.num_columns = line.cells.size();
    } else if (!line.is_comment) {
      const std::string complaint = AppendRow(line.cells, table);
      if (!complaint.empty()) return ErrorOf(source, ":", lines.number(), ": ", complaint);
      table.lines.push_back(lines.number());
    }
  }
  if (table.lines.empty()) return ErrorOf(source, ": no rows of numbers");
  return table;
}

}  // namespace lapforge::tracks
