#include "sparsieve/mm.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "sparsieve/inner/basis.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
// The inner problem is solved to this fraction of tol: the rest is room for the exact check.
constexpr double kInnerShare = 0.25;
constexpr double kRough = 0.1;
// From a start, coefficients whose pull is below this fraction of what the inner problem is solved to are
// zeros that Newton's method approached from the wrong side.
constexpr double kNegligible = 0.1;
// A feature outside the working set may violate by this fraction of tol and stay outside.
constexpr double kOutsideShare = 0.5;
// The strong rule's guess is not followed below this share of the threshold.
constexpr double kLeastShare = 0.8;
// How many features may accompany violators into the working set, beyond one for each.
constexpr Index kCompany = 24;
// More of them where columns have no more rows than that and are multiplied in no time.
constexpr double kShort = 1000.0;
// Features are fetched ahead when they are at least one for so many of the working set.
constexpr Index kWorthwhile = 50;
// Fewer violators than that are likely to be the last.
constexpr Index kFew = 4;
// Pivots above this, relative, belong to independent columns beyond any doubt.
constexpr double kSoundPivot = 1e-6;
// A working set of this size may be filled at once.
constexpr Index kGrowth = 256;
// From a start so many enter at once, and one more for every ten of the support.
constexpr Index kStartGrowth = 16;
// A rise of F beyond this, relative, is no rounding of a sound step.
constexpr double kMisled = 1e-9;
// How exact the fit must be, relative, when it is a difference of products instead of a sum of squares.
constexpr double kFitShare = 1e-10;
// And what rounding makes of a sum of squares, generously.
constexpr double kRounded = 1e-14;
// Exact checks that fail to halve the violation before rounding is blamed.
constexpr int kPatience = 4;
}  // namespace

MmSolver::MmSolver(MmProblem problem, std::function<bool()> poll)
    : problem_(std::move(problem)),
      poll_(std::move(poll)),
      ws_(problem_.design->d()),
      screen_(*problem_.design) {
  const Index d = problem_.design->d();
  strength_.assign(d, 0.0);
  threshold_.assign(d, kInf);
  r_ = problem_.z;
  problem_.design->weigh(r_, weighted_);
  z_norm2_ = fit_ = weighted_.norm2;
  const bool all_penalised =
      std::find(problem_.pi.begin(), problem_.pi.end(), 0.0) == problem_.pi.end();
  if (all_penalised && !problem_.correlations.empty()) {
    null_correlations_ = std::move(problem_.correlations);
  } else {
    if (!all_penalised && problem_.design->too_large().empty()) fit_unpenalised();  // else refused
    std::vector<Index> all(d);
    std::iota(all.begin(), all.end(), Index{0});
    null_correlations_.resize(d);
    problem_.design->correlate(weighted_, all.data(), d, null_correlations_.data());
  }
  screen_.start(r_, weighted_, null_correlations_);
  // Below the rounding error of the fit on the unpenalised features nothing is left to explain.
  const double fit_noise = 4.0 * rounding_noise(), z_norm = std::sqrt(z_norm2_);
  for (Index j = 0; j < d; ++j) {
    const double noise = problem_.design->rounding(j) * z_norm + fit_noise;
    excluded_ += excluded(j);
    if (excluded(j) || std::abs(null_correlations_[j]) <= noise) null_correlations_[j] = 0.0;
  }
  poll_ = nullptr;
}

// Whether feature j can never enter: constant, excluded by its weight, or unpenalised and dependent.
bool MmSolver::excluded(Index j) const {
  return problem_.design->norm2(j) == 0.0 || (!problem_.pi.empty() && std::isinf(problem_.pi[j])) ||
         std::binary_search(dependent_.begin(), dependent_.end(), j);
}

// ------------------------------------------------------------------------------ setting up

