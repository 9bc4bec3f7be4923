// Setting a solver up: measure the columns, fit what is unpenalised, correlations of everybody else.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "sparsieve/inner/basis.hpp"
#include "sparsieve/inner/gram_newton.hpp"
#include "sparsieve/model/model.hpp"
#include "sparsieve/outer/solver.hpp"

namespace sparsieve {
namespace {
// Pivots above this, relative, belong to independent columns beyond any doubt.
constexpr double kSoundPivot = 1e-6;
// How exactly the unpenalised features are fitted, relative to their largest correlation, and how often
// the fit is refined: each time from exact correlations.
constexpr double kExactly = 1e-14;
constexpr int kRefinements = 3;

Inputs inputs_of(MmProblem& problem, std::function<bool()> poll) {
  Bounds bounds;
  if (problem.positive) bounds.lower = 0.0;
  return {
      problem.design,
      std::make_shared<SquaredLoss>(*problem.design, std::move(problem.z), problem.response_size),
      bounds, Ridge{}, std::move(poll)};
}
}  // namespace

MmSolver::MmSolver(MmProblem problem, std::function<bool()> poll)
    : fit_{inputs_of(problem, std::move(poll)),
           {Levels(problem.penalty, std::move(problem.pi), problem.design->d()),
            Screen(*problem.design)},
           {},
           {},
           {},
           {},
           {}} {
  const Design& design = *problem.design;
  const Index d = design.d();
  Point& at = fit_.state.point;
  at.residual.r = fit_.inputs.loss->origin();
  fit_.inputs.loss->residual(at.residual);
  at.fit = at.residual.weighted.norm2;
  const auto& weights = fit_.target.levels.weights();
  const bool all_penalised = std::find(weights.begin(), weights.end(), 0.0) == weights.end();
  if (all_penalised && !problem.correlations.empty()) {
    null_correlations_ = std::move(problem.correlations);
  } else {
    if (!all_penalised && design.too_large().empty()) fit_unpenalised();  // else X is refused
    std::vector<Index> all(d);
    std::iota(all.begin(), all.end(), Index{0});
    null_correlations_.resize(d);
    design.correlate(at.residual.weighted, all.data(), d, null_correlations_.data());
  }
  fit_.target.screen.start(at.residual.r, at.residual.weighted, null_correlations_);
  // Below the rounding error of the fit on the unpenalised features nothing is left to explain.
  const double fit_noise = 4.0 * rounding_noise(fit_.inputs, fit_.state);
  const double z_norm = std::sqrt(null_deviance());
  for (Index j = 0; j < d; ++j) {
    const double noise = design.rounding(j) * z_norm + fit_noise;
    const bool barred = fit_.is_barred(j);
    fit_.barred.count += barred;
    if (barred || std::abs(null_correlations_[j]) <= noise) null_correlations_[j] = 0.0;
  }
  fit_.inputs.poll = nullptr;
}

void MmSolver::fit_unpenalised() {
  const Inputs& inputs = fit_.inputs;
  State& state = fit_.state;
  std::vector<Index> free;
  for (Index j = 0; j < inputs.design->d(); ++j) {
    if (fit_.target.levels.weights()[j] == 0.0 && inputs.design->norm2(j) > 0.0) free.push_back(j);
  }
  if (free.empty()) return;
  fit_.target.levels.set_unpenalised(free, 0.0);
  if (inputs.bounds.none()) {
    // A column that depends on the others has nothing to add: it stays zero.
    const std::vector<Index> kept = independent(free);
    std::set_difference(free.begin(), free.end(), kept.begin(), kept.end(),
                        std::back_inserter(fit_.barred.dependent));
    free = kept;
  }
  fit_.model().grow(inputs, state, free);
  double largest = 0.0;
  for (double c : state.c) largest = std::max(largest, std::abs(c));
  fit_.target.levels.set_unpenalised(free, largest);
  NewtonArrays arrays;
  for (int pass = 0; pass < kRefinements; ++pass) {
    const std::vector<double> before = state.point.w;
    const double fit = state.point.residual.weighted.norm2;
    Progress ignored;
    GramNewton(inputs, fit_.target.levels, state, arrays).minimise(kExactly * largest, ignored);
    fit_.model().anchor(inputs, state);
    if (!(state.point.residual.weighted.norm2 <= fit)) {
      place_at(inputs, state, before);  // too ill-conditioned to refine further
      break;
    }
  }
}

// Those of the columns that do not depend on the ones before them. Pivots far above their rounding
// errors say quickly that all are; what is closer needs an orthonormal basis.
std::vector<Index> MmSolver::independent(const std::vector<Index>& columns) const {
  const Inputs& inputs = fit_.inputs;
  WorkingSet set;
  set.grow(*inputs.design, columns, inputs.poll);
  Factor factor;
  std::vector<double> diagonal;
  bool sound = set.size() == static_cast<Index>(columns.size());
  for (Index s = 0; s < set.size() && sound && !inputs.stopped(); ++s) {
    diagonal.push_back(set.gram(s)[s]);
    sound = factor.append(set.gram(s), diagonal.back());
  }
  if (sound && factor.smallest_pivot(diagonal) > kSoundPivot) return columns;
  Basis basis(*inputs.design, 0.0);
  for (Index j : columns) {
    if (inputs.stopped()) break;
    basis.add(j);
  }
  return basis.columns();
}

}  // namespace sparsieve
