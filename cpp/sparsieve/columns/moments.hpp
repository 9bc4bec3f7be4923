// What is known of each column before any fit, measured in one pass over X.
#pragma once

#include <vector>

#include "sparsieve/columns/sample_weights.hpp"
#include "sparsieve/columns/storage.hpp"

namespace sparsieve {

// Squares of norms outside these bounds count as out of range. Doubles reach from 1e-308 to 1e308: a sum of
// 1e4 such squares stays inside, and one that does not is infinite and counts as too large too.
constexpr double kTinySquare = 1e-304, kHugeSquare = 1e304;

// One entry per column. x_j is a column as solvers see it: minus its weighted mean if columns are centred,
// then times its factor.
struct Moments {
  std::vector<double> means;  // of the stored columns; zeros without centring
  // One over the weighted standard deviation of each column, 1 for constant ones; empty unless columns are
  // standardised.
  std::vector<double> factors;
  std::vector<double> norms2;  // x_j' Omega x_j; exactly 0 for constant (or zero) columns
  std::vector<double> norms;   // their roots
  // A bound of the rounding error of a correlation x_j' Omega r, per unit of the norm of r.
  std::vector<double> roundings;
  std::vector<double> sizes;  // sum_i |x_ij| before centring, rounded up; only of sparse columns
  // Columns whose squares are out of range. The small ones count as zero. With the large ones nothing can
  // be computed; columns with an entry that is not finite are among them. Both have norm 0 here.
  std::vector<Index> too_small, too_large;
  // Columns whose mean is large compared with how much they vary: products with them as they are stored
  // lose digits.
  std::vector<Index> far;
  std::vector<Index> constant;  // only listed where columns are standardised
};

// Whether columns are seen in units of their standard deviations.
enum class Scaling { kAsStored, kStandardised };

// What else is computed while a column is in cache, if wanted.
struct WhileMeasuring {
  Shadow* shadow = nullptr;                     // filled
  const Weighted* r = nullptr;                  // a residual...
  std::vector<double>* correlations = nullptr;  // ...whose correlations with all columns go here
  // Standard deviations that are known, one per column; else, or where they are empty, they are measured.
  const std::vector<double>* deviations = nullptr;
};

// Adds to `read` the bytes of X that were read.
Moments measure(const Storage& storage, const SampleWeights& weights, Scaling scaling, int threads,
                const WhileMeasuring& also, Bytes& read);

}  // namespace sparsieve
