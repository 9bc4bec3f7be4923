// One epoch of coordinate descent: what it is told and what it tells.
#pragma once

#include <cstddef>

namespace sparsieve {

using Index = std::ptrdiff_t;

// One epoch of coordinate descent on the surrogate
//   1/2 (z - Xw)' Omega (z - Xw) + mu/2 ||w - w_old||^2 + sum_s slope_s |w_s|,
// over the slots of a working set. When bold, a coordinate moves by a Newton step that knows how
// the penalty bends, as long as that keeps its sign; only the plain step is sure to descend.
struct Epoch {
  Index count;           // of slots
  const Index* columns;  // the slots' columns in X
  const double* slope;
  const double* curvature;
  double mu;
  bool bold, positive;
  double* w;            // per slot
  double worst = 0.0;   // the largest violation met on the way
  double change = 0.0;  // of the fit
  Index read = 0;       // stored entries
};

// What an epoch has to know of all columns: squared norms, means (null = not centred), and sample weights
// (null = all equal to `weight`) with their total. The epoch keeps v = Omega r and its sum current, up to a
// multiple of omega that is orthogonal to every centred column.
struct EpochInputs {
  const double* norms2;
  const double* means;
  const double* omega;
  double weight, total;
  double* v;
  double sum;
};

}  // namespace sparsieve
