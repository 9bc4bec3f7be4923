#include "sparsieve/penalty/power_family.hpp"

#include <limits>

namespace sparsieve {

namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Below it differences of p and u p' lose digits, and their series takes 25 terms at most: 0.2^25 < eps.
constexpr double kSmall = 0.2;
// Newton ends long before: each step from far away at least halves the distance.
constexpr int kMostSteps = 200;
}  // namespace

// What is needed of p at one u > 0. S = p - u p' is the height of the tangent at u over zero.
struct PowerFamily::At {
  const PowerFamily& of;
  double u, log;  // log(1 + u)
  double fall;    // p' - 1
  double bend;    // c/2 - S / u^2, from 0 to c/2
  double left;    // S / u^2
  At(const PowerFamily& family, double at) : of(family), u(at), log(std::log1p(at)) {
    fall = std::expm1(-of.c_ * log);
    if (u < kSmall) {
      bend = series();
      left = 0.5 * of.c_ - bend;
    } else {
      left = (of.c_ * value() + fall) / u / u;
      bend = 0.5 * of.c_ - left;
    }
  }
  double value() const { return of.q_ > 0.0 ? std::expm1(of.q_ * log) / of.q_ : log; }
  // S / u^2 - b/2: at a stationary point phi over u^2, zero where that ties with u = 0.
  double gap() const { return u < kSmall ? 0.5 * (of.c_ - of.b_) - bend : left - 0.5 * of.b_; }
  // log(S / u^2) - log(b / 2), and its derivative in log u.
  double excess() const {
    return u < kSmall ? std::log1p(2.0 * gap() / of.b_) : std::log(2.0 * left / of.b_);
  }
  double elasticity() const {
    if (u >= kSmall) return of.c_ * std::exp(-(of.c_ + 1.0) * log) / left - 2.0;
    return (of.c_ * std::expm1(-(of.c_ + 1.0) * log) + 2.0 * bend) / left;
  }

 private:
  // S is the integral of c v (1 + v)^(-m), m = 1 + c: its binomial series without the first term.
  double series() const {
    double sum = 0.0, power = 1.0;
    for (int k = 1; k < 60; ++k) {
      power *= -u * (of.c_ + k) / k;
      const double term = power / (k + 2.0);
      sum -= term;
      if (std::fabs(term) <= 0.25 * kEps * sum) break;
    }
    return of.c_ * sum;
  }
};

// The largest root u of b u - z/s + p'(u), which is convex in u: from z/h Newton descends to it. Near s,
// z is told from it by the difference, where u may be small; far below by the ratio, where it is large.
double PowerFamily::root(double z) const {
  const double ratio = z / slope_, above = (z - slope_) / slope_;
  const bool near = ratio > 0.5;
  if (q_ == 0.0) {
    const double middle = near ? above + (1.0 - b_) : ratio - b_;
    const double square =
        near ? middle * middle + 4.0 * b_ * above : (ratio + b_) * (ratio + b_) - 4.0 * b_;
    const double wide = std::sqrt(std::max(square, 0.0));
    return middle > 0.0 ? (middle + wide) / (2.0 * b_) : 2.0 * above / (wide - middle);
  }
  double u = ratio / b_;
  int rises = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    const double log = std::log1p(u);
    const double slope =
        b_ * u + (near ? std::expm1(-c_ * log) - above : std::exp(-c_ * log) - ratio);
    const double curvature = b_ - c_ * std::exp(-(c_ + 1.0) * log);
    if (!(curvature > 0.0)) break;
    const double by = slope / curvature;
    u = std::max(u - by, 0.0);
    // It only rises when the last step was rounded: one of the next ones is the last.
    if (by < 0.0) ++rises;
    if (std::fabs(by) <= kEps * u || rises == 2) break;
  }
  return u;
}

// Where phi can tie with zero, for b < c: S / u^2 = b/2. Its logarithm is concave and decreasing in
// log u, so that Newton comes to the root from anywhere. The threshold is stationary there: half of the
// digits would do.
double PowerFamily::tie() const {
  const double share = b_ / c_;
  double x = std::log(1.5 * (1.0 - share) / (1.0 + c_)) - std::log(share) / (1.0 + c_);
  for (int step = 0; step < kMostSteps; ++step) {
    const At at(*this, std::exp(x));
    const double by = at.excess() / at.elasticity();
    x -= by;
    if (!(std::fabs(by) > 1e-10))
      break;  // squared, below eps: the threshold is stationary at the tie
  }
  return std::exp(x);
}

double PowerFamily::jump() const {
  if (!(b_ < c_)) return slope_;
  const At at(*this, tie());
  return slope_ * std::min(1.0, 0.5 * b_ * at.u + at.value() / at.u);
}

// Below s, u is better than zero from the tie on. That is asked of u, since it costs less than the
// threshold, unless u is so close to the tie that rounding, some eps c / bent of the gap, would answer.
bool PowerFamily::worse_than_zero(double z, const At& at) const {
  const double gap = at.gap(), bent = c_ - b_;
  if (bent > 1e-5 * c_ && std::fabs(gap) > 1e-3 * std::min(b_, bent)) return gap > 0.0;
  return z <= jump();
}

Best PowerFamily::best(double z) const {
  const bool below = z <= slope_;
  if (below && !(b_ < c_)) return {0.0, 0.0};
  const double u = root(z);
  if (!(u > 0.0)) return {0.0, 0.0};
  const At at(*this, u);
  if (below && worse_than_zero(z, at)) return {0.0, 0.0};
  return {length_ * u, std::min(slope_ * length_ * (u * (u * at.gap())), 0.0)};
}

}  // namespace sparsieve
