#include "agents/nets/torch_thread.h"

#include <ATen/Parallel.h>

namespace lapforge::agents {

void UseOneTorchThread() {
  thread_local const bool is_set = [] {
    at::set_num_threads(1);
    return true;
  }();
  static_cast<void>(is_set);
}

}  // namespace lapforge::agents
