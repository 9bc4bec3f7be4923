// What solvers share while they are set up.
#pragma once

#include <vector>

#include "sparsieve/outer/solver.hpp"

namespace sparsieve {

// Throws std::invalid_argument when a length is wrong.
void check_lengths(const SolverParts& parts);
bool all_penalised(const std::vector<double>& weights);
// Bounds in units of the design's columns.
Box box_of(const Design& design, std::vector<double> lower, std::vector<double> upper);
// Those of the columns that do not depend on the ones before them.
std::vector<Index> independent(const Inputs& inputs, const std::vector<Index>& columns);
// The share (1 - l) alpha pi_j of the ridge.
void set_ridge(const Terms& terms, double alpha, const std::vector<double>& weights, Ridge& ridge);
// Coefficients of the design's columns in the user's units, exactly at bounds that they are at.
void to_user_units(const Design& design, const Box& box, const Terms& terms,
                   const std::vector<Index>& columns, std::vector<double>& coef);

}  // namespace sparsieve
