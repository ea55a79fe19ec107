// Set by InterruptPython for those who wait for worker processes.
#pragma once

#include <atomic>

namespace lapforge::reward {

/// True once a stop was asked for while workers run; who waits for them takes it back.
inline std::atomic<bool> workers_interrupted = false;

}  // namespace lapforge::reward