void MmSolver::fit_unpenalised() {
  std::vector<Index> free;
  for (Index j = 0; j < problem_.design->d(); ++j) {
    if (problem_.pi[j] == 0.0 && problem_.design->norm2(j) > 0.0) {
      free.push_back(j);
      threshold_[j] = 0.0;
    }
  }
  if (free.empty()) return;
  if (!problem_.positive) {
    // A column that depends on the others has nothing to add: it stays zero.
    const std::vector<Index> kept = independent(free);
    std::set_difference(free.begin(), free.end(), kept.begin(), kept.end(),
                        std::back_inserter(dependent_));
    free = kept;
  }
  add_to_working_set(free);
  SolveOptions options;
  options.poll = poll_;
  SolveResult ignored;
  slope0_ = 0.0;
  for (Index s = 0; s < ws_.size(); ++s) slope0_ = std::max(slope0_, std::abs(c_[s]));
  for (int pass = 0; pass < 3; ++pass) {  // refinement: each pass starts from exact correlations
    const std::vector<double> before = w_;
    const double fit = weighted_.norm2;
    minimise(1e-14 * slope0_, options, ignored, false);
    anchor();
    if (!(weighted_.norm2 <= fit)) {  // the Gram matrix is too ill-conditioned to refine further
      restore(before);
      break;
    }
  }
}

// Those of the columns that do not depend on the ones before them. Pivots far above their rounding
// errors say quickly that all are; what is closer needs an orthonormal basis.
std::vector<Index> MmSolver::independent(const std::vector<Index>& columns) const {
  WorkingSet set(problem_.design->d());
  set.grow(*problem_.design, columns, poll_);
  Factor factor;
  std::vector<double> diagonal;
  bool sound = set.size() == static_cast<Index>(columns.size());
  for (Index s = 0; s < set.size() && sound && !stopped(); ++s) {
    diagonal.push_back(set.gram(s)[s]);
    sound = factor.append(set.gram(s), diagonal.back());
  }
  if (sound && factor.smallest_pivot(diagonal) > kSoundPivot) return columns;
  Basis basis(*problem_.design, 0.0);
  for (Index j : columns) {
    if (stopped()) break;
    basis.add(j);
  }
  return basis.columns();
}

// Go back to a point known to be better: an inner solve on a nearly singular Gram matrix may
// mistake its rounding errors for progress.
void MmSolver::restore(const std::vector<double>& w) {
  std::fill(w_.begin(), w_.end(), 0.0);
  std::copy(w.begin(), w.end(), w_.begin());
  anchored_ = false;
  if (ws_.has_gram()) {
    rebuild_support();
  } else {
    list_support();
  }
  anchor();
}

// Unpenalised features that were left out as dependent must not correlate either.
double MmSolver::dependent_violation() const {
  std::vector<double> c(dependent_.size());
  problem_.design->correlate(weighted_, dependent_.data(), static_cast<Index>(c.size()), c.data());
  double worst = 0.0;
  for (double x : c) worst = larger(worst, std::abs(x));
  return worst;
}

void MmSolver::set_alpha(double alpha) {
  const Index d = problem_.design->d();
  double one_alpha = alpha, v, s, h;
  problem_.penalty->evaluate(&(scratch_.assign(1, 0.0), scratch_[0]), &one_alpha, 1, &v, &s, &h);
  slope0_ = s;
  if (problem_.pi.empty()) {
    std::fill(strength_.begin(), strength_.end(), alpha);
    std::fill(threshold_.begin(), threshold_.end(), s);
    return;
  }
  std::vector<double> zeros(d, 0.0), value(d), curvature(d);
  for (Index j = 0; j < d; ++j) {
    strength_[j] = std::isinf(problem_.pi[j]) ? alpha : alpha * problem_.pi[j];
  }
  problem_.penalty->evaluate(zeros.data(), strength_.data(), d, value.data(), threshold_.data(),
                             curvature.data());
  for (Index j = 0; j < d; ++j) {
    if (std::isinf(problem_.pi[j])) threshold_[j] = kInf;
    if (problem_.pi[j] == 0.0) threshold_[j] = 0.0;
  }
  for (Index j : dependent_) threshold_[j] = kInf;
}

