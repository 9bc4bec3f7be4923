// The best value of one coordinate, phi(t) = h t^2/2 - z t + r(t; a), for the built-in penalties, and the
// threshold T that z must pass for it to leave zero. Values are written as products, so that nothing
// cancels: on a flat part of r, T^2/(2h) - z^2/(2h), where T is the z at which it ties with zero.
#include "sparsieve/penalty/penalty.hpp"
#include "sparsieve/penalty/power_family.hpp"

namespace sparsieve {

namespace {

// On a part where r = a t.
Best shrunk(double z, double h, double a) {
  const double t = (z - a) / h;
  return {t, -0.5 * (z - a) * t};
}

// On a part where r is constant, tie^2 / (2h).
Best flat(double z, double h, double tie) {
  const double t = z / h;
  return {t, std::min(-0.5 * (z - tie) * ((z + tie) / h), 0.0)};
}

PowerFamily family(const LogSumShape& shape, double h, double a) {
  return {0.0, shape.theta, a / shape.theta, h};
}

PowerFamily family(const LqShape& shape, double h, double a) {
  return {shape.q, shape.eps, shape(0.0, a).slope, h};
}

}  // namespace

Best L1Shape::best(double z, double h, double a) const {
  return z <= a ? Best{0.0, 0.0} : shrunk(z, h, a);
}
double L1Shape::jump(double, double a) const { return a; }

Best LogSumShape::best(double z, double h, double a) const { return family(*this, h, a).best(z); }
double LogSumShape::jump(double h, double a) const { return family(*this, h, a).jump(); }

Best LqShape::best(double z, double h, double a) const { return family(*this, h, a).best(z); }
double LqShape::jump(double h, double a) const { return family(*this, h, a).jump(); }

Best McpShape::best(double z, double h, double a) const {
  if (z <= jump(h, a)) return {0.0, 0.0};
  const double k = std::fma(gamma, h, -1.0), above = z - a;
  // Convex up to t = gamma a, which is reached at z = gamma h a.
  if (k > 0.0 && above < a * k) {
    const double t = gamma * (above / k);
    return {t, -0.5 * above * t};
  }
  return flat(z, h, a * std::sqrt(gamma * h));
}
double McpShape::jump(double h, double a) const { return a * std::min(1.0, std::sqrt(gamma * h)); }

Best ScadShape::best(double z, double h, double a) const {
  if (z <= jump(h, a)) return {0.0, 0.0};
  const double g = gamma - 1.0, k = std::fma(g, h, -1.0), above = z - a;
  // Up to t = a, or where phi is not convex beyond, as long as the flat part is no better.
  const double end = k > 0.0 ? a * h : 0.5 * a * std::fma(gamma + 1.0, h, -1.0);
  if (above > 0.0 && above <= end) return shrunk(z, h, a);
  const double rest = above - end;
  if (k > 0.0 && rest < a * k) {
    const double t = a + g * (rest / k);
    return {t, -0.5 * (k * t * t + a * a) / g};
  }
  return flat(z, h, a * std::sqrt((gamma + 1.0) * h));
}
double ScadShape::jump(double h, double a) const {
  return a * std::min(1.0, std::sqrt((gamma + 1.0) * h));
}

Best CappedL1Shape::best(double z, double h, double a) const {
  if (z <= jump(h, a)) return {0.0, 0.0};
  // As long as the flat part is no better.
  if (z > a && z - a < h * theta - 0.5 * a) return shrunk(z, h, a);
  return flat(z, h, std::sqrt(2.0 * a * theta * h));
}
double CappedL1Shape::jump(double h, double a) const {
  return std::min(a, std::sqrt(2.0 * a * theta * h));
}

}  // namespace sparsieve
