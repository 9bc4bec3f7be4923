// Where a solve starts: the lasso at a fraction of slope(0), followed beside the path.
//
//   minimise over w   1/2 (z - Xw)' Omega (z - Xw) + sum_j f r'(0; alpha pi_j) |w_j|
//
// Working set, Gram matrix and screen are those of the path. The lasso's point is put aside while the
// penalty's own solve goes on from it, and taken up again at the next alpha without reading X.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sparsieve/mm.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
// Epochs of coordinate descent from a start, on the Gram matrix and over columns...
constexpr int kEpochs = 60;
constexpr int kColumnEpochs = 20;
// ...unless nothing moves by more than this share of slope(0) before.
constexpr double kMoved = 1e-2;
// Zeros that reach this share of their threshold are likely to be needed again.
constexpr double kNear = 0.8;
}  // namespace

void MmSolver::start_from_lasso(double alpha, double fraction, const SolveOptions& options) {
  static const ShapedPenalty<L1Shape> l1{L1Shape{}};
  ThreadPool pool;
  poll_ = options.poll;
  if (lasso_) {
    held_ = near_slots(kNear);
    resume(*lasso_);
  }
  const double previous = slope0_;
  set_alpha(alpha);
  slope0_ *= fraction;
  for (double& level : threshold_) level *= fraction;
  std::transform(threshold_.begin(), threshold_.end(), strength_.begin(),
                 [&](double level) { return std::isinf(level) ? slope0_ : level; });
  const Penalty* penalty = std::exchange(problem_.penalty, &l1);
  if (lasso_) prefetch(previous);
  held_.clear();
  at_start_ = false;
  SolveResult result;
  descend(options, false, result);
  problem_.penalty = penalty;
  lasso_ = saved();
  at_start_ = true;
}

MmSolver::SavedPoint MmSolver::saved() const {
  return {ws_.columns(), ws_.has_gram(), w_,       sign_,     place_,   support_,
          factor_,       exact_,         r_,       weighted_, fit_,     w_read_,
          stale_,        slope0_,        entered_, expected_, restless_};
}

// Since the point was saved the working set may have grown; one that was trimmed, or that had its Gram
// matrix dropped or made anew, is no longer that of the factor, and the residual is computed again.
void MmSolver::resume(const SavedPoint& point) {
  slope0_ = point.slope0;
  entered_ = point.entered;
  expected_ = point.expected;
  restless_ = point.restless;
  const auto& columns = ws_.columns();
  const bool same = ws_.has_gram() && point.gram && point.columns.size() <= columns.size() &&
                    std::equal(point.columns.begin(), point.columns.end(), columns.begin());
  if (!same) {
    std::vector<Index> support;
    std::vector<double> coef;
    for (std::size_t s = 0; s < point.w.size(); ++s) {
      if (point.w[s] == 0.0) continue;
      support.push_back(point.columns[s]);
      coef.push_back(point.w[s]);
    }
    move_to(support, coef);
    return;
  }
  const Index m = ws_.size();
  w_ = point.w;
  w_.resize(m, 0.0);
  sign_ = point.sign;
  sign_.resize(m, 0);
  place_ = point.place;
  place_.resize(m, -1);
  support_ = point.support;
  factor_ = point.factor;
  exact_ = point.exact;
  r_ = point.r;
  weighted_ = point.weighted;
  fit_ = point.fit;
  w_read_ = point.w_read;
  w_read_.resize(m, 0.0);
  stale_ = point.stale;
  c_ = pull_;
  add_gram_product(-1.0, w_, c_);
}

// The slots of the support and those whose correlation reaches a share of the threshold.
std::vector<char> MmSolver::near_slots(double share) const {
  std::vector<char> near(ws_.size(), 0);
  for (Index s = 0; s < ws_.size(); ++s) {
    near[s] = place_[s] >= 0 || excess(s) >= (share - 1.0) * threshold_[ws_.column(s)];
  }
  return near;
}

// Epochs of coordinate descent on the surrogate, over the support of the start, its largest coefficients
// first: the order of the columns makes no difference. Most of what a concave penalty drops leaves here,
// before other features are let in: so what comes out does not depend on what else is in the working set.
// The support's part of the Gram matrix is copied, so that an epoch touches nothing else; the factor is
// made anew at the end. Without a Gram matrix see prune_columns, which promises less.
void MmSolver::prune_start(const SolveOptions& options) {
  if (!ws_.has_gram()) return prune_columns(options);
  std::vector<Index> slots = support_;
  std::sort(slots.begin(), slots.end(), [&](Index a, Index b) {
    const double one = std::abs(w_[a]), other = std::abs(w_[b]);
    return one != other ? one > other : ws_.column(a) < ws_.column(b);
  });
  const Index k = static_cast<Index>(slots.size());
  std::vector<double> gram(k * k), w(k), c(k), t(k), strength(k), value(k), slope(k), curvature(k);
  for (Index p = 0; p < k; ++p) {
    const double* row = ws_.gram(slots[p]);
    for (Index q = 0; q < k; ++q) gram[p * k + q] = row[slots[q]];
    strength[p] = strength_[ws_.column(slots[p])];
    w[p] = w_[slots[p]];
    c[p] = c_[slots[p]];
  }
  double moved = std::numeric_limits<double>::infinity();
  const Index most = std::min<Index>(kEpochs, options.max_iter);
  for (Index epoch = 0; epoch < most && moved > kMoved * slope0_ && !stopped(); ++epoch) {
    for (Index p = 0; p < k; ++p) t[p] = std::abs(w[p]);
    problem_.penalty->evaluate(t.data(), strength.data(), k, value.data(), slope.data(),
                               curvature.data());
    moved = 0.0;
    for (Index p = 0; p < k; ++p) {
      const double steep = gram[p * k + p] + problem_.prox_weight;
      const double l1 = strength[p] == 0.0 ? 0.0 : slope[p];
      const double fresh = coordinate_minimum(c[p], w[p], steep, l1), delta = fresh - w[p];
      if (delta == 0.0) continue;
      axpy(-delta, gram.data() + p * k, c.data(), k);
      w[p] = fresh;
      moved = std::max(moved, std::abs(delta) * steep);
    }
  }
  for (Index p = 0; p < k; ++p) w_[slots[p]] = w[p];
  rebuild_support();
  if (!ws_.has_gram()) return anchor();  // stopped
  c_ = pull_;
  add_gram_product(-1.0, w_, c_);
  stale_ = true;
  known_error_ = gram_noise(w_) + pull_error_;
  if (!fit_by_gram()) settle(options.tol);
}

// Set penalised coefficients to zero that move their own correlation by no more than `pull`.
void MmSolver::drop_negligible(double pull) {
  for (Index p = static_cast<Index>(support_.size()) - 1; p >= 0; --p) {
    const Index s = support_[p];
    const bool small = std::abs(w_[s]) * ws_.gram(s)[s] <= pull;
    if (small && threshold_[ws_.column(s)] > 0.0) leave(p);
  }
}

// Pruning without a Gram matrix: over the whole working set, in its order. Features that have left cost
// as much there as those that stay, so they go.
void MmSolver::prune_columns(const SolveOptions& options) {
  SolveResult ignored;
  bold_ = true;
  column_epochs(kColumnEpochs, kMoved * slope0_, options, ignored);
  list_support();
  anchor();
  trim_working_set(kNear, ws_.size());
}

}  // namespace sparsieve
