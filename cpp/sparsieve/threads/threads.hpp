// Sharing the pieces of a loop among several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <type_traits>

#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

// Below this number of products per thread, sharing a loop costs more than it saves.
constexpr Index kGrain = 1 << 18;

// The threads of one call into the library. They are started when a loop first has work for them and joined
// when the pool is destroyed, so that no thread outlives the call. Between two loops they stay awake for a
// moment, then they sleep. A loop does not wait for a thread that wakes up too late for it.
class ThreadPool {
 public:
  // Becomes the pool of the calling thread until it is destroyed.
  ThreadPool();
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // The pool of the calling thread, null if it has none.
  static ThreadPool* current() { return current_; }
  // Call work(0) in this thread and work(t), 0 < t < used, in those other threads that come in time.
  // Inside a loop of this same pool, and in a child process made by fork, only work(0) is called.
  void run(Index used, const std::function<void(Index)>& work);

 private:
  struct Workers;
  inline static thread_local ThreadPool* current_ = nullptr;
  ThreadPool* outer_;  // was current before
  std::unique_ptr<Workers> workers_;
};

// How many threads parallel_for has work for.
inline Index threads_used(Index count, int threads, Index grain) {
  return std::clamp<Index>(count / std::max<Index>(1, grain), 1, std::max<Index>(1, threads));
}

// Call body(first, last) or body(first, last, thread) on pieces of [0, count), thread < threads. One more
// thread is used for every `grain` items. Results must not depend on where pieces begin. There are
// several pieces per thread, and each goes to the thread that is free first, because threads may come
// late. The body must not allocate memory: where none is left, the C++ library cannot allocate the
// exception either and ends the process.
template <class Body>
void parallel_for(Index count, int threads, Index grain, const Body& body, Index per_thread = 4) {
  const Index used = threads_used(count, threads, grain);
  const Index pieces = used == 1 ? 1 : std::min(count, used * per_thread);
  std::atomic<Index> next{0};
  const auto work = [&](Index thread) {
    for (Index piece = next++; piece < pieces; piece = next++) {
      const Index first = count * piece / pieces, last = count * (piece + 1) / pieces;
      if constexpr (std::is_invocable_v<Body, Index, Index, Index>) {
        body(first, last, thread);
      } else {
        body(first, last);
      }
    }
  };
  if (used == 1) {
    work(0);
  } else if (ThreadPool::current() != nullptr) {
    ThreadPool::current()->run(used, std::ref(work));
  } else {
    ThreadPool().run(used, std::ref(work));
  }
}

}  // namespace sparsieve
