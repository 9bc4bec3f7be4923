// The inner problem: F restricted to the working set, in Gram form. X is not read here.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/mm.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Features enter once the support's own violation is below this share of theirs.
constexpr double kEnterShare = 0.5;
// A truncated Newton solve stops at this reduction of its residual: a rough one while the violation
// is more than kNear times its target...
constexpr double kForcing = 1e-3;
// Below this share of the target no accuracy is asked for.
constexpr double kEnough = 0.3;
constexpr double kRough = 0.1;
constexpr double kNear = 1e4;
// ...or after this many solves with the factor.
constexpr int kMaxCg = 25;
// Curvature along a direction below this share of the surrogate's counts as concave.
constexpr double kConcave = 1e-3;
// Violations this far below the target need no polishing.
constexpr double kPolish = 1e-5;
// Iterations without progress before coordinate descent is tried.
constexpr int kStallLimit = 3;
// Rounds of that before rounding is blamed.
constexpr int kStallRounds = 20;
// Features that join the factor at once; nobody listens to Ctrl-C meanwhile.
constexpr std::size_t kJoinBatch = 32;
}  // namespace

bool MmSolver::is_free(Index slot) const {
  return strength_[ws_.column(slot)] == 0.0 && !problem_.positive;
}

// max that lets no NaN pass for a small number
double MmSolver::larger(double worst, double x) { return x > worst || x != x ? x : worst; }

// By how much a zero coordinate violates its threshold (negative: not at all).
double MmSolver::excess(Index slot) const {
  const double reached = problem_.positive ? c_[slot] : std::abs(c_[slot]);
  return reached - threshold_[ws_.column(slot)];
}

double MmSolver::worst_zero() const {
  double worst = 0.0;
  for (Index s = 0; s < ws_.size(); ++s) {
    if (place_[s] < 0) worst = larger(worst, excess(s));
  }
  return worst;
}

double MmSolver::worst_active() const {
  double worst = 0.0;
  for (double g : g_) worst = larger(worst, std::abs(g));
  return worst;
}

// lambda = slope(|w|) on the support, and the gradient of the surrogate there.
void MmSolver::reweight() {
  const Index k = static_cast<Index>(support_.size());
  for (auto* array : {&t_, &a_, &value_, &slope_, &curvature_, &g_}) array->resize(k);
  for (Index p = 0; p < k; ++p) {
    t_[p] = std::abs(w_[support_[p]]);
    a_[p] = strength_[ws_.column(support_[p])];
  }
  problem_.penalty->evaluate(t_.data(), a_.data(), k, value_.data(), slope_.data(),
                             curvature_.data());
  for (Index p = 0; p < k; ++p) {
    if (a_[p] == 0.0) value_[p] = slope_[p] = curvature_[p] = 0.0;
    g_[p] = c_[support_[p]] - slope_[p] * sign_[support_[p]];
  }
}

// ------------------------------------------------------------------------------- directions

// The minimiser of the surrogate on the support: M delta = g with M = G_SS + mu I.
void MmSolver::mm_direction(Direction& out) {
  const Index k = static_cast<Index>(support_.size());
  out.resize(k);
  factor_.solve(g_.data(), out.delta.data(), problem_.design->threads());
  for (Index p = 0; p < k; ++p) {
    out.gram_delta[p] = g_[p] - problem_.prox_weight * out.delta[p];
  }
  if (!exact_) multiply(out);
}

// gram_delta = G_SS delta, entry by entry: needed when the factor is not that of G_SS + mu I.
void MmSolver::multiply(Direction& dir) const {
  for (std::size_t p = 0; p < support_.size(); ++p) {
    const double* gram = ws_.gram(support_[p]);
    double s = 0.0;
    for (std::size_t q = 0; q < support_.size(); ++q) s += gram[support_[q]] * dir.delta[q];
    dir.gram_delta[p] = s;
  }
}

