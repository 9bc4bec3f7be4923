// Log-sum and lq as one: r(t) = s e p(t / e) with the slope s at zero, a length e, and
// p(u) = ((1 + u)^q - 1) / q, which is log(1 + u) for q = 0.
#pragma once

#include "sparsieve/penalty/penalty.hpp"

namespace sparsieve {

// phi(t) = h t^2/2 - z t + r(t) is s e (b u^2/2 - (z/s) u + p(u)) with u = t/e and b = h e/s. It is convex
// when b is at least c = 1 - q, the largest -p''.
class PowerFamily {
 public:
  PowerFamily(double q, double length, double slope, double h)
      : q_(q), c_(1.0 - q), length_(length), slope_(slope), b_(h * (length / slope)) {}
  Best best(double z) const;
  double jump() const;

 private:
  struct At;
  double root(double z) const;
  double tie() const;
  bool worse_than_zero(double z, const At& at) const;
  double q_, c_, length_, slope_, b_;
};

}  // namespace sparsieve
