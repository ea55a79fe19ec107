#include "tracks/io/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

namespace lapforge::tracks {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeaderSize = 65536;  // NumPy writes 118 bytes for a table
constexpr size_t kHeaderAlignment = 64;   // of the data in the file, as NumPy does it

// What the header's Python dictionary says.
struct Header {
  std::string_view dtype;
  bool is_fortran_order = false;
  std::vector<uint64_t> shape;
};

// Reads the header's dictionary: a sequence of tokens with white space between them.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  std::optional<Header> Read() {
    Header header;
    int keys_seen = 0;
    if (!Take("{")) return {};
    while (!Take("}")) {
      const std::optional<std::string_view> key = ReadQuoted();
      if (!key || !Take(":") || !ReadValue(*key, header)) return {};
      ++keys_seen;
      if (!Take(",") && !StartsWith(rest_, "}")) return {};
    }
    if (keys_seen != 3 || header.dtype.empty() || !Trim(rest_).empty()) return {};
    return header;
  }

 private:
  // Takes a token and the white space behind it.
  bool Take(std::string_view token) {
    rest_ = Trim(rest_);
    if (!StartsWith(rest_, token)) return false;
    rest_ = Trim(rest_.substr(token.size()));
    return true;
  }

  std::optional<std::string_view> ReadQuoted() {
    if (!Take("'")) return {};
    const size_t end = rest_.find('\'');
    if (end == std::string_view::npos) return {};
    const std::string_view text = rest_.substr(0, end);
    rest_ = rest_.substr(end);
    Take("'");
    return text;
  }

  bool ReadValue(std::string_view key, Header& header) {
    if (key == "shape") return ReadShape(header.shape);
    if (key == "descr") {
      const std::optional<std::string_view> dtype = ReadQuoted();
      if (dtype) header.dtype = *dtype;
      return dtype.has_value();
    }
    if (key != "fortran_order") return false;
    header.is_fortran_order = Take("True");
    return header.is_fortran_order || Take("False");
  }

  bool ReadShape(std::vector<uint64_t>& shape) {
    shape.clear();
    if (!Take("(")) return false;
    while (!Take(")")) {
      const size_t num_digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
      const std::optional<uint64_t> size = ParseUint64(rest_.substr(0, num_digits));
      if (!size) return false;
      shape.push_back(*size);
      rest_ = rest_.substr(num_digits);
      if (!Take(",") && !StartsWith(rest_, ")")) return false;
    }
    return true;
  }

  std::string_view rest_;
};

// A little-endian number of `size` bytes.
uint64_t ReadUnsigned(std::string_view bytes, size_t offset, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return value;
}

double ReadFloat(std::string_view bytes, bool is_big_endian) {
  std::array<char, 8> little;
  std::copy(bytes.begin(), bytes.end(), little.begin());
  if (is_big_endian) std::reverse(little.begin(), little.begin() + bytes.size());
  const uint64_t bits = ReadUnsigned({little.data(), bytes.size()}, 0, bytes.size());
  if (bytes.size() == 8) return std::bit_cast<double>(bits);
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}

// Where the data begins, and what the header in front of it says.
struct Layout {
  Header header;
  size_t data_offset = 0;
};

Result<Layout> ReadLayout(std::string_view bytes) {
  if (!IsNpy(bytes)) return ErrorOf("this is no .npy file");
  constexpr size_t kVersionEnd = 8;
  const int version = bytes.size() < kVersionEnd ? 0 : bytes[kVersionEnd - 2];
  if (version < 1 || version > 3) return ErrorOf(".npy version ", version, "; expected 1 .. 3");

  const size_t length_size = version == 1 ? 2 : 4;
  const size_t header_begin = kVersionEnd + length_size;
  if (bytes.size() < header_begin) return ErrorOf("the .npy header is cut off");
  const uint64_t header_size = ReadUnsigned(bytes, kVersionEnd, length_size);
  if (header_size > std::min(kMaxHeaderSize, bytes.size() - header_begin)) {
    return ErrorOf("the .npy header is cut off or wrong: it claims ", header_size, " bytes");
  }
  const std::optional<Header> header = HeaderReader(bytes.substr(header_begin, header_size)).Read();
  if (!header) {
    return ErrorOf("the .npy header cannot be read; expected 'descr', 'fortran_order', 'shape'");
  }
  return Layout{*header, header_begin + header_size};
}

}  // namespace

bool IsNpy(std::string_view bytes) { return StartsWith(bytes, kMagic); }

Result<NpyTable> ParseNpy(std::string_view bytes) {
  LAPFORGE_TRY(const Layout layout, ReadLayout(bytes));
  const auto& [dtype, is_fortran_order, shape] = layout.header;
  constexpr std::array<std::string_view, 4> kTypes = {"<f8", ">f8", "<f4", ">f4"};
  if (std::find(kTypes.begin(), kTypes.end(), dtype) == kTypes.end()) {
    return ErrorOf("the numbers have type '", dtype, "'; expected <f8, >f8, <f4 or >f4");
  }
  if (shape.size() != 2) return ErrorOf(shape.size(), " dimensions; expected 2");

  // compared by division: a product of hostile sizes may overflow
  const size_t item_size = dtype[2] - '0';
  const std::string_view data = bytes.substr(layout.data_offset);
  const uint64_t num_items = data.size() / item_size;
  const auto [num_rows, num_columns] = std::pair(shape[0], shape[1]);
  const bool is_fitting = num_rows > 0 && num_columns > 0 && data.size() % item_size == 0 &&
                          num_items % num_columns == 0 && num_items / num_columns == num_rows;
  if (!is_fitting) {
    return ErrorOf("shape (", num_rows, ", ", num_columns, ") of ", item_size,
                   "-byte numbers does not fit ", data.size(), " bytes of data");
  }
  NpyTable table{num_rows, num_columns, std::vector<double>(num_items)};
  for (size_t row = 0; row < num_rows; ++row) {
    for (size_t column = 0; column < num_columns; ++column) {
      const size_t item = is_fortran_order ? column * num_rows + row : row * num_columns + column;
      table.values[row * num_columns + column] =
          ReadFloat(data.substr(item * item_size, item_size), dtype[0] == '>');
    }
  }
  return table;
}

std::string NpyFromTable(const NpyTable& table) {
  std::string header = StrCat("{'descr': '<f8', 'fortran_order': False, 'shape': (", table.num_rows,
                              ", ", table.num_columns, "), }");
  const size_t prefix_size = kMagic.size() + 4;
  const size_t unpadded_size = prefix_size + header.size() + 1;
  header.append((kHeaderAlignment - unpadded_size % kHeaderAlignment) % kHeaderAlignment, ' ');
  header += '\n';

  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
            static_cast<char>(header.size() >> 8)};
  bytes += header;
  for (const double value : table.values) {
    const auto bits = std::bit_cast<uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(bits >> shift & 0xff);
  }
  return bytes;
}

}  // namespace lapforge::tracks
