#include "sparsieve/loss/row_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sparsieve/simd/simd.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
// Curvatures of smooth losses change by no more than a factor e^|d| along d: |f'''| <= f''. This is less than
// e^-1e-4.
constexpr double kNear = 0.999;
// Below this the series of (1 + x) ln(1 + x) - x is used: its first term left out is x^7/42.
constexpr double kSmall = 4e-3;

double xlogx(double x) { return x > 0.0 ? x * std::log(x) : 0.0; }

// (1 + x) ln(1 + x) - x for x >= -1, without cancellation.
double bend(double x) {
  if (x <= -1.0) return 1.0;
  if (std::abs(x) > kSmall) return (1.0 + x) * std::log1p(x) - x;
  // sum_k (-x)^k / (k (k - 1))
  return x * x *
         (1.0 / 2.0 - x * (1.0 / 6.0 - x * (1.0 / 12.0 - x * (1.0 / 20.0 - x * (1.0 / 30.0)))));
}

// m bend(move / m): the divergence m' ln(m'/m) - (m' - m) from m to m' = m + move >= 0.
double divergence(double m, double move) {
  if (m > 0.0 && std::isfinite(move / m)) return m * bend(std::max(move / m, -1.0));
  return move > 0.0 ? kInf : 0.0;
}

// The logistic curve at u: m = 1/(1 + e^-u) and 1 - m, ln(1 + e^u) and ln(1 + e^-u), none with cancellation.
struct Sigmoid {
  double m, other, plus, minus;
  explicit Sigmoid(double u) : Sigmoid(u, std::exp(-std::abs(u)), 0.0) {
    const double rest = std::log1p(std::exp(-std::abs(u)));
    plus += rest;
    minus += rest;
  }
  // e = exp(-|u|), rest = ln(1 + e)
  Sigmoid(double u, double e, double rest) {
    const double small = e / (1.0 + e), large = 1.0 / (1.0 + e);
    m = u >= 0.0 ? large : small;
    other = u >= 0.0 ? small : large;
    plus = std::max(u, 0.0) + rest;
    minus = std::max(-u, 0.0) + rest;
  }
};

// The same at many places eta - shift.
class Sigmoids {
 public:
  Sigmoids(const double* eta, Index n, double shift) : u_(eta, eta + n), e_(n), rest_(n) {
    if (shift != 0.0) {
      for (double& u : u_) u -= shift;
    }
    exponential_kernels().decay(u_.data(), n, e_.data(), rest_.data());
  }
  Sigmoid operator[](Index i) const { return {u_[i], e_[i], rest_[i]}; }

 private:
  std::vector<double> u_, e_, rest_;
};

// c (ln(1 + e^u) - q u) with a label q in [0, 1] and a weight c.
struct Binomial {
  double ups, downs;  // c q and c (1 - q)
  void evaluate(const Sigmoid& at, double& value, double& residual, double& curvature) const {
    value = ups * at.minus + downs * at.plus;
    residual = ups * at.other - downs * at.m;
    curvature = (ups + downs) * at.m * at.other;
  }
  double lowest() const { return xlogx(ups + downs) - xlogx(ups) - xlogx(downs); }
  // c times the divergence of m' = m + (1 - kappa)(q - m) from m.
  double dual_loss(double u, double kappa) const {
    const Sigmoid at(u);
    const double c = ups + downs, move = (1.0 - kappa) * (ups * at.other - downs * at.m);
    return divergence(c * at.m, move) + divergence(c * at.other, -move);
  }
  double recession(double d) const { return d > 0.0 ? downs * d : ups * -d; }
};

class Logistic final : public RowLoss {
 public:
  void evaluate(const double* eta, const double* y, Index n, double* value, double* residual,
                double* curvature) const override {
    const Sigmoids at(eta, n, 0.0);
    for (Index i = 0; i < n; ++i) {
      label(y[i]).evaluate(at[i], value[i], residual[i], curvature[i]);
    }
  }
  void lowest(const double* y, Index n, double* out) const override {
    for (Index i = 0; i < n; ++i) out[i] = label(y[i]).lowest();
  }
  void dual_loss(const double* eta, const double* y, Index n, double kappa,
                 double* out) const override {
    for (Index i = 0; i < n; ++i) out[i] = label(y[i]).dual_loss(eta[i], kappa);
  }
  double recession(double d, double y) const override { return label(y).recession(d); }

 private:
  static Binomial label(double y) { return {y, 1.0 - y}; }
};

