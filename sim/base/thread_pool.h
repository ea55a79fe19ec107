// A fixed team of threads that share a loop by a fixed split: which worker does what depends on the
// counts alone, so results cannot depend on timing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace lapforge {

/// Runs loops on `num_threads` workers; the calling thread is worker 0, the others sleep between
/// calls. One owner: calls from two threads at once, or from inside a body, are assertion failures.
class ThreadPool {
 public:
  /// Starts num_threads - 1 threads; num_threads >= 1.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return num_threads_; }

  /// Calls body(begin, end, worker_index) once for each worker with a non-empty part: worker w gets
  /// the indices [count * w / n, count * (w + 1) / n). Returns when all are done; what the bodies
  /// wrote is then visible to the caller. Does not allocate; a body must not throw.
  template <class F>
  void ParallelFor(int count, F&& body) {
    Run([&](int worker_index) {
      const int begin = SplitPoint(count, worker_index);
      const int end = SplitPoint(count, worker_index + 1);
      if (begin < end) body(begin, end, worker_index);
    });
  }

  /// Calls body(worker_index) once on each worker, as ParallelFor does.
  template <class F>
  void Run(F&& body) {
    using Body = std::remove_reference_t<F>;
    RunTask({[](void* context, int worker_index) { (*static_cast<Body*>(context))(worker_index); },
             const_cast<void*>(static_cast<const void*>(std::addressof(body)))});
  }

 private:
  struct Task {
    void (*call)(void* context, int worker_index) = nullptr;
    void* context = nullptr;
  };

  int SplitPoint(int count, int worker_index) const {
    return static_cast<int>(int64_t{count} * worker_index / num_threads_);
  }

  void RunTask(Task task);
  void WorkerLoop(int worker_index);

  const int num_threads_;
  Task task_;                             // written before round_ rises, read after
  std::atomic<uint32_t> round_ = 0;       // rises once a task; workers wait for it
  std::atomic<int> num_unfinished_ = 0;   // threads still in this round; the caller waits for 0
  std::atomic<bool> is_running_ = false;  // catches nested and concurrent calls
  bool is_stopping_ = false;              // written before the last rise of round_
  std::vector<std::thread> threads_;
};

}  // namespace lapforge
