// The Cholesky factor of a support's Gram matrix, maintained as features enter and leave.
#pragma once

#include <functional>
#include <vector>

#include "sparsieve/memory/pages.hpp"
#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

// Whether the symmetric k x k matrix A (row-major, leading dimension ld a multiple of 4, room for
// rows up to the next multiple of 4; only the lower triangle is read) is positive definite beyond
// rounding: no pivot within its `noise`. A is overwritten by its Cholesky factor.
// Gives up, answering false, when `stop` says so.
bool factorise(double* a, Index k, Index ld, const std::vector<double>& noise,
               const std::function<bool()>& stop);

// L L' = A for a growing and shrinking k x k matrix A. L is lower triangular, stored by columns, so
// that solves, appended rows and the rotations of a removal all run along contiguous memory.
class Factor {
 public:
  Index size() const { return k_; }
  void clear() {
    k_ = 0;
    inverse_.clear();
  }
  // Append a row (a[0..k), diagonal). A pivot below the rounding floor is lifted to it: the factor
  // then belongs to a matrix with a slightly larger diagonal, which is all a Newton step needs.
  // Returns false when that happened.
  bool append(const double* a, double diagonal);
  // The same for several rows at once: row b, of length k + count, holds the entries up to its diagonal
  // at k + b.
  bool append(std::vector<double> rows, Index count, int threads);
  // Remove row and column i.
  void remove(Index i, int threads = 1);
  // The smallest pivot relative to its diagonal entry: how far A is from singular, roughly.
  double smallest_pivot(const std::vector<double>& diagonal) const;
  // x = A^{-1} b (x may be b)
  void solve(const double* b, double* x, int threads = 1) const;

 private:
  // Column j from row 0, stored as a Triangle says.
  double* column(Index j) {
    const Index group = j / 8 * 8;
    return l_.data() + group * height_ - group * (group - 8) / 2 + (j - group) * (height_ - group) -
           group;
  }
  const double* column(Index j) const { return const_cast<Factor*>(this)->column(j); }
  Triangle triangle() const { return {l_.data(), inverse_.data(), k_, height_}; }
  bool shares(Index count, int threads) const;
  // L^{-1} for `count` vectors, `stride` apart
  void forward(double* vectors, Index count, Index stride, int threads) const;
  void reserve(Index k);
  Index k_ = 0, height_ = 0;
  std::vector<double, CacheLineAllocator<double>> l_;
  std::vector<double> inverse_;  // 1 / L_jj
};

}  // namespace sparsieve
