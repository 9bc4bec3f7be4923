// What majorisation-minimisation asks of a penalty r(t; alpha), t >= 0: value, slope and curvature
// at a few points. Kernels never see a penalty, only the l1 weights it yields.
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
};

struct Tangent {
  double value, slope, curvature;
};

// The built-in penalties, DESIGN section 2. Each is a function of (t, alpha).
struct L1Shape {
  Tangent operator()(double t, double a) const { return {a * t, a, 0.0}; }
};
struct LogSumShape {
  double theta;
  Tangent operator()(double t, double a) const {
    const double slope = a / (theta + t);
    return {a * std::log1p(t / theta), slope, -slope / (theta + t)};
  }
};
struct McpShape {
  double gamma;
  Tangent operator()(double t, double a) const {
    if (t > gamma * a) return {0.5 * gamma * a * a, 0.0, 0.0};
    return {a * t - 0.5 * t * t / gamma, std::max(a - t / gamma, 0.0), -1.0 / gamma};
  }
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
};
struct CappedL1Shape {
  double theta;
  Tangent operator()(double t, double a) const {
    return t < theta ? Tangent{a * t, a, 0.0} : Tangent{a * theta, 0.0, 0.0};
  }
};
struct LqShape {
  double q, eps;
  Tangent operator()(double t, double a) const {
    // (t + eps)^q - eps^q without cancellation for small t
    const double value = a * std::pow(eps, q) * std::expm1(q * std::log1p(t / eps));
    const double slope = a * q * std::pow(t + eps, q - 1.0);
    return {value, slope, slope * (q - 1.0) / (t + eps)};
  }
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

 private:
  Shape shape_;
};

}  // namespace sparsieve
