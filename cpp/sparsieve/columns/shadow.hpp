// An 8-bit shadow of a dense X: x_j = m_j 1 + sigma_j q_j + error, ||error|| = e_j known.
//
// For any v:  |x_j'v - (m_j sum(v) + sigma_j q_j'v)| <= e_j ||v||.
// Products are computed in integers, with v rounded to 16 bits and the error of that added. So a bound
// reads one byte per entry and has the same bits on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sparsieve/memory/pages.hpp"
#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

// A vector v rounded to 16 bits: v = unit * q + error.
struct Quantised {
  std::vector<std::int16_t> q;
  double unit = 0.0;
  double norm = 0.0;  // ||v||
  double sum = 0.0;   // sum(v)
  // Bounds of the error of a product with x = m 1 + sigma q, per unit of ||sigma q|| and of |m|.
  double per_size = 0.0, per_offset = 0.0;
};

Quantised quantise(const std::vector<double>& v);

// Makes up for the roundings of a sum of n squares, one after the other, of its root and of what follows.
inline double shadow_margin(Index n) {
  return 1.0 + 1e-9 + static_cast<double>(n) * std::numeric_limits<double>::epsilon();
}

class Shadow {
 public:
  Shadow(Index n, Index d);
  // Fill column j from its n values; touches nothing else, so columns may be filled in parallel.
  template <class T>
  void fill(Index j, const T* x);
  // out[k] = x_{cols[k]}'v, off by at most radius(v, cols[k]).
  void products(const Quantised& v, const Index* cols, Index count, double* out) const;
  // Known without reading the column.
  double radius(const Quantised& v, Index j) const {
    return error_[j] * v.norm + size_[j] * v.per_size + std::abs(offset_[j]) * v.per_offset;
  }
  // With many rows the error of 8 bits is as large as the correlations of unrelated columns. Then there are
  // 8 fine bits more, of what the first ones lost. They lie apart: most columns need only the first.
  bool has_fine() const { return fine_ != nullptr; }
  // out[k] = x_{cols[k]}'v, off by at most fine_radius(v, cols[k]).
  void fine_products(const Quantised& v, const Index* cols, Index count, double* out) const;
  double fine_radius(const Quantised& v, Index j) const {
    return fine_error_[j] * v.norm + (size_[j] + fine_size_[j]) * v.per_size +
           std::abs(offset_[j]) * v.per_offset;
  }
  // y += sum_k coef[k] x_{cols[k]}, with all the bits that the shadow has.
  void accumulate(const Index* cols, const double* coef, Index count, double* y) const;
  // A bound of the norm of x_j minus its shadow (all bits), with the rounding errors of so many operations
  // on each entry.
  double error_bound(Index j, double roundings) const;
  std::uint64_t column_bytes() const { return static_cast<std::uint64_t>(n_); }

 private:
  // Not initialised, so that the threads that fill them also touch the memory first.
  using Bits = Pages<std::int8_t>;
  template <class T>
  void fill_fine(Index j, const T* x, double largest);
  void add_columns(const Bits& data, const std::vector<double>& scale, const Index* cols,
                   const double* coef, Index count, double* y) const;
  void add_products(const Bits& data, const std::vector<double>& scale, const Quantised& v,
                    const Index* cols, Index count, double* out) const;
  Index n_, stride_;
  Bits data_, fine_;
  std::vector<double> offset_, scale_, error_, size_;  // m, sigma, e, ||sigma q||
  std::vector<double> fine_scale_, fine_error_, fine_size_;
};

}  // namespace sparsieve
