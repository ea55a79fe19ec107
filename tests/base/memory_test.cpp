// Tests what is read about free memory, from files as Linux has them.
#include "sim/base/memory.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/base/temporary_folder.h"

namespace lapforge {
namespace {

namespace fs = std::filesystem;

void Write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

constexpr uint64_t kMeg = uint64_t{1} << 20;

TEST_CASE("the least of machine and control groups counts") {
  const TemporaryFolder folder;
  const MemorySources sources = {folder.path() / "proc", folder.path() / "cgroup"};
  CHECK_FALSE(AvailableMemoryBytes(sources).has_value());
  Write(sources.proc / "meminfo", "MemTotal:       24000000 kB\nMemAvailable:      1024 kB\n");
  CHECK(AvailableMemoryBytes(sources) == kMeg);
  Write(sources.proc / "meminfo", "MemAvailable:   9999999 kB\n");

  SECTION("version 2, the outer group is the tighter one") {
    Write(sources.proc / "self" / "cgroup", "0::/user/job\n");
    Write(sources.cgroups / "user" / "job" / "memory.max", "max\n");
    Write(sources.cgroups / "user" / "job" / "memory.current", "7\n");
    Write(sources.cgroups / "user" / "memory.max", "104857600\n");  // 100 MiB
    Write(sources.cgroups / "user" / "memory.current", "62914560\n");
    CHECK(AvailableMemoryBytes(sources) == 40 * kMeg);
    // what files left in the cache goes when memory is short
    Write(sources.cgroups / "user" / "memory.stat", "anon 1\ninactive_file 10485760\n");
    CHECK(AvailableMemoryBytes(sources) == 50 * kMeg);
    Write(sources.cgroups / "user" / "memory.current", "999999999\n");
    CHECK(AvailableMemoryBytes(sources) == 0);
  }
  SECTION("version 1, in a container that does not show the group's own path") {
    Write(sources.proc / "self" / "cgroup", "8:pids:/\n4:memory:/far/away\n0::/\n");
    Write(sources.cgroups / "memory" / "memory.limit_in_bytes", "10485760\n");
    Write(sources.cgroups / "memory" / "memory.usage_in_bytes", "3145728\n");
    Write(sources.cgroups / "memory" / "memory.stat", "cache 5\ntotal_inactive_file 1048576\n");
    CHECK(AvailableMemoryBytes(sources) == 8 * kMeg);
  }
}

TEST_CASE("this machine says how much there is") { CHECK(AvailableMemoryBytes() > kMeg); }

}  // namespace
}  // namespace lapforge
