// Setting a solver of other losses up: the intercept, the unpenalised features, correlations of everybody else.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sparsieve/outer/newton_descent.hpp"
#include "sparsieve/outer/newton_solver.hpp"
#include "sparsieve/outer/separation.hpp"
#include "sparsieve/outer/setup.hpp"

namespace sparsieve {
namespace {
// How exactly the unpenalised features are fitted, relative to their largest correlation.
constexpr double kExactly = 1e-14;
}  // namespace

// The loss on its rows, its point with the best intercept alone, and the design with the correlations there.
struct NewtonSolver::Measured {
  Rows rows;
  RowPoint at;
  double drift = 0.0;  // where the intercept alone has no best value: where it drifts to
  std::vector<double> weights, correlations;
  std::shared_ptr<const Design> design;

  static Rows rows_of(SolverParts& parts, std::shared_ptr<const RowLoss> loss,
                      std::vector<double> offset) {
    check_lengths(parts);
    if (!offset.empty() && offset.size() != parts.y.size()) {
      throw std::invalid_argument("offset has the wrong length");
    }
    return Rows(std::move(loss), parts.design->weights(), std::move(parts.y), std::move(offset));
  }

  Measured(SolverParts& parts, std::shared_ptr<const RowLoss> loss, std::vector<double> offset)
      : rows(rows_of(parts, std::move(loss), std::move(offset))) {
    rows.start(0.0, at);
    if (rows.weights().centred()) rows.fit_intercept(at, drift);
    if (!std::isfinite(at.value)) {
      throw std::invalid_argument(
          "offset: the loss of the offset alone leaves the range of double precision; use smaller "
          "offsets");
    }
    if (parts.weights) weights = std::move(*parts.weights);
    const bool useful = all_penalised(weights);
    design = parts.design->measured(useful ? &at.weighted : nullptr, &correlations);
  }
};

NewtonSolver::NewtonSolver(SolverParts parts, std::shared_ptr<const RowLoss> loss,
                           std::vector<double> offset, std::function<bool()> poll)
    : NewtonSolver(parts, Measured(parts, std::move(loss), std::move(offset)), std::move(poll)) {}

NewtonSolver::NewtonSolver(SolverParts& parts, Measured measured, std::function<bool()> poll)
    : design_(std::move(measured.design)),
      penalty_(std::move(parts.penalty)),
      terms_(parts.terms),
      null_correlations_(std::move(measured.correlations)),
      fit_{{Inputs{design_.get(), nullptr, box_of(*design_, parts.terms.lower, parts.terms.upper),
                   Ridge{parts.terms.ridge, {}, {}}, parts.prox_weight, std::move(poll)},
            {Levels(penalty_.get(), std::move(measured.weights), design_->d()), Screen(*design_)},
            {},
            {},
            {},
            {},
            {}},
           std::move(measured.rows),
           CurvedSet(*design_),
           std::move(measured.at),
           0.0,
           0.0,
           1.0,
           {}} {
  const Index d = design_->d();
  Fit& base = fit_.base;
  if (measured.drift != 0.0) nothing_fits_ = Separation{{}, {}, measured.drift};
  const bool some_free = !all_penalised(base.target.levels.weights());
  if (some_free && design_->too_large().empty()) fit_unpenalised();  // else X is refused
  if (some_free || null_correlations_.empty()) {
    std::vector<Index> all(d);
    std::iota(all.begin(), all.end(), Index{0});
    null_correlations_.resize(d);
    design_->correlate(fit_.at.weighted, all.data(), d, null_correlations_.data());
  }
  null_deviance_ = 2.0 * fit_.at.value;
  null_norm_ = std::sqrt(fit_.at.weighted.norm2);
  base.target.screen.start(fit_.at.residual, fit_.at.weighted, null_correlations_);
  for (Index j = 0; j < d; ++j) {
    const double noise = design_->rounding(j) * null_norm_ + design_->norm(j) * fit_.residual_error;
    const bool barred = base.is_barred(j);
    base.barred.count += barred;
    const bool nothing = barred || nothing_fits_ || std::abs(null_correlations_[j]) <= noise;
    if (nothing) null_correlations_[j] = 0.0;
  }
  base.inputs.poll = nullptr;
}

void NewtonSolver::fit_unpenalised() {
  Fit& base = fit_.base;
  std::vector<Index> free;
  for (Index j = 0; j < design_->d(); ++j) {
    const bool unpenalised = base.target.levels.weights()[j] == 0.0;
    if (unpenalised && design_->norm2(j) > 0.0) free.push_back(j);
  }
  if (free.empty() || nothing_fits_) return;
  if (base.inputs.box.none() && base.inputs.ridge.none()) {
    // A column that depends on the others has nothing to add: it stays zero.
    const std::vector<Index> kept = independent(base.inputs, free);
    std::set_difference(free.begin(), free.end(), kept.begin(), kept.end(),
                        std::back_inserter(base.barred.dependent));
    free = kept;
  }
  fit_.take_in(free);
  fit_.settle();
  double largest = 0.0;
  for (double c : fit_.state().c) largest = std::max(largest, std::abs(c));
  base.target.levels.set_unpenalised(free, largest);
  NewtonDescent(fit_, base.target, {}, /*from_start=*/false, /*record=*/false)
      .minimise(kExactly * largest);
  fit_.settle();
  nothing_fits_ = find_separation(fit_);
}

}  // namespace sparsieve
