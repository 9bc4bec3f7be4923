// The inner problem on the columns themselves, for sparse data with supports so large that a Gram
// matrix would cost more than the columns do: coordinate descent on the surrogate, reweighted after
// every epoch, with leaps ahead (mm_leap.cpp) and truncated Newton steps by conjugate gradients.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/mm.hpp"

namespace sparsieve {
namespace {
// Working sets up to this size always have a Gram matrix, beyond the other they never do.
constexpr Index kSmallSet = 64;
constexpr Index kLargeSet = 4000;
// Columns may pay when the support has this many features for each stored entry of a column.
constexpr double kPerEntry = 4.0;
// Entries read for one alpha, per square of the support, that a Gram matrix would have been worth.
// A Newton step takes one product with its factor, or a dozen where the penalty bends.
constexpr double kGramPrice = 60.0;
constexpr double kBentPrice = 250.0;
constexpr double kVisit = 10.0;  // what visiting a column costs besides its entries
// Epochs between two Newton steps.
constexpr int kNewtonEvery = 64;
constexpr int kNewtonRarely = 400;  // once a whole step was refused
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
  return gram_left_ == 0 && static_cast<double>(support_.size()) > kPerEntry * per_column;
}

void MmSolver::leave_gram() {
  ws_.drop_gram();
  factor_ = Factor();
  order_columns();
  list_support();
}

// Whether so many entries read and epochs made have taken longer than a Gram matrix would have.
bool MmSolver::gram_would_pay(double read, double epochs) const {
  const double k = static_cast<double>(support_.size()), m = static_cast<double>(ws_.size());
  const bool bent =
      std::any_of(curvature_.begin(), curvature_.end(), [](double h) { return h != 0.0; });
  const double price = (bent ? kBentPrice : kGramPrice) * k * k;
  // With far more features than samples the matrix would be hopelessly singular.
  const bool sound = static_cast<Index>(support_.size()) <= 2 * problem_.design->n();
  return sound && read + kVisit * m * epochs > price && m > kSmallSet && m <= kLargeSet;
}

// The columns took longer than a Gram matrix would have: have it again and keep it for some alphas, for
// more of them each time.
void MmSolver::return_to_gram() {
  gram_left_ = gram_term_;
  gram_term_ *= 2;
  anchored_ = false;
  if (!ws_.regain_gram(*problem_.design, poll_)) return;
  order_columns();
  pull_.resize(ws_.size());
  rebuild_support();
  anchor();
}

// Support and signs from w; there is no factor to keep in step.
void MmSolver::list_support() {
  support_.clear();
  std::fill(place_.begin(), place_.end(), Index{-1});
  for (Index s : by_column_) {
    sign_[s] = w_[s] > 0.0 ? 1 : (w_[s] < 0.0 ? -1 : 0);
    if (w_[s] == 0.0) continue;
    place_[s] = static_cast<Index>(support_.size());
    support_.push_back(s);
  }
}

// The strengths at every slot, and room for the penalty there.
void MmSolver::prepare_columns() {
  const Index m = ws_.size();
  for (std::vector<double>* each : {&t_, &a_, &value_, &slope_, &curvature_}) each->resize(m);
  for (Index s = 0; s < m; ++s) a_[s] = strength_[ws_.column(s)];
}

// The penalty, its slope and curvature at every slot of the working set; returns its sum.
double MmSolver::evaluate_columns() {
  const Index m = ws_.size();
  for (Index s = 0; s < m; ++s) t_[s] = std::abs(w_[s]);
  problem_.penalty->evaluate(t_.data(), a_.data(), m, value_.data(), slope_.data(),
                             curvature_.data());
  double total = 0.0;
  for (Index s = 0; s < m; ++s) {
    if (a_[s] == 0.0) value_[s] = slope_[s] = curvature_[s] = 0.0;
    total += value_[s];
  }
  return total;
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

// A few epochs, until nothing moves any more, or why they were broken off; now and then a leap.
Status MmSolver::column_epochs(int count, double target, const SolveOptions& options,
                               SolveResult& result) {
  prepare_columns();
  double penalty = evaluate_columns(), objective = 0.5 * weighted_.norm2 + penalty;
  halts_ = 0;
  for (int e = 0; e < count; ++e) {
    if (stopped()) return Status::kInterrupted;
    if (result.iterations >= options.max_iter) return Status::kIterations;
    ++result.iterations;
    Halt& halt = trail_[halts_++];
    halt.w = w_;
    halt.residual = weighted_;
    Epoch epoch{
        ws_.size(), ws_.columns().data(), slope_.data(), curvature_.data(), problem_.prox_weight,
        bold_,      problem_.positive,    w_.data()};
    problem_.design->descend(epoch, weighted_);
    anchored_ = false;
    const double fresh = evaluate_columns(), change = epoch.change + (fresh - penalty);
    if (bold_ && change > 0.0) {
      bold_ = false;  // too bold: undone, and not tried again at this alpha
      w_ = halt.w;
      weighted_ = halt.residual;
      evaluate_columns();
      halts_ = 0;
      continue;
    }
    penalty = fresh;
    objective += change;
    if (epoch.worst <= target) break;
    if (halts_ < kMemory) continue;
    if (leap_ahead(objective, penalty)) objective = 0.5 * weighted_.norm2 + penalty;
    halts_ = 0;
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
  const Bytes bytes = problem_.design->bytes_read();
  const Index iterations = result.iterations;
  while (true) {
    if (gram_would_pay(entries(problem_.design->bytes_read() - bytes),
                       static_cast<double>(result.iterations - iterations))) {
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
