// A loss: how far a predictor eta = Xw is from the response.
//
//   value(eta),  residual r = -Omega^-1 dF/deta,  v = Omega r,  and the dual value along kappa v
//
// A solver keeps u = origin - Xw: for squares the origin is the response, so that u is the residual
// itself and nothing cancels; another loss starts at minus its offset and reads eta = -u.
#pragma once

#include <vector>

#include "sparsieve/columns/design.hpp"

namespace sparsieve {

// The generalised residual at a point, plain and as the columns see it.
struct Residual {
  std::vector<double> r;
  Weighted weighted;
  double error = 0.0;  // how far rounding may have taken r, in the norm of Omega
};

class Loss {
 public:
  virtual ~Loss() = default;
  virtual const std::vector<double>& origin() const = 0;
  // The same before its mean was taken from it, so that no digit is lost: as a sum of two vectors, the second
  // one empty where it is zero.
  virtual const std::vector<double>& exact_origin() const = 0;
  virtual const std::vector<double>& origin_lost() const = 0;
  // On entry out.r = origin - Xw; on return the residual there.
  virtual void residual(Residual& out) const = 0;
  virtual double value(const Residual& at) const = 0;
  // out.v = curvature at a point times u: X'out.v is the Hessian's product with w where u = Xw.
  virtual void curvature_times(const Residual& at, const std::vector<double>& u,
                               Weighted& out) const = 0;
  // The dual objective at s = kappa v, given s's product with the predictor of the dual problem:
  // `linear` = v'(origin), `norm2` = v'Omega^-1 v.
  virtual double dual(double kappa, double linear, double norm2) const = 0;
  // Whether the curvature is the same everywhere, so that a quadratic model never changes.
  virtual bool quadratic() const = 0;
  // Deviance of w = 0, and the size of the response before centring, for rounding errors.
  virtual double null_deviance() const = 0;
  virtual double response_size() const = 0;
};

// A response as squares see it.
struct Response {
  std::vector<double> z;          // centred where the columns are
  std::vector<double> uncentred;  // the same before that; differs from the user's by `shift`...
  std::vector<double> lost;       // ...and by what rounding took then; empty if nothing
  double size = 0.0;              // its norm before it was centred
  double shift = 0.0;  // what was taken away before that, see SampleWeights::move_response
  double mean = 0.0;   // and by centring

  Response() = default;
  Response(const SampleWeights& weights, std::vector<double> y);
};

// F(eta) = 1/2 (z - eta)' Omega (z - eta), z centred where an intercept is fitted.
class SquaredLoss final : public Loss {
 public:
  SquaredLoss(const Design& design, Response response);
  const std::vector<double>& origin() const override { return response_.z; }
  const std::vector<double>& exact_origin() const override { return response_.uncentred; }
  const std::vector<double>& origin_lost() const override { return response_.lost; }
  void residual(Residual& out) const override { design_->weigh(out.r, out.weighted); }
  double value(const Residual& at) const override { return 0.5 * at.weighted.norm2; }
  void curvature_times(const Residual&, const std::vector<double>& u,
                       Weighted& out) const override {
    design_->weigh(u, out);
  }
  double dual(double kappa, double linear, double norm2) const override {
    return kappa * linear - 0.5 * kappa * kappa * norm2;
  }
  bool quadratic() const override { return true; }
  double null_deviance() const override { return null_deviance_; }
  double response_size() const override { return response_.size; }

 private:
  const Design* design_;
  Response response_;
  double null_deviance_;
};

}  // namespace sparsieve
