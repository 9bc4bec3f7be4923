// One design, many responses: each is fitted by itself at one alpha, and what belongs to the columns alone
// (norms, shadow, Gram matrix) is shared.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sparsieve/outer/path.hpp"
#include "sparsieve/outer/solver.hpp"

namespace sparsieve {

// What all responses have in common.
struct CodesPlan {
  LazyDesign* design;
  std::shared_ptr<const Penalty> penalty;
  std::optional<std::vector<double>> weights;
  Terms terms;
  std::shared_ptr<const SharedGram> shared;  // of all columns that can enter, or null
  SolveOptions options;
};

// The Gram matrix of all columns that can enter; null when `stop` says so on the way.
std::shared_ptr<const SharedGram> gram_of_all(const Design& design,
                                              const std::vector<double>& weights,
                                              const std::function<bool()>& stop);

// One after the other in each array.
struct CodeArrays : PathArrays {
  std::vector<double> gaps;
  std::vector<std::int64_t> iterations;
  std::vector<std::uint8_t> status, minimum;
};

// Solves for responses y (n numbers each, end to end), one alpha each; one start for all, or one each.
// kInterrupted when the poll said stop: what was found until then is in `out`. kOverflow: given coefficients
// are too large.
PathEnd solve_codes(const CodesPlan& plan, std::span<const double> y,
                    std::span<const double> alphas, const std::vector<Start>& starts,
                    CodeArrays& out);

}  // namespace sparsieve
