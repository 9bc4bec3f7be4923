#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/model/forms.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
// How exact the fit must be, relative, when it is a difference of products instead of a sum of squares, and
// what rounding typically makes of such a sum. They decide whether X is read; a proof takes fit_error.
constexpr double kFitShare = 1e-10;
constexpr double kRounded = 1e-14;
}  // namespace

// Leaves take a mean from a column before they multiply. A mean that is off by m, where its column is
// u = x - mean, changes the products with another such column and with a residual by
//   |(u_s + m_s)'(u_t + m_t) - u_s'u_t| <= |m_s| |m_t|   and   |m_s| |sum(r)|,
// since u sums to zero, and sum(r) is at most what r is off by. Moments::roundings bounds ||m||, the norms taken
// with the sample weights. All else is relative to the columns after centring.
namespace {
double leaf_noise(const Inputs& inputs, const State& state) {
  const Design& design = *inputs.design;
  const Residual& at = state.point.residual;
  const double roundings = kEps * product_roundings(design.n()) * std::sqrt(at.weighted.norm2);
  double largest = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    const double moved = (design.norm(j) + design.rounding(j)) * at.error;
    largest = std::max(largest, design.norm(j) * roundings + moved);
  }
  return largest;
}

double leaf_gram_noise(const Inputs& inputs, const State& state, const std::vector<double>& w) {
  const Design& design = *inputs.design;
  double reach = std::sqrt(inputs.loss->null_deviance()), raw_reach = reach;
  double largest = 0.0, raw_largest = 0.0, means = 0.0, largest_mean = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    reach += design.norm(j) * std::abs(w[s]);
    raw_reach += design.raw_norm(j) * std::abs(w[s]);
    raw_largest = std::max(raw_largest, design.raw_norm(j));
    means += design.rounding(j) * std::abs(w[s]);
    largest = std::max(largest, design.norm(j));
    largest_mean = std::max(largest_mean, design.rounding(j));
  }
  // The product with w adds a rounding for each coefficient; what is handed out of them is rounded as well.
  const double roundings =
      product_roundings(design.n()) + static_cast<double>(state.point.support.size()) + 4.0;
  const double unsure = design.uncertainty() * raw_reach * raw_largest;
  return kEps * roundings * reach * largest + means * largest_mean + unsure;
}
}  // namespace

void GramModel::grow(const Inputs& inputs, State& state, const std::vector<Index>& columns) const {
  const Point& at = state.point;
  const Index old = state.size();
  std::vector<double> seen;
  take_in(inputs, state, columns, seen);
  const Index m = state.size();
  state.c.insert(state.c.end(), seen.begin(), seen.begin() + (m - old));
  state.pull.resize(m);
  // Correlations that came with a whole Gram matrix are sums by leaves, as its entries are.
  const double read =
      state.set.by_leaves() ? leaf_noise(inputs, state) : reading_noise(inputs, state);
  state.pull_error = std::max(state.pull_error, gram_noise(inputs, state, at.w_read) + read);
  for (Index s = old; s < m; ++s) {
    state.c[s] += inputs.ridge.pull(state.column(s), 0.0);
    state.pull[s] = state.c[s] + dot(state.set.gram(s), at.w_read.data(), m);
    if (at.stale) state.c[s] = state.pull[s] - dot(state.set.gram(s), at.w.data(), m);
  }
}

void share_gram(const Inputs& inputs, State& state, std::shared_ptr<const SharedGram> shared,
                const std::vector<double>& correlations) {
  state.set = WorkingSet(std::move(shared));
  state.point.extend(state.size());
  state.c.clear();
  for (Index j : state.set.columns()) {
    state.c.push_back(correlations[j] + inputs.ridge.pull(j, 0.0));
  }
  state.pull = state.c;
  state.pull_error = gram_noise(inputs, state, state.point.w_read) + reading_noise(inputs, state);
}

// When it is stopped on the way, the Gram matrix is given up: the point can still be certified.
void GramModel::list_support(const Inputs& inputs, State& state) const {
  Point& at = state.point;
  at.factor.clear();
  at.exact = true;
  at.support.clear();
  std::fill(at.place.begin(), at.place.end(), Index{-1});
  std::vector<Index> slots;
  for (Index s = 0; s < state.size(); ++s) {
    at.sign[s] = (at.w[s] > 0.0) - (at.w[s] < 0.0);
    if (at.w[s] != 0.0) slots.push_back(s);
  }
  join(inputs, state, slots);
  if (at.support.size() < slots.size()) leave_gram(state);
}

void GramModel::residual(const Inputs& inputs, State& state) const {
  Point& at = state.point;
  at.stale = false;
  read_fit(at);
  if (at.w_read == at.w) return;
  compute_residual(inputs, state);
  at.w_read = at.w;
}

