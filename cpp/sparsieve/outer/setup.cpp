// Setting a solver up: measure the columns, fit what is unpenalised, correlations of everybody else.
#include "sparsieve/outer/setup.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "sparsieve/inner/basis.hpp"
#include "sparsieve/inner/gram_newton.hpp"
#include "sparsieve/model/model.hpp"
#include "sparsieve/outer/solver.hpp"

namespace sparsieve {
namespace {
// Pivots above this, relative, belong to independent columns beyond any doubt: they are off by some eps times
// the number of columns. What is left out wrongly as dependent is still a part of kkt.
constexpr double kSoundPivot = 1e-6;
// How exactly the unpenalised features are fitted, relative to their largest correlation, and how often
// the fit is refined: each time from exact correlations.
constexpr double kExactly = 1e-14;
constexpr int kRefinements = 3;

void check_supported(const Inputs& inputs) {
  if (!inputs.loss->quadratic())
    throw std::logic_error("this solver knows squares only: see newton_solver.hpp");
}

Inputs inputs_of(const Design& design, Response response, const SolverParts& parts,
                 std::function<bool()> poll) {
  return {&design,
          std::make_shared<SquaredLoss>(design, std::move(response)),
          box_of(design, parts.terms.lower, parts.terms.upper),
          Ridge{parts.terms.ridge, {}, {}},
          parts.prox_weight,
          std::move(poll)};
}
}  // namespace

void check_lengths(const SolverParts& parts) {
  const std::vector<double>& y = parts.prepared ? parts.prepared->response.z : parts.y;
  if (static_cast<Index>(y.size()) != parts.design->n()) {
    throw std::invalid_argument("y has the wrong length");
  }
  if (parts.weights && static_cast<Index>(parts.weights->size()) != parts.design->d()) {
    throw std::invalid_argument("weights has the wrong length");
  }
  for (const auto* bounds : {&parts.terms.lower, &parts.terms.upper}) {
    if (!bounds->empty() && static_cast<Index>(bounds->size()) != parts.design->d()) {
      throw std::invalid_argument("bounds have the wrong length");
    }
  }
}

bool all_penalised(const std::vector<double>& weights) {
  return std::find(weights.begin(), weights.end(), 0.0) == weights.end();
}

// Bounds in units of the design's columns.
Box box_of(const Design& design, std::vector<double> lower, std::vector<double> upper) {
  for (auto* bounds : {&lower, &upper}) {
    for (std::size_t j = 0; j < bounds->size(); ++j) {
      (*bounds)[j] /= design.factor(static_cast<Index>(j));
    }
  }
  return {std::move(lower), std::move(upper)};
}

// The response, and the design with its correlations with every column where these are of use.
struct Solver::Measured {
  Response response;
  std::vector<double> weights, correlations;
  std::shared_ptr<const Design> design;

