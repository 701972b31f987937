//===- ThreadPool.cpp - The parallel-for of processes without one ---------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fixed set of threads that share one loop at a time. Pieces are handed out
// from a counter, since the iterations of causal attention differ in length,
// large ones first: what is left at the end is small and evens out.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/ParallelRuntime.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

using namespace xsa::runtime;

unsigned xsa::runtime::getNumAvailableCores() {
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

namespace {
/// The loop that the threads are working on.
struct Loop {
  int64_t count = 0;
  /// The smallest piece.
  int64_t grain = 1;
  LoopBody body = nullptr;
  void *context = nullptr;
};
} // namespace

struct ThreadPool::State {
  /// Read by callers whose loops do not get the threads.
  std::atomic<unsigned> numThreads;
  /// Not std::thread, which throws where the system has no more threads.
  std::vector<pthread_t> workers;

  /// Held by the caller whose loop is running.
  std::mutex owner;

  std::mutex mutex;
  std::condition_variable start, done;
  Loop loop;
  uint64_t generation = 0;
  unsigned active = 0;
  bool stop = false;
  std::atomic<int64_t> next{0};

  void takePieces() {
    int64_t begin = next.load(std::memory_order_relaxed);
    while (begin < loop.count) {
      int64_t share = (loop.count - begin) / (int64_t(numThreads) * 4);
      int64_t end = std::min(begin + std::max(share, loop.grain), loop.count);
      if (!next.compare_exchange_weak(begin, end, std::memory_order_relaxed))
        continue;
      loop.body(begin, end, loop.context);
      begin = next.load(std::memory_order_relaxed);
    }
  }

  void work() {
    uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      start.wait(lock, [&] { return stop || generation != seen; });
      if (stop)
        return;
      seen = generation;
      lock.unlock();
      takePieces();
      lock.lock();
      if (--active == 0)
        done.notify_one();
    }
  }

  /// There may be fewer threads than were asked for.
  void startWorkers() {
    auto work = [](void *state) -> void * {
      static_cast<State *>(state)->work();
      return nullptr;
    };
    while (workers.size() + 1 < numThreads) {
      pthread_t worker;
      if (pthread_create(&worker, /*attributes=*/nullptr, work, this) == 0)
        workers.push_back(worker);
      else
        numThreads = workers.size() + 1;
    }
  }
};

ThreadPool::ThreadPool(unsigned threads) : state(std::make_unique<State>()) {
  state->numThreads = threads ? threads : getNumAvailableCores();
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    state->stop = true;
  }
  state->start.notify_all();
  for (pthread_t worker : state->workers)
    pthread_join(worker, /*result=*/nullptr);
}

unsigned ThreadPool::getNumThreads() const { return state->numThreads; }

void ThreadPool::run(int64_t count, int64_t grain, LoopBody body,
                     void *context) {
  grain = std::max<int64_t>(grain, 1);
  std::unique_lock<std::mutex> owner(state->owner, std::defer_lock);
  if (count <= grain || state->numThreads < 2 || !owner.try_lock()) {
    if (count > 0)
      body(0, count, context);
    return;
  }
  state->startWorkers();
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    state->loop = {count, grain, body, context};
    state->next = 0;
    state->active = state->workers.size();
    ++state->generation;
  }
  state->start.notify_all();
  state->takePieces();
  std::unique_lock<std::mutex> lock(state->mutex);
  state->done.wait(lock, [&] { return state->active == 0; });
}

ParallelFor ThreadPool::getParallelFor() {
  return {[](void *host, int64_t count, int64_t grain, LoopBody body,
             void *context) {
            static_cast<ThreadPool *>(host)->run(count, grain, body, context);
          },
          this};
}