void GramModel::anchor(const Inputs& inputs, State& state) const {
  residual(inputs, state);
  state.known_error = reading_noise(inputs, state);
  inputs.design->correlate(state.point.residual.weighted, state.set.columns().data(), state.size(),
                           state.c.data());
  add_ridge(inputs, state);
  state.pull = state.c;
  add_hessian_product(inputs, state, 1.0, state.point.w, state.pull);
  state.pull_error = gram_noise(inputs, state, state.point.w) + state.known_error;
}

void GramModel::settle(const Inputs& inputs, State& state, double allowed) const {
  state.known_error = gram_noise(inputs, state, state.point.w) + state.pull_error;
  if (state.known_error > allowed) return anchor(inputs, state);
  residual(inputs, state);
  correlate_by_gram(inputs, state);
}

bool GramModel::gram(const Inputs&, const State& state, const std::vector<Index>& slots,
                     double* out, Index ld) const {
  for (std::size_t p = 0; p < slots.size(); ++p) {
    const double* row = state.set.gram(slots[p]);
    for (std::size_t q = 0; q <= p; ++q) out[p * ld + q] = row[slots[q]];
  }
  return true;
}

void add_gram_product(const Inputs& inputs, const State& state, double factor,
                      const std::vector<double>& x, std::vector<double>& out) {
  std::vector<Index> moved;
  for (Index s = 0; s < state.size(); ++s) {
    if (x[s] != 0.0) moved.push_back(s);
  }
  // Threads share the rows: the order of the sums is the same for any number of them.
  const Index grain = kGrain / (static_cast<Index>(moved.size()) + 1) + 1;
  parallel_for(state.size(), inputs.design->threads(), grain, [&](Index first, Index last) {
    for (Index s : moved)
      axpy(factor * x[s], state.set.gram(s) + first, out.data() + first, last - first);
  });
}

void add_hessian_product(const Inputs& inputs, const State& state, double factor,
                         const std::vector<double>& x, std::vector<double>& out) {
  add_gram_product(inputs, state, factor, x, out);
  if (inputs.ridge.none()) return;
  for (Index s = 0; s < state.size(); ++s) {
    out[s] += factor * inputs.ridge.of(state.column(s)) * x[s];
  }
}

void correlate_by_gram(const Inputs& inputs, State& state) {
  state.c = state.pull;
  add_hessian_product(inputs, state, -1.0, state.point.w, state.c);
}

// Of the Gram matrix itself and of the product. pull = c + G w has an error of its own, of the w at which
// it was formed. One column of a product is centred, the other is read as it is stored: an entry is off by
// at most eps product_roundings ||x_s|| ||x_t||, the larger of the two norms the one before centring. The
// ridge's part of c is in all k sums while pull is formed.
double gram_noise(const Inputs& inputs, const State& state, const std::vector<double>& w) {
  if (state.set.by_leaves()) return leaf_gram_noise(inputs, state, w);
  const Design& design = *inputs.design;
  const double k = static_cast<double>(state.point.support.size());
  double reach = std::sqrt(inputs.loss->null_deviance()), raw_reach = reach;
  double largest = 0.0, raw_largest = 0.0;
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    reach += design.norm(j) * std::abs(w[s]);
    raw_reach += design.raw_norm(j) * std::abs(w[s]);
    largest = std::max(largest, design.norm(j));
    raw_largest = std::max(raw_largest, design.raw_norm(j));
  }
  const double sizes = std::max(reach * raw_largest, raw_reach * largest);
  const double unsure = design.uncertainty() * raw_reach * raw_largest;
  return rounding_noise(inputs, state) + unsure +
         kEps * (product_roundings(design.n()) + k) * sizes + k * ridge_noise(inputs, state);
}

// After a step s from where the residual r was computed,
//   ||r - X s||^2 = ||r||^2 - s'(2 c + G s)  with the correlations c after it.
bool fit_by_gram(const Inputs& inputs, State& state) {
  Point& at = state.point;
  const Index m = state.size();
  std::vector<double> step(m), twice(m);
  double length = 0.0;
  for (Index s = 0; s < m; ++s) {
    step[s] = at.w[s] - at.w_read[s];
    length += std::abs(step[s]);
    twice[s] = 2.0 * (state.c[s] - inputs.ridge.pull(state.column(s), at.w[s]));
  }
  add_gram_product(inputs, state, 1.0, step, twice);
  const double norm2 = at.residual.weighted.norm2;
  const double off = 4.0 * length * state.known_error;
  read_fit(at);
  at.fit -= dot(step.data(), twice.data(), m);
  at.fit_error += off;
  return off + kRounded * norm2 <= kFitShare * at.fit;
}

}  // namespace sparsieve
