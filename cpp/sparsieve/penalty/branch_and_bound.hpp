// The best value of a coordinate, and its threshold, for a penalty of which only value and slope are
// known. A concave r lies above its chords: on an interval that bounds phi(t) = h t^2/2 - z t + r(t), and
// h t/2 + r(t)/t, from below. Intervals that may hold something better than the best point known are
// split, all of one round with one call of the penalty.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "sparsieve/penalty/penalty.hpp"

namespace sparsieve {

// Values and slopes at k points: (t, alpha, k, value, slope).
using Curve = std::function<void(const double*, const double*, Index, double*, double*)>;

Curve curve_of(const Penalty& penalty);

struct Coordinate {
  double z, h, alpha;
  double cap = std::numeric_limits<double>::infinity();  // t may not be larger
};

// Minima proven to 1e-12 of z^2/(2h); then the slope's root beside the best point. Needs z, alpha > 0.
std::vector<Best> search_minima(const Curve& curve, const std::vector<Coordinate>& of);
// Thresholds, too small by 1e-9 of them at most, and not too large. z plays no part; needs alpha > 0.
std::vector<double> search_thresholds(const Curve& curve, const std::vector<Coordinate>& of);
// The same for a penalty that the core knows, where t may not be beyond its cap: at most slope(0), and at least
// the threshold without a cap, which is asked for first. The numbers z play no part.
std::vector<double> capped_thresholds(const Penalty& penalty, const std::vector<Coordinate>& of);
// All throw std::invalid_argument when values and slopes met on the way are not those of a concave r,
// and give up proving a coordinate, not computing it, when it would take more than 2^18 intervals (phi is
// then flat over most of them).

}  // namespace sparsieve
