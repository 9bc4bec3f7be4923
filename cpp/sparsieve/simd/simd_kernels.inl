// The kernels themselves. Included by simd_plain.cpp, simd_avx2.cpp and simd_avx512.cpp, each
// compiled for its own instruction set and with its own SPARSIEVE_ISA (a namespace). The vector
// types are the compiler's own, eight doubles wide, which it splits where registers are narrower:
// the order of summation is fixed, so every instruction set with fused multiply-add gives the
// same bits on dense data.
#include <algorithm>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "sparsieve/simd/descend.inl"
#include "sparsieve/simd/simd.hpp"

namespace sparsieve::SPARSIEVE_ISA {
namespace {

typedef double Vec __attribute__((vector_size(64)));
typedef float VecF __attribute__((vector_size(32)));
typedef std::int32_t VecI32 __attribute__((vector_size(32)));
typedef std::int8_t VecI8 __attribute__((vector_size(8)));
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

// L groups of eight columns on the left, R columns on the right: as many sums as registers hold.
template <int L, int R>
inline void outer_part(const double* left, Index gap, const double* right, Index rows,
                       double* sums) {
  Vec s[L * R] = {};
  for (Index i = 0; i < rows; ++i) {
    Vec x[L];
    for (int l = 0; l < L; ++l) x[l] = load(left + l * gap + kLanes * i);
    for (int r = 0; r < R; ++r) {
      const double y = right[kLanes * i + r];
      for (int l = 0; l < L; ++l) s[l * R + r] += x[l] * y;
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int l = 0; l < L; ++l) {
      double* to = sums + 2 * kLanes * r + kLanes * l;
      store(to, load(to) + s[l * R + r]);
    }
  }
}

void outer(const double* left, Index gap, const double* right, Index rows, double* sums) {
  for (Index k = 0; k < 16 * kLanes; k += kLanes) __builtin_prefetch(sums + k, 1);
#if defined(__AVX512F__)
  outer_part<2, 8>(left, gap, right, rows, sums);
#else
  for (int l = 0; l < 2; ++l) {
    for (int r = 0; r < 8; r += 4) {
      outer_part<1, 4>(left + l * gap, gap, right + r, rows, sums + 2 * kLanes * r + kLanes * l);
    }
  }
#endif
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

template <class T>
void rotate(double c, double s, const T* x, double* y, double* out, Index n) {
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec xi = load(x + i), yi = load(y + i);
    store(out + i, c * xi + s * yi);
    store(y + i, c * yi - s * xi);
  }
  for (; i < n; ++i) {
    const double xi = static_cast<double>(x[i]), yi = y[i];
    out[i] = c * xi + s * yi;
    y[i] = c * yi - s * xi;
  }
}

// 127 * 32767 * 2 per lane and step: a block of this many entries cannot overflow 32 bits.
constexpr Index kShadowBlock = 4096;

#if defined(__AVX512BW__)
using Lanes = __m512i;
constexpr Index kShadowLanes = 32;
inline Lanes zero_lanes() { return _mm512_setzero_si512(); }
inline Lanes widen(const std::int8_t* p) {
  return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline Lanes load16(const std::int16_t* p) { return _mm512_loadu_si512(p); }
inline Lanes multiply_add(Lanes s, Lanes a, Lanes b) {
  return _mm512_add_epi32(s, _mm512_madd_epi16(a, b));
}
inline std::int64_t total(Lanes s) {
  const __m512i low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(s));
  const __m512i high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(s, 1));
  return _mm512_reduce_add_epi64(_mm512_add_epi64(low, high));
}
#elif defined(__AVX2__)
using Lanes = __m256i;
constexpr Index kShadowLanes = 16;
inline Lanes zero_lanes() { return _mm256_setzero_si256(); }
inline Lanes widen(const std::int8_t* p) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline Lanes load16(const std::int16_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
inline Lanes multiply_add(Lanes s, Lanes a, Lanes b) {
  return _mm256_add_epi32(s, _mm256_madd_epi16(a, b));
}
inline std::int64_t total(Lanes s) {
  alignas(32) std::int32_t lane[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lane), s);
  std::int64_t sum = 0;
  for (std::int32_t x : lane) sum += x;
  return sum;
}
#else
struct Lanes {
  std::int32_t lane[16];
};
struct Lanes16 {
  std::int16_t lane[16];
};
constexpr Index kShadowLanes = 16;
inline Lanes zero_lanes() { return {}; }
inline Lanes16 widen(const std::int8_t* p) {
  Lanes16 out;
  for (int i = 0; i < 16; ++i) out.lane[i] = p[i];
  return out;
}
inline Lanes16 load16(const std::int16_t* p) {
  Lanes16 out;
  for (int i = 0; i < 16; ++i) out.lane[i] = p[i];
  return out;
}
inline Lanes multiply_add(Lanes s, Lanes16 a, Lanes16 b) {
  for (int i = 0; i < 16; ++i) s.lane[i] += std::int32_t(a.lane[i]) * std::int32_t(b.lane[i]);
  return s;
}
inline std::int64_t total(Lanes s) {
  std::int64_t sum = 0;
  for (std::int32_t x : s.lane) sum += x;
  return sum;
}
#endif

void shadow_dot4(const std::int8_t* const x[4], const std::int16_t* v, Index n,
                 std::int64_t out[4]) {
  for (int k = 0; k < 4; ++k) out[k] = 0;
  for (Index begin = 0; begin < n; begin += kShadowBlock) {
    const Index end = std::min(n, begin + kShadowBlock);
    Lanes s0 = zero_lanes(), s1 = zero_lanes(), s2 = zero_lanes(), s3 = zero_lanes();
    for (Index i = begin; i < end; i += kShadowLanes) {
      const auto vi = load16(v + i);
      s0 = multiply_add(s0, widen(x[0] + i), vi);
      s1 = multiply_add(s1, widen(x[1] + i), vi);
      s2 = multiply_add(s2, widen(x[2] + i), vi);
      s3 = multiply_add(s3, widen(x[3] + i), vi);
    }
    out[0] += total(s0);
    out[1] += total(s1);
    out[2] += total(s2);
    out[3] += total(s3);
  }
}

void shadow_axpy4(const double a[4], const std::int8_t* const x[4], double* y, Index n) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  const std::int8_t *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    y[i] += (a0 * static_cast<double>(x0[i]) + a1 * static_cast<double>(x1[i])) +
            (a2 * static_cast<double>(x2[i]) + a3 * static_cast<double>(x3[i]));
  }
}

