#include "sparsieve/outer/newton_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sparsieve/outer/entry.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = std::numeric_limits<double>::epsilon();
// The working set is solved to this fraction of tol: the rest is room for the exact check.
constexpr double kInnerShare = 0.5;
// A feature outside the working set may violate by this fraction of tol and stay outside.
constexpr double kOutsideShare = 0.5;
// While features outside violate, the working set is solved to this share of what they violate by.
constexpr double kRough = 0.1;
// The model is solved to this share of the violation before the step: the model itself is off by more.
constexpr double kModelShare = 0.02;
// Steps are halved until the objective falls, so often; then the model's curvature is raised by kRaise.
constexpr int kHalvings = 6;
constexpr double kRaise = 4.0;
// Where the loss falls at the end of a step by this share of how it fell before, the step was far too short.
constexpr double kStraight = 0.5;
// Steps without progress before the working set is given up.
constexpr int kStallLimit = 6;
constexpr int kPatience = 4;
// What evaluating a loss costs per row, and a factor per cube of the support, in multiplications; and the steps
// that a fresh model needs.
constexpr double kRowPrice = 60.0;
constexpr double kFactorPrice = 0.05;
constexpr double kFreshSteps = 1.0;
}  // namespace

NewtonDescent::NewtonDescent(NewtonFit& fit, Target& target, const SolveOptions& options,
                             bool from_start, bool record)
    : fit_(fit),
      aim_(target),
      options_(options),
      from_start_(from_start),
      exact_(kInnerShare * options.tol * target.levels.slope0()),
      outside_(target.levels.slope0() * (from_start ? 1.0 : fit.base.history.expected)),
      patience_{kInf, kPatience} {
  progress_.max_iter = options.max_iter;
  progress_.record = record;
}

void NewtonDescent::run(SolveResult& result) {
  while (true) {
    // 1. minimise on the working set: roughly, as long as features outside are wrong by far more
    target_ = std::max(exact_, kRough * outside_);
    const Status inner = minimise(target_);
    const bool ended = inner == Status::kIterations || inner == Status::kInterrupted;
    // 2. recompute the predictor, the intercept and the working set's correlations, free of drift
    fit_.settle();
    // 3. look for violators outside
    look_outside(ended, result);
    if (result.counters.rounds == 0) {
      fit_.base.history.expected = outside_ / levels().slope0();
    }
    // 4. done, stuck, or enlarge the working set
    if (const auto status = verdict(inner, result)) {
      result.status = *status;
      break;
    }
    if (!answer_.violators.empty()) {
      fit_.take_in(entrants(fit_.base, aim_, answer_.violators, from_start_));
      ++result.counters.rounds;
    }
  }
  result.iterations = progress_.iterations;
  result.counters.solves = progress_.solves;
  result.objectives = std::move(progress_.objectives);
  result.by_bound = answer_.by_bound;
  result.by_shadow = answer_.by_shadow;
  result.by_reading = answer_.by_reading;
  result.ratio = answer_.ratio;
  fit_.base.history.entered = progress_.entered;
}

// ----------------------------------------------------------------------- on the working set

double NewtonDescent::look_inside() {
  fit_.correlate();
  const Inputs& inputs = fit_.inputs();
  fit_.base.gradient.compute(inputs, levels(), state());
  return larger(fit_.base.gradient.worst(), worst_zero(inputs, levels(), state()));
}

double NewtonDescent::objective_here() {
  state().point.fit = 2.0 * fit_.at.value;
  return objective(fit_.inputs(), levels(), state(), fit_.base.gradient);
}

Status NewtonDescent::minimise(double target) {
  double best = kInf, before = 0.0;
  int stalled = 0;
  rate_ = 0.0;
  while (true) {
    if (fit_.inputs().stopped()) return Status::kInterrupted;
    const double worst = look_inside();
    if (worst <= target) return Status::kConverged;
    if (progress_.iterations >= progress_.max_iter) return Status::kIterations;
    stalled = worst < 0.9 * best || fell_ ? 0 : stalled + 1;
    if (stalled > kStallLimit) return Status::kStalled;
    best = std::min(best, worst);
    if (before > 0.0) rate_ = worst / before;
    before = worst;
    if (renewal_pays(worst, target)) {
      renew();
      rate_ = before = 0.0;
    }
    if (!step(worst, target)) before = 0.0;
  }
}