// Newton's direction for F itself, (M + diag r'') delta = g, by conjugate gradients preconditioned
// with M. The first iterate lies along the MM direction; where F is not convex along a direction the
// iteration stops and keeps what it has.
void MmSolver::newton_direction() {
  const Index k = static_cast<Index>(support_.size());
  mm_direction(mm_);
  newton_ = mm_;
  concave_ = false;
  bool curved = false;
  for (double h : curvature_) curved = curved || h != 0.0;
  if (!curved) return;
  std::vector<double> rho = g_, z = mm_.delta, p = z, mp = g_, hp(k), mdelta(k, 0.0);
  std::fill(newton_.delta.begin(), newton_.delta.end(), 0.0);
  double rz = dot(rho.data(), z.data(), k);
  const double active = worst_active();
  const double goal =
      std::max((active > kNear * target_ ? kRough : kForcing) * active, kEnough * target_);
  for (int iteration = 0; iteration < kMaxCg; ++iteration) {
    double php = 0.0, pmp = 0.0;
    for (Index i = 0; i < k; ++i) {
      hp[i] = mp[i] + curvature_[i] * p[i];
      php += p[i] * hp[i];
      pmp += p[i] * mp[i];
    }
    if (!(php > kConcave * pmp)) {
      if (iteration == 0) {
        concave_ = true;
        newton_.delta = mm_.delta;
        mdelta = g_;
      }
      break;
    }
    const double a = rz / php;
    double worst = 0.0;
    for (Index i = 0; i < k; ++i) {
      newton_.delta[i] += a * p[i];
      mdelta[i] += a * mp[i];
      rho[i] -= a * hp[i];
      worst = std::max(worst, std::abs(rho[i]));
    }
    if (worst <= goal) break;
    factor_.solve(rho.data(), z.data(), problem_.design->threads());
    const double rz_next = dot(rho.data(), z.data(), k), beta = rz_next / rz;
    rz = rz_next;
    for (Index i = 0; i < k; ++i) {
      p[i] = z[i] + beta * p[i];
      mp[i] = rho[i] + beta * mp[i];
    }
  }
  for (Index i = 0; i < k; ++i) {
    newton_.gram_delta[i] = mdelta[i] - problem_.prox_weight * newton_.delta[i];
  }
  if (!exact_) multiply(newton_);
}

bool MmSolver::wrong_entrants(const Direction& dir) const {
  for (std::size_t p = 0; p < support_.size(); ++p) {
    const Index s = support_[p];
    if (w_[s] == 0.0 && !is_free(s) && !(dir.delta[p] * sign_[s] > 0.0)) return true;
  }
  return false;
}

Index MmSolver::drop_wrong_entrants(const Direction& dir) {
  Index dropped = 0;
  for (Index p = static_cast<Index>(support_.size()) - 1; p >= 0; --p) {
    const Index s = support_[p];
    if (w_[s] == 0.0 && !is_free(s) && !(dir.delta[p] * sign_[s] > 0.0)) {
      leave(p);
      ++dropped;
    }
  }
  return dropped;
}

// The step at which the first coordinate of the support would change sign, and which one.
double MmSolver::first_crossing(const Direction& dir, Index& who) const {
  double first = kInf;
  who = -1;
  for (std::size_t p = 0; p < support_.size(); ++p) {
    const Index s = support_[p];
    if (is_free(s) || dir.delta[p] * sign_[s] >= 0.0) continue;
    const double t = -w_[s] / dir.delta[p];
    if (t < first) {
      first = t;
      who = static_cast<Index>(p);
    }
  }
  return first;
}

// F(w + t delta) - F(w), free of cancellation in the quadratic part; infinite where the direction is
// not finite (a singular factor), which no penalty is asked about.
double MmSolver::change_along(const Direction& dir, double t) {
  const Index k = static_cast<Index>(support_.size());
  double linear = 0.0, quadratic = 0.0, penalty = 0.0, reach = 0.0;
  scratch_.resize(3 * k);
  trial_value_.resize(k);
  for (Index p = 0; p < k; ++p) {
    linear += c_[support_[p]] * dir.delta[p];
    quadratic += dir.delta[p] * dir.gram_delta[p];
    scratch_[p] = std::abs(w_[support_[p]] + t * dir.delta[p]);
    reach += scratch_[p];
  }
  if (!std::isfinite(reach)) return kInf;
  problem_.penalty->evaluate(scratch_.data(), a_.data(), k, trial_value_.data(),
                             scratch_.data() + k, scratch_.data() + 2 * k);
  for (Index p = 0; p < k; ++p) {
    if (a_[p] != 0.0) penalty += trial_value_[p] - value_[p];
  }
  return -t * linear + 0.5 * t * t * quadratic + penalty;
}

// --------------------------------------------------------------------- changing the support

void MmSolver::join(const std::vector<Index>& slots) {
  for (std::size_t first = 0; first < slots.size() && !stopped(); first += kJoinBatch) {
    const Index count = static_cast<Index>(std::min(kJoinBatch, slots.size() - first));
    const Index width = static_cast<Index>(support_.size()) + count;
    std::vector<double> rows(count * width, 0.0);
    for (Index b = 0; b < count; ++b) {
      const Index slot = slots[first + b], place = width - count + b;
      const double* gram = ws_.gram(slot);
      place_[slot] = place;
      support_.push_back(slot);
      for (Index q = 0; q <= place; ++q) rows[b * width + q] = gram[support_[q]];
      rows[b * width + place] += problem_.prox_weight;
    }
    exact_ = factor_.append(std::move(rows), count, problem_.design->threads()) && exact_;
  }
}