void MmSolver::add_to_working_set(const std::vector<Index>& columns) {
  const Index old = ws_.size();
  std::vector<double> seen(columns.size());
  ws_.grow(*problem_.design, columns, poll_, &r_, seen.data());
  const Index m = ws_.size();
  w_.resize(m, 0.0);
  w_flushed_.resize(m, 0.0);
  w_read_.resize(m, 0.0);
  sign_.resize(m, 0);
  place_.resize(m, -1);
  if (!ws_.has_gram()) {
    problem_.design->correlate(weighted_, columns.data(), m - old, seen.data());
  }
  c_.insert(c_.end(), seen.begin(), seen.begin() + (m - old));
  if (!ws_.has_gram()) {
    order_columns();
    return;
  }
  pull_.resize(m);
  pull_error_ = std::max(pull_error_, gram_noise(w_read_));
  for (Index s = old; s < m; ++s) {
    pull_[s] = c_[s] + dot(ws_.gram(s), w_read_.data(), m);
    if (stale_) c_[s] = pull_[s] - dot(ws_.gram(s), w_.data(), m);
  }
}

// Features that a sequential strong rule expects to enter at this alpha, given the last one's slope at
// zero, stay or are fetched; others that are zero go. Fetched together, they save rounds. A guess, never
// trusted: the screen has the last word.
void MmSolver::prefetch(double previous_slope0) {
  const double ratio = previous_slope0 / slope0_;
  const double share = ratio > 1.0 ? std::max(kLeastShare, 2.0 - ratio) : kInf;
  const Index most = 8 + entered_;  // about as many as the last alpha needed
  const Index stayed = trim_working_set(share, most);
  if (!(ratio > 1.0)) return;
  const auto fresh =
      screen_.likely(threshold_, share, problem_.positive, ws_.columns(), most - stayed);
  // The whole set is read for them: a few had better come with the next violators.
  if (static_cast<Index>(fresh.size()) > ws_.size() / kWorthwhile) add_to_working_set(fresh);
}

// Add violators to the working set: the worst, so that it at most doubles. Far below the last alpha
// nearly every feature violates, and few of them will stay; fewer still from a start.
void MmSolver::enlarge(std::vector<Violator> found, bool from_start) {
  const auto excess = [&](const Violator& v) {
    return std::abs(v.correlation) - threshold_[v.column];
  };
  const Index most = from_start ? kStartGrowth + static_cast<Index>(support_.size()) / 10
                                : std::max(kGrowth, ws_.size());
  if (static_cast<Index>(found.size()) > most) {
    std::nth_element(found.begin(), found.begin() + most, found.end(),
                     [&](const Violator& a, const Violator& b) { return excess(a) > excess(b); });
    found.resize(most);
  }
  restless_ = true;
  std::vector<Index> fresh;
  for (const Violator& v : found) fresh.push_back(v.column);
  // The set is read anyway: features about to enter come along and save a round, the more of them the
  // larger a share of X that is and the shorter they are.
  const Design& design = *problem_.design;
  const double m = static_cast<double>(ws_.size()), part = m / static_cast<double>(design.d());
  const double brevity = std::min(1.0, kShort / static_cast<double>(design.n()));
  const Index more = kCompany + static_cast<Index>(part * std::max(part, brevity) * m);
  const Index company = std::min(2 * static_cast<Index>(fresh.size()) + more, most);
  for (Index j :
       screen_.likely(threshold_, kLeastShare, problem_.positive, ws_.columns(), company)) {
    if (std::find(fresh.begin(), fresh.end(), j) == fresh.end()) fresh.push_back(j);
  }
  add_to_working_set(fresh);
}