// Whether a model of the curvature here costs less than the steps that the old one would take more.
bool NewtonDescent::renewal_pays(double worst, double target) const {
  if (refused_) return true;
  if (rate_ == 0.0) return false;
  const double product = fit_.set.cost_of_product();
  const double step = 2.0 * product + kRowPrice * static_cast<double>(fit_.rows.n());
  const double left = rate_ < 1.0 ? std::log(target / worst) / std::log(rate_) : kInf;
  const double k = static_cast<double>(fit_.base.state.point.support.size());
  const double renewal = fit_.set.cost_of_renewal() + kFactorPrice * k * k * k;
  return left * step > renewal + kFreshSteps * step;
}

void NewtonDescent::renew() {
  const auto poll = std::exchange(fit_.base.inputs.poll, nullptr);
  fit_.set.renew(fit_.base.inputs, state(), fit_.model_weights());
  fit_.base.inputs.poll = poll;
  fit_.correlate();  // the best intercept next to the point depends on the weights
  refused_ = false;
}

// Minimise the model and go there, or part of the way. False if the objective falls nowhere on it.
bool NewtonDescent::step(double worst, double target) {
  const std::vector<double> before = state().point.w;
  const double objective_before = objective_here();
  if (progress_.record && progress_.objectives.empty()) {
    progress_.objectives.push_back(fit_.objective(levels()));
  }
  Progress model;
  model.max_iter = progress_.max_iter - progress_.iterations;
  const double goal = std::max(kModelShare * worst, 0.1 * target);
  GramNewton(fit_.inputs(), levels(), state(), fit_.arrays).minimise(goal, model);
  progress_.iterations += std::max<Index>(1, model.iterations);
  progress_.solves += model.solves;
  progress_.entered += model.entered;
  if (go(before, objective_before)) {
    fit_.scale = std::max(1.0, fit_.scale / 2.0);
    if (progress_.record) progress_.objectives.push_back(fit_.objective(levels()));
    return true;
  }
  state().point.w = before;
  fit_.update_support();
  refused_ = true;
  fit_.scale *= kRaise;
  return false;
}

// Along the line from the point to the model's minimum.
struct NewtonDescent::Line {
  const std::vector<double> before;  // coefficients
  RowPoint here;
  std::vector<double> delta,
      move;         // of the coefficients and, without the intercept, of the predictor
  double by = 0.0;  // of the intercept

  // How fast the loss falls along it at a point.
  double fall(const RowPoint& at) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < move.size(); ++i) sum += at.weighted.v[i] * (move[i] + by);
    return sum;
  }
};

bool NewtonDescent::go(const std::vector<double>& before, double objective_before) {
  const std::vector<double>& after = state().point.w;
  Line line{before, fit_.at, after, std::vector<double>(fit_.rows.n(), 0.0)};
  line.by = fit_.at.weighted.sum;
  for (std::size_t s = 0; s < after.size(); ++s) {
    line.delta[s] -= before[s];
    line.by -= fit_.set.cross()[s] * line.delta[s];
  }
  line.by /= fit_.set.total();
  fit_.set.predict(line.delta, line.move);
  double t = 1.0, objective_now = 0.0;
  for (int halving = 0; halving <= kHalvings; ++halving, t *= 0.5) {
    if (!std::isfinite(move_to(line, t, objective_now))) continue;
    const double noise =
        4.0 * kEps *
        (line.here.size + fit_.at.size + std::abs(objective_before) + std::abs(objective_now));
    if (!(objective_now <= objective_before + noise)) continue;
    if (halving == 0) objective_now = go_further(line, objective_now);
    const double least = std::max(1e-9 * std::abs(objective_before), 16.0 * noise);
    fell_ = objective_now < objective_before - least;
    return true;
  }
  fit_.at = std::move(line.here);
  fell_ = false;
  return false;
}

