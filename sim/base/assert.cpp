#include "sim/base/assert.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/base/strings.h"

namespace lapforge::detail {

void FailAssertion(std::string_view location, std::string_view condition,
                   std::string_view message) {
  const std::string line = StrCat(location, ": assertion failed: ", condition, ": ", message, "\n");
  std::fputs(line.c_str(), stderr);
  std::abort();
}

}  // namespace lapforge::detail
