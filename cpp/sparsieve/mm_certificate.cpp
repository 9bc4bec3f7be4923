// The point in observation space and everything that is proven about it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/mm.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Pivots of the maintained factor above this are definite whatever its accumulated rounding error.
constexpr double kSafePivot = 1e-9;
// Without a Gram matrix at hand, convexity is examined for supports up to this size.
constexpr Index kProvable = 256;

// Roundings in a row of a product of two columns: sums in eight lanes over blocks of 1024 rows.
double product_roundings(double n) { return std::min(n, 1024.0) / 8.0 + n / 1024.0 + 12.0; }
}  // namespace

// r = z - Xw, from the columns of the support, unless w is where it was. Without a Gram matrix the weighted
// residual moves along with w and gathers rounding errors, so that it is always computed afresh.
void MmSolver::residual() {
  const bool gram = ws_.has_gram();
  stale_ = false;
  fit_ = weighted_.norm2;
  if (gram && w_read_ == w_) return;
  std::vector<Index> columns;
  std::vector<double> coef;
  solution(columns, coef);
  r_ = problem_.z;
  problem_.design->subtract(columns.data(), coef.data(), static_cast<Index>(columns.size()), r_);
  problem_.design->weigh(r_, weighted_);
  fit_ = weighted_.norm2;
  w_read_ = gram ? w_ : std::vector<double>(w_.size(), std::numeric_limits<double>::quiet_NaN());
}

// The residual and the working set's correlations, both from X: no rounding error outlives it.
void MmSolver::anchor() {
  known_error_ = rounding_noise();
  if (anchored_) return;
  residual();
  problem_.design->correlate(weighted_, ws_.columns().data(), ws_.size(), c_.data());
  anchored_ = !ws_.has_gram();  // with one, w_ moves in too many places to keep track
  if (!ws_.has_gram()) return;
  pull_ = c_;
  add_gram_product(1.0, w_, pull_);
  pull_error_ = gram_noise(w_);
}

// The same without reading the columns of the working set, c = X'Omega z - G w, wherever the rounding
// error of that is small against the tolerance.
void MmSolver::settle(double tol) {
  known_error_ = gram_noise(w_) + pull_error_;
  if (!ws_.has_gram() || known_error_ > kGramShare * tol * slope0_) {
    anchor();
    return;
  }
  residual();
  c_ = pull_;
  add_gram_product(-1.0, w_, c_);
}

// out += factor G x, for x per slot.
void MmSolver::add_gram_product(double factor, const std::vector<double>& x,
                                std::vector<double>& out) const {
  std::vector<Index> moved;
  for (Index s = 0; s < ws_.size(); ++s) {
    if (x[s] != 0.0) moved.push_back(s);
  }
  // Threads share the rows: the order of the sums is the same for any number of them.
  const Index grain = kGrain / (static_cast<Index>(moved.size()) + 1) + 1;
  parallel_for(ws_.size(), problem_.design->threads(), grain, [&](Index first, Index last) {
    for (Index s : moved)
      axpy(factor * x[s], ws_.gram(s) + first, out.data() + first, last - first);
  });
}

// A bound of the rounding error of a product G w with all that comes with it: of the Gram matrix itself
// and of the product. X'Omega z = c + G w has one of its own, of the w at which it was formed.
double MmSolver::gram_noise(const std::vector<double>& w) const {
  const Design& design = *problem_.design;
  const double n = static_cast<double>(design.n()), k = static_cast<double>(support_.size());
  double reach = std::sqrt(z_norm2_), largest = 0.0;
  for (Index s = 0; s < ws_.size(); ++s) {
    const double norm = design.norm(ws_.column(s));
    reach += norm * std::abs(w[s]);
    largest = std::max(largest, norm);
  }
  return rounding_noise() + kEps * (product_roundings(n) + k) * reach * largest;
}

// What rounding the response, the coefficients and the intercept to double precision does to the
// correlations, whoever computes them: no certificate can promise less.
double MmSolver::rounding_noise() const {
  const Design& design = *problem_.design;
  double reach = problem_.response_size, largest = 0.0;
  for (Index s = 0; s < ws_.size(); ++s) {
    const double raw = design.raw_norm(ws_.column(s));
    reach += raw * std::abs(w_[s]);
    largest = std::max(largest, raw);
  }
  return 4.0 * kEps * reach * largest;
}

double MmSolver::objective_now() {
  reweight();
  double total = 0.5 * fit_;
  for (double v : value_) total += v;
  return total;
}

