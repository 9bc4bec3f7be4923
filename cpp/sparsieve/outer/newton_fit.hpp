// One fit of a loss whose curvature changes: what Fit holds, the rows, and the working set's model.
#pragma once

#include <memory>

#include "sparsieve/inner/gram_newton.hpp"
#include "sparsieve/loss/rows.hpp"
#include "sparsieve/model/curved_set.hpp"
#include "sparsieve/outer/fit.hpp"

namespace sparsieve {

struct NewtonFit {
  // Its state has coefficients, support, factor and the Gram matrix of the model; `c` there is X'v plus the pull
  // of the ridge, `fit` twice the value of the loss. It has no residual and no loss of its own.
  Fit base;
  Rows rows;
  CurvedSet set;
  RowPoint at;
  double eta_error = 0.0;       // of the predictor, in the norm of Omega
  double residual_error = 0.0;  // of the residual
  double scale = 1.0;           // by which the model's curvature is larger than the loss's
  NewtonArrays arrays;

  State& state() { return base.state; }
  const State& state() const { return base.state; }
  const Inputs& inputs() const { return base.inputs; }

  // Omega times the curvature at the point, no row below a share of the largest: the weights of a model.
  std::vector<double> model_weights() const;
  void take_in(const std::vector<Index>& fresh);
  // Support and factor from w: also where the poll says stop.
  void list_support();
  // The same where few coefficients have become zero, or are no longer: the factor changes with them.
  void update_support();
  // Correlations and violations at the point; `c` belongs to w and the best intercept next to it.
  void correlate();
  // The predictor at w from the columns, the best intercept, correlations, and bounds of their errors.
  void settle();
  // F and the penalty at the point, as they are: large terms of both signs may cancel. Else `fit` has no more than
  // what F is above its infimum.
  double objective(const Levels& levels);
  // Go to other coefficients, one per slot.
  void place(const std::vector<double>& w);
};

}  // namespace sparsieve
