// The tangent of the penalty at some coordinates: r(t) <= value + slope (t - |w|) for concave r.
// Its slopes are the l1 weights of the next weighted lasso.
#pragma once

#include <cmath>
#include <vector>

#include "sparsieve/penalty/penalty.hpp"

namespace sparsieve {

struct Surrogate {
  std::vector<double> t, strength;  // |w| and alpha pi_j, set by the caller
  std::vector<double> value, slope, curvature;

  Index size() const { return static_cast<Index>(t.size()); }
  void resize(Index k) {
    for (auto* array : {&t, &strength, &value, &slope, &curvature}) array->resize(k);
  }
  // Values, slopes and curvatures at t; a strength of zero costs nothing.
  void evaluate(const Penalty& penalty) {
    const Index k = size();
    penalty.evaluate(t.data(), strength.data(), k, value.data(), slope.data(), curvature.data());
    for (Index i = 0; i < k; ++i) {
      if (strength[i] == 0.0) value[i] = slope[i] = curvature[i] = 0.0;
    }
  }
  // Whether the penalty bends at any of the coordinates.
  bool bends() const {
    for (double h : curvature) {
      if (h != 0.0) return true;
    }
    return false;
  }
};

}  // namespace sparsieve
