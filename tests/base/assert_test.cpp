// Tests that a failed assertion says where and why and aborts, and that a true one costs nothing.
#include "sim/base/assert.h"

#include <catch2/catch.hpp>

#include "sim/base/strings.h"
#include "tests/base/death.h"

namespace lapforge {
namespace {

TEST_CASE("A false condition prints place, condition and message, and aborts") {
  const int line = __LINE__ + 1;
  const auto fail = [] { LAPFORGE_ASSERT(1 + 1 == 3, StrCat("n is ", 2)); };
  const std::string expected =
      StrCat("assert_test.cpp:", line, ": assertion failed: 1 + 1 == 3: n is 2\n");
  CHECK_THAT(DeathMessage(fail), Catch::Matchers::EndsWith(expected));
}

TEST_CASE("A true condition does not evaluate the message") {
  int num_evaluated = 0;
  const auto message = [&] {
    ++num_evaluated;
    return "unused";
  };
  LAPFORGE_ASSERT(num_evaluated == 0, message());
  CHECK(num_evaluated == 0);
}

}  // namespace
}  // namespace lapforge
