// Sums over the rows z_i = (x_i, y_i) of a table that is stored in full, with weights omega_i:
//   W = sum_i omega_i,   m = sum_i omega_i z_i / W,   S = sum_i omega_i (z_i - m)(z_i - m)'.
//
// They are computed about a pivot p near m, in one reading of X (and in more where m turns out to be far from p):
//   S = sum_i omega_i (z_i - p)(z_i - p)' - W o o',   o = sum_i omega_i (z_i - p) / W,   m = p + o.
// With the unit round-off u, sums of at most rho terms in a row, and f^2 = max_j W o_j^2 / S_jj, the share that is
// subtracted again,
//   |error of S_jl| <= u sqrt(S_jj S_ll) (rho (1 + f^2) + 2 rho f sqrt(1 + f^2) + 8),
//   |error of m_j|  <= u sqrt(S_jj / W) rho sqrt(1 + f^2).
#pragma once

#include <functional>
#include <vector>

#include "sparsieve/columns/storage.hpp"

namespace sparsieve {

struct RowSums {
  double weight = 0.0, heaviest = 0.0;
  Index positive = 0;                            // rows with a weight above 0
  std::vector<double> mean, mean_low;            // a sum of two doubles; the response last
  std::vector<double> products;                  // S, all of it
  double roundings = 0.0, mean_roundings = 0.0;  // the bounds above, in units of u
  // Whether all of this is known: squares stay in the range of doubles, some row has a weight, and nobody said
  // stop.
  bool usable = false;
};

// The same bits for any number of threads. Without `omega` every weight is 1.
RowSums row_sums(const Storage& x, const double* y, const double* omega, int threads,
                 const std::function<bool()>& stop);

}  // namespace sparsieve
