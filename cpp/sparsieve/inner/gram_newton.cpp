#include "sparsieve/inner/gram_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/model/model.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = std::numeric_limits<double>::epsilon();
// These decide how a point is looked for and when the search is given up; the certificate is made afterwards.
// Features enter once the support's own violation is below this share of theirs.
constexpr double kEnterShare = 0.5;
// Violations this far below the target need no polishing.
constexpr double kPolish = 1e-5;
// Iterations without progress before coordinate descent is tried.
constexpr int kStallLimit = 3;
// F has to fall by this share of itself for a round to count as progress whatever the violation does...
constexpr double kProgress = 1e-9;
// ...for so many rounds in a row: steps that fall ever less are no progress.
constexpr int kFallLimit = 30;
// Rounds of that before the solve ends: only rounding errors are left then.
constexpr int kStallRounds = 20;
// Epochs of pruning at the most.
constexpr Index kPruningEpochs = 60;
}  // namespace

// --------------------------------------------------------------------- changing the point

// Let the worst violators of the working set enter, at most `batch_` of them.
bool GramNewton::enter(double floor, Progress& progress) {
  const auto over = [&](Index s) { return excess(inputs_, levels_, state_, s); };
  std::vector<Index> candidates;
  for (Index s = 0; s < state_.size(); ++s) {
    if (at_.place[s] < 0 && over(s) > floor) candidates.push_back(s);
  }
  const Index count = std::min<Index>(batch_, static_cast<Index>(candidates.size()));
  std::partial_sort(candidates.begin(), candidates.begin() + count, candidates.end(),
                    [&](Index a, Index b) { return over(a) > over(b); });
  candidates.resize(count);
  for (Index s : candidates) at_.sign[s] = is_free(s) ? 0 : (state_.c[s] > 0.0 ? 1 : -1);
  join(inputs_, state_, candidates);
  progress.entered += count;
  return count > 0;
}

// Bring the correlations of the whole working set to the current w. Those of the support are current
// anyway; the zeros need a row of the Gram matrix each, or a column for each coefficient that moved,
// whichever is less.
void GramNewton::update_zeros() {
  const Index m = state_.size();
  std::vector<double>& moved_by = arrays_.moved_by;
  moved_by.resize(m);
  Index moved = 0;
  for (Index s = 0; s < m; ++s) {
    moved_by[s] = at_.w[s] - arrays_.w_known[s];
    moved += moved_by[s] != 0.0;
  }
  if (moved < m - static_cast<Index>(at_.support.size())) {
    add_hessian_product(inputs_, state_, -1.0, moved_by, arrays_.c_known);
    state_.c = arrays_.c_known;
  } else {
    parallel_for(m, inputs_.design->threads(), kGrain / m + 1, [&](Index first, Index last) {
      for (Index s = first; s < last; ++s) {
        if (at_.place[s] >= 0) continue;
        state_.c[s] = arrays_.c_known[s] - dot(state_.set.gram(s), moved_by.data(), m) -
                      inputs_.ridge.of(state_.column(s)) * moved_by[s];
      }
    });
    arrays_.c_known = state_.c;
  }
  arrays_.w_known = at_.w;
}

void GramNewton::move(const Direction& dir, double t) {
  for (std::size_t p = 0; p < at_.support.size(); ++p) {
    const Index s = at_.support[p];
    at_.w[s] += t * dir.delta[p];
    state_.c[s] -= t * dir.hessian_delta[p];
  }
}

// After a step up to a crossing: the coefficient is there exactly.
void GramNewton::arrive(const Crossing& crossing) {
  if (crossing.at_zero) return leave(inputs_, state_, crossing.who);
  const Index s = at_.support[crossing.who];
  const Bounds bounds = inputs_.box.of(state_.column(s));
  at_.w[s] = at_.w[s] > 0.0 ? bounds.upper : bounds.lower;
}

// ------------------------------------------------------------------------------- one iteration

// Move once. `change` is the change of F (never positive beyond rounding). Returns true when the
// support kept its shape, so that a full step was taken.
bool GramNewton::step(double& change, Progress& progress) {
  change = 0.0;
  find_directions(progress);
  const Direction* dir = &arrays_.newton;
  if (wrong_entrants(arrays_.newton)) {
    dir = &arrays_.mm;
    if (drop_wrong_entrants(arrays_.mm) > 0) {
      batch_ = std::max<Index>(1, batch_ / 2);
      return false;
    }
  }
  Crossing crossing = first_crossing(*dir);
  double t = std::min(1.0, crossing.t);
  change = change_along(*dir, t);
  if (dir == &arrays_.newton &&
      !(change <= noise_)) {  // Newton went uphill: the MM step never does
    dir = &arrays_.mm;
    crossing = first_crossing(*dir);
    t = std::min(1.0, crossing.t);
    change = change_along(*dir, t);
  } else if (concave_) {  // F falls ever faster along a concave direction: go further
    while (t < crossing.t) {
      const double further = std::min(2.0 * t, crossing.t), fall = change_along(*dir, further);
      if (!(fall < change)) break;
      change = fall;
      t = further;
    }
  }
  if (!(change <= noise_)) {  // the factor has lost its accuracy: coordinate descent starts it anew
    sweep(change);
    return true;
  }
  const bool crossed = crossing.t <= t;
  if (crossed && t < 1.0 && !inputs_.box.capped() && step_across(*dir, change)) return false;
  move(*dir, t);
  if (crossed) arrive(crossing);
  return !crossed;
}

