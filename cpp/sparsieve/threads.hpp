// Splitting a loop over several threads. Threads are started for one loop and joined after it: that
// costs some tens of microseconds, is safe across fork, and leaves nothing behind.
#pragma once

#include <algorithm>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "sparsieve/simd.hpp"

namespace sparsieve {

// Products per thread below which starting a thread costs more than it saves.
constexpr Index kGrain = 1 << 18;

// Call body(first, last) or body(first, last, piece) on pieces of [0, count), piece < threads. A piece has
// at least `grain` items; results must not depend on where the pieces begin. The body asks for no memory:
// in a thread that gets none the C++ library has none for the exception either, and ends the process.
template <class Body>
void parallel_for(Index count, int threads, Index grain, const Body& body) {
  const Index pieces =
      std::clamp<Index>(count / std::max<Index>(1, grain), 1, std::max<Index>(1, threads));
  const auto run = [&](Index piece) {
    const Index first = count * piece / pieces, last = count * (piece + 1) / pieces;
    if constexpr (std::is_invocable_v<Body, Index, Index, Index>) {
      body(first, last, piece);
    } else {
      body(first, last);
    }
  };
  std::vector<std::jthread> others;
  Index started = 1;
  try {
    for (; started < pieces; ++started) others.emplace_back(run, started);
  } catch (const std::system_error&) {  // no more threads to be had: the rest is done here
  }
  run(0);
  for (Index piece = started; piece < pieces; ++piece) run(piece);
}

}  // namespace sparsieve
