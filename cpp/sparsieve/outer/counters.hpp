// What a point cost, counted apart.
#pragma once

#include "sparsieve/columns/storage.hpp"

namespace sparsieve {

struct Counters {
  Bytes x_bytes = 0;       // read of X itself
  Bytes shadow_bytes = 0;  // read of its shadow
  Index rounds = 0;        // enlargements of the working set
  Index epochs = 0;        // of coordinate descent over columns
  Index solves = 0;        // with the factor of a support

  void add_work(const Counters& other) {
    rounds += other.rounds;
    epochs += other.epochs;
    solves += other.solves;
  }
};

}  // namespace sparsieve
