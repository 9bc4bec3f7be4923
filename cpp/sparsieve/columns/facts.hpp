// What is said about a whole design.
#pragma once

#include <algorithm>

#include "sparsieve/columns/design.hpp"

namespace sparsieve {

// Whether a measured design has a column that is not constant (or zero).
inline bool usable(const Design& design) {
  for (Index j = 0; j < design.d(); ++j) {
    if (design.norm2(j) > 0.0) return true;
  }
  return false;
}

// So many bytes, divided by the size of X.
inline double passes(const Design& design, Bytes bytes) {
  return static_cast<double>(bytes) / static_cast<double>(std::max<Bytes>(1, design.bytes()));
}

}  // namespace sparsieve
