// What is proven about a point of a loss that is a sum over rows.
#pragma once

#include "sparsieve/certificate/certificate.hpp"
#include "sparsieve/loss/rows.hpp"
#include "sparsieve/model/curved_set.hpp"

namespace sparsieve {

// The point on the rows, and how exact it is.
struct CurvedPoint {
  const Rows& rows;
  const CurvedSet& set;
  const RowPoint& at;
  double eta_error, residual_error;  // in the norm of Omega
};

// Duality gap of the surrogate at w; `ratio` bounds |c_j| / threshold_j outside the working set. Not a number
// where the loss does not know its infimum.
double surrogate_gap(const Inputs& inputs, const Levels& levels, const State& state,
                     const SupportGradient& gradient, double ratio, const CurvedPoint& point);

// Whether F is strictly convex on the support around w, see strictly_convex in certificate.hpp.
bool strictly_convex(const Inputs& inputs, const Penalty& penalty, const State& state,
                     const SupportGradient& gradient, double violation, const CurvedPoint& point);

}  // namespace sparsieve
