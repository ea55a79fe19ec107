#include "reward/workers/process_limits.h"

#include <sys/resource.h>

#include <cstdlib>

#include "sim/base/file_io.h"

namespace lapforge::reward {

void LimitMemory(int64_t limit_bytes) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (limit_bytes == 0) return;
  const Result<std::string> status = ReadFile("/proc/self/status");
  const size_t at = status.ok() ? status->find("VmData:") : std::string::npos;
  const int64_t now_kb = at == std::string::npos ? 0 : std::atoll(status->c_str() + at + 7);
  const auto bytes = static_cast<rlim_t>(now_kb * 1024 + limit_bytes);
  const rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace lapforge::reward
