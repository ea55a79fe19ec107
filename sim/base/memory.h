// How much memory there is left, to say what does not fit before it is allocated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace lapforge {

/// Where the system says so; other folders are for tests.
struct MemorySources {
  std::filesystem::path proc = "/proc";
  std::filesystem::path cgroups = "/sys/fs/cgroup";
};

/// Bytes that this process may still take: what the machine can give without swapping, what each
/// control group it is in allows (versions 1 and 2), and what `ulimit -v` leaves, whichever is
/// least. Nothing where the system does not say.
std::optional<uint64_t> AvailableMemoryBytes(const MemorySources& sources = {});

}  // namespace lapforge
