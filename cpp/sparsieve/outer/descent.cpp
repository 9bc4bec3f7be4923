#include "sparsieve/outer/descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/inner/gram_newton.hpp"
#include "sparsieve/model/model.hpp"
#include "sparsieve/outer/entry.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
// The inner problem is solved to this fraction of tol: the rest is room for the exact check.
constexpr double kInnerShare = 0.25;
// A feature outside the working set may violate by this fraction of tol and stay outside.
constexpr double kOutsideShare = 0.5;
// From a start, coefficients are dropped that move their correlation by less than this fraction of what the
// inner problem is solved to.
constexpr double kNegligible = 0.1;
// Fewer violators than that are likely to be the last.
constexpr Index kFew = 4;
// A rise of F beyond this, relative, is no rounding of a sound step. A smaller one does no harm: the point
// is certified as it is.
constexpr double kMisled = 1e-9;
// Shares and counts here decide what is tried, never what is certified.
constexpr int kPatience = 4;
// Rounds in extended precision before a solve is given up.
constexpr int kExactRounds = 4;
}  // namespace

Descent::Descent(Fit& fit, Target& target, const SolveOptions& options, bool from_start,
                 bool record)
    : fit_(fit),
      aim_(target),
      options_(options),
      from_start_(from_start),
      rough_(from_start),
      expecting_(fit.history.met_violators && !record),
      proof_(!record && fit.barred.dependent.empty() && fit.inputs.design->has_fine_shadow()),
      exact_(kInnerShare * options.tol * target.levels.slope0()),
      patience_{kInf, kPatience} {
  violations_.outside = target.levels.slope0() * (rough_ ? 1.0 : fit.history.expected);
  progress_.max_iter = options.max_iter;
  progress_.record = record;
  fit.history.met_violators = false;
}

void Descent::run(SolveResult& result) {
  while (true) {
    // 1. minimise on the working set: roughly, as long as features outside are wrong by far more
    const Status inner = minimise();
    const bool ended = inner == Status::kIterations || inner == Status::kInterrupted;
    // 2. look for violators without the residual; there may be a proof that there are none
    Seen seen = Seen::kUnknown;
    if (!ended && fit_.everyone_inside()) {
      seen = look_by_gram(result);
    } else if (!ended && (expecting_ || proof_)) {
      seen = look_in_shadow(result);
    }
    known_ = seen == Seen::kNothing;
    if (seen == Seen::kFew || seen == Seen::kMany) {
      expecting_ = seen == Seen::kMany;
      ++result.counters.rounds;
      continue;
    }
    if (known_ && result.kkt <= options_.tol && !risen()) {
      if (result.counters.rounds == 0) fit_.history.expected = 0.0;
      result.status = Status::kConverged;
      break;
    }
    // 3. recompute the residual and the working set's correlations, free of drift
    const bool misled = go_back_if_misled();
    // 4. look for violators outside
    look_outside(misled || ended, result);
    const auto& found = answer_.violators;
    if (result.counters.rounds == 0) {
      fit_.history.expected = violations_.outside / levels().slope0();
    }
    // 5. done, stuck, or enlarge the working set
    if (const auto status = verdict(found, misled, inner, result)) {
      result.status = *status;
      if (*status == Status::kStalled && certify_exactly(result)) {
        result.status = Status::kConverged;
      }
      break;
    }
    if (!found.empty()) {
      add_violators(found);
      ++result.counters.rounds;
    }
  }
  result.iterations = progress_.iterations;
  result.counters.epochs = progress_.epochs;
  result.counters.solves = progress_.solves;
  result.objectives = std::move(progress_.objectives);
  result.by_bound = answer_.by_bound;
  result.by_shadow = answer_.by_shadow;
  result.by_reading = answer_.by_reading;
  result.ratio = answer_.ratio;
  fit_.history.entered = progress_.entered;
}