void MmSolver::leave(Index position) {
  const Index slot = support_[position];
  factor_.remove(position, problem_.design->threads());
  support_.erase(support_.begin() + position);
  place_[slot] = -1;
  sign_[slot] = 0;
  w_[slot] = 0.0;
  for (std::size_t p = position; p < support_.size(); ++p) place_[support_[p]] = p;
}

void MmSolver::rebuild_support() {
  factor_.clear();
  exact_ = true;
  support_.clear();
  std::fill(place_.begin(), place_.end(), Index{-1});
  std::vector<Index> slots;
  for (Index s = 0; s < ws_.size(); ++s) {
    sign_[s] = (w_[s] > 0.0) - (w_[s] < 0.0);
    if (w_[s] != 0.0) slots.push_back(s);
  }
  join(slots);
  if (support_.size() < slots.size()) leave_gram();  // stopped; the point can still be certified
}

// Let the worst violators of the working set enter, at most `batch_` of them.
bool MmSolver::enter(double floor) {
  std::vector<Index> candidates;
  for (Index s = 0; s < ws_.size(); ++s) {
    if (place_[s] < 0 && excess(s) > floor) candidates.push_back(s);
  }
  const Index count = std::min<Index>(batch_, static_cast<Index>(candidates.size()));
  std::partial_sort(candidates.begin(), candidates.begin() + count, candidates.end(),
                    [&](Index a, Index b) { return excess(a) > excess(b); });
  candidates.resize(count);
  for (Index s : candidates) sign_[s] = is_free(s) ? 0 : (c_[s] > 0.0 ? 1 : -1);
  join(candidates);
  entered_ += count;
  return count > 0;
}

// Bring the correlations of the whole working set to the current w. Those of the support are current
// anyway; the zeros need a row of the Gram matrix each, or a column for each coefficient that moved,
// whichever is less.
void MmSolver::flush() {
  const Index m = ws_.size();
  scratch_.resize(m);
  Index moved = 0;
  for (Index s = 0; s < m; ++s) {
    scratch_[s] = w_[s] - w_flushed_[s];
    moved += scratch_[s] != 0.0;
  }
  if (moved < m - static_cast<Index>(support_.size())) {
    add_gram_product(-1.0, scratch_, c_flushed_);
    c_ = c_flushed_;
  } else {
    parallel_for(m, problem_.design->threads(), kGrain / m + 1, [&](Index first, Index last) {
      for (Index s = first; s < last; ++s) {
        if (place_[s] < 0) c_[s] = c_flushed_[s] - dot(ws_.gram(s), scratch_.data(), m);
      }
    });
    c_flushed_ = c_;
  }
  w_flushed_ = w_;
}

void MmSolver::move(const Direction& dir, double t, Index leaver) {
  for (std::size_t p = 0; p < support_.size(); ++p) {
    const Index s = support_[p];
    w_[s] += t * dir.delta[p];
    c_[s] -= t * dir.gram_delta[p];
  }
  if (leaver >= 0) leave(leaver);
}

// ------------------------------------------------------------------------------- one iteration

// Move once. `change` is the change of F (never positive beyond rounding). Returns true when the
// support kept its shape, so that a full step was taken.
bool MmSolver::step(double& change) {
  change = 0.0;
  newton_direction();
  const Direction* dir = &newton_;
  if (wrong_entrants(newton_)) {
    dir = &mm_;
    if (drop_wrong_entrants(mm_) > 0) {
      batch_ = std::max<Index>(1, batch_ / 2);
      return false;
    }
  }
  Index who;
  double crossing = first_crossing(*dir, who), t = std::min(1.0, crossing);
  change = change_along(*dir, t);
  if (dir == &newton_ && !(change <= noise_)) {  // Newton went uphill: the MM step never does
    dir = &mm_;
    crossing = first_crossing(*dir, who);
    t = std::min(1.0, crossing);
    change = change_along(*dir, t);
  } else if (concave_) {  // F falls ever faster along a concave direction: go further
    while (t < crossing) {
      const double further = std::min(2.0 * t, crossing), fall = change_along(*dir, further);
      if (!(fall < change)) break;
      change = fall;
      t = further;
    }
  }
  if (!(change <= noise_)) {  // the factor has lost its accuracy: coordinate descent starts it anew
    change = 0.0;
    sweep();
    return true;
  }
  const bool crossed = crossing <= t;
  if (crossed && t < 1.0 && leap(*dir, change)) return false;
  move(*dir, t, crossed ? who : -1);
  return !crossed;
}

