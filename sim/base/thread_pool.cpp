#include "sim/base/thread_pool.h"

#include "sim/base/assert.h"

namespace lapforge {

ThreadPool::ThreadPool(int num_threads) : num_threads_(num_threads) {
  LAPFORGE_ASSERT(num_threads >= 1, "the caller itself is the first thread");
  threads_.reserve(static_cast<size_t>(num_threads - 1));
  for (int w = 1; w < num_threads; ++w) threads_.emplace_back([this, w] { WorkerLoop(w); });
}

ThreadPool::~ThreadPool() {
  is_stopping_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::RunTask(Task task) {
  LAPFORGE_ASSERT(!is_running_.exchange(true), "a pool runs one loop at a time");

  // hand out
  task_ = task;
  if (num_threads_ > 1) {
    num_unfinished_.store(num_threads_ - 1, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }

  // do our own part, then wait for the others
  task.call(task.context, 0);
  for (int left = num_unfinished_.load(std::memory_order_acquire); left > 0;
       left = num_unfinished_.load(std::memory_order_acquire)) {
    num_unfinished_.wait(left, std::memory_order_acquire);
  }
  is_running_.store(false);
}

// The library's wait spins for about a microsecond, then sleeps in the kernel.
void ThreadPool::WorkerLoop(int worker_index) {
  for (uint32_t round = 0;; ++round) {
    round_.wait(round, std::memory_order_acquire);
    if (is_stopping_) return;
    task_.call(task_.context, worker_index);
    if (num_unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) num_unfinished_.notify_one();
  }
}

}  // namespace lapforge
