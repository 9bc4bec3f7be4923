// Where a loss has no minimiser: directions along which it falls without end while the penalty stays the same.
#pragma once

#include <optional>

#include "sparsieve/outer/newton_fit.hpp"

namespace sparsieve {

// Such a direction among the coefficients that the penalty holds no more at the point, largest ones first,
// and the intercept. What is returned is a proof, rounding included; there may be one that is not found.
std::optional<Separation> find_separation(const NewtonFit& fit);

}  // namespace sparsieve
