// The inner problem on the columns themselves, for sparse data with supports so large that a Gram
// matrix would cost more than the columns do: coordinate descent on the surrogate, reweighted after
// every epoch, with truncated Newton steps by conjugate gradients.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sparsieve/mm.hpp"

namespace sparsieve {
namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Working sets up to this size always have a Gram matrix, beyond the other they never do.
constexpr Index kSmallSet = 256;
constexpr Index kLargeSet = 4000;
// Columns may pay when the support has this many features for each stored entry of a column.
constexpr double kPerEntry = 4.0;
// Entries read for one alpha, per square of the support, that a Gram matrix would have been worth.
constexpr double kGramPrice = 60.0;
// Largest share of a coordinate's curvature that a concave penalty may take away from a bold step.
constexpr double kBoldest = 0.7;
// Epochs between two Newton steps.
constexpr int kNewtonEvery = 8;
constexpr int kNewtonRarely = 64;  // once a whole step was refused
// Conjugate gradient iterations of one Newton step, and the reduction of the residual it aims at.
constexpr int kMaxCg = 60;
constexpr double kForcing = 1e-3;
constexpr double kEnough = 0.3;  // of the target: no need to go below
// Checks without progress before rounding is blamed.
constexpr int kPatience = 50;
}  // namespace

// Stored entries, from their bytes (an index and a value each).
double MmSolver::entries(Bytes bytes) const { return static_cast<double>(bytes) / 12.0; }

// Whether an epoch over the columns is much cheaper than a product with the Gram matrix. Whether fewer
// such products are needed is another matter: that is tried, once.
bool MmSolver::columns_pay() const {
  if (ws_.size() <= kSmallSet) return false;
  if (ws_.size() > kLargeSet) return true;
  const double d = static_cast<double>(problem_.design->d());
  const double per_column = entries(problem_.design->bytes()) / d;
  return !gram_paid_ && static_cast<double>(support_.size()) > kPerEntry * per_column;
}

void MmSolver::leave_gram() {
  ws_.drop_gram();
  factor_ = Factor();
  list_support();
}

// The columns took longer than a Gram matrix would have: have it again, and keep it.
void MmSolver::return_to_gram() {
  gram_paid_ = true;
  anchored_ = false;
  if (!ws_.regain_gram(*problem_.design, poll_)) return;
  pull_.resize(ws_.size());
  rebuild_support();
  anchor();
}

// Support and signs from w; there is no factor to keep in step.
void MmSolver::list_support() {
  support_.clear();
  std::fill(place_.begin(), place_.end(), Index{-1});
  for (Index s = 0; s < ws_.size(); ++s) {
    sign_[s] = w_[s] > 0.0 ? 1 : (w_[s] < 0.0 ? -1 : 0);
    if (w_[s] == 0.0) continue;
    place_[s] = static_cast<Index>(support_.size());
    support_.push_back(s);
  }
}

// One epoch: every coordinate to the minimum of its surrogate or, when bold, by a Newton step that
// knows how the penalty bends, as long as that keeps its sign. Only the former is sure to descend.
// The penalty was evaluated at w; v = Omega r is kept current. Returns the largest violation met on
// the way; `change` is that of the fit.
double MmSolver::column_epoch(bool bold, double& change) {
  const Design& design = *problem_.design;
  double worst = 0.0;
  anchored_ = false;
  change = 0.0;
  for (Index s = 0; s < ws_.size(); ++s) {
    const Index j = ws_.column(s);
    const double steep = design.norm2(j) + problem_.prox_weight, old = w_[s];
    const double lambda = slope_[s];
    double c;
    design.correlate(weighted_, &j, 1, &c);
    const double pull = c + steep * old;
    double fresh = 0.0;
    if (pull > lambda) fresh = (pull - lambda) / steep;
    if (pull < -lambda && !problem_.positive) fresh = (pull + lambda) / steep;
    if (bold && old != 0.0 && curvature_[s] > -kBoldest * steep) {
      const double newton = old + (c - std::copysign(lambda, old)) / (steep + curvature_[s]);
      if (newton * old > 0.0) fresh = newton;
    }
    const double delta = fresh - old;
    if (std::abs(delta) <= kEps * t_[s]) continue;
    worst = larger(worst, (steep + (bold ? curvature_[s] : 0.0)) * std::abs(delta));
    change += delta * (0.5 * design.norm2(j) * delta - c);
    design.subtract_weighted(j, delta, weighted_);
    w_[s] = fresh;
  }
  return worst;
}

// The penalty, its slope and curvature at every slot of the working set; returns its sum.
double MmSolver::evaluate_columns() {
  const Index m = ws_.size();
  for (std::vector<double>* each : {&t_, &a_, &value_, &slope_, &curvature_}) each->resize(m);
  for (Index s = 0; s < m; ++s) {
    t_[s] = std::abs(w_[s]);
    a_[s] = strength_[ws_.column(s)];
  }
  problem_.penalty->evaluate(t_.data(), a_.data(), m, value_.data(), slope_.data(),
                             curvature_.data());
  for (Index s = 0; s < m; ++s) {
    if (a_[s] == 0.0) value_[s] = slope_[s] = curvature_[s] = 0.0;
  }
  return std::accumulate(value_.begin(), value_.end(), 0.0);
}

