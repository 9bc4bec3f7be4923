#include "sparsieve/inner/column_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/inner/conjugate_gradients.hpp"
#include "sparsieve/model/model.hpp"

namespace sparsieve {
namespace {
// These decide how a point is looked for and when the search is given up; the certificate is made afterwards.
// Epochs between two Newton steps.
constexpr int kNewtonEvery = 64;
constexpr int kNewtonRarely = 400;  // once a whole step was refused
// Conjugate gradient iterations of one Newton step.
constexpr int kMaxCg = 60;
// Checks without progress before the solve ends: only rounding errors are left then.
constexpr int kPatience = 50;
// Epochs of pruning at the most.
constexpr int kPruningEpochs = 20;
}  // namespace

// The penalty, its slope and curvature at every slot of the working set; returns its sum.
double ColumnDescent::evaluate() {
  for (Index s = 0; s < state_.size(); ++s) surrogate_.t[s] = std::abs(at_.w[s]);
  surrogate_.evaluate(levels_.penalty());
  double total = 0.0;
  for (double v : surrogate_.value) total += v;
  return total;
}

// H = X_S' V X_S + (ridge + mu) I + diag r'', V the loss's curvature, with the diagonal as preconditioner.
struct ColumnDescent::NewtonSystem {
  const Inputs& inputs;
  const Residual& at;
  const std::vector<double>& curvature;
  std::vector<Index> columns;
  std::vector<double> precision, image;
  Weighted weighted;

