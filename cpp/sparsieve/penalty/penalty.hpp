// What the engine asks of a penalty r(t; alpha), t >= 0. Majorisation-minimisation: value, slope and
// curvature at a few points. Coordinate-wise minima: the best value of one coordinate, and the threshold
// up to which that is zero. Kernels never see a penalty, only the l1 weights it yields.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

class Penalty {
 public:
  virtual ~Penalty() = default;
  // For k coordinates: t[i] = |w_i|, alpha[i] = strength times the feature's weight. `curvature` is
  // r'' <= 0; it only steers acceleration, never correctness.
  virtual void evaluate(const double* t, const double* alpha, Index k, double* value, double* slope,
                        double* curvature) const = 0;
  // The best value of one coordinate: over t >= 0 the minimiser of h t^2/2 - z t + r(t; alpha) for
  // z >= 0, h > 0, and that minimum, never above 0 (what t = 0 gives). On a tie with zero: zero.
  virtual void minimise(const double* z, const double* h, const double* alpha, Index k, double* t,
                        double* value) const = 0;
  // The largest z up to which t = 0 is a minimiser: inf over t > 0 of h t/2 + r(t)/t. At most slope(0).
  virtual void jump_thresholds(const double* h, const double* alpha, Index k,
                               double* out) const = 0;
};

struct Tangent {
  double value, slope, curvature;
};

// Where h t^2/2 - z t + r(t; alpha) is smallest over t >= 0, and its value there.
struct Best {
  double t, value;
};

// Without a penalty.
inline Best unpenalised(double z, double h) {
  const double t = z / h;
  return {t, 0.0 - 0.5 * z * t};
}

// The built-in penalties (docs/penalties.md). Each is a function of (t, alpha). `best` and `jump` are
// minimise and jump_thresholds of one coordinate with alpha > 0: minimiser.cpp.
struct L1Shape {
  Tangent operator()(double t, double a) const { return {a * t, a, 0.0}; }
  Best best(double z, double h, double a) const;
  double jump(double h, double a) const;
};
struct LogSumShape {
  double theta;
  Tangent operator()(double t, double a) const {
    const double slope = a / (theta + t);
    return {a * std::log1p(t / theta), slope, -slope / (theta + t)};
  }
  Best best(double z, double h, double a) const;
  double jump(double h, double a) const;
};
struct McpShape {
  double gamma;
  Tangent operator()(double t, double a) const {
    if (t > gamma * a) return {0.5 * gamma * a * a, 0.0, 0.0};
    return {a * t - 0.5 * t * t / gamma, std::max(a - t / gamma, 0.0), -1.0 / gamma};
  }
  Best best(double z, double h, double a) const;
  double jump(double h, double a) const;
};
struct ScadShape {
  double gamma;
  Tangent operator()(double t, double a) const {
    if (t <= a) return {a * t, a, 0.0};
    if (t > gamma * a) return {0.5 * a * a * (gamma + 1.0), 0.0, 0.0};
    const double g = gamma - 1.0;
    return {(2.0 * gamma * a * t - t * t - a * a) / (2.0 * g), std::max((gamma * a - t) / g, 0.0),
            -1.0 / g};
  }
  Best best(double z, double h, double a) const;
  double jump(double h, double a) const;
};
struct CappedL1Shape {
  double theta;
  Tangent operator()(double t, double a) const {
    return t < theta ? Tangent{a * t, a, 0.0} : Tangent{a * theta, 0.0, 0.0};
  }
  Best best(double z, double h, double a) const;
  double jump(double h, double a) const;
};
struct LqShape {
  double q, eps;
  Tangent operator()(double t, double a) const {
    // (t + eps)^q - eps^q without cancellation for small t
    const double value = a * std::pow(eps, q) * std::expm1(q * std::log1p(t / eps));
    const double slope = a * q * std::pow(t + eps, q - 1.0);
    return {value, slope, slope * (q - 1.0) / (t + eps)};
  }
  Best best(double z, double h, double a) const;
  double jump(double h, double a) const;
};

template <class Shape>
class ShapedPenalty final : public Penalty {
 public:
  explicit ShapedPenalty(Shape shape) : shape_(shape) {}
  void evaluate(const double* t, const double* alpha, Index k, double* value, double* slope,
                double* curvature) const override {
    for (Index i = 0; i < k; ++i) {
      const Tangent p = shape_(t[i], alpha[i]);
      value[i] = p.value;
      slope[i] = p.slope;
      curvature[i] = p.curvature;
    }
  }
  void minimise(const double* z, const double* h, const double* alpha, Index k, double* t,
                double* value) const override {
    for (Index i = 0; i < k; ++i) {
      const Best best =
          alpha[i] == 0.0 ? unpenalised(z[i], h[i]) : shape_.best(z[i], h[i], alpha[i]);
      t[i] = best.t;
      value[i] = best.value;
    }
  }
  void jump_thresholds(const double* h, const double* alpha, Index k, double* out) const override {
    for (Index i = 0; i < k; ++i) out[i] = alpha[i] == 0.0 ? 0.0 : shape_.jump(h[i], alpha[i]);
  }

 private:
  Shape shape_;
};

}  // namespace sparsieve