// (X_S' Omega X_S + diag r'') delta = g by conjugate gradients with the diagonal as preconditioner;
// stops where the curvature turns negative. Coordinates that would change sign become zero; the step
// is taken only if F falls.
bool MmSolver::column_newton() {
  const Design& design = *problem_.design;
  reweight();
  const Index k = static_cast<Index>(support_.size());
  std::vector<Index> columns(k);
  std::vector<double> precision(k), delta(k, 0.0), rho = g_, z(k), p(k), hp(k), image(design.n());
  for (Index i = 0; i < k; ++i) {
    columns[i] = ws_.column(support_[i]);
    const double diagonal = design.norm2(columns[i]) + problem_.prox_weight + curvature_[i];
    precision[i] = 1.0 / std::max(diagonal, 0.1 * design.norm2(columns[i]));
    p[i] = z[i] = precision[i] * rho[i];
  }
  double rz = dot(rho.data(), z.data(), k);
  const double goal = std::max(kForcing * worst_active(), kEnough * target_);
  Weighted weighted;
  for (int iteration = 0; iteration < kMaxCg; ++iteration) {
    std::fill(image.begin(), image.end(), 0.0);
    design.subtract(columns.data(), p.data(), k, image);  // -X p
    design.weigh(image, weighted);
    design.correlate(weighted, columns.data(), k, hp.data());
    double php = 0.0;
    for (Index i = 0; i < k; ++i) {
      hp[i] = -hp[i] + (curvature_[i] + problem_.prox_weight) * p[i];
      php += p[i] * hp[i];
    }
    if (!(php > 1e-3 * weighted.norm2)) break;
    const double step = rz / php;
    double worst = 0.0;
    for (Index i = 0; i < k; ++i) {
      delta[i] += step * p[i];
      rho[i] -= step * hp[i];
      worst = std::max(worst, std::abs(rho[i]));
      z[i] = precision[i] * rho[i];
    }
    if (worst <= goal) break;
    const double rz_next = dot(rho.data(), z.data(), k), beta = rz_next / rz;
    rz = rz_next;
    for (Index i = 0; i < k; ++i) p[i] = z[i] + beta * p[i];
  }
  for (double t = 1.0; t > 0.1; t *= 0.5) {
    if (column_trial(delta, t)) return t == 1.0;
  }
  return false;
}

// Move by t delta, signs kept; undone unless F falls.
bool MmSolver::column_trial(const std::vector<double>& delta, double t) {
  const double before = objective_now();
  const std::vector<double> old = w_;
  anchored_ = false;
  for (std::size_t i = 0; i < support_.size(); ++i) {
    const Index s = support_[i];
    const double moved = w_[s] + t * delta[i];
    w_[s] = moved * sign_[s] > 0.0 || is_free(s) ? moved : 0.0;
  }
  list_support();
  residual();
  if (objective_now() < before) return true;
  w_ = old;
  list_support();
  residual();
  return false;
}

// A few epochs, until nothing moves any more, or why they were broken off.
Status MmSolver::column_epochs(int count, double target, const SolveOptions& options,
                               SolveResult& result) {
  double penalty = evaluate_columns();
  for (int e = 0; e < count; ++e) {
    if (stopped()) return Status::kInterrupted;
    if (result.iterations >= options.max_iter) return Status::kIterations;
    ++result.iterations;
    const std::vector<double> before = w_;
    const Weighted weighted = weighted_;
    double change;
    const double worst = column_epoch(bold_, change), penalty_before = penalty;
    penalty = evaluate_columns();
    if (bold_ && change + penalty - penalty_before > 0.0) {
      bold_ = false;  // too bold: undone, and not tried again at this alpha
      w_ = before;
      weighted_ = weighted;
      penalty = evaluate_columns();
    } else if (worst <= target) {
      break;
    }
  }
  return Status::kConverged;
}

Status MmSolver::minimise_by_columns(double target, const SolveOptions& options,
                                     SolveResult& result) {
  double best = std::numeric_limits<double>::infinity();
  int patience = kPatience;
  bold_ = true;
  int epochs = kNewtonEvery;
  target_ = target;
  anchor();
  const Bytes before = problem_.design->bytes_read();
  while (true) {
    const double k = static_cast<double>(support_.size());
    const double spent = entries(problem_.design->bytes_read() - before);
    if (spent > kGramPrice * k * k && ws_.size() > kSmallSet && ws_.size() <= kLargeSet) {
      return_to_gram();
      if (ws_.has_gram()) return minimise(target, options, result, false);
    }
    reweight();
    const double worst = larger(worst_active(), worst_zero());
    if (worst <= target) return Status::kConverged;
    patience = worst < 0.99 * best ? kPatience : patience - 1;
    best = std::min(best, worst);
    if (patience == 0) return Status::kStalled;
    const Status ended = column_epochs(epochs, target, options, result);
    list_support();
    if (ended != Status::kConverged) return ended;
    anchor();
    reweight();
    if (larger(worst_active(), worst_zero()) <= target) return Status::kConverged;
    epochs = column_newton() ? kNewtonEvery : std::min(2 * epochs, kNewtonRarely);
    anchor();
  }
}

}  // namespace sparsieve
