// The built-in penalties by name.
#pragma once

#include <memory>
#include <string>

#include "sparsieve/penalty/penalty.hpp"

namespace sparsieve {

// "l1", "logsum" (a = theta), "mcp", "scad" (a = gamma), "capped_l1" (a = theta), "lq" (a = q, b = eps).
// Throws std::invalid_argument for any other name.
std::shared_ptr<Penalty> builtin_penalty(const std::string& kind, double a, double b);

}  // namespace sparsieve
