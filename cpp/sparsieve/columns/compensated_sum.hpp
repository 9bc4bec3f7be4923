// A sum of doubles that keeps track of its rounding errors.
#pragma once

#include <cmath>

#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

// Knuth's TwoSum: `lost` gathers what each addition rounds away, so that value() is exact but for one
// rounding in practice. Adding zero changes nothing: the weights of the stored rows of a full sparse column
// add up to exactly the total of all weights.
struct CompensatedSum {
  double sum = 0.0, lost = 0.0;
  void add(double x) {
    const double next = sum + x, added = next - sum;
    lost += (sum - (next - added)) + (x - added);
    sum = next;
  }
  // The product with what its rounding loses.
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    lost += std::fma(a, b, -product);
  }
  double value() const { return sum + lost; }
};

// out = x - shift, and what rounding takes from each difference; returns whether that is anything.
inline bool take_from(double shift, const double* x, Index n, double* out, double* lost) {
  bool any = false;
  for (Index i = 0; i < n; ++i) {
    CompensatedSum difference;
    difference.add(x[i]);
    difference.add(-shift);
    out[i] = difference.sum;
    lost[i] = difference.lost;
    any = any || lost[i] != 0.0;
  }
  return any;
}

}  // namespace sparsieve
