// Arithmetic kernels, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sparsieve/columns/epoch.hpp"

namespace sparsieve {

// One table per instruction set (see simd_kernels.inl). T is the type of the stored data;
// every product and sum is carried out in double.
template <class T>
struct Kernels {
  // sum_i x[i] v[i]
  double (*dot)(const T* x, const double* v, Index n);
  // out[k] = sum_i x[k][i] v[i] for four columns at once (v is read once)
  void (*dot4)(const T* const x[4], const double* v, Index n, double out[4]);
  // out[4 a + b] = sum_i v[a][i] x[b][i] for four vectors and four columns at once
  void (*tile)(const double* const v[4], const T* const x[4], Index n, double out[16]);
  // sums[16 b + a] += sum_i x_a[i] x_b[i] for sixteen columns a and eight columns b. Columns come in groups of
  // eight, whose rows lie side by side: `left` has two groups, `gap` numbers apart, `right` one. A sum goes
  // through the rows one after the other.
  void (*outer)(const double* left, Index gap, const double* right, Index rows, double* sums);
  // y += a x
  void (*axpy)(double a, const T* x, double* y, Index n);
  // One plane rotation: (out, y) = (c x + s y, c y - s x)
  void (*rotate)(double c, double s, const T* x, double* y, double* out, Index n);
  // out = sums of w u, w u^2 and w x^2 with u = x - middle
  void (*moments)(const T* x, const double* w, double middle, Index n, double out[3]);
  // y += a[0] x[0] + ... + a[3] x[3]
  void (*axpy4)(const double a[4], const T* const x[4], double* y, Index n);
  // The smallest and the largest of n > 0 entries
  void (*min_max)(const T* x, Index n, double* low, double* high);
  // q = round((x - middle) / scale), |q| <= 127. Adds the squares of x - middle - scale q to lost2 and
  // those of q to size2.
  void (*round_to_bytes)(const T* x, Index n, double middle, double scale, std::int8_t* q,
                         double* lost2, double* size2);
};

template <class T>
const Kernels<T>& kernels();

// The same for sparse columns: stored entries x at increasing rows, whose indices are of type I.
template <class T, class I>
struct SparseKernels {
  // sum_p x[p] v[rows[p]]
  double (*dot)(const T* x, const I* rows, Index count, const double* v);
  // y[rows[p]] += a x[p]
  void (*axpy)(double a, const T* x, const I* rows, Index count, double* y);
  // out[k] = dot of column cols[k], which begins at x[starts[cols[k]]]
  void (*dots)(const T* x, const I* rows, const I* starts, const Index* cols, Index count,
               const double* v, double* out);
  // one epoch over columns that begin at x[starts[j]], all weights being equal
  void (*descend)(const T* x, const I* rows, const I* starts, Epoch& epoch, EpochInputs& inputs);
};
template <class T, class I>
const SparseKernels<T, I>& sparse_kernels();

// Products of 8-bit columns with a 16-bit vector, in integers; n is a multiple of 64.
struct ShadowKernels {
  void (*dot4)(const std::int8_t* const x[4], const std::int16_t* v, Index n, std::int64_t out[4]);
  // y += a[0] x[0] + ... + a[3] x[3], n any number
  void (*axpy4)(const double a[4], const std::int8_t* const x[4], double* y, Index n);
};
const ShadowKernels& shadow_kernels();

// A residual r written as combinations of reference residuals r_k, r = sum_k g_k r_k + rest. There are as
// many combinations as references, at least one.
constexpr Index kReferences = 3;
struct Combinations {
  Index count = 0;
  double g[kReferences][kReferences] = {};  // g[c][k]: of combination c on reference k
  double rest_norm[kReferences] = {};       // of what combination c leaves over
  double rest_largest[kReferences] = {};    // its largest weighted entry; only for sparse columns
  double norm = 0.0;                        // of r
};
// What is known of every column: intervals that hold its correlations with the references, its norm, and
// the rounding error of a correlation per unit of the norm of r.
struct ColumnIntervals {
  const double *centre[kReferences], *radius[kReferences];
  const double *norm, *rounding;
  const double* size;  // of sparse columns, the sum of absolute values; else null
};
struct IntervalKernels {
  // For every column from first to before last: the interval
  //   sum_k g_k centre_k  +-  radius,
  //   radius = sum_k |g_k| radius_k + norm(r) rounding + min(rest_norm norm, rest_largest size),
  // of the combination whose interval reaches least far from zero.
  void (*narrowest)(const Combinations& combinations, const ColumnIntervals& known, Index first,
                    Index last, double* centre, double* radius);
  // Which of the columns, numbered from 0, reach beyond a share of their thresholds:
  // not |centre| + radius <= share threshold. Returns how many.
  Index (*beyond)(const double* centre, const double* radius, const double* threshold, double share,
                  Index count, Index* out);
};
const IntervalKernels& interval_kernels();

// A lower triangle L. Its columns are stored in groups of eight, each column of a group from the group's
// first row down to row `height` (a multiple of eight), with zeros above the diagonal.
struct Triangle {
  const double* entries;  // aligned to 64 bytes
  const double* inverse;  // 1 / L_jj
  Index size, height;
};
// Solves, part by part: columns from `first`, a multiple of eight, to before `last`. What reads rows below
// them (from a multiple of eight to before `to`) takes whole groups.
struct TriangleKernels {
  // The block on the diagonal, L x = b, for `count` vectors, `stride` apart: a column comes from memory
  // once for all of them.
  void (*forward)(const Triangle& l, Index first, Index last, double* vectors, Index count,
                  Index stride);
  // What the columns' part of x takes away from rows below.
  void (*below)(const Triangle& l, Index first, Index last, Index from, Index to, double* vectors,
                Index count, Index stride);
  // The same for L' x = b: the block on the diagonal, and what rows below take away from the columns' part
  // (at once, for rows from `last` to before `to`, or on its own).
  void (*backward)(const Triangle& l, Index first, Index last, Index to, double* x);
  void (*beside)(const Triangle& l, Index first, Index last, Index from, Index to, double* x);
};
const TriangleKernels& triangle_kernels();

// Functions of n numbers, within a few units in the last place; what is not a number stays so.
struct ExponentialKernels {
  void (*exp)(const double* x, Index n, double* out);
  // e = exp(-|x|) and ln(1 + e)
  void (*decay)(const double* x, Index n, double* e, double* log_rest);
};
const ExponentialKernels& exponential_kernels();

// Name of the instruction set in use: "avx512", "avx2" or "plain" (NEON on ARM).
const char* instruction_set();

inline double dot(const double* a, const double* b, Index n) {
  return kernels<double>().dot(a, b, n);
}
inline void axpy(double a, const double* x, double* y, Index n) {
  kernels<double>().axpy(a, x, y, n);
}
// sum_i w[i] a[i] b[i]
double weighted_dot(const double* w, const double* a, const double* b, Index n);

}  // namespace sparsieve
