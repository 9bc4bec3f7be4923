// What a point cost, counted apart.
#pragma once

#include "sparsieve/columns/storage.hpp"

namespace sparsieve {

struct Counters {
  Bytes x_bytes = 0;       // of X, and of its shadow as long as the design counts both together
  Bytes shadow_bytes = 0;  // of the shadow of X; 0 as long as x_bytes includes it
  Index rounds = 0;        // enlargements of the working set
  Index epochs = 0;        // of coordinate descent; 0 as long as the solver does not count them
  Index solves = 0;        // with the factor; 0 as long as the solver does not count them
};

}  // namespace sparsieve