// Look for violators without the residual: it is brought to w in the shadow, roughly, from where it was
// computed last, and the Gram matrix knows the working set. Takes in the violators that it finds, few or
// many. Where the shadow is fine enough to tell how rough that is, there may be a proof that there are none:
// `result.kkt` and the fit are then those of w. Else nothing is known, as without shadow and Gram matrix.
MmSolver::Seen MmSolver::look_in_shadow(double tol, bool proof, bool from_start,
                                        SolveResult& result) {
  const Design& design = *problem_.design;
  if (!ws_.has_gram() || !design.has_shadow()) return Seen::kUnknown;
  known_error_ = gram_noise(w_) + pull_error_;
  if (known_error_ > kGramShare * tol * slope0_) return Seen::kUnknown;
  std::vector<Index> moved;
  std::vector<double> by, r = r_;
  for (Index s = 0; s < ws_.size(); ++s) {
    if (w_[s] == w_read_[s]) continue;
    moved.push_back(ws_.column(s));
    by.push_back(w_[s] - w_read_[s]);
  }
  const double error =
      design.subtract_in_shadow(moved.data(), by.data(), static_cast<Index>(by.size()), r);
  proof = proof && error > 0.0;
  Weighted weighted;
  design.weigh(r, weighted);
  const Answer answer =
      screen_.ask({r, weighted, threshold_, kOutsideShare * tol * slope0_, problem_.positive,
                   ws_.columns(), c_, known_error_, excluded_, false, true, proof ? error : 0.0});
  result.note(answer);
  const auto& found = answer.violators;
  if (found.empty() && (!proof || answer.undecided > 0)) return Seen::kUnknown;
  c_ = pull_;
  add_gram_product(-1.0, w_, c_);
  stale_ = true;
  if (!found.empty()) {
    enlarge(found, from_start);
    return static_cast<Index>(found.size()) >= kFew ? Seen::kMany : Seen::kFew;
  }
  if (!fit_by_gram()) return Seen::kUnknown;
  reweight();
  const double ignored = design.ignored_norm() * std::sqrt(fit_);
  result.kkt = (larger(worst_active(), worst_zero()) + known_error_ + ignored) / slope0_;
  return Seen::kNothing;
}

// The fit at w from that of the last residual, without reading X: after a step s from there,
// ||r - X s||^2 = ||r||^2 - s'(2 c + G s) with the correlations c after it. False where rounding spoils it.
bool MmSolver::fit_by_gram() {
  const Index m = ws_.size();
  std::vector<double> step(m), twice(m);
  double length = 0.0;
  for (Index s = 0; s < m; ++s) {
    step[s] = w_[s] - w_read_[s];
    length += std::abs(step[s]);
    twice[s] = 2.0 * c_[s];
  }
  add_gram_product(1.0, step, twice);
  fit_ = weighted_.norm2 - dot(step.data(), twice.data(), m);
  return 4.0 * length * known_error_ + kRounded * weighted_.norm2 <= kFitShare * fit_;
}

// Forget features that are zero and far from entering, when they outnumber those at work: all but some of
// the nearest, and at most `most` beyond them that reach this share of their threshold. Returns how many
// those are.
Index MmSolver::trim_working_set(double share, Index most) {
  const Index k = static_cast<Index>(support_.size()), m = ws_.size();
  if (m <= k + k / 3 + 32) return 0;
  std::vector<Index> zeros;
  for (Index s = 0; s < m; ++s) {
    if (place_[s] < 0 && threshold_[ws_.column(s)] > 0.0) zeros.push_back(s);
  }
  const auto reached = [&](Index s) {
    return (problem_.positive ? c_[s] : std::abs(c_[s])) / threshold_[ws_.column(s)];
  };
  std::sort(zeros.begin(), zeros.end(), [&](Index a, Index b) { return reached(a) > reached(b); });
  const Index all = static_cast<Index>(zeros.size()), few = std::min(all, k / 5 + 24);
  Index near = few;
  while (near < std::min(all, few + most) && reached(zeros[near]) > share) ++near;
  zeros.resize(near);
  std::vector<char> kept(m, 0);
  for (Index s : zeros) kept[s] = 1;
  for (Index s = 0; s < m; ++s) {
    // A feature that has left since the residual was computed is a part of it.
    const bool part = stale_ && w_read_[s] != 0.0;
    const bool held = s < static_cast<Index>(held_.size()) && held_[s];
    if (place_[s] >= 0 || threshold_[ws_.column(s)] == 0.0 || part || held) kept[s] = 1;
  }
  std::vector<Index> slots;
  for (Index s = 0; s < m; ++s) {
    if (kept[s]) slots.push_back(s);
  }
  std::vector<Index> fresh_slot(m, -1);
  for (std::size_t a = 0; a < slots.size(); ++a) fresh_slot[slots[a]] = static_cast<Index>(a);
  ws_.keep(slots);
  const auto gather = [&](auto& array) {
    for (std::size_t a = 0; a < slots.size(); ++a) array[a] = array[slots[a]];
    array.resize(slots.size());
  };
  gather(w_);
  gather(c_);
  if (ws_.has_gram()) gather(pull_);
  gather(w_flushed_);
  gather(w_read_);
  gather(sign_);
  gather(place_);
  for (Index& s : support_) s = fresh_slot[s];
  order_columns();
  return near - few;
}

