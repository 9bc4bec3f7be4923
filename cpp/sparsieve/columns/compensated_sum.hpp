// A sum of doubles that keeps track of its rounding errors.
#pragma once

#include <cmath>

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

}  // namespace sparsieve
