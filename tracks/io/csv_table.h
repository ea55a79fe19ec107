// Tables of numbers in text: one row a line, separated by commas, semicolons or blanks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace lapforge::tracks {

struct CsvTable {
  std::vector<std::string> names;  // of the columns; empty where the file does not name them
  int names_line = 0;              // in the file, from 1; 0: none
  size_t num_columns = 0;
  std::vector<double> values;  // [rows, num_columns], finite
  std::vector<int> lines;      // [rows]: where each row stands in the file, from 1

  size_t num_rows() const { return lines.size(); }
  double at(size_t row, size_t column) const { return values[row * num_columns + column]; }
};

// True for text whose first line that is neither blank nor a comment begins with a number, or that
// names columns x and y.
bool IsCsv(std::string_view text);

// Reads at most 5001 rows (the most a track has, and the first again). Lines that begin with # are
// comments; one that names columns x and y is a header, as is a first line that is not of numbers.
// Takes a byte order mark, line ends of Windows, blank lines, quoted cells and a separator at the
// end of a line. Errors begin with "source:line: ".
Result<CsvTable> ParseCsv(std::string_view text, const std::string& source);

}  // namespace lapforge::tracks