// Without a Gram matrix residuals are computed so often that their columns are kept in order.
void MmSolver::order_columns() {
  by_column_.resize(ws_.has_gram() ? 0 : ws_.size());
  std::iota(by_column_.begin(), by_column_.end(), Index{0});
  std::sort(by_column_.begin(), by_column_.end(),
            [&](Index a, Index b) { return ws_.column(a) < ws_.column(b); });
}

void MmSolver::warm_start(const std::vector<Index>& columns, const std::vector<double>& coef) {
  lasso_.reset();
  at_start_ = false;
  move_to(columns, coef);
}

// Replace the point; columns that can never enter are passed over.
void MmSolver::move_to(const std::vector<Index>& columns, const std::vector<double>& coef) {
  std::vector<Index> fresh;
  for (Index j : columns) {
    if (!ws_.contains(j) && !excluded(j)) fresh.push_back(j);
  }
  if (!fresh.empty()) add_to_working_set(fresh);
  anchored_ = false;
  std::fill(w_.begin(), w_.end(), 0.0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (ws_.contains(columns[k])) w_[ws_.slot(columns[k])] = coef[k];
  }
  if (ws_.has_gram()) {
    rebuild_support();
  } else {
    list_support();
  }
  anchor();
}

// ------------------------------------------------------------------------------ one alpha

// How far w is from stationary, all features considered, in units of slope0 (`result.kkt`): the largest
// violation inside the working set, and the violators outside with their largest excess.
std::vector<Violator> MmSolver::look_outside(double tol, bool last, double& inside, double& outside,
                                             SolveResult& result) {
  reweight();
  inside = larger(larger(worst_active(), worst_zero()), dependent_violation()) / slope0_;
  Answer answer =
      screen_.ask({r_, weighted_, threshold_, kOutsideShare * tol * slope0_, problem_.positive,
                   ws_.columns(), c_, known_error_, excluded_, last, false});
  result.note(answer);
  outside = 0.0;
  for (const Violator& v : answer.violators) {
    outside = std::max(outside, std::abs(v.correlation) - threshold_[v.column]);
  }
  result.kkt =
      std::max(inside, std::max(outside, answer.worst_kept) / slope0_) + known_error_ / slope0_;
  result.kkt += problem_.design->ignored_norm() * std::sqrt(weighted_.norm2) / slope0_;
  return std::move(answer.violators);
}

SolveResult MmSolver::solve(double alpha, const SolveOptions& options, bool record) {
  ThreadPool pool;
  const Bytes before = problem_.design->bytes_read();
  SolveResult result;
  poll_ = options.poll;
  const double previous = slope0_;
  set_alpha(alpha);
  if (gram_left_ > 0) --gram_left_;
  if (at_start_) {
    prune_start(options);
  } else {
    prefetch(previous);
  }
  descend(options, record, result);
  finish(options, result);
  const double size = static_cast<double>(std::max<Bytes>(1, problem_.design->bytes()));
  result.passes = static_cast<double>(problem_.design->bytes_read() - before) / size;
  return result;
}

