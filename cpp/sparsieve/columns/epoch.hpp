// One epoch of coordinate descent: its inputs and outputs.
#pragma once

#include <cstddef>

#include "sparsieve/rule/rule.hpp"

namespace sparsieve {

using Index = std::ptrdiff_t;

// One epoch of coordinate descent on the surrogate
//   1/2 (z - Xw)' Omega (z - Xw) + sum_s ridge_s/2 (w_s - centre_s)^2
//     + prox_weight/2 ||w - w_before||^2 + sum_s slope_s |w_s|,
// over the slots of a working set, within bounds. With newton_steps a coordinate moves by a Newton step that uses the
// curvature of the penalty, as long as it keeps its sign. Such a step may go uphill, the plain one may not.
struct Epoch {
  Index count;           // of slots
  const Index* columns;  // the slots' columns in X
  const double* slope;
  const double* curvature;
  const Bounds* bounds;  // per slot; null = none
  const double* ridge;   // per slot, with its centre; null = 0
  const double* centre;
  double prox_weight;  // of a proximal term around the w before the epoch
  bool newton_steps;
  double* w;            // per slot
  double worst = 0.0;   // the largest violation that a step removed: |step| times curvature
  double change = 0.0;  // of the loss and the ridge
  Index read = 0;       // stored entries that were read
};

// What an epoch has to know of all columns: squared norms, means (null = not centred), what stored columns are
// multiplied by (null = 1), and sample weights
// (null = all equal to `weight`) with their total. The epoch keeps v = Omega r and its sum current, up to a
// multiple of omega that is orthogonal to every centred column.
struct EpochInputs {
  const double* norms2;
  const double* means;
  const double* factors;
  const double* omega;
  double weight, total;
  double* v;
  double sum;
};

}  // namespace sparsieve
