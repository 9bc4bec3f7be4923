// The check of compressed sparse columns (CSC) before anything follows their indices.
#pragma once

#include <cstddef>
#include <span>

#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

// What is wrong with the arrays of n rows and `values` stored entries; null if nothing is.
template <class I>
const char* csc_error(std::size_t values, std::span<const I> rows, std::span<const I> starts,
                      Index n) {
  if (starts.empty() || rows.size() != values) return "malformed CSC arrays";
  const I stored = static_cast<I>(values);
  if (starts.front() != 0 || starts.back() > stored) return "malformed indptr";
  for (std::size_t j = 0; j + 1 < starts.size(); ++j) {
    const I first = starts[j], last = starts[j + 1];
    if (last < first || last > stored) return "malformed indptr";
    for (I p = first; p < last; ++p) {
      const I row = rows[p];
      if (row < 0 || row >= n || (p > first && row <= rows[p - 1])) {
        return "CSC row indices must be sorted, unique and inside X";
      }
    }
  }
  return nullptr;
}

}  // namespace sparsieve
