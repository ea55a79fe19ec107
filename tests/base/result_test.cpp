// Tests Result: values, errors, early returns, and that reading the wrong one aborts.
#include "sim/base/result.h"

#include <catch2/catch.hpp>
#include <memory>

#include "tests/base/death.h"

namespace lapforge {
namespace {

Result<std::unique_ptr<int>> MakeEven(int number) {
  if (number % 2 != 0) return ErrorOf(number, " is odd");
  return std::make_unique<int>(number);
}

Result<int> AddEven(int a, int b) {
  LAPFORGE_TRY(const std::unique_ptr<int> first, MakeEven(a));
  LAPFORGE_TRY(auto second, MakeEven(b));
  return *first + *second;
}

Result<void> CheckAll(int& num_checked) {
  for (const int number : {2, 4, 5, 6}) {
    LAPFORGE_CHECK_OK(AddEven(number, number));
    ++num_checked;
  }
  return {};
}

TEST_CASE("A result holds its value, also one that cannot be copied") {
  Result<std::unique_ptr<int>> result = MakeEven(4);
  REQUIRE(result.ok());
  CHECK(**result == 4);
  const std::unique_ptr<int> taken = std::move(result).value();
  CHECK(*taken == 4);
  CHECK(Result<std::string>(std::string("ab"))->size() == 2);
}

TEST_CASE("LAPFORGE_TRY and LAPFORGE_CHECK_OK return the first error") {
  CHECK(*AddEven(2, 4) == 6);
  CHECK(AddEven(3, 5).error().message == "3 is odd");
  CHECK(AddEven(2, 5).error().message == "5 is odd");

  int num_checked = 0;
  const Result<void> result = CheckAll(num_checked);
  CHECK(!result.ok());
  CHECK(result.error().message == "5 is odd");
  CHECK(num_checked == 2);
  CHECK(Result<void>().ok());
}

TEST_CASE("Reading the value of an error aborts with the error's message") {
  const std::string message = DeathMessage([] { (void)*AddEven(1, 2); });
  CHECK(message.find("1 is odd") != std::string::npos);
  CHECK(DeathMessage([] { (void)AddEven(2, 2).error(); }).find("holds a value") !=
        std::string::npos);
  CHECK(DeathMessage([] { (void)Result<void>().error(); }).find("is success") != std::string::npos);
}

}  // namespace
}  // namespace lapforge
