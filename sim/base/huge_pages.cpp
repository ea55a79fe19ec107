#include "sim/base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace lapforge {
namespace {

constexpr uintptr_t kPageBytes = uintptr_t{2} << 20;
// Linux 6.1 and later; older headers do not name it.
constexpr int kCollapse = 25;

}  // namespace

void UseHugePages(const void* begin, const void* end) {
  const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + kPageBytes - 1) & ~(kPageBytes - 1);
  const uintptr_t last = reinterpret_cast<uintptr_t>(end) & ~(kPageBytes - 1);
  if (first >= last) return;
  // a refusal changes nothing but speed
  (void)madvise(reinterpret_cast<void*>(first), last - first, kCollapse);
}

}  // namespace lapforge