// The whole step at once, with every coordinate that would change its sign stopped at zero: taken if F
// falls by more than `change`, what the step up to the first crossing would bring.
bool MmSolver::leap(const Direction& dir, double& change) {
  const Index k = static_cast<Index>(support_.size());
  std::vector<Index> stopped;
  leap_ = dir;
  for (Index p = 0; p < k; ++p) {
    const Index s = support_[p];
    if (is_free(s) || !((w_[s] + dir.delta[p]) * sign_[s] <= 0.0)) continue;
    stopped.push_back(p);
    leap_.delta[p] = -w_[s];
  }
  if (stopped.size() < 2) return false;
  for (Index q : stopped) {
    const double* gram = ws_.gram(support_[q]);
    const double back = leap_.delta[q] - dir.delta[q];
    for (Index p = 0; p < k; ++p) leap_.gram_delta[p] += back * gram[support_[p]];
  }
  const double fall = change_along(leap_, 1.0);
  if (!(fall < change)) return false;
  change = fall;
  move(leap_, 1.0, -1);
  for (auto p = stopped.rbegin(); p != stopped.rend(); ++p) leave(*p);
  return true;
}

// The minimiser of the surrogate along one coordinate: its correlation c at w, curvature and l1 weight.
double MmSolver::coordinate_minimum(double c, double w, double steep, double l1) const {
  const double pull = c + steep * w;
  if (pull > l1) return (pull - l1) / steep;
  if (pull < -l1 && !problem_.positive) return (pull + l1) / steep;
  return 0.0;
}

// One round of coordinate descent on the Gram matrix: the safeguard when Newton makes no progress.
bool MmSolver::sweep() {
  flush();
  bool moved = false;
  double value, slope, curvature;
  for (Index s = 0; s < ws_.size(); ++s) {
    const double a = strength_[ws_.column(s)], t = std::abs(w_[s]);
    problem_.penalty->evaluate(&t, &a, 1, &value, &slope, &curvature);
    const double steep = ws_.gram(s)[s] + problem_.prox_weight;
    const double fresh = coordinate_minimum(c_[s], w_[s], steep, a == 0.0 ? 0.0 : slope);
    const double delta = fresh - w_[s];
    if (std::abs(delta) <= kEps * t) continue;
    axpy(-delta, ws_.gram(s), c_.data(), ws_.size());
    w_[s] = fresh;
    moved = true;
  }
  c_flushed_ = c_;
  w_flushed_ = w_;
  rebuild_support();
  return moved;
}

void MmSolver::note_objective(double change, SolveResult& result) {
  result.objectives.push_back(result.objectives.back() + change);
}

// Minimise F over the working set until no coordinate of it violates by more than `target`. On
// entry every correlation is exact at w.
Status MmSolver::minimise(double target, const SolveOptions& options, SolveResult& result,
                          bool record) {
  target_ = target;
  c_flushed_ = c_;
  w_flushed_ = w_;
  const double start = objective_now();
  noise_ = 8.0 * kEps * start;
  if (record) result.objectives.push_back(start);
  batch_ = 8 + static_cast<Index>(support_.size()) / 4;
  int stalled = 0;
  bool current = true;  // the correlations of the zeros belong to w
  double best = kInf;
  bool polished = false;
  while (true) {
    if (stopped()) return Status::kInterrupted;
    reweight();
    if (current) {
      const double active = worst_active(), zero = worst_zero(), worst = std::max(active, zero);
      // One more Newton step past the target costs little and squares the error: the surrogate's
      // gap, which sees tiny l1 weights through a magnifying glass, needs it.
      if (worst <= target && (polished || worst <= kPolish * target)) return Status::kConverged;
      polished = worst <= target;
      if (worst < 0.99 * best) {
        best = worst;
        stalled = 0;
      } else if (++stalled % kStallLimit == 0) {
        if (stalled > kStallRounds * kStallLimit || !sweep()) return Status::kStalled;
        continue;
      }
      if (zero > target && kEnterShare * zero >= active && enter(0.5 * zero)) reweight();
    }
    if (result.iterations >= options.max_iter) return Status::kIterations;
    ++result.iterations;
    double change;
    current = step(change);
    if (current) flush();
    if (record) note_objective(change, result);
  }
}

}  // namespace sparsieve