Status Descent::minimise() {
  State& state = fit_.state;
  fit_.choice.choose(fit_.inputs, state);
  target_ = target_of_round(state, exact_, violations_.outside, rough_);
  if (known_) {
    before_.w = state.point.w;
    before_.objective = objective(fit_.inputs, levels(), state, fit_.gradient);
  }
  const Status ended = fit_.choice.minimise(fit_.inputs, levels(), state, target_, progress_);
  if (from_start_ && state.set.has_gram()) {
    drop_negligible(fit_.inputs, levels(), state, kNegligible * exact_);
  }
  return ended;
}

// How much a feature may violate and stay outside. At a rough point a violation smaller than what is
// left inside is none yet.
double Descent::slack() const {
  return kOutsideShare * (rough_ ? target_ : options_.tol * levels().slope0());
}

bool Descent::risen() {
  const double now = objective(fit_.inputs, levels(), fit_.state, fit_.gradient);
  return !(now <= before_.objective + kMisled * before_.objective);
}

// With every feature in the working set its Gram matrix knows all there is, as long as its rounding errors
// are small enough: the residual is not needed.
Descent::Seen Descent::look_by_gram(SolveResult& result) {
  State& state = fit_.state;
  const double tol = rough_ ? target_ / levels().slope0() : options_.tol;
  state.known_error = gram_noise(fit_.inputs, state, state.point.w) + state.pull_error;
  if (progress_.record || state.known_error > allowed_error(tol, levels())) return Seen::kUnknown;
  correlate_by_gram(fit_.inputs, state);
  state.point.stale = true;
  if (!fit_by_gram(fit_.inputs, state)) return Seen::kUnknown;
  rough_ = false;
  answer_ = {};
  violations_.outside = 0.0;
  look_at_violations(result);
  return Seen::kNothing;
}

// The residual is brought to w in the shadow, roughly, from where it was computed last, and the Gram
// matrix knows the working set. Takes in the violators that it finds, few or many. Where the shadow is
// fine enough to tell how rough that is, there may be a proof that there are none: `result.kkt` and the
// fit are then those of w. Else nothing is known, as without shadow and Gram matrix.
Descent::Seen Descent::look_in_shadow(SolveResult& result) {
  State& state = fit_.state;
  Point& at = state.point;
  const Inputs& inputs = fit_.inputs;
  const Design& design = *inputs.design;
  if (!state.set.has_gram() || !design.has_shadow()) return Seen::kUnknown;
  const double tol = rough_ ? target_ / levels().slope0() : options_.tol;
  state.known_error = gram_noise(inputs, state, at.w) + state.pull_error;
  if (state.known_error > allowed_error(tol, levels())) return Seen::kUnknown;
  std::vector<Index> moved;
  std::vector<double> by, r = at.residual.r;
  for (Index s = 0; s < state.size(); ++s) {
    if (at.w[s] == at.w_read[s]) continue;
    moved.push_back(state.column(s));
    by.push_back(at.w[s] - at.w_read[s]);
  }
  const double error =
      design.subtract_in_shadow(moved.data(), by.data(), static_cast<Index>(by.size()), r) +
      at.residual.error;
  const bool proof = proof_ && !rough_ && error > 0.0;
  Weighted weighted;
  design.weigh(r, weighted);
  answer_ = aim_.screen.ask({r, weighted, levels().thresholds(), slack(), fit_.sides(),
                             state.set.columns(), state.c, state.known_error, fit_.barred.count,
                             /*complete=*/false, /*rough=*/true, proof ? error : 0.0});
  const auto& found = answer_.violators;
  if (found.empty() && (!proof || answer_.undecided > 0)) return Seen::kUnknown;
  correlate_by_gram(inputs, state);
  at.stale = true;
  if (!found.empty()) {
    enlarge(fit_, aim_, found, from_start_);
    return static_cast<Index>(found.size()) >= kFew ? Seen::kMany : Seen::kFew;
  }
  if (!fit_by_gram(inputs, state)) return Seen::kUnknown;
  violations_.outside = 0.0;
  look_at_violations(result);
  return Seen::kNothing;
}

