// Tests concatenation, number texts both ways, splitting and quoting.
#include "sim/base/strings.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <limits>

#include "sim/base/rng.h"

namespace lapforge {
namespace {

TEST_CASE("StrCat joins texts, characters, bools, integers and paths") {
  CHECK(StrCat() == "");
  CHECK(StrCat("a", std::string("b"), std::string_view("c"), 'd', true, false) == "abcdtruefalse");
  CHECK(StrCat(-7, ' ', 7u, ' ', size_t{1}, ' ', int8_t{-1}, ' ', uint8_t{200}) == "-7 7 1 -1 200");
  CHECK(StrCat(std::numeric_limits<int64_t>::min()) == "-9223372036854775808");
  CHECK(StrCat(std::numeric_limits<uint64_t>::max()) == "18446744073709551615");
  CHECK(StrCat(std::filesystem::path("/a b/c")) == "/a b/c");
}

TEST_CASE("Numbers print in the shortest form a person would write") {
  CHECK(StrCat(3e-4) == "0.0003");
  CHECK(StrCat(0.1) == "0.1");
  CHECK(StrCat(0.1f) == "0.1");
  CHECK(StrCat(3.0) == "3");
  CHECK(StrCat(0.0) == "0");
  CHECK(StrCat(-0.0) == "-0");
  CHECK(StrCat(600000.0) == "600000");
  CHECK(StrCat(1.0 / 3) == "0.3333333333333333");
  CHECK(StrCat(1e-8) == "1e-08");
  CHECK(StrCat(1e15) == "1e+15");
  CHECK(StrCat(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
  CHECK(StrCat(std::numeric_limits<double>::denorm_min()) == "5e-324");
  CHECK(StrCat(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(StrCat(-std::numeric_limits<double>::quiet_NaN()) == "nan");
}

TEST_CASE("Every finite double reads back to the same bits") {
  RngStream rng(1, 0, 0, RngPurpose::kTest);
  int num_wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    const uint64_t bits = uint64_t{rng.NextU32()} << 32 | rng.NextU32();
    const double value = std::bit_cast<double>(bits);
    const std::optional<double> parsed = ParseDouble(StrCat(value));
    if (std::isfinite(value) && (!parsed || std::bit_cast<uint64_t>(*parsed) != bits)) ++num_wrong;
  }
  CHECK(num_wrong == 0);
}

TEST_CASE("FormatFixed rounds to the digits asked for") {
  CHECK(FormatFixed(2.5, 3) == "2.500");
  CHECK(FormatFixed(9.999, 2) == "10.00");
  CHECK(FormatFixed(-0.004, 2) == "-0.00");
  CHECK(FormatFixed(1234567.0, 0) == "1234567");
  CHECK(FormatFixed(std::numeric_limits<double>::max(), 1).size() == 311);
}

TEST_CASE("ParseDouble takes the whole text or nothing") {
  CHECK(ParseDouble("3e-4") == 3e-4);
  CHECK(ParseDouble("-.5") == -0.5);
  CHECK(ParseDouble("+2") == 2.0);
  CHECK(ParseDouble("inf") == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(ParseDouble("nan").value_or(0)));
  for (const char* bad : {"", " 1", "1 ", "1,5", "1.5x", "+-1", "++1", "+", "-", "0x10", "1e999"}) {
    INFO(bad);
    CHECK(!ParseDouble(bad));
  }
}

TEST_CASE("ParseInt64 and ParseUint64 take the whole text or nothing") {
  CHECK(ParseInt64("-9223372036854775808") == std::numeric_limits<int64_t>::min());
  CHECK(ParseUint64("18446744073709551615") == std::numeric_limits<uint64_t>::max());
  CHECK(ParseInt64("+12") == 12);
  for (const char* bad : {"", "1.0", "1e3", " 1", "9223372036854775808", "0x1", "one"}) {
    INFO(bad);
    CHECK(!ParseInt64(bad));
  }
  CHECK(!ParseUint64("-1"));
  CHECK(!ParseUint64("18446744073709551616"));
}

TEST_CASE("Split, Join and Trim") {
  using Pieces = std::vector<std::string_view>;
  CHECK(Split("a,b,,c", ',') == Pieces{"a", "b", "", "c"});
  CHECK(Split("", ',') == Pieces{""});
  CHECK(Split(",", ',') == Pieces{"", ""});
  CHECK(Join(std::vector<std::string>{"a", "", "b"}, ", ") == "a, , b");
  CHECK(Join({}, ", ") == "");
  CHECK(Trim(" \t a b \r\n") == "a b");
  CHECK(Trim(" \n ") == "");
}

TEST_CASE("QuoteText makes one line and UnquoteText undoes it") {
  CHECK(QuoteText("a \"b\" \\ c\n\t\x7f") == R"("a \"b\" \\ c\n\x09\x7f")");
  CHECK(QuoteText("K\xc3\xb6ln") == "\"K\xc3\xb6ln\"");
  std::string all_bytes;
  for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
  CHECK(UnquoteText(QuoteText(all_bytes)) == all_bytes);
  for (const char* bad : {"", "\"", "a", "\"a", R"("a"b")", R"("\")", R"("\q")", R"("\x1")"}) {
    INFO(bad);
    CHECK(!UnquoteText(bad));
  }
}

}  // namespace
}  // namespace lapforge
