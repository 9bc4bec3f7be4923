#include "sparsieve/outer/fit.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "sparsieve/columns/facts.hpp"

namespace sparsieve {

Fit::Fit(FitParts parts, std::function<bool()> poll)
    : design_(std::move(parts.design)), penalty_(std::move(parts.penalty)) {
  const Index n = design_->n(), d = design_->d();
  if (static_cast<Index>(parts.y.size()) != n) {
    throw std::invalid_argument("y has the wrong length");
  }
  if (parts.weights && static_cast<Index>(parts.weights->size()) != d) {
    throw std::invalid_argument("weights has the wrong length");
  }
  MmProblem problem;
  problem.design = design_.get();
  problem.z = std::move(parts.y);
  problem.response_size =
      std::sqrt(weighted_dot(design_->omega().data(), problem.z.data(), problem.z.data(), n));
  response_mean_ = design_->centre_response(problem.z);
  if (parts.weights) problem.pi = std::move(*parts.weights);
  problem.penalty = penalty_.get();
  problem.positive = parts.positive;
  problem.prox_weight = parts.prox_weight;
  solver_ = std::make_unique<MmSolver>(std::move(problem), std::move(poll));
}

void Fit::set_penalty(std::shared_ptr<const Penalty> penalty) {
  solver_->set_penalty(penalty.get());
  penalty_ = std::move(penalty);
}

Account Fit::account() {
  const Bytes before = std::exchange(accounted_, design_->bytes_read());
  return {accounted_ - before, passes(*design_, accounted_) - passes(*design_, before)};
}

}  // namespace sparsieve