// From the current point to a stationary one, for the alpha that was set.
void MmSolver::descend(const SolveOptions& options, bool record, SolveResult& result) {
  entered_ = 0;
  // From a start much changes yet. As long as the point is rough, features outside are looked for before
  // the inner problem is solved to its last digits.
  const bool from_start = std::exchange(at_start_, false);
  bool rough = from_start;
  double best = kInf, objective_before = 0.0;
  double outside = rough ? slope0_ : expected_ * slope0_;  // how far features outside may violate
  std::vector<double> before_w;
  int patience = kPatience;
  bool expecting = restless_ && !record;
  restless_ = false;
  bool known = true;  // the objective at w
  const auto risen = [&] {
    return !(objective_now() <= objective_before + kMisled * objective_before);
  };
  const bool proof = !record && dependent_.empty() && problem_.design->has_fine_shadow();
  while (true) {
    // 1. minimise on the working set: roughly, as long as features outside are wrong by far more
    if (ws_.has_gram() && columns_pay()) leave_gram();
    const double exact = kInnerShare * options.tol * slope0_;
    const double target = ws_.has_gram() && !rough ? exact : std::max(exact, kRough * outside);
    if (known) {
      before_w = w_;
      objective_before = objective_now();
    }
    const Status inner = ws_.has_gram() ? minimise(target, options, result, record)
                                        : minimise_by_columns(target, options, result);
    if (from_start && ws_.has_gram()) drop_negligible(kNegligible * exact);
    const bool ended = inner == Status::kIterations || inner == Status::kInterrupted;
    // At a rough point a violation smaller than what is left inside is none yet.
    const double allowed = rough ? target / slope0_ : options.tol;
    const Seen seen = (expecting || proof) && !ended
                          ? look_in_shadow(allowed, proof && !rough, from_start, result)
                          : Seen::kUnknown;
    known = seen == Seen::kNothing;
    if (seen == Seen::kFew || seen == Seen::kMany) {
      expecting = seen == Seen::kMany;
      ++result.rounds;
      continue;
    }
    if (known && result.kkt <= options.tol && !risen()) {
      if (result.rounds == 0) expected_ = 0.0;
      result.status = Status::kConverged;
      break;
    }
    // 2. recompute the residual and the working set's correlations, free of drift
    settle(options.tol);
    known = true;
    const bool misled = risen();
    if (misled) restore(before_w);
    // 3. look for violators outside
    double inside;
    const auto found = look_outside(allowed, misled || ended, inside, outside, result);
    if (result.rounds == 0) expected_ = outside / slope0_;
    // 4. done, stuck, or enlarge the working set
    const bool complete =
        found.empty() || misled || ended;  // no column's examination was postponed
    if (complete && result.kkt <= options.tol) {
      result.status = Status::kConverged;
      break;
    }
    const bool settled = found.empty() && inside <= options.tol && !rough;
    if (settled || misled) {  // only rounding stands between this point and its certificate
      result.status = Status::kStalled;
      break;
    }
    if (ended) {
      result.status = inner;
      break;
    }
    const bool more = target > exact || !found.empty();  // than a repetition
    patience = result.kkt <= 0.5 * best || more ? kPatience : patience - 1;
    best = std::min(best, result.kkt);
    if (patience == 0) {
      result.status = Status::kStalled;
      break;
    }
    rough = rough && !found.empty();
    if (!found.empty()) {
      expecting = !record && static_cast<Index>(found.size()) >= kFew;
      if (rough && !ws_.has_gram()) trim_working_set(kLeastShare, ws_.size());
      enlarge(found, from_start);
      ++result.rounds;
    }
  }
}

// What else is known about the point, and the end of what belongs to this alpha.
void MmSolver::finish(const SolveOptions& options, SolveResult& result) {
  result.objective = objective_now();
  result.deviance = fit_;
  result.gap = surrogate_gap(result.outside_ratio);
  result.convex = options.test_convexity && !stopped() && strictly_convex();
  poll_ = nullptr;
}

void MmSolver::solution(std::vector<Index>& columns, std::vector<double>& coef) const {
  columns.clear();
  coef.clear();
  for (Index s : by_column_) {
    if (w_[s] == 0.0) continue;
    columns.push_back(ws_.column(s));
    coef.push_back(w_[s]);
  }
  if (!ws_.has_gram()) return;
  for (Index s = 0; s < ws_.size(); ++s) {
    if (w_[s] != 0.0) columns.push_back(ws_.column(s));
  }
  std::sort(columns.begin(), columns.end());
  for (Index j : columns) coef.push_back(w_[ws_.slot(j)]);
}

double MmSolver::correlation_limit() const {
  double largest = 0.0;
  for (Index j = 0; j < problem_.design->d(); ++j) {
    largest = std::max(largest, problem_.design->norm(j));
  }
  return largest * std::sqrt(z_norm2_);
}

double MmSolver::coefficient_shift() const {
  double shift = 0.0;
  for (Index s = 0; s < ws_.size(); ++s) shift += problem_.design->mean(ws_.column(s)) * w_[s];
  return shift;
}

}  // namespace sparsieve
