// Losses that are sums over rows,
//
//   F(eta) = sum_i omega_i f(eta_i; y_i),   eta = offset + b + Xw,
//
// beyond squares: f is convex and its curvature changes with eta. Every function works on a batch of rows.
//
//   loss                           f(eta; y)
//   logistic, y in [0, 1]          ln(1 + e^eta) - y eta
//   Poisson, y >= 0                e^eta - y eta
//   negative binomial, y >= 0      (y + theta) ln(theta + e^eta) - y eta
//   Huber                          r^2/2 with r = y - eta; delta |r| - delta^2/2 where |r| > delta
#pragma once

#include <memory>

#include "sparsieve/columns/storage.hpp"

namespace sparsieve {

class RowLoss {
 public:
  virtual ~RowLoss() = default;
  // value = f(eta), residual = -f'(eta), curvature = f''(eta) >= 0. A value that overflows is infinite.
  virtual void evaluate(const double* eta, const double* y, Index n, double* value,
                        double* residual, double* curvature) const = 0;
  // The infimum of f(.; y) per row; nan where it is not known.
  virtual void lowest(const double* y, Index n, double* out) const = 0;
  // For kappa in [0, 1], with t = residual at eta, a bound of
  //   f(eta) + f*(-kappa t) + kappa t eta  >= 0,
  // what the dual point kappa t lacks: zero at kappa = 1 by Fenchel's equality.
  virtual void dual_loss(const double* eta, const double* y, Index n, double kappa,
                         double* out) const = 0;
  // lim f(s d; y) / s for s to infinity: how steeply f rises along d in the end. Infinite where that is not known.
  virtual double recession(double d, double y) const = 0;
  // A share of the curvatures of all points near eta, so near that eta moves by less than 1e-4 there.
  virtual void least_curvature(const double* eta, const double* y, Index n, double* out) const;
  // Models take no row's curvature as less than this share of the largest.
  virtual double floor() const { return 1e-6; }
};

std::shared_ptr<const RowLoss> logistic_loss();
std::shared_ptr<const RowLoss> poisson_loss();
std::shared_ptr<const RowLoss> negative_binomial_loss(double theta);
std::shared_ptr<const RowLoss> huber_loss(double delta);

}  // namespace sparsieve