// The violations inside the working set; `result.kkt` from these and those outside.
void Descent::look_at_violations(SolveResult& result) {
  fit_.gradient.compute(fit_.inputs, levels(), fit_.state);
  violations_.inside = larger(fit_.gradient.worst(), worst_zero(fit_.inputs, levels(), fit_.state));
  const Residual& at = fit_.state.point.residual;
  violations_.inside = larger(
      violations_.inside,
      dependent_violation(*fit_.inputs.design, fit_.barred.dependent, at.weighted, at.error));
  result.kkt = kkt(fit_.inputs, levels(), fit_.state, violations_);
}

// Settle residual and correlations at w. An inner solve on a nearly singular Gram matrix may mistake its
// rounding errors for progress: then go back to the point before it.
bool Descent::go_back_if_misled() {
  fit_.model().settle(fit_.inputs, fit_.state, allowed_error(options_.tol, levels()));
  known_ = true;
  const bool misled = risen();
  if (misled) place_at(fit_.inputs, fit_.state, before_.w);
  return misled;
}

// The violators outside with their largest excess; `result.kkt`: how far w is from stationary, all
// features considered. `last`: say everything about every feature, violators found or not.
void Descent::look_outside(bool last, SolveResult& result, bool exact) {
  const State& state = fit_.state;
  const std::vector<double> known = loss_correlations(fit_.inputs, state);
  answer_ = aim_.screen.ask(
      {state.point.residual.r, state.point.residual.weighted, levels().thresholds(), slack(),
       fit_.sides(), state.set.columns(), known, state.known_error, fit_.barred.count,
       /*complete=*/last, /*rough=*/false, state.point.residual.error, exact});
  const Excess found = excess_of(answer_, levels());
  violations_.outside = found.bound;
  look_at_violations(result);
  violations_.outside = found.met;
}

// How the descent ends here, if it does.
std::optional<Status> Descent::verdict(const std::vector<Violator>& found, bool misled,
                                       Status inner, const SolveResult& result) {
  const bool ended = inner == Status::kIterations || inner == Status::kInterrupted;
  const bool complete = found.empty() || misled || ended;  // no column's examination was postponed
  if (complete && result.kkt <= options_.tol) return Status::kConverged;
  const bool stationary = violations_.inside / levels().slope0() <= options_.tol;
  const bool settled = found.empty() && stationary && !rough_;
  // Only rounding keeps this point from its certificate.
  if (settled || misled) return Status::kStalled;
  if (ended) return inner;
  const bool more = target_ > exact_ || !found.empty();  // than a repetition
  patience_.left = result.kkt <= 0.5 * patience_.best || more ? kPatience : patience_.left - 1;
  patience_.best = std::min(patience_.best, result.kkt);
  if (patience_.left == 0) return Status::kStalled;
  rough_ = rough_ && !found.empty();
  return std::nullopt;
}

// Only rounding keeps the point from its certificate: the same in extended precision, with some more steps
// from correlations that are exact. A point that does not get there in this way stays where it was, and its
// violation is the one that extended precision finds.
bool Descent::certify_exactly(SolveResult& result) {
  const std::vector<double> before = fit_.state.point.w;
  for (int round = 0; round < kExactRounds && !fit_.inputs.stopped(); ++round) {
    if (round > 0) fit_.choice.minimise(fit_.inputs, levels(), fit_.state, exact_, progress_);
    settle_exactly(fit_.inputs, fit_.state);
    look_outside(/*last=*/true, result, /*exact=*/true);
    if (!answer_.violators.empty()) break;
    if (result.kkt <= options_.tol) return true;
  }
  place_at(fit_.inputs, fit_.state, before);
  settle_exactly(fit_.inputs, fit_.state);
  look_outside(/*last=*/true, result, /*exact=*/true);
  return false;
}

void Descent::add_violators(const std::vector<Violator>& found) {
  State& state = fit_.state;
  expecting_ = !progress_.record && static_cast<Index>(found.size()) >= kFew;
  if (rough_ && !state.set.has_gram()) trim(fit_, levels(), kNear, state.size());
  enlarge(fit_, aim_, found, from_start_);
}

}  // namespace sparsieve
