#include "tools/cli/memory_check.h"

#include <algorithm>

#include "sim/base/log.h"
#include "sim/base/memory.h"
#include "sim/base/strings.h"

namespace lapforge::cli {
namespace {

// Estimates are good to about a fifth.
constexpr double kCloseFrac = 0.8;

std::string GigabytesText(double bytes) { return FormatFixed(bytes * 1e-9, 1) + " GB"; }

}  // namespace

Result<void> CheckMemory(std::span<const agents::MemoryPart> parts) {
  const std::optional<uint64_t> available = AvailableMemoryBytes();
  if (!available || parts.empty()) return {};
  double needed = 0;
  for (const agents::MemoryPart& part : parts) needed += part.bytes;
  const double free = static_cast<double>(*available);
  if (needed < kCloseFrac * free) return {};

  const agents::MemoryPart& largest = *std::max_element(
      parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  const std::string message =
      StrCat("this needs about ", GigabytesText(needed), " of memory and ", GigabytesText(free),
             needed > free ? " are free" : " are free, which is close", "; lower ", largest.options,
             ", of which ", GigabytesText(largest.bytes), " come");
  if (needed > free) return Error{message};
  LogWarning(message);
  return {};
}

}  // namespace lapforge::cli
