// An orthonormal basis of a few columns, in the inner product of a design.
#pragma once

#include <vector>

#include "sparsieve/columns/design.hpp"

namespace sparsieve {

// X_U = Q R with Q' Omega Q = I, by Gram-Schmidt with reorthogonalisation on the columns themselves:
// unlike a Cholesky factor of X_U' Omega X_U it does not square the condition number, so columns that
// are nearly dependent stay accurate. With a ridge mu > 0 each column carries an extra row
// sqrt(mu) of its own, which makes them independent.
class Basis {
 public:
  Basis(const Design& design, double ridge) : design_(design), ridge_(ridge) {}
  // Add column j unless it depends on those already in.
  void add(Index j);
  const std::vector<Index>& columns() const { return columns_; }
  // Q' (Omega r; sqrt(mu) tail): how far r is from orthogonal to the columns. `tail` has one entry
  // per column of the basis and is used only with a ridge.
  std::vector<double> coordinates(const Weighted& r, const std::vector<double>& tail) const;
  // R^{-1} q
  std::vector<double> solve(std::vector<double> q) const;

 private:
  struct Direction {
    std::vector<double> weighted;  // Omega q on the samples
    std::vector<double> plain;     // q on the samples
    std::vector<double> tail;      // q on the ridge rows of the columns so far
  };
  double inner(const Direction& q, const std::vector<double>& u,
               const std::vector<double>& tail) const;

  const Design& design_;
  double ridge_;
  double amplification_ = 1.0;  // largest whole / remainder of a column so far
  std::vector<Index> columns_;
  std::vector<Direction> q_;
  std::vector<std::vector<double>> r_;  // columns of R
};

}  // namespace sparsieve
