// Splitting a loop over several threads. Threads are started for one loop and joined after it: that
// costs some tens of microseconds, is safe across fork, and leaves nothing behind.
#pragma once

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "sparsieve/simd.hpp"

namespace sparsieve {

// Products per thread below which starting a thread costs more than it saves.
constexpr Index kGrain = 1 << 18;

// How many threads parallel_for has work for.
inline Index threads_used(Index count, int threads, Index grain) {
  return std::clamp<Index>(count / std::max<Index>(1, grain), 1, std::max<Index>(1, threads));
}

// Call body(first, last) or body(first, last, thread) on pieces of [0, count), thread < threads. Another
// thread is started for every `grain` items; results must not depend on where the pieces begin. The body
// asks for no memory: in a thread that gets none the C++ library has none for the exception either, and
// ends the process.
template <class Body>
void parallel_for(Index count, int threads, Index grain, const Body& body) {
  // Several pieces for each thread, taken by whoever is free: threads start late.
  constexpr Index kPieces = 4;
  const Index used = threads_used(count, threads, grain);
  const Index pieces = used == 1 ? 1 : std::min(count, used * kPieces);
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
  std::vector<std::jthread> others;
  try {
    for (Index thread = 1; thread < used; ++thread) others.emplace_back(work, thread);
  } catch (const std::system_error&) {  // no more threads to be had: the rest is done here
  }
  work(0);
}

}  // namespace sparsieve