class Poisson final : public RowLoss {
 public:
  void evaluate(const double* eta, const double* y, Index n, double* value, double* residual,
                double* curvature) const override {
    exponential_kernels().exp(eta, n, curvature);
    for (Index i = 0; i < n; ++i) {
      value[i] = curvature[i] - y[i] * eta[i];
      residual[i] = y[i] - curvature[i];
    }
  }
  void lowest(const double* y, Index n, double* out) const override {
    for (Index i = 0; i < n; ++i) out[i] = y[i] - xlogx(y[i]);
  }
  void dual_loss(const double* eta, const double* y, Index n, double kappa,
                 double* out) const override {
    for (Index i = 0; i < n; ++i) {
      const double m = std::exp(eta[i]);
      out[i] = divergence(m, (1.0 - kappa) * (y[i] - m));
    }
  }
  double recession(double d, double y) const override { return d > 0.0 ? kInf : -y * d; }
};

// With u = eta - ln theta:  (y + theta) ln(1 + e^u) - y u + theta ln theta, a logistic loss with weight y + theta.
class NegativeBinomial final : public RowLoss {
 public:
  explicit NegativeBinomial(double theta) : theta_(theta), shift_(std::log(theta)) {}
  void evaluate(const double* eta, const double* y, Index n, double* value, double* residual,
                double* curvature) const override {
    const Sigmoids at(eta, n, shift_);
    for (Index i = 0; i < n; ++i) {
      Binomial{y[i], theta_}.evaluate(at[i], value[i], residual[i], curvature[i]);
      value[i] += theta_ * shift_;
    }
  }
  void lowest(const double* y, Index n, double* out) const override {
    for (Index i = 0; i < n; ++i) {
      out[i] = Binomial{y[i], theta_}.lowest() + theta_ * shift_;
    }
  }
  void dual_loss(const double* eta, const double* y, Index n, double kappa,
                 double* out) const override {
    for (Index i = 0; i < n; ++i) {
      out[i] = Binomial{y[i], theta_}.dual_loss(eta[i] - shift_, kappa);
    }
  }
  double recession(double d, double y) const override { return Binomial{y, theta_}.recession(d); }

 private:
  double theta_, shift_;
};

class Huber final : public RowLoss {
 public:
  explicit Huber(double delta) : delta_(delta) {}
  void evaluate(const double* eta, const double* y, Index n, double* value, double* residual,
                double* curvature) const override {
    for (Index i = 0; i < n; ++i) {
      const double r = y[i] - eta[i], size = std::abs(r);
      const bool inside = size <= delta_;
      value[i] = inside ? 0.5 * r * r : delta_ * (size - 0.5 * delta_);
      residual[i] = inside ? r : std::copysign(delta_, r);
      curvature[i] = inside ? 1.0 : 0.0;
    }
  }
  void lowest(const double*, Index n, double* out) const override { std::fill_n(out, n, 0.0); }
  void dual_loss(const double* eta, const double* y, Index n, double kappa,
                 double* out) const override {
    for (Index i = 0; i < n; ++i) {
      const double t = (1.0 - kappa) * std::clamp(y[i] - eta[i], -delta_, delta_);
      const double over = std::max(std::abs(y[i] - eta[i]) - delta_, 0.0);
      out[i] = 0.5 * t * t + std::abs(t) * over;
    }
  }
  double recession(double d, double) const override { return delta_ * std::abs(d); }
  void least_curvature(const double* eta, const double* y, Index n, double* out) const override {
    for (Index i = 0; i < n; ++i) {
      out[i] = std::abs(y[i] - eta[i]) <= delta_ - 1e-4 ? 1.0 : 0.0;
    }
  }
  double floor() const override { return 1e-2; }

 private:
  double delta_;
};
}  // namespace

void RowLoss::least_curvature(const double* eta, const double* y, Index n, double* out) const {
  std::vector<double> value(n), residual(n);
  evaluate(eta, y, n, value.data(), residual.data(), out);
  for (Index i = 0; i < n; ++i) out[i] *= kNear;
}

std::shared_ptr<const RowLoss> logistic_loss() { return std::make_shared<Logistic>(); }
std::shared_ptr<const RowLoss> poisson_loss() { return std::make_shared<Poisson>(); }
std::shared_ptr<const RowLoss> negative_binomial_loss(double theta) {
  return std::make_shared<NegativeBinomial>(theta);
}
std::shared_ptr<const RowLoss> huber_loss(double delta) { return std::make_shared<Huber>(delta); }

}  // namespace sparsieve
