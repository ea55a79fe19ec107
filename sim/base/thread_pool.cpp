#include "sim/base/thread_pool.h"

#include "sim/base/assert.h"

namespace lapforge {
namespace {

// Waking a sleeping thread takes 50 us and more on a virtual machine, as long as a step of 16 cars;
// the gap between two loops of a step is shorter. So each wait looks a while before it sleeps:
// about 40 us, which a busy machine loses once a wait and an idle pool never again.
constexpr int kLooksBeforeSleep = 1000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Returns once `value` differs from `old`.
template <class T>
void WaitWhileEqual(const std::atomic<T>& value, T old) {
  for (int look = 0; look < kLooksBeforeSleep; ++look) {
    if (value.load(std::memory_order_acquire) != old) return;
    Pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

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
    WaitWhileEqual(num_unfinished_, left);
  }
  is_running_.store(false);
}

void ThreadPool::WorkerLoop(int worker_index) {
  for (uint32_t round = 0;; ++round) {
    WaitWhileEqual(round_, round);
    if (is_stopping_) return;
    task_.call(task_.context, worker_index);
    if (num_unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) num_unfinished_.notify_one();
  }
}

}  // namespace lapforge
