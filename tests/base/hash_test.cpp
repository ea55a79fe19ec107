// Tests the state hash against values of the reference XXH64, whole and cut in any way.
#include "sim/base/hash.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

namespace lapforge {
namespace {

// The bytes that the reference values below were computed from.
std::vector<std::byte> Pattern(size_t size) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 131 + 7);
  return bytes;
}

uint64_t HashWithSeed(std::span<const std::byte> bytes, uint64_t seed) {
  StateHasher hasher(seed);
  hasher.AddSpan(bytes);
  return hasher.Finish();
}

TEST_CASE("Texts hash to the published values") {
  CHECK(HashText("") == 0xef46db3751d8e999);
  CHECK(HashText("a") == 0xd24ec4f1a98c6e5b);
  CHECK(HashText("abc") == 0x44bc2cf5ad770999);
  CHECK(HashText("Nobody inspects the spammish repetition") == 0xfbcea83c8a378bf1);
}

TEST_CASE("Every path through the tail agrees with the reference implementation") {
  const std::pair<size_t, uint64_t> expected[] = {
      {1, 0xa96c7f0ce858bbb7},  {3, 0xbed43740ee6332bb},   {4, 0xfa212ae44b3bb23d},
      {7, 0x2744460dd675d2c0},  {8, 0x994b676b71ce94dd},   {31, 0x6711d55e306b5d8f},
      {32, 0x07f7b8e3bc5d6e25}, {33, 0x09f85eeb4e1cbe9f},  {63, 0xb7c9968c066cb6a5},
      {64, 0x50d4159a0411632e}, {100, 0x9ddada11d3dc2d8f}, {101, 0x8742d6c2018318fd}};
  for (const auto& [size, hash] : expected) {
    INFO(size);
    CHECK(HashBytes(Pattern(size)) == hash);
  }
  constexpr uint64_t kSeed = 0x9E3779B97F4A7C15;
  CHECK(HashWithSeed({}, kSeed) == 0xc4349fc93c010000);
  CHECK(HashWithSeed(Pattern(31), kSeed) == 0x24c4e99ab0404b5e);
  CHECK(HashWithSeed(Pattern(101), kSeed) == 0xf249f2a71dbcdadd);
}

TEST_CASE("How the bytes are cut does not matter, and Finish may be called in between") {
  const std::vector<std::byte> bytes = Pattern(101);
  const std::span<const std::byte> all = bytes;
  for (size_t first = 0; first <= bytes.size(); ++first) {
    for (const size_t step : {1, 5, 32, 50}) {
      StateHasher hasher;
      hasher.AddSpan(all.first(first));
      CHECK(hasher.Finish() == HashBytes(all.first(first)));
      for (size_t i = first; i < bytes.size(); i += step) {
        hasher.AddSpan(all.subspan(i, std::min(step, bytes.size() - i)));
      }
      CHECK(hasher.Finish() == 0x8742d6c2018318fd);
    }
  }
}

TEST_CASE("Values hash by their bytes") {
  struct Pair {
    int32_t a, b;
  };
  StateHasher values, parts;
  values.Add(Pair{1, 2});
  values.Add(0.5f);
  parts.Add(int32_t{1});
  parts.Add(int32_t{2});
  parts.Add(uint32_t{0x3f000000});
  CHECK(values.Finish() == parts.Finish());

  StateHasher zero, minus_zero;
  zero.Add(0.0);
  minus_zero.Add(-0.0);
  CHECK(zero.Finish() != minus_zero.Finish());
  static_assert(!HashableValue<std::string_view> && !HashableValue<int*>);
  struct Padded {
    char a;
    int b;
  };
  static_assert(!HashableValue<Padded> && !HashableValue<long double>);
}

}  // namespace
}  // namespace lapforge
