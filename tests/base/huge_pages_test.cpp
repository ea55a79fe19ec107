// Tests that asking for large pages changes no value, whatever the range.
#include "sim/base/huge_pages.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

namespace lapforge {
namespace {

TEST_CASE("values stay where they are") {
  std::vector<uint64_t> numbers(2 << 20);  // 16 MB
  std::iota(numbers.begin(), numbers.end(), 7);
  UseHugePages(numbers.data(), numbers.data() + numbers.size());
  uint64_t num_wrong = 0;
  for (size_t i = 0; i < numbers.size(); ++i) num_wrong += numbers[i] == i + 7 ? 0 : 1;
  CHECK(num_wrong == 0);
}

TEST_CASE("small, empty and turned ranges are left alone") {
  std::vector<uint64_t> numbers(100, 3);
  UseHugePages(numbers.data(), numbers.data() + numbers.size());
  UseHugePages(numbers.data(), numbers.data());
  UseHugePages(numbers.data() + numbers.size(), numbers.data());
  UseHugePages(nullptr, nullptr);
  CHECK(numbers == std::vector<uint64_t>(100, 3));
}

}  // namespace
}  // namespace lapforge