// The point at a share t of the line, and its objective.
double NewtonDescent::move_to(const Line& line, double t, double& objective) {
  RowPoint& at = fit_.at;
  at.intercept = line.here.intercept + t * line.by;
  for (Index i = 0; i < fit_.rows.n(); ++i) {
    at.eta[i] = line.here.eta[i] + t * (line.move[i] + line.by);
  }
  fit_.rows.evaluate(at);
  if (t != 1.0) {
    for (std::size_t s = 0; s < line.before.size(); ++s) {
      state().point.w[s] = line.before[s] + t * line.delta[s];
    }
    fit_.update_support();
  }
  return objective = objective_here();
}

// Where the loss falls at the end of the line nearly as fast as at its beginning, the model is far too steep:
// rows of no curvature count with a little. Go on as long as the objective falls, within the bounds.
double NewtonDescent::go_further(const Line& line, double objective) {
  if (!(line.fall(fit_.at) > kStraight * line.fall(line.here))) return objective;
  double most = kInf;
  for (std::size_t s = 0; s < line.delta.size(); ++s) {
    const Bounds bounds = fit_.inputs().box.of(state().column(static_cast<Index>(s)));
    const double room = (line.delta[s] > 0.0 ? bounds.upper : bounds.lower) - line.before[s];
    if (line.delta[s] != 0.0) most = std::min(most, room / line.delta[s]);
  }
  double best = 1.0, tried = 0.0, now = 0.0;
  for (double t = 2.0; t <= most; t *= 2.0) {
    tried = t;
    if (!(move_to(line, t, now) < objective)) break;
    best = t;
    objective = now;
  }
  if (tried > best) {
    for (std::size_t s = 0; s < line.before.size(); ++s) {
      state().point.w[s] = line.before[s] + line.delta[s];
    }
    fit_.update_support();
    move_to(line, best, objective);
  }
  return objective;
}

// --------------------------------------------------------------------------------- outside

double NewtonDescent::slack() const {
  return kOutsideShare * (target_ > exact_ ? target_ : options_.tol * levels().slope0());
}

// The violators outside with their largest excess; `result.kkt`: how far w is from stationary, all features
// considered. `last`: say everything about every feature, violators found or not.
void NewtonDescent::look_outside(bool last, SolveResult& result) {
  const Fit& base = fit_.base;
  const State& state = base.state;
  const std::vector<double> known = loss_correlations(base.inputs, state);
  answer_ = aim_.screen.ask({fit_.at.residual, fit_.at.weighted, levels().thresholds(), slack(),
                             base.sides(), state.set.columns(), known, state.known_error,
                             base.barred.count, /*complete=*/last, /*rough=*/false,
                             fit_.residual_error, /*exact=*/false});
  const Excess found = excess_of(answer_, levels());
  fit_.base.gradient.compute(base.inputs, levels(), state);
  violations_.inside = larger(base.gradient.worst(), worst_zero(base.inputs, levels(), state));
  violations_.inside =
      larger(violations_.inside, dependent_violation(*base.inputs.design, base.barred.dependent,
                                                     fit_.at.weighted, fit_.residual_error));
  violations_.outside = found.bound;
  result.kkt = kkt(base.inputs, levels(), state, violations_, std::sqrt(fit_.at.weighted.norm2));
  outside_ = found.met;
}

// How the descent ends here, if it does.
std::optional<Status> NewtonDescent::verdict(Status inner, const SolveResult& result) {
  const auto& found = answer_.violators;
  const bool ended = inner == Status::kIterations || inner == Status::kInterrupted;
  if ((found.empty() || ended) && result.kkt <= options_.tol) return Status::kConverged;
  if (ended) return inner;
  const bool rough = target_ > exact_;
  const bool stationary = violations_.inside / levels().slope0() <= options_.tol;
  if (found.empty() && !rough && (stationary || inner == Status::kStalled)) {
    return Status::kStalled;  // only rounding keeps this point from its certificate
  }
  const bool more = rough || !found.empty();
  patience_.left = result.kkt <= 0.5 * patience_.best || more ? kPatience : patience_.left - 1;
  patience_.best = std::min(patience_.best, result.kkt);
  if (patience_.left == 0) return Status::kStalled;
  return std::nullopt;
}

}  // namespace sparsieve