// Gap of the surrogate at w, whose prox term vanishes there. The dual point is kappa Omega r with
// kappa the maximiser of the dual over the feasible interval. Unpenalised coordinates need c_j = 0:
// what is left of it (rounding, once the Newton step has solved their block) is charged to the dual.
double MmSolver::surrogate_gap(double outside_ratio) {
  double ratio = std::max(outside_ratio, 0.0), l1 = 0.0, fit = fit_, slack = 0.0;
  for (Index s = 0; s < ws_.size(); ++s) {
    const double lambda = place_[s] >= 0 ? slope_[place_[s]] : threshold_[ws_.column(s)];
    const double reached = problem_.positive ? c_[s] : std::abs(c_[s]);
    if (lambda > 0.0) {
      ratio = std::max(ratio, reached / lambda);
    } else {
      slack += std::abs(c_[s] * w_[s]);
    }
    l1 += lambda * std::abs(w_[s]);
    fit += c_[s] * w_[s];  // z'Omega r = r'Omega r + w'c
  }
  const double limit = ratio > 0.0 ? 1.0 / ratio : kInf;
  const double norm2 = fit_;
  const double kappa = norm2 > 0.0 ? std::clamp((fit - slack) / norm2, 0.0, limit) : 0.0;
  const double primal = 0.5 * norm2 + l1;
  const double dual = kappa * (fit - slack) - 0.5 * kappa * kappa * norm2;
  return primal - dual;
}

// The lower triangle of the Gram matrix of the support's columns; false when there was no time for it.
// Without a matrix at hand, rows come from the stored entries, one column after the other, as long as
// that cancels nothing; where a column varies little around a large mean it has to be centred first.
bool MmSolver::support_gram(const std::vector<Index>& columns, double* out, Index ld) const {
  const Design& design = *problem_.design;
  const Index k = static_cast<Index>(columns.size());
  const auto copy = [&](const WorkingSet& set) {
    for (Index p = 0; p < k; ++p) {
      const double* gram = set.gram(set.slot(columns[p]));
      for (Index q = 0; q <= p; ++q) out[p * ld + q] = gram[set.slot(columns[q])];
    }
  };
  if (ws_.has_gram()) {
    copy(ws_);
    return true;
  }
  const bool flat = std::any_of(columns.begin(), columns.end(),
                                [&](Index j) { return design.raw_norm(j) > 2.0 * design.norm(j); });
  if (flat) {
    WorkingSet own(design.d());
    own.grow(design, columns, poll_);
    if (own.size() == k) copy(own);
    return own.size() == k;
  }
  Weighted column;
  column.v.assign(design.n(), 0.0);
  for (Index p = 0; p < k && !stopped(); ++p) {
    design.subtract_weighted(columns[p], -1.0, column);
    // The diagonal too: a norm that was summed in another way makes multiples look independent.
    design.correlate(column, columns.data(), p + 1, out + p * ld);
    design.subtract_weighted(columns[p], 1.0, column);  // zero again, exactly
    column.sum = 0.0;
  }
  return !stopped();
}

bool MmSolver::strictly_convex() const {
  const Index k = static_cast<Index>(support_.size()), ld = (k + 3) / 4 * 4;
  if (k == 0) return true;
  if (!ws_.has_gram() && k > kProvable) return false;
  std::vector<Index> columns(k);
  std::vector<double> diagonal(k);
  const Design& design = *problem_.design;
  bool curved = problem_.prox_weight > 0.0;  // the maintained factor is then not the Hessian's
  double flattest = 1.0;
  for (Index p = 0; p < k; ++p) {
    columns[p] = ws_.column(support_[p]);
    curved = curved || curvature_[p] != 0.0;
    diagonal[p] = design.norm2(columns[p]);
    if (!(diagonal[p] + curvature_[p] > 0.0)) return false;
    flattest = std::max(flattest, design.raw_norm(columns[p]) / design.norm(columns[p]));
  }
  // Products are sums of what the columns are before centring, and pivots differences of products.
  const double noise = 2.0 * kEps * product_roundings(static_cast<double>(design.n())) * flattest;
  if (!curved && ws_.has_gram() && factor_.smallest_pivot(diagonal) > std::max(kSafePivot, noise)) {
    return true;
  }
  std::vector<double> hessian(static_cast<std::size_t>(ld) * ld);
  if (!support_gram(columns, hessian.data(), ld)) return false;
  for (Index p = 0; p < k; ++p) hessian[p * ld + p] += curvature_[p];
  for (double& x : diagonal) x *= noise;
  return factorise(hessian.data(), k, ld, diagonal, poll_);
}

}  // namespace sparsieve