// The whole step at once, with every coordinate that would change its sign stopped at zero: taken if F
// falls by more than `change`, what the step up to the first crossing would bring.
bool GramNewton::step_across(const Direction& dir, double& change) {
  const Index k = static_cast<Index>(at_.support.size());
  std::vector<Index> stopped;
  Direction& whole = arrays_.whole;
  whole = dir;
  for (Index p = 0; p < k; ++p) {
    const Index s = at_.support[p];
    if (is_free(s) || !((at_.w[s] + dir.delta[p]) * at_.sign[s] <= 0.0)) continue;
    stopped.push_back(p);
    whole.delta[p] = -at_.w[s];
  }
  if (stopped.size() < 2) return false;
  for (Index q : stopped) {
    const double* gram = state_.set.gram(at_.support[q]);
    const double back = whole.delta[q] - dir.delta[q];
    for (Index p = 0; p < k; ++p) whole.hessian_delta[p] += back * gram[at_.support[p]];
    whole.hessian_delta[q] += inputs_.ridge.of(state_.column(at_.support[q])) * back;
  }
  const double fall = change_along(whole, 1.0);
  if (!(fall < change)) return false;
  change = fall;
  move(whole, 1.0);
  for (auto p = stopped.rbegin(); p != stopped.rend(); ++p) leave(inputs_, state_, *p);
  return true;
}

// One round of coordinate descent on the Gram matrix: the safeguard when Newton makes no progress. Returns
// whether anything moved, and the change of F.
bool GramNewton::sweep(double& change) {
  update_zeros();
  bool moved = false;
  change = 0.0;
  Surrogate at;  // of each slot before its turn: nothing else moves it
  at.resize(state_.size());
  for (Index s = 0; s < state_.size(); ++s) {
    at.strength[s] = levels_.strength(state_.column(s));
    at.t[s] = std::abs(at_.w[s]);
  }
  at.evaluate(levels_.penalty());
  // Zeros stay where as many features as samples are selected: more would make the matrix singular. Those
  // at a bound do not count.
  const bool capped = inputs_.box.capped();
  Index room = inputs_.design->n() - static_cast<Index>(at_.support.size());
  for (Index s = 0; s < state_.size(); ++s) {
    if (at_.w[s] == 0.0 && room <= 0 && !capped) continue;
    const Index j = state_.column(s);
    const double steep = state_.set.gram(s)[s] + inputs_.damping(j);
    const double pull = state_.c[s] + steep * at_.w[s];
    const double fresh = prox(l1_rule(at.slope[s], inputs_.box.of(j)), pull, steep);
    const double delta = fresh - at_.w[s];
    if (std::abs(delta) <= kEps * at.t[s]) continue;
    change -= delta * (state_.c[s] - 0.5 * (steep - inputs_.prox_weight) * delta);
    axpy(-delta, state_.set.gram(s), state_.c.data(), state_.size());
    state_.c[s] -= inputs_.ridge.of(j) * delta;
    room += (fresh == 0.0) - (at_.w[s] == 0.0);
    at_.w[s] = fresh;
    moved = true;
  }
  for (double before : at.value) change -= before;
  for (Index s = 0; s < state_.size(); ++s) at.t[s] = std::abs(at_.w[s]);
  at.evaluate(levels_.penalty());
  for (double after : at.value) change += after;
  arrays_.c_known = state_.c;
  arrays_.w_known = at_.w;
  model_of(state_).list_support(inputs_, state_);
  return moved;
}

