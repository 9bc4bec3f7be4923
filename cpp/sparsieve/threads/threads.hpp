// Splitting a loop over several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <type_traits>

#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

// Products per thread below which sharing a loop costs more than it saves.
constexpr Index kGrain = 1 << 18;

// Helpers for the loops of one call: started when the first loop has work for them, joined when the call
// ends, so that nothing is left behind. Between two loops they stay awake for a moment; after that they
// sleep, and nobody waits for one who comes too late.
class Crew {
 public:
  Crew();
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  // The crew of the call that this thread is in, if any.
  static Crew* current() { return current_; }
  // Call work(0), here, and work(t) for 0 < t < used in helpers that are there before it returns. In a loop
  // of this very crew, and in a child of the process that made it, there are none.
  void share(Index used, const std::function<void(Index)>& work);

 private:
  struct Helpers;
  inline static thread_local Crew* current_ = nullptr;
  Crew* outer_;
  std::unique_ptr<Helpers> helpers_;
};

// How many threads parallel_for has work for.
inline Index threads_used(Index count, int threads, Index grain) {
  return std::clamp<Index>(count / std::max<Index>(1, grain), 1, std::max<Index>(1, threads));
}

// Call body(first, last) or body(first, last, thread) on pieces of [0, count), thread < threads. Another
// thread is used for every `grain` items; results must not depend on where the pieces begin. There are
// several pieces for each thread, taken by whoever is free, because helpers come late. The body
// asks for no memory: in a thread that gets none the C++ library has none for the exception either, and
// ends the process.
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
  } else if (Crew::current() != nullptr) {
    Crew::current()->share(used, std::ref(work));
  } else {
    Crew().share(used, std::ref(work));
  }
}

}  // namespace sparsieve
