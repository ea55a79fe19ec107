// Tests that buffers give back what was written, and that no damaged buffer is read beyond.
#include "sim/base/byte_buffer.h"

#include <array>
#include <catch2/catch.hpp>

namespace lapforge {
namespace {

struct Point {
  double x, y;
  bool operator==(const Point&) const = default;
};

enum class Color : uint8_t { kRed, kBlue };

struct Everything {
  int32_t number = 0;
  bool flag = false;
  Color color = Color::kRed;
  std::string text;
  std::vector<Point> points;
  std::array<uint16_t, 3> triple{};
  uint64_t last = 0;
  bool operator==(const Everything&) const = default;
};

const Everything kExample{-5, true, Color::kBlue, "K\xc3\xb6ln", {{1, 2}, {3, 4}}, {7, 8, 9}, 42};

std::vector<std::byte> Write(const Everything& value) {
  ByteWriter writer;
  writer.Write(value.number);
  writer.Write(value.flag);
  writer.Write(value.color);
  writer.Write(value.text);
  writer.Write(value.points);
  writer.Write(value.triple);
  writer.Write(value.last);
  return writer.Take();
}

bool Read(ByteReader& reader, Everything& value) {
  reader.Read(value.number);
  reader.Read(value.flag);
  reader.Read(value.color);
  reader.Read(value.text);
  reader.Read(value.points);
  reader.Read(value.triple);
  reader.Read(value.last);
  return reader.AtEnd();
}

TEST_CASE("What was written is read back") {
  const std::vector<std::byte> bytes = Write(kExample);
  CHECK(bytes.size() == 4 + 1 + 1 + (8 + 5) + (8 + 2 * 16) + 6 + 8);
  ByteReader reader(bytes);
  Everything value;
  CHECK(Read(reader, value));
  CHECK(value == kExample);
}

TEST_CASE("Numbers are little endian, texts and vectors have a count in front") {
  ByteWriter writer;
  writer.Write(uint16_t{0x0102});
  writer.Write("ab");
  const unsigned char expected[] = {2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 'a', 'b'};
  const std::vector<std::byte> bytes = writer.Take();
  REQUIRE(bytes.size() == sizeof(expected));
  CHECK(std::memcmp(bytes.data(), expected, sizeof(expected)) == 0);
  CHECK(writer.size() == 0);
}

TEST_CASE("Every truncation fails, and every longer buffer is not at its end") {
  std::vector<std::byte> bytes = Write(kExample);
  for (size_t size = 0; size < bytes.size(); ++size) {
    // a copy of exactly this size, so that the address sanitizer sees any read beyond
    const std::vector<std::byte> truncated(bytes.begin(), bytes.begin() + static_cast<long>(size));
    ByteReader reader(truncated);
    Everything value;
    CHECK(!Read(reader, value));
    CHECK(!reader.ok());
  }
  bytes.push_back(std::byte{0});
  ByteReader reader(bytes);
  Everything value;
  CHECK(!Read(reader, value));
  CHECK(reader.ok());
  CHECK(reader.num_bytes_left() == 1);
}

TEST_CASE("Hostile counts fail without allocating, and leave the argument alone") {
  for (const uint64_t count :
       {uint64_t{3}, uint64_t{1} << 40, ~uint64_t{0}, ~uint64_t{0} / 8 + 2}) {
    ByteWriter writer;
    writer.Write(count);
    writer.Write(uint64_t{0});
    const std::vector<std::byte> bytes = writer.Take();
    std::vector<double> numbers = {1};
    ByteReader number_reader(bytes);
    CHECK(!number_reader.Read(numbers));
    CHECK(numbers == std::vector<double>{1});
    if (count == 3) continue;  // three characters are there
    std::string text = "old";
    ByteReader text_reader(bytes);
    CHECK(!text_reader.Read(text));
    CHECK(text == "old");
  }
}

TEST_CASE("A failure stays, and a bool is 0 or 1") {
  const std::vector<std::byte> bytes = {std::byte{2}, std::byte{1}};
  ByteReader reader(bytes);
  bool flag = false;
  CHECK(!reader.Read(flag));
  uint8_t byte = 9;
  CHECK(!reader.Read(byte));
  CHECK(byte == 9);
  CHECK(!reader.AtEnd());
}

}  // namespace
}  // namespace lapforge