template <class T>
void min_max(const T* x, Index n, double* low, double* high) {
  T a = x[0], b = x[0];
#pragma omp simd reduction(min : a) reduction(max : b)
  for (Index i = 0; i < n; ++i) {
    a = x[i] < a ? x[i] : a;
    b = x[i] > b ? x[i] : b;
  }
  *low = a;
  *high = b;
}

template <class T>
void round_to_bytes(const T* x, Index n, double middle, double scale, std::int8_t* q, double* lost2,
                    double* size2) {
  // Adding and subtracting this number rounds to the nearest integer, in any vector width.
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  const double inverse = 1.0 / scale;
  Vec lost{}, size{};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec u = load(x + i) - middle, step = (u * inverse + kRound) - kRound;
    const auto rounded = __builtin_convertvector(__builtin_convertvector(step, VecI32), VecI8);
    std::memcpy(q + i, &rounded, sizeof rounded);
    const Vec miss = u - step * scale;
    lost += miss * miss;
    size += step * step;
  }
  *lost2 += sum(lost);
  *size2 += sum(size);
  for (; i < n; ++i) {
    const double u = static_cast<double>(x[i]) - middle;
    const double step = (u * inverse + kRound) - kRound, miss = u - step * scale;
    q[i] = static_cast<std::int8_t>(static_cast<std::int32_t>(step));
    *lost2 += miss * miss;
    *size2 += step * step;
  }
}

template <class T>
void moments(const T* x, const double* w, double middle, Index n, double out[3]) {
  Vec sum1{}, sum2{}, raw{};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec xi = load(x + i), wi = load(w + i), u = xi - middle;
    sum1 += wi * u;
    sum2 += wi * u * u;
    raw += wi * xi * xi;
  }
  out[0] = sum(sum1);
  out[1] = sum(sum2);
  out[2] = sum(raw);
  for (; i < n; ++i) {
    const double xi = static_cast<double>(x[i]), u = xi - middle;
    out[0] += w[i] * u;
    out[1] += w[i] * u * u;
    out[2] += w[i] * xi * xi;
  }
}

