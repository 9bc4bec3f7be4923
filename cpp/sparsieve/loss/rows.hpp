// A loss with its response on the rows of a design, and a point there: predictor, residual, curvature.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sparsieve/columns/design.hpp"
#include "sparsieve/loss/row_loss.hpp"

namespace sparsieve {

// Rows without weight have no residual and no curvature.
struct RowPoint {
  double intercept = 0.0;
  std::vector<double> eta, residual, curvature;
  Weighted weighted;   // of the residual: v = Omega residual
  double value = 0.0;  // F(eta) minus its infimum over all eta, where that is known
  double sum = 0.0;    // F(eta) itself
  double size = 0.0;   // of the terms of these sums
};

class Rows {
 public:
  Rows(std::shared_ptr<const RowLoss> loss, SampleWeights weights, std::vector<double> y,
       std::vector<double> offset);

  Index n() const { return static_cast<Index>(y_.size()); }
  const RowLoss& loss() const { return *loss_; }
  const std::vector<double>& y() const { return y_; }
  double offset(Index i) const { return offset_.empty() ? 0.0 : offset_[i]; }
  bool weighs(Index i) const { return weights_.omega()[i] > 0.0; }
  const SampleWeights& weights() const { return weights_; }
  // Everything else at out.eta.
  void evaluate(RowPoint& out) const;
  // The predictor of w = 0: offset and intercept.
  void start(double intercept, RowPoint& out) const;
  // Move along the intercept to where the residuals sum to zero, up to rounding. False where there is no such
  // place: F falls without end in the direction `drift`, 1 or -1.
  bool fit_intercept(RowPoint& at, double& drift) const;
  // A bound of the error of the residual, in the norm of Omega, where the predictor was computed with an error
  // of at most `error` in that norm.
  double residual_error(const RowPoint& at, double error) const;
  // A bound of  F(eta) + sum_i omega_i f*(-kappa r_i) + kappa v'eta  >= 0.
  double dual_loss(const RowPoint& at, double kappa) const;
  // An intercept with which F does not rise along d, and falls for some row, wherever it starts: d + intercept
  // separates. `error`: how far each entry of d may be off. Without `free` the intercept is zero.
  std::optional<double> separating_intercept(const std::vector<double>& d,
                                             const std::vector<double>& error, bool free) const;

 private:
  void move_intercept(RowPoint& at, double by) const;
  std::shared_ptr<const RowLoss> loss_;
  SampleWeights weights_;
  std::vector<double> y_, offset_, lowest_;
};

}  // namespace sparsieve
