// Tests the thread pool: the fixed split, visibility, results that do not depend on the threads.
#include "sim/base/thread_pool.h"

#include <catch2/catch.hpp>

#include "sim/base/hash.h"
#include "sim/base/rng.h"
#include "tests/base/death.h"

namespace lapforge {
namespace {

TEST_CASE("Every index is visited once, by the worker that the split names") {
  for (const int num_threads : {1, 2, 3, 4, 7}) {
    ThreadPool pool(num_threads);
    CHECK(pool.num_threads() == num_threads);
    for (const int count : {0, 1, 2, 3, 4, 5, 8, 100, 1001}) {
      std::vector<int> workers(static_cast<size_t>(count), -1);
      int num_twice = 0;
      pool.ParallelFor(count, [&](int begin, int end, int worker_index) {
        for (int i = begin; i < end; ++i) {
          int& worker = workers[static_cast<size_t>(i)];
          if (worker != -1) ++num_twice;
          worker = worker_index;
        }
      });
      CHECK(num_twice == 0);
      for (int w = 0; w < num_threads; ++w) {
        for (int i = count * w / num_threads; i < count * (w + 1) / num_threads; ++i) {
          if (workers[static_cast<size_t>(i)] != w) FAIL("index " << i << " of " << count);
        }
      }
    }
  }
}

TEST_CASE("A split of the largest count does not overflow") {
  constexpr int kMax = 2147483647;
  ThreadPool pool(3);
  std::vector<int> sizes(3);
  pool.ParallelFor(kMax, [&](int begin, int end, int worker_index) {
    sizes[static_cast<size_t>(worker_index)] = end - begin;
  });
  CHECK(sizes == std::vector<int>{715827882, 715827882, 715827883});
}

TEST_CASE("Results are equal bit by bit at any number of threads") {
  const auto hash_with = [](int num_threads) {
    ThreadPool pool(num_threads);
    std::vector<double> sums(257);
    for (int step = 0; step < 50; ++step) {
      pool.ParallelFor(static_cast<int>(sums.size()), [&](int begin, int end, int) {
        for (int i = begin; i < end; ++i) {
          RngStream rng(1, static_cast<uint32_t>(i), static_cast<uint32_t>(step),
                        RngPurpose::kTest);
          sums[static_cast<size_t>(i)] = 0.9 * sums[static_cast<size_t>(i)] + rng.Normal();
        }
      });
    }
    return HashBytes(std::as_bytes(std::span<const double>(sums)));
  };
  const uint64_t expected = hash_with(1);
  CHECK(hash_with(2) == expected);
  CHECK(hash_with(4) == expected);
}

TEST_CASE("Many short loops in a row lose no work and no wake-up") {
  ThreadPool pool(3);
  std::vector<int64_t> counts(3);
  constexpr int kNumRounds = 5000;
  for (int round = 0; round < kNumRounds; ++round) {
    pool.Run([&](int worker_index) { ++counts[static_cast<size_t>(worker_index)]; });
  }
  CHECK(counts == std::vector<int64_t>(3, kNumRounds));
}

TEST_CASE("Pools start and stop at once, also unused and beside each other") {
  for (int i = 0; i < 50; ++i) {
    ThreadPool unused(4), first(2), second(3);
    int sum[2] = {};
    first.Run([&](int w) { sum[w] = w + 1; });
    second.ParallelFor(1, [&](int, int, int) { sum[0] += 10; });
    CHECK(sum[0] + sum[1] == 13);
  }
}

TEST_CASE("A loop inside a loop of the same pool is an assertion failure") {
  const std::string message = DeathMessage([] {
    ThreadPool pool(1);
    pool.Run([&](int) { pool.Run([](int) {}); });
  });
  CHECK(message.find("a pool runs one loop at a time") != std::string::npos);
  CHECK(DeathMessage([] { ThreadPool pool(0); }).find("first thread") != std::string::npos);
}

}  // namespace
}  // namespace lapforge
