// Tests the reader and writer of NumPy files: every layout, and hostile bytes.
#include "tracks/io/npy.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "sim/base/rng.h"

namespace lapforge::tracks {
namespace {

std::string LittleEndian(uint64_t value, int num_bytes) {
  std::string bytes;
  for (int i = 0; i < num_bytes; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
  return bytes;
}

std::string Magic() { return std::string("\x93NUMPY", 6); }

std::string File(const std::string& header, const std::string& data) {
  return Magic() + std::string("\x01\x00", 2) + LittleEndian(header.size(), 2) + header + data;
}

std::string HeaderOf(const std::string& type, const std::string& shape,
                     const std::string& is_fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + is_fortran + ", 'shape': " + shape +
         ", }\n";
}

// 1, 2, 3, ... as numbers of a type.
std::string Doubles(int count, bool is_big_endian = false) {
  std::string bytes;
  for (int i = 1; i <= count; ++i) {
    std::string number = LittleEndian(std::bit_cast<uint64_t>(double(i)), 8);
    if (is_big_endian) number = {number.rbegin(), number.rend()};
    bytes += number;
  }
  return bytes;
}

std::string ErrorOfFile(const std::string& bytes) {
  const Result<NpyTable> table = ParseNpy(bytes);
  REQUIRE_FALSE(table.ok());
  CHECK(table.error().message.find('\n') == std::string::npos);
  return table.error().message;
}

TEST_CASE("both byte orders, both sizes and both memory orders are read") {
  const Result<NpyTable> rows = ParseNpy(File(HeaderOf("<f8", "(2, 3)"), Doubles(6)));
  REQUIRE(rows.ok());
  CHECK(rows->num_rows == 2);
  CHECK(rows->num_columns == 3);
  CHECK(rows->values == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(rows->at(1, 0) == 4);

  const Result<NpyTable> columns = ParseNpy(File(HeaderOf("<f8", "(2, 3)", "True"), Doubles(6)));
  REQUIRE(columns.ok());
  CHECK(columns->values == std::vector<double>{1, 3, 5, 2, 4, 6});

  const Result<NpyTable> big = ParseNpy(File(HeaderOf(">f8", "(3, 2)"), Doubles(6, true)));
  REQUIRE(big.ok());
  CHECK(big->values == std::vector<double>{1, 2, 3, 4, 5, 6});

  const std::string floats = LittleEndian(std::bit_cast<uint32_t>(1.5f), 4) +
                             LittleEndian(std::bit_cast<uint32_t>(-2.5f), 4);
  const Result<NpyTable> small = ParseNpy(File(HeaderOf("<f4", "(1, 2)"), floats));
  REQUIRE(small.ok());
  CHECK(small->values == std::vector<double>{1.5, -2.5});
}

TEST_CASE("version 2 has a longer header length; keys come in any order") {
  const std::string header = "{ 'shape':(1,2) ,'fortran_order' :False,'descr':'<f8'}";
  const std::string bytes =
      Magic() + std::string("\x02\x00", 2) + LittleEndian(header.size(), 4) + header + Doubles(2);
  const Result<NpyTable> table = ParseNpy(bytes);
  REQUIRE(table.ok());
  CHECK(table->values == std::vector<double>{1, 2});
}

TEST_CASE("what is written is what NumPy writes, and reads back to the same bits") {
  NpyTable table{2, 2, {0.1, -0.0, std::numeric_limits<double>::denorm_min(), 1e300}};
  const std::string bytes = NpyFromTable(table);

  // NumPy: the magic string, version 1.0, a header padded so that data begins at a multiple of 64
  CHECK(bytes.size() == 128 + 32);
  CHECK(bytes.substr(0, 10) == Magic() + std::string("\x01\x00\x76\x00", 4));
  CHECK(bytes.substr(10, 60) == "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), } ");
  CHECK(bytes[127] == '\n');

  const Result<NpyTable> reread = ParseNpy(bytes);
  REQUIRE(reread.ok());
  CHECK(std::signbit(reread->at(0, 1)));
  CHECK(reread->values == table.values);
}

TEST_CASE("files that are no table of numbers are refused in words") {
  CHECK(ErrorOfFile("") == "this is no .npy file");
  CHECK(ErrorOfFile(Magic()) == ".npy version 0; expected 1 .. 3");
  CHECK(ErrorOfFile(Magic() + "\x09") == ".npy version 0; expected 1 .. 3");
  CHECK(ErrorOfFile(Magic() + "\x09\x01") == ".npy version 9; expected 1 .. 3");
  CHECK(ErrorOfFile(Magic() + std::string("\x01\x00\x10", 3)) == "the .npy header is cut off");
  CHECK(ErrorOfFile(File(HeaderOf("<i8", "(2, 3)"), Doubles(6))) ==
        "the numbers have type '<i8'; expected <f8, >f8, <f4 or >f4");
  CHECK(ErrorOfFile(File(HeaderOf("<f8", "(6,)"), Doubles(6))) == "1 dimensions; expected 2");
  CHECK(ErrorOfFile(File(HeaderOf("<f8", "()"), Doubles(1))) == "0 dimensions; expected 2");
  CHECK(ErrorOfFile(File(HeaderOf("<f8", "(2, 3)"), Doubles(5))) ==
        "shape (2, 3) of 8-byte numbers does not fit 40 bytes of data");
  CHECK(ErrorOfFile(File("{'shape': (2, 3)}", Doubles(6))).find("cannot be read") !=
        std::string::npos);
  CHECK(ErrorOfFile(File("[1, 2", Doubles(6))).find("cannot be read") != std::string::npos);
  CHECK(ErrorOfFile(File(HeaderOf("<f8", "(-2, 3)"), Doubles(6))).find("cannot be read") !=
        std::string::npos);
}

TEST_CASE("huge sizes in the header cost nothing") {
  for (const char* shape :
       {"(18446744073709551615, 18446744073709551615)", "(4611686018427387904, 2)",
        "(2305843009213693952, 8)", "(0, 6)", "(6, 0)", "(0, 0)", "(99999999999, 6)"}) {
    INFO(shape);
    CHECK(ErrorOfFile(File(HeaderOf("<f8", shape), Doubles(6))).find("does not fit") !=
          std::string::npos);
  }
  CHECK(ErrorOfFile(File(HeaderOf("<f8", "(99999999999999999999, 6)"), Doubles(6)))
            .find("cannot be read") != std::string::npos);
  const std::string long_header =
      Magic() + std::string("\x02\x00", 2) + LittleEndian(0xffffffff, 4) + Doubles(2);
  CHECK(ErrorOfFile(long_header).find("claims 4294967295 bytes") != std::string::npos);
}

TEST_CASE("cut and flipped files are read or refused, never worse") {
  const std::string whole = NpyFromTable({2, 6, std::vector<double>(12, 0.5)});
  for (size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(ParseNpy(std::string_view(whole).substr(0, size)).ok());
  }
  RngStream random(1, 0, 0, RngPurpose::kTest);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = whole;
    const uint32_t num_flips = 1 + random.Below(3);
    for (uint32_t k = 0; k < num_flips; ++k) {
      bytes[random.Below(static_cast<uint32_t>(bytes.size()))] ^=
          static_cast<char>(1u << random.Below(8));
    }
    const Result<NpyTable> table = ParseNpy(bytes);
    if (table.ok()) CHECK(table->values.size() == table->num_rows * table->num_columns);
  }
}

}  // namespace
}  // namespace lapforge::tracks