  bool multiply(const std::vector<double>& p, std::vector<double>& hp, double& php) {
    const Design& design = *inputs.design;
    const Index k = static_cast<Index>(columns.size());
    std::fill(image.begin(), image.end(), 0.0);
    design.subtract(columns.data(), p.data(), k, image);  // -X p
    inputs.loss->curvature_times(at, image, weighted);
    design.correlate(weighted, columns.data(), k, hp.data());
    for (Index i = 0; i < k; ++i) {
      hp[i] = -hp[i] + (curvature[i] + inputs.damping(columns[i])) * p[i];
      php += p[i] * hp[i];
    }
    return php > kConcave * weighted.norm2;
  }
  void precondition(const std::vector<double>& rho, std::vector<double>& z) const {
    for (std::size_t i = 0; i < rho.size(); ++i) z[i] = precision[i] * rho[i];
  }
  void moved(double) {}
  void turned(const std::vector<double>&, double) {}
};

// A truncated Newton step on the support. Coordinates that would change sign become zero; the step is
// taken only if F falls. Returns whether it was taken whole.
bool ColumnDescent::newton_step() {
  const Design& design = *inputs_.design;
  gradient_.compute(inputs_, levels_, state_);
  const Index k = static_cast<Index>(at_.support.size());
  const auto& curvature = gradient_.penalty.curvature;
  NewtonSystem system{inputs_,
                      at_.residual,
                      curvature,
                      std::vector<Index>(k),
                      std::vector<double>(k),
                      std::vector<double>(design.n()),
                      {}};
  for (Index i = 0; i < k; ++i) {
    system.columns[i] = state_.column(at_.support[i]);
    const double norm2 = design.norm2(system.columns[i]);
    const double diagonal = norm2 + inputs_.damping(system.columns[i]) + curvature[i];
    system.precision[i] = 1.0 / std::max(diagonal, 0.1 * norm2);
  }
  std::vector<double> delta(k, 0.0), z(k);
  system.precondition(gradient_.g, z);
  const double goal = std::max(kForcing * gradient_.worst(), kEnough * target_);
  conjugate_gradients(system, gradient_.g, z, goal, kMaxCg, delta);
  for (double t = 1.0; t > 0.1; t *= 0.5) {
    if (try_step(delta, t)) return t == 1.0;
  }
  return false;
}

// Move by t delta, signs kept; undone unless F falls.
bool ColumnDescent::try_step(const std::vector<double>& delta, double t) {
  const Model& model = model_of(state_);
  const double before = objective(inputs_, levels_, state_, gradient_);
  const std::vector<double> old = at_.w;
  state_.anchored = false;
  for (std::size_t i = 0; i < at_.support.size(); ++i) {
    const Index s = at_.support[i];
    const Bounds bounds = inputs_.box.of(state_.column(s));
    const double moved = std::clamp(at_.w[s] + t * delta[i], bounds.lower, bounds.upper);
    at_.w[s] = moved * at_.sign[s] > 0.0 || is_free(s) ? moved : 0.0;
  }
  model.list_support(inputs_, state_);
  model.residual(inputs_, state_);
  if (objective(inputs_, levels_, state_, gradient_) < before) return true;
  at_.w = old;
  model.list_support(inputs_, state_);
  model.residual(inputs_, state_);
  return false;
}

Status ColumnDescent::epochs(int count, double target, Progress& progress) {
  const Index m = state_.size();
  surrogate_.resize(m);
  for (Index s = 0; s < m; ++s) surrogate_.strength[s] = levels_.strength(state_.column(s));
  const bool ridged = !inputs_.ridge.none(), bounded = !inputs_.box.none();
  std::vector<double> ridge, centre;  // per slot
  std::vector<Bounds> bounds;
  for (Index s = 0; s < m; ++s) {
    if (ridged) ridge.push_back(inputs_.ridge.of(state_.column(s)));
    if (ridged) centre.push_back(inputs_.ridge.centre_of(state_.column(s)));
    if (bounded) bounds.push_back(inputs_.box.of(state_.column(s)));
  }
  double penalty = evaluate(), objective = smooth() + penalty;
  stops_ = 0;
  for (int e = 0; e < count; ++e) {
    if (inputs_.stopped()) return Status::kInterrupted;
    if (progress.iterations >= progress.max_iter) return Status::kIterations;
    ++progress.iterations;
    ++progress.epochs;
    Stop& stop = trail_[stops_++];
    stop.w = at_.w;
    stop.residual = weighted();
    Epoch epoch{m,
                state_.set.columns().data(),
                surrogate_.slope.data(),
                surrogate_.curvature.data(),
                bounded ? bounds.data() : nullptr,
                ridged ? ridge.data() : nullptr,
                ridged ? centre.data() : nullptr,
                inputs_.prox_weight,
                newton_steps_,
                at_.w.data()};
    inputs_.design->descend(epoch, weighted());
    state_.anchored = false;
    const double fresh = evaluate(), change = epoch.change + (fresh - penalty);
    if (newton_steps_ && change > 0.0) {
      newton_steps_ = false;  // F rose: undone, and not tried again at this alpha
      at_.w = stop.w;
      weighted() = stop.residual;
      evaluate();
      stops_ = 0;
      continue;
    }
    penalty = fresh;
    objective += change;
    if (epoch.worst <= target) break;
    if (stops_ < kMemory) continue;
    if (extrapolate(objective, penalty)) objective = smooth() + penalty;
    stops_ = 0;
  }
  return Status::kConverged;
}

// The largest violation on the working set; residual and correlations are those of w.
double ColumnDescent::worst() {
  gradient_.compute(inputs_, levels_, state_);
  return larger(gradient_.worst(), worst_zero(inputs_, levels_, state_));
}

Status ColumnDescent::minimise(double target, Progress& progress) {
  const Model& model = model_of(state_);
  double best = std::numeric_limits<double>::infinity();
  int patience = kPatience, count = kNewtonEvery;
  newton_steps_ = true;
  target_ = target;
  model.anchor(inputs_, state_);
  const Bytes bytes = inputs_.design->bytes_read();
  const Index iterations = progress.iterations;
  while (true) {
    const double now = worst();
    gave_up_ = too_long_ && too_long_(inputs_.design->bytes_read() - bytes,
                                      progress.iterations - iterations, gradient_.penalty.bends());
    if (gave_up_) return Status::kStalled;
    if (now <= target) return Status::kConverged;
    patience = now < 0.99 * best ? kPatience : patience - 1;
    best = std::min(best, now);
    if (patience == 0) return Status::kStalled;
    const Status ended = epochs(count, target, progress);
    model.list_support(inputs_, state_);
    if (ended != Status::kConverged) return ended;
    model.anchor(inputs_, state_);
    if (worst() <= target) return Status::kConverged;
    count = newton_step() ? kNewtonEvery : std::min(2 * count, kNewtonRarely);
    model.anchor(inputs_, state_);
  }
}

void ColumnDescent::prune(double, Progress& progress) {
  const Model& model = model_of(state_);
  Progress own;
  own.max_iter = progress.max_iter;
  newton_steps_ = true;
  epochs(kPruningEpochs, kStill * levels_.slope0(), own);
  progress.epochs += own.epochs;
  model.list_support(inputs_, state_);
  model.anchor(inputs_, state_);
}

}  // namespace sparsieve