inline Vec size(Vec v) { return v < 0.0 ? -v : v; }
inline double size(double v) { return v < 0.0 ? -v : v; }
template <class V>
V read(const double* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

// For as many columns as V has lanes, from column j on; C combinations, S: sizes are known.
template <class V, int C, bool S>
void narrowest_at(const Combinations& all, const ColumnIntervals& known, Index j, double* centre,
                  double* radius) {
  V c[kReferences], r[kReferences];
  for (Index k = 0; k < C; ++k) {
    c[k] = read<V>(known.centre[k] + j);
    r[k] = read<V>(known.radius[k] + j);
  }
  const V norm = read<V>(known.norm + j), noise = read<V>(known.rounding + j) * all.norm;
  V best_centre{}, best_radius{}, best_reach{};
  for (Index w = 0; w < C; ++w) {
    V middle = c[0] * all.g[w][0], half = norm * all.rest_norm[w];
    if constexpr (S) {
      const V other = read<V>(known.size + j) * all.rest_largest[w];
      half = other < half ? other : half;
    }
    half += noise;
    half += r[0] * size(all.g[w][0]);
    for (Index k = 1; k < C; ++k) {
      middle += c[k] * all.g[w][k];
      half += r[k] * size(all.g[w][k]);
    }
    const V reach = size(middle) + half;
    if (w == 0) {
      best_centre = middle, best_radius = half, best_reach = reach;
    } else {
      best_centre = reach < best_reach ? middle : best_centre;
      best_radius = reach < best_reach ? half : best_radius;
      best_reach = reach < best_reach ? reach : best_reach;
    }
  }
  std::memcpy(centre + j, &best_centre, sizeof best_centre);
  std::memcpy(radius + j, &best_radius, sizeof best_radius);
}

template <int C, bool S>
void narrowest_of(const Combinations& all, const ColumnIntervals& known, Index first, Index last,
                  double* centre, double* radius) {
  Index j = first;
  for (; j + kLanes <= last; j += kLanes) narrowest_at<Vec, C, S>(all, known, j, centre, radius);
  for (; j < last; ++j) narrowest_at<double, C, S>(all, known, j, centre, radius);
}

void narrowest(const Combinations& all, const ColumnIntervals& known, Index first, Index last,
               double* centre, double* radius) {
  constexpr decltype(&narrowest) kKernels[2][kReferences] = {
      {narrowest_of<1, false>, narrowest_of<2, false>, narrowest_of<3, false>},
      {narrowest_of<1, true>, narrowest_of<2, true>, narrowest_of<3, true>}};
  kKernels[known.size != nullptr][all.count - 1](all, known, first, last, centre, radius);
}

// One bit per lane in which not a <= b.
#if defined(__AVX512F__)
inline unsigned not_below(Vec a, Vec b) {
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_NLE_UQ);
}
#elif defined(__AVX2__)
inline unsigned not_below(Vec a, Vec b) {
  __m256d x[2], y[2];
  std::memcpy(x, &a, sizeof a);
  std::memcpy(y, &b, sizeof b);
  const int low = _mm256_movemask_pd(_mm256_cmp_pd(x[0], y[0], _CMP_NLE_UQ));
  return low | _mm256_movemask_pd(_mm256_cmp_pd(x[1], y[1], _CMP_NLE_UQ)) << 4;
}
#else
inline unsigned not_below(Vec a, Vec b) {
  unsigned bits = 0;
  for (Index k = 0; k < kLanes; ++k) bits |= static_cast<unsigned>(!(a[k] <= b[k])) << k;
  return bits;
}
#endif

Index beyond(const double* centre, const double* radius, const double* threshold, double share,
             Index count, Index* out) {
  Index found = 0, j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    const Vec far = size(load(centre + j)) + load(radius + j);
    const unsigned bits = not_below(far, load(threshold + j) * share);
    if (bits == 0) continue;
    for (Index k = 0; k < kLanes; ++k) {  // without branches: which lanes is hard to predict
      out[found] = j + k;
      found += bits >> k & 1u;
    }
  }
  for (; j < count; ++j) {
    if (!(size(centre[j]) + radius[j] <= share * threshold[j])) out[found++] = j;
  }
  return found;
}

#include "sparsieve/simd/exponential_kernels.inl"
#include "sparsieve/simd/sparse_kernels.inl"
#include "sparsieve/simd/triangle_kernels.inl"

}  // namespace

template <class T>
Kernels<T> table() {
  return {dot<T>,    dot4<T>,    tile<T>,  outer,      axpy<T>,
          rotate<T>, moments<T>, axpy4<T>, min_max<T>, round_to_bytes<T>};
}
template Kernels<double> table<double>();
template Kernels<float> table<float>();
template <class T, class I>
SparseKernels<T, I> sparse_table() {
  return {sparse_dot<T, I>, sparse_axpy<T, I>, sparse_dots<T, I>, sparse_descend<T, I>};
}
template SparseKernels<double, std::int32_t> sparse_table();
template SparseKernels<double, std::int64_t> sparse_table();
template SparseKernels<float, std::int32_t> sparse_table();
template SparseKernels<float, std::int64_t> sparse_table();
IntervalKernels interval_table() { return {narrowest, beyond}; }
ExponentialKernels exponential_table() { return {exponentials, decays}; }
ShadowKernels shadow_table() { return {shadow_dot4, shadow_axpy4}; }
TriangleKernels triangle_table() {
  return {triangle_forward, triangle_below, triangle_backward, triangle_beside};
}

}  // namespace sparsieve::SPARSIEVE_ISA
