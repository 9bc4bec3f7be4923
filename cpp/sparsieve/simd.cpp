#include "sparsieve/simd.hpp"
namespace sparsieve {
double dot(const double* a, const double* b, std::size_t n) {
  double s = 0.0;
#pragma omp simd reduction(+ : s)
  for (std::size_t i = 0; i < n; ++i) s += a[i] * b[i];
  return s;
}
}  // namespace sparsieve
