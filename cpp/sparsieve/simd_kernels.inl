// The kernels themselves. Included by simd_plain.cpp, simd_avx2.cpp and simd_avx512.cpp, each
// compiled for its own instruction set and with its own SPARSIEVE_ISA (a namespace). The vector
// types are the compiler's own, eight doubles wide, which it splits where registers are narrower:
// the order of summation is fixed, so every instruction set with fused multiply-add gives the
// same bits.
#include <cstring>

#include "sparsieve/simd.hpp"

namespace sparsieve::SPARSIEVE_ISA {
namespace {

typedef double Vec __attribute__((vector_size(64)));
typedef float VecF __attribute__((vector_size(32)));
constexpr Index kLanes = 8;

inline Vec load(const double* p) {
  Vec v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline Vec load(const float* p) {
  VecF v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, Vec);
}
inline void store(double* p, Vec v) { std::memcpy(p, &v, sizeof v); }

// Pairwise, so that the rounding error of the lanes does not add up in one direction.
inline double sum(Vec v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

template <class T>
double dot(const T* x, const double* v, Index n) {
  Vec s0{}, s1{}, s2{}, s3{};
  Index i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    s0 += load(x + i) * load(v + i);
    s1 += load(x + i + kLanes) * load(v + i + kLanes);
    s2 += load(x + i + 2 * kLanes) * load(v + i + 2 * kLanes);
    s3 += load(x + i + 3 * kLanes) * load(v + i + 3 * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) s0 += load(x + i) * load(v + i);
  double total = sum((s0 + s1) + (s2 + s3));
  for (; i < n; ++i) total += static_cast<double>(x[i]) * v[i];
  return total;
}

template <class T>
void dot4(const T* const x[4], const double* v, Index n, double out[4]) {
  Vec s0{}, s1{}, s2{}, s3{};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec vi = load(v + i);
    s0 += load(x[0] + i) * vi;
    s1 += load(x[1] + i) * vi;
    s2 += load(x[2] + i) * vi;
    s3 += load(x[3] + i) * vi;
  }
  out[0] = sum(s0);
  out[1] = sum(s1);
  out[2] = sum(s2);
  out[3] = sum(s3);
  for (; i < n; ++i) {
    for (int k = 0; k < 4; ++k) out[k] += static_cast<double>(x[k][i]) * v[i];
  }
}

template <class T>
void tile(const double* const v[4], const T* const x[4], Index n, double out[16]) {
  Vec s[16] = {};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec x0 = load(x[0] + i), x1 = load(x[1] + i), x2 = load(x[2] + i), x3 = load(x[3] + i);
    for (int a = 0; a < 4; ++a) {
      const Vec va = load(v[a] + i);
      s[4 * a] += va * x0;
      s[4 * a + 1] += va * x1;
      s[4 * a + 2] += va * x2;
      s[4 * a + 3] += va * x3;
    }
  }
  for (int k = 0; k < 16; ++k) out[k] = sum(s[k]);
  for (; i < n; ++i) {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) out[4 * a + b] += v[a][i] * static_cast<double>(x[b][i]);
    }
  }
}

template <class T>
void axpy(double a, const T* x, double* y, Index n) {
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, load(y + i) + a * load(x + i));
  for (; i < n; ++i) y[i] += a * static_cast<double>(x[i]);
}

template <class T>
void axpy4(const double a[4], const T* const x[4], double* y, Index n) {
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec t = load(y + i);
    t += a[0] * load(x[0] + i);
    t += a[1] * load(x[1] + i);
    t += a[2] * load(x[2] + i);
    t += a[3] * load(x[3] + i);
    store(y + i, t);
  }
  for (; i < n; ++i) {
    for (int k = 0; k < 4; ++k) y[i] += a[k] * static_cast<double>(x[k][i]);
  }
}

}  // namespace

template <class T>
Kernels<T> table() {
  return {dot<T>, dot4<T>, tile<T>, axpy<T>, axpy4<T>};
}
template Kernels<double> table<double>();
template Kernels<float> table<float>();

}  // namespace sparsieve::SPARSIEVE_ISA
