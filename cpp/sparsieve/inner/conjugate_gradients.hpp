// Preconditioned conjugate gradients for H x = g, stopped where the curvature of H turns negative.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

// How a direction is found; a step along it is taken only if F falls.
// Curvature along a direction below this share of the surrogate's counts as concave.
constexpr double kConcave = 1e-3;
// A truncated Newton solve stops at this reduction of its residual, or below this share of the violation
// that is aimed at.
constexpr double kForcing = 1e-3;
constexpr double kEnough = 0.3;

// `system` has
//   bool multiply(p, hp, php)   hp = H p and p'Hp; false where that is not sufficiently positive
//   void precondition(rho, z)   z = M^-1 rho
//   void moved(a)               x has just moved by a p
//   void turned(rho, beta)      p has just become z + beta p, where M z = rho
// x is where the iteration starts, with residual rho and direction p = z = M^-1 rho given. Ends when no
// entry of the residual exceeds `goal`, after `most` iterations, or on negative curvature. Returns the
// number of steps taken.
template <class System>
int conjugate_gradients(System& system, std::vector<double> rho, std::vector<double> z, double goal,
                        int most, std::vector<double>& x) {
  const Index k = static_cast<Index>(x.size());
  std::vector<double> p = z, hp(k);
  double rz = dot(rho.data(), z.data(), k);
  for (int iteration = 0; iteration < most; ++iteration) {
    double php = 0.0;
    if (!system.multiply(p, hp, php)) return iteration;
    const double a = rz / php;
    double worst = 0.0;
    for (Index i = 0; i < k; ++i) {
      x[i] += a * p[i];
      rho[i] -= a * hp[i];
      worst = std::max(worst, std::abs(rho[i]));
    }
    system.moved(a);
    if (worst <= goal) return iteration + 1;
    system.precondition(rho, z);
    const double rz_next = dot(rho.data(), z.data(), k), beta = rz_next / rz;
    rz = rz_next;
    for (Index i = 0; i < k; ++i) p[i] = z[i] + beta * p[i];
    system.turned(rho, beta);
  }
  return most;
}

}  // namespace sparsieve
