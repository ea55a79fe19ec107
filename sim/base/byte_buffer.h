// Flat binary state: ByteWriter appends values, ByteReader takes them back and survives any bytes.
// Little endian; texts and vectors carry a 64-bit count in front.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lapforge {

static_assert(std::endian::native == std::endian::little,
              "buffers are written as memory holds them");

/// Values that are their bytes: numbers, enums, plain structs (which should have no padding, or
/// equal values would give unequal bytes).
template <class T>
concept PlainValue = std::is_trivially_copyable_v<T> && !std::is_array_v<T> &&
                     (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_aggregate_v<T>);

/// Appends to a growing buffer.
class ByteWriter {
 public:
  template <PlainValue T>
  void Write(const T& value) {
    WriteRaw(std::as_bytes(std::span<const T, 1>(&value, 1)));
  }

  void Write(std::string_view text) {
    Write(static_cast<uint64_t>(text.size()));
    WriteRaw(std::as_bytes(std::span<const char>(text)));
  }

  template <PlainValue T>
  void Write(std::span<const T> values) {
    Write(static_cast<uint64_t>(values.size()));
    WriteRaw(std::as_bytes(values));
  }

  template <PlainValue T>
  void Write(const std::vector<T>& values) {
    Write(std::span<const T>(values));
  }

  /// Appends bytes without a count.
  void WriteRaw(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  size_t size() const { return bytes_.size(); }

  /// The bytes; the writer is empty afterwards.
  std::vector<std::byte> Take() { return std::exchange(bytes_, {}); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads in the order of writing. The first read that does not fit fails, leaves its argument as it
/// was, and makes all later ones fail, so a caller may check ok() once at the end. Never allocates
/// more than the bytes that are there. Borrows the bytes.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <PlainValue T>
  bool Read(T& value) {
    return ReadRaw(std::as_writable_bytes(std::span<T, 1>(&value, 1)));
  }

  /// A bool is stored as one byte; any but 0 and 1 fails.
  bool Read(bool& value) {
    uint8_t byte = 0;
    if (!Read(byte) || byte > 1) return Fail();
    value = byte == 1;
    return true;
  }

  bool Read(std::string& text) {
    size_t count = 0;
    if (!ReadCount(1, count)) return false;
    text.resize(count);
    return ReadRaw(std::as_writable_bytes(std::span<char>(text)));
  }

  template <PlainValue T>
  bool Read(std::vector<T>& values) {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no bytes");
    size_t count = 0;
    if (!ReadCount(sizeof(T), count)) return false;
    values.resize(count);
    return ReadRaw(std::as_writable_bytes(std::span<T>(values)));
  }

  /// Fills `bytes`, which were written without a count.
  bool ReadRaw(std::span<std::byte> bytes) {
    if (!ok_ || bytes.size() > rest_.size()) return Fail();
    if (!bytes.empty()) std::memcpy(bytes.data(), rest_.data(), bytes.size());
    rest_ = rest_.subspan(bytes.size());
    return true;
  }

  /// False once any read has failed.
  bool ok() const { return ok_; }

  /// True when nothing failed and nothing is left: what a complete read ends with.
  bool AtEnd() const { return ok_ && rest_.empty(); }

  size_t num_bytes_left() const { return rest_.size(); }

 private:
  bool Fail() {
    ok_ = false;
    return false;
  }

  bool ReadCount(size_t element_size, size_t& count) {
    uint64_t stored = 0;
    if (!Read(stored) || stored > rest_.size() / element_size) return Fail();
    count = static_cast<size_t>(stored);
    return true;
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace lapforge
