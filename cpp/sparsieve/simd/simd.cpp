#include "sparsieve/simd/simd.hpp"

#include <cstdlib>
#include <cstring>

namespace sparsieve {

#define SPARSIEVE_DECLARE(isa)                     \
  namespace isa {                                  \
  template <class T>                               \
  Kernels<T> table();                              \
  extern template Kernels<double> table<double>(); \
  extern template Kernels<float> table<float>();   \
  template <class T, class I>                      \
  SparseKernels<T, I> sparse_table();              \
  ExponentialKernels exponential_table();          \
  ShadowKernels shadow_table();                    \
  IntervalKernels interval_table();                \
  TriangleKernels triangle_table();                \
  }
SPARSIEVE_DECLARE(plain)
#ifdef SPARSIEVE_X86
SPARSIEVE_DECLARE(avx2)
SPARSIEVE_DECLARE(avx512)
#endif
#undef SPARSIEVE_DECLARE

const char* instruction_set() {
  static const char* const chosen = [] {
#ifdef SPARSIEVE_X86
    // SPARSIEVE_ISA lets a test run every variant on one machine; it can only lower the choice.
    const char* wanted = std::getenv("SPARSIEVE_ISA");
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl");
    if (wanted != nullptr && std::strcmp(wanted, "plain") == 0) return "plain";
    if (wanted != nullptr && std::strcmp(wanted, "avx2") == 0 && avx2) return "avx2";
    if (avx512) return "avx512";
    if (avx2) return "avx2";
#endif
    return "plain";
  }();
  return chosen;
}

// The expression in the namespace of the chosen instruction set.
#ifdef SPARSIEVE_X86
#define SPARSIEVE_CHOOSE(...)                                          \
  (std::strcmp(instruction_set(), "avx512") == 0 ? avx512::__VA_ARGS__ \
   : std::strcmp(instruction_set(), "avx2") == 0 ? avx2::__VA_ARGS__   \
                                                 : plain::__VA_ARGS__)
#else
#define SPARSIEVE_CHOOSE(...) (plain::__VA_ARGS__)
#endif

template <class T>
const Kernels<T>& kernels() {
  static const Kernels<T> chosen = SPARSIEVE_CHOOSE(template table<T>());
  return chosen;
}
template <class T, class I>
const SparseKernels<T, I>& sparse_kernels() {
  static const SparseKernels<T, I> chosen = SPARSIEVE_CHOOSE(template sparse_table<T, I>());
  return chosen;
}
const ExponentialKernels& exponential_kernels() {
  static const ExponentialKernels chosen = SPARSIEVE_CHOOSE(exponential_table());
  return chosen;
}
const ShadowKernels& shadow_kernels() {
  static const ShadowKernels chosen = SPARSIEVE_CHOOSE(shadow_table());
  return chosen;
}
const IntervalKernels& interval_kernels() {
  static const IntervalKernels chosen = SPARSIEVE_CHOOSE(interval_table());
  return chosen;
}
const TriangleKernels& triangle_kernels() {
  static const TriangleKernels chosen = SPARSIEVE_CHOOSE(triangle_table());
  return chosen;
}
template const Kernels<double>& kernels<double>();
template const Kernels<float>& kernels<float>();
template const SparseKernels<double, std::int32_t>& sparse_kernels();
template const SparseKernels<double, std::int64_t>& sparse_kernels();
template const SparseKernels<float, std::int32_t>& sparse_kernels();
template const SparseKernels<float, std::int64_t>& sparse_kernels();

double weighted_dot(const double* w, const double* a, const double* b, Index n) {
  double s = 0.0;
#pragma omp simd reduction(+ : s)
  for (Index i = 0; i < n; ++i) s += w[i] * a[i] * b[i];
  return s;
}

}  // namespace sparsieve
