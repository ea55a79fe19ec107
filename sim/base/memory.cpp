#include "sim/base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "sim/base/file_io.h"
#include "sim/base/strings.h"

namespace lapforge {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& path) {
  const Result<std::string> text = ReadFile(path);
  return text.ok() ? *text : "";
}

// The number behind `key` at the start of a line; "" is the first number of the text.
std::optional<uint64_t> NumberBehind(const std::string& text, std::string_view key) {
  for (const std::string_view line : Split(text, '\n')) {
    if (!StartsWith(line, key)) continue;
    const std::string_view rest = Trim(line.substr(key.size()));
    return ParseUint64(rest.substr(0, rest.find(' ')));
  }
  return std::nullopt;
}

// The files of a version of control groups.
struct GroupFiles {
  const char* limit;  // "max" and numbers beyond all memory: none
  const char* usage;
  const char* reclaimable;  // of memory.stat: caches of files, which go when memory is short
};
constexpr GroupFiles kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file "};
constexpr GroupFiles kVersion2 = {"memory.max", "memory.current", "inactive_file "};

void TakeLower(std::optional<uint64_t>& least, std::optional<uint64_t> bytes) {
  if (bytes) least = std::min(least.value_or(*bytes), *bytes);
}

std::optional<uint64_t> LeftInGroup(const fs::path& group, const GroupFiles& files) {
  const auto limit = NumberBehind(TextOf(group / files.limit), "");
  const auto usage = NumberBehind(TextOf(group / files.usage), "");
  if (!limit || !usage) return std::nullopt;
  const auto cache = NumberBehind(TextOf(group / "memory.stat"), files.reclaimable);
  const uint64_t needed = *usage - std::min(*usage, cache.value_or(0));
  return *limit - std::min(*limit, needed);
}

// Of the group and all that it lies in; inside a container its own path may not be there.
std::optional<uint64_t> LeftInGroups(const fs::path& root, fs::path group,
                                     const GroupFiles& files) {
  std::optional<uint64_t> least;
  for (group = group.relative_path();; group = group.parent_path()) {
    TakeLower(least, LeftInGroup(root / group, files));
    if (group.empty()) return least;
  }
}

std::optional<uint64_t> LeftInAddressSpace(const fs::path& proc) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const auto num_pages = NumberBehind(TextOf(proc / "self" / "statm"), "");
  if (!num_pages) return std::nullopt;
  const uint64_t used = *num_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::optional<uint64_t> AvailableMemoryBytes(const MemorySources& sources) {
  constexpr uint64_t kKilobyte = 1024;
  std::optional<uint64_t> least = LeftInAddressSpace(sources.proc);
  if (const auto kb = NumberBehind(TextOf(sources.proc / "meminfo"), "MemAvailable:")) {
    TakeLower(least, *kb * kKilobyte);
  }
  // lines like "4:memory:/path" and "0::/path"
  const std::string groups = TextOf(sources.proc / "self" / "cgroup");
  for (const std::string_view line : Split(groups, '\n')) {
    const size_t first = line.find(':');
    const size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const fs::path group(line.substr(second + 1));
    if (controllers.empty()) TakeLower(least, LeftInGroups(sources.cgroups, group, kVersion2));
    if (controllers == "memory") {
      TakeLower(least, LeftInGroups(sources.cgroups / "memory", group, kVersion1));
    }
  }
  return least;
}

}  // namespace lapforge