  explicit Measured(SolverParts& parts) {
    check_lengths(parts);
    const SampleWeights& omega = parts.design->weights();
    if (parts.weights) weights = std::move(*parts.weights);
    if (parts.prepared) {
      response = std::move(parts.prepared->response);
      correlations = std::move(parts.prepared->correlations);
      design = parts.design->measured();
      return;
    }
    response = Response(omega, std::move(parts.y));
    // Unpenalised features are fitted first: correlations with the response are of no use then.
    const bool useful = all_penalised(weights);
    Weighted weighted;
    if (useful) omega.weigh(response.z, weighted);
    design = parts.design->measured(useful ? &weighted : nullptr, &correlations);
  }
};

Solver::Solver(SolverParts parts, std::function<bool()> poll)
    : Solver(parts, Measured(parts), std::move(poll)) {}

Solver::Solver(SolverParts& parts, Measured measured, std::function<bool()> poll)
    : design_(std::move(measured.design)),
      penalty_(std::move(parts.penalty)),
      terms_(parts.terms),
      response_mean_(measured.response.mean),
      response_shift_(measured.response.shift),
      null_correlations_(std::move(measured.correlations)),
      fit_{inputs_of(*design_, std::move(measured.response), parts, std::move(poll)),
           {Levels(penalty_.get(), std::move(measured.weights), design_->d()), Screen(*design_)},
           {},
           {},
           {},
           {},
           {}} {
  check_supported(fit_.inputs);
  const Index d = design_->d();
  const Point& at = fit_.state.point;
  start_at_zero(fit_.inputs, fit_.state);
  const bool some_free = !all_penalised(fit_.target.levels.weights());
  if (some_free && design_->too_large().empty()) fit_unpenalised();  // else X is refused
  if (some_free || null_correlations_.empty()) {
    std::vector<Index> all(d);
    std::iota(all.begin(), all.end(), Index{0});
    null_correlations_.resize(d);
    design_->correlate(at.residual.weighted, all.data(), d, null_correlations_.data());
  }
  fit_.target.screen.start(at.residual.r, at.residual.weighted, null_correlations_);
  fit_.keeps_all = parts.keeps_all && design_->too_large().empty();
  const bool shared = fit_.keeps_all && parts.shared && fit_.state.size() == 0;
  if (shared) {
    share_gram(fit_.inputs, fit_.state, std::move(parts.shared), null_correlations_);
  }
  // Below the rounding error of the fit on the unpenalised features nothing is left to explain. This is where
  // a path begins; the screen knows the correlations as they are.
  const double fit_noise = 4.0 * rounding_noise(fit_.inputs, fit_.state);
  const double z_norm = std::sqrt(null_deviance());
  for (Index j = 0; j < d; ++j) {
    const double noise = design_->rounding(j) * z_norm + fit_noise;
    const bool barred = fit_.is_barred(j);
    fit_.barred.count += barred;
    if (barred || std::abs(null_correlations_[j]) <= noise) null_correlations_[j] = 0.0;
  }
  if (fit_.keeps_all && !shared) take_in_all();
  fit_.inputs.poll = nullptr;
}

// For tall data: what is known after one pass with all products of columns serves every alpha.
void Solver::take_in_all() {
  const SlotIndex inside(fit_.state.set);
  std::vector<Index> fresh;
  for (Index j = 0; j < design_->d(); ++j) {
    if (!inside.contains(j) && !fit_.is_barred(j)) fresh.push_back(j);
  }
  fit_.model().grow(fit_.inputs, fit_.state, fresh);
}

void Solver::fit_unpenalised() {
  const Inputs& inputs = fit_.inputs;
  State& state = fit_.state;
  std::vector<Index> free;
  for (Index j = 0; j < inputs.design->d(); ++j) {
    if (fit_.target.levels.weights()[j] == 0.0 && inputs.design->norm2(j) > 0.0) free.push_back(j);
  }
  if (free.empty()) return;
  if (inputs.box.none() && inputs.ridge.none()) {
    // A column that depends on the others has nothing to add: it stays zero.
    const std::vector<Index> kept = independent(inputs, free);
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
std::vector<Index> independent(const Inputs& inputs, const std::vector<Index>& columns) {
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

void set_ridge(const Terms& terms, double alpha, const std::vector<double>& weights, Ridge& ridge) {
  const double share = (1.0 - terms.l1_ratio) * alpha;
  if (weights.empty()) {
    ridge.weight = terms.ridge + share;
    return;
  }
  ridge.own.resize(weights.size());
  for (std::size_t j = 0; j < weights.size(); ++j) {
    ridge.own[j] = std::isinf(weights[j]) ? 0.0 : share * weights[j];
  }
}

// A bound that was divided by a factor need not come back as it was: who is at it is given the user's own.
void to_user_units(const Design& design, const Box& box, const Terms& terms,
                   const std::vector<Index>& columns, std::vector<double>& coef) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Index j = columns[k];
    const Bounds bounds = box.of(j);
    if (coef[k] == bounds.lower) {
      coef[k] = terms.lower[j];
    } else if (coef[k] == bounds.upper) {
      coef[k] = terms.upper[j];
    } else {
      coef[k] *= design.factor(j);
      if (!terms.lower.empty()) coef[k] = std::max(coef[k], terms.lower[j]);
      if (!terms.upper.empty()) coef[k] = std::min(coef[k], terms.upper[j]);
    }
  }
}

}  // namespace sparsieve
