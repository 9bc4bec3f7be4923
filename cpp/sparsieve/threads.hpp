// Splitting a loop over several threads. Threads are started for one loop and joined after it: that
// costs some tens of microseconds, is safe across fork, and leaves nothing behind.
#pragma once

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "sparsieve/simd.hpp"

namespace sparsieve {

// Call body(first, last) on pieces of [0, count). A piece has at least `grain` items; results must not
// depend on where the pieces begin.
template <class Body>
void parallel_for(Index count, int threads, Index grain, const Body& body) {
  const Index pieces =
      std::min<Index>(threads, std::max<Index>(1, count / std::max<Index>(1, grain)));
  if (pieces <= 1) {
    if (count > 0) body(Index{0}, count);
    return;
  }
  std::vector<std::exception_ptr> errors(pieces);
  const auto run = [&](Index piece) {
    try {
      body(count * piece / pieces, count * (piece + 1) / pieces);
    } catch (...) {
      errors[piece] = std::current_exception();
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
  others.clear();  // joins
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace sparsieve
