// NumPy's array files, as far as tracks need them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace lapforge::tracks {

// A table of numbers as an `.npy` file holds it.
struct NpyTable {
  size_t num_rows = 0;
  size_t num_columns = 0;
  std::vector<double> values;  // [num_rows, num_columns]

  double at(size_t row, size_t column) const { return values[row * num_columns + column]; }
};

// True for what begins like an `.npy` file.
bool IsNpy(std::string_view bytes);

// Reads versions 1 to 3, float64 and float32 of both byte orders, C and Fortran order, two
// dimensions. Never allocates more than eight times the bytes given. An error does not name the
// file.
Result<NpyTable> ParseNpy(std::string_view bytes);

// The file's bytes: version 1.0, little-endian float64, C order, as NumPy writes it.
std::string NpyFromTable(const NpyTable& table);

}  // namespace lapforge::tracks
