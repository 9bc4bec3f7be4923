#include "sparsieve/outer/search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sparsieve/outer/descent.hpp"
#include "sparsieve/outer/exchanges.hpp"
#include "sparsieve/outer/moves.hpp"
#include "sparsieve/outer/swaps.hpp"

namespace sparsieve {
namespace {
// Rounds of moves at one alpha; each lowers F. Where they run out, the last strength that was proven counts.
constexpr int kRounds = 1000;
// Features that are taken in at once because they would jump, or take a place.
constexpr std::size_t kJumpers = 64, kSwaps = 8;
// Errors of correlations may change what a move brings by this share of what it must bring, so that a gain of
// 1.1 tol F is never overlooked.
constexpr double kSure = 0.1;
// What the working set is minimised to after an exchange, over the tolerance: F is all that matters.
constexpr double kExchanged = 10.0;
}  // namespace

Search::Search(Fit& fit, const CurvatureGroups& curvatures, Neighbours& neighbours,
               const SolveOptions& options)
    : fit_(fit),
      neighbours_(neighbours),
      options_(options),
      jump_(fit.target.levels.jump_thresholds(curvatures)) {}

void Search::run(SolveResult& result) {
  const History history = fit_.history;
  for (int round = 0; round < kRounds && result.status == Status::kConverged; ++round) {
    // 1. what is worth a move, and correlations exact enough to tell
    least_ = options_.tol * objective(fit_.inputs, fit_.target.levels, fit_.state, fit_.gradient);
    double longest = 0.0;
    for (double w : fit_.state.point.w) longest = std::max(longest, std::abs(w));
    settle(kSure * least_ / std::max(longest, 1e-300));
    const std::vector<double> before = fit_.state.point.w;
    // 2. jumps, and swaps when there are none
    bool moved = jump();
    if (!moved && fit_.inputs.stopped()) break;  // what has moved, the descent takes back
    if (!moved) {
      result.minimum = Minimum::kCoordinatewise;
      if (options_.minimum == Minimum::kCoordinatewise) break;
      moved = swap();
      if (!moved && fit_.inputs.stopped()) break;
      if (!moved) {
        // An unpenalised feature that was left out as dependent may take a place, and is not tried.
        if (!fit_.barred.dependent.empty()) break;
        result.minimum = Minimum::kSwap;
        if (!options_.exchange || !exchange(result)) break;
      }
    }
    // 3. a stationary point again
    if (!descend(before, result)) break;
  }
  fit_.history = history;
}

// Correlations that are off by no more than that; the residual only where somebody outside may ask for it.
void Search::settle(double allowed) {
  State& state = fit_.state;
  state.known_error = gram_noise(fit_.inputs, state, state.point.w) + state.pull_error;
  if (!fit_.everyone_inside() || state.known_error > allowed) {
    return fit_.model().settle(fit_.inputs, state, allowed);
  }
  correlate_by_gram(fit_.inputs, state);
}

// Coefficients of the working set, and of features outside that would jump in.
bool Search::jump() {
  const State& state = fit_.state;
  if (!fit_.everyone_inside() && jump_ != fit_.target.levels.thresholds()) take_in_jumpers();
  Moves moves(fit_);
  const auto falls = moves.falls(jump_);
  std::vector<Index> slots;
  for (Index s = 0; s < state.size(); ++s) {
    if (falls[s] > least_) slots.push_back(s);
  }
  std::sort(slots.begin(), slots.end(), [&](Index a, Index b) {
    return falls[a] != falls[b] ? falls[a] > falls[b] : state.column(a) < state.column(b);
  });
  bool moved = false;
  for (Index s : slots) moved |= moves.jump(s, least_);
  if (moved) place_at(fit_.inputs, fit_.state, moves.w());
  return moved;
}

void Search::take_in_jumpers() {
  State& state = fit_.state;
  const std::vector<double> known = loss_correlations(fit_.inputs, state);
  const Answer answer = fit_.target.screen.ask(
      {state.point.residual.r, state.point.residual.weighted, jump_, 0.0, fit_.sides(),
       state.set.columns(), known, state.known_error, fit_.barred.count,
       /*complete=*/true, /*rough=*/false, state.point.residual.error});
  std::vector<Index> columns;
  std::vector<double> z;
  for (const Violator& v : answer.violators) {
    columns.push_back(v.column);
    z.push_back(v.correlation);
  }
  const auto gain = best_values(fit_, columns, z).gain;
  std::vector<std::pair<double, Index>> jumpers;
  for (std::size_t k = 0; k < gain.size(); ++k) {
    if (gain[k] > least_) jumpers.emplace_back(-gain[k], columns[k]);
  }
  std::sort(jumpers.begin(), jumpers.end());
  if (jumpers.size() > kJumpers) jumpers.resize(kJumpers);
  std::vector<Index> fresh;
  for (const auto& [fall, j] : jumpers) fresh.push_back(j);
  if (!fresh.empty()) fit_.model().grow(fit_.inputs, state, fresh);
}

bool Search::swap() {
  auto swaps = SwapSearch(fit_, neighbours_, jump_, least_).find();
  if (swaps.empty()) return false;
  if (swaps.size() > kSwaps) swaps.resize(kSwaps);
  take_in(fit_, swaps);
  const SlotIndex now(fit_.state.set);
  Moves moves(fit_);
  bool moved = false;
  for (const Swap& s : swaps) {
    if (now.contains(s.in)) moved |= moves.swap(s.out, now.slot(s.in), least_);
  }
  if (moved) place_at(fit_.inputs, fit_.state, moves.w());
  return moved;
}

bool Search::exchange(SolveResult& result) {
  const double exact = kExchanged * options_.tol * fit_.target.levels.slope0();
  Exchanges exchanges(fit_, neighbours_, jump_, least_, exact);
  const bool moved = exchanges.make();
  result.counters.epochs += exchanges.spent().epochs;
  result.counters.solves += exchanges.spent().solves;
  return moved;
}

// Whether there is a stationary point again; else the one before is kept, with its result.
bool Search::descend(const std::vector<double>& before, SolveResult& result) {
  SolveResult next;
  SolveOptions options = options_;
  options.max_iter = std::max<Index>(1, options_.max_iter - result.iterations);
  Descent(fit_, fit_.target, options, /*from_start=*/false, /*record=*/false).run(next);
  next.iterations += result.iterations;
  next.counters.add_work(result.counters);
  if (next.status != Status::kConverged) {
    result.iterations = next.iterations;
    result.counters = next.counters;
    fit_.inputs.poll = nullptr;  // the way back is short
    place_at(fit_.inputs, fit_.state, before);
    return false;
  }
  next.objectives = std::move(result.objectives);
  result = std::move(next);
  return true;
}

}  // namespace sparsieve
