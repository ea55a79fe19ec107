// 64-bit hashes of state and data: XXH64 (Yann Collet's public specification), streaming.
// Equal bytes give equal hashes on every machine. Not for security.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace lapforge {

/// Values whose bytes say everything and nothing else: no padding, no pointers to follow.
template <class T>
concept HashableValue = std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_integral_v<T> || std::is_enum_v<T> ||
    (std::is_aggregate_v<T>&& std::is_trivially_copyable_v<T> && !std::is_array_v<T> &&
     std::has_unique_object_representations_v<T>);

/// Collects bytes in order and gives the hash of all of them; how they were cut does not matter.
class StateHasher {
 public:
  explicit StateHasher(uint64_t seed = 0);

  /// Appends `size` bytes.
  void Add(const void* data, size_t size);

  /// Appends one value's bytes. Floats by their bits: 0.0 and -0.0 differ.
  template <HashableValue T>
  void Add(const T& value) {
    Add(static_cast<const void*>(&value), sizeof(T));
  }

  /// Appends the values' bytes, not their number.
  template <HashableValue T>
  void AddSpan(std::span<const T> values) {
    Add(static_cast<const void*>(values.data()), values.size_bytes());
  }

  /// Hash of everything added so far; adding may go on.
  uint64_t Finish() const;

 private:
  void ConsumeStripe(const std::byte* stripe);

  uint64_t seed_;
  std::array<uint64_t, 4> lanes_;
  std::array<std::byte, 32> pending_{};  // the bytes since the last whole stripe
  size_t num_pending_ = 0;
  uint64_t num_bytes_ = 0;
};

/// XXH64 with seed 0 of `bytes`.
uint64_t HashBytes(std::span<const std::byte> bytes);

/// XXH64 with seed 0 of the characters of `text`.
uint64_t HashText(std::string_view text);

}  // namespace lapforge