Status GramNewton::minimise(double target, Progress& progress) {
  target_ = target;
  arrays_.c_known = state_.c;
  arrays_.w_known = at_.w;
  const double start = objective(inputs_, levels_, state_, arrays_.gradient);
  noise_ = 8.0 * kEps * start;  // a step may raise F by that: sums of a few rounded terms
  if (progress.record) progress.objectives.push_back(start);
  batch_ = 8 + static_cast<Index>(at_.support.size()) / 4;
  int stalled = 0;
  bool current = true;  // the correlations of the zeros belong to w
  double best = kInf;
  double fall =
      0.0;  // of F since the last progress: the violation may rise on the way to a lower point
  int falls = 0;  // rounds in a row that only lowered F
  bool polished = false;
  while (true) {
    if (inputs_.stopped()) return Status::kInterrupted;
    arrays_.gradient.compute(inputs_, levels_, state_);
    if (current) {
      const double active = arrays_.gradient.worst(), zero = worst_zero(inputs_, levels_, state_);
      const double worst = larger(active, zero);
      // One more Newton step past the target costs little and squares the error: the surrogate's
      // gap, which divides by l1 weights that may be tiny, needs it.
      if (worst <= target && (polished || worst <= kPolish * target)) return Status::kConverged;
      polished = worst <= target;
      const bool nearer = worst < 0.99 * best;
      falls = nearer ? 0 : falls + 1;
      if (nearer || (fall > kProgress * start && falls <= kFallLimit)) {
        best = std::min(best, worst);
        fall = 0.0;
        stalled = 0;
      } else if (++stalled % kStallLimit == 0) {
        double change = 0.0;
        if (stalled > kStallRounds * kStallLimit || !sweep(change)) return Status::kStalled;
        if (progress.record) progress.objectives.back() += change;
        continue;
      }
      if (zero > target && kEnterShare * zero >= active && enter(0.5 * zero, progress)) {
        arrays_.gradient.compute(inputs_, levels_, state_);
      }
    }
    if (progress.iterations >= progress.max_iter) return Status::kIterations;
    ++progress.iterations;
    double change;
    current = step(change, progress);
    fall -= change;
    if (current) update_zeros();
    if (progress.record) progress.objectives.push_back(progress.objectives.back() + change);
  }
}

// --------------------------------------------------------------------- from a start

// Epochs of coordinate descent on the surrogate, over the support of the start, its largest coefficients
// first: the order of the columns makes no difference. Most of what a concave penalty drops leaves here,
// before other features are let in: so what comes out does not depend on what else is in the working set.
// The support's part of the Gram matrix is copied, so that an epoch touches nothing else; the factor is
// made anew at the end.
void GramNewton::prune(double allowed, Progress& progress) {
  std::vector<Index> slots = at_.support;
  std::sort(slots.begin(), slots.end(), [&](Index a, Index b) {
    const double one = std::abs(at_.w[a]), other = std::abs(at_.w[b]);
    return one != other ? one > other : state_.column(a) < state_.column(b);
  });
  const Index k = static_cast<Index>(slots.size());
  std::vector<double> gram(k * k), w(k), c(k);
  Surrogate at;
  at.resize(k);
  for (Index p = 0; p < k; ++p) {
    const double* row = state_.set.gram(slots[p]);
    for (Index q = 0; q < k; ++q) gram[p * k + q] = row[slots[q]];
    at.strength[p] = levels_.strength(state_.column(slots[p]));
    w[p] = at_.w[slots[p]];
    c[p] = state_.c[slots[p]];
  }
  double moved = kInf;
  const Index most = std::min<Index>(kPruningEpochs, progress.max_iter);
  const double still = kStill * levels_.slope0();
  for (Index epoch = 0; epoch < most && moved > still && !inputs_.stopped(); ++epoch) {
    for (Index p = 0; p < k; ++p) at.t[p] = std::abs(w[p]);
    at.evaluate(levels_.penalty());
    moved = 0.0;
    for (Index p = 0; p < k; ++p) {
      const Index j = state_.column(slots[p]);
      const double steep = gram[p * k + p] + inputs_.damping(j);
      const Rule rule = l1_rule(at.slope[p], inputs_.box.of(j));
      const double fresh = prox(rule, c[p] + steep * w[p], steep);
      const double delta = fresh - w[p];
      if (delta == 0.0) continue;
      axpy(-delta, gram.data() + p * k, c.data(), k);
      c[p] -= inputs_.ridge.of(j) * delta;
      w[p] = fresh;
      moved = std::max(moved, std::abs(delta) * steep);
    }
  }
  for (Index p = 0; p < k; ++p) at_.w[slots[p]] = w[p];
  const Model& model = model_of(state_);
  model.list_support(inputs_, state_);
  if (&model != &model_of(state_)) return model_of(state_).anchor(inputs_, state_);  // stopped
  correlate_by_gram(inputs_, state_);
  at_.stale = true;
  state_.known_error = gram_noise(inputs_, state_, at_.w) + state_.pull_error;
  if (!fit_by_gram(inputs_, state_)) model.settle(inputs_, state_, allowed);
}

void drop_negligible(const Inputs& inputs, const Levels& levels, State& state, double pull) {
  const Point& at = state.point;
  for (Index p = static_cast<Index>(at.support.size()) - 1; p >= 0; --p) {
    const Index s = at.support[p];
    const bool small = std::abs(at.w[s]) * state.set.gram(s)[s] <= pull;
    if (small && levels.threshold(state.column(s)) > 0.0) leave(inputs, state, p);
  }
}

}  // namespace sparsieve
