#include "sparsieve/outer/entry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sparsieve/model/model.hpp"

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
// These decide who is in the working set, and with it the cost; the screen covers all others.
// How many features may come with violators into the working set, beyond two for each.
constexpr Index kExtraEntrants = 24;
// More of them where columns have no more rows than that and are multiplied in no time.
constexpr double kShortColumns = 1000.0;
// Features are fetched ahead when they are at least one for so many of the working set.
constexpr Index kWorthwhile = 50;
// A working set of this size may be filled at once.
constexpr Index kGrowth = 256;
// From a start so many enter at once, and one more for every ten of the support.
constexpr Index kStartGrowth = 16;
}  // namespace

Excess excess_of(const Answer& answer, const Levels& levels) {
  Excess found{0.0, answer.worst_kept};
  for (const Violator& v : answer.violators) {
    const double over = std::abs(v.correlation) - levels.threshold(v.column);
    found.met = larger(found.met, over);
    found.bound = larger(found.bound, over + v.error);
  }
  return found;
}

// The worst violators, so that the working set at most doubles: far below the last alpha nearly every
// feature violates, and few of them will stay; fewer still from a start.
std::vector<Index> entrants(Fit& fit, Target& target, std::vector<Violator> found,
                            bool from_start) {
  const State& state = fit.state;
  const auto over = [&](const Violator& v) {
    return std::abs(v.correlation) - target.levels.threshold(v.column);
  };
  const Index most = from_start ? kStartGrowth + static_cast<Index>(state.point.support.size()) / 10
                                : std::max(kGrowth, state.size());
  if (static_cast<Index>(found.size()) > most) {
    std::nth_element(found.begin(), found.begin() + most, found.end(),
                     [&](const Violator& a, const Violator& b) { return over(a) > over(b); });
    found.resize(most);
  }
  fit.history.met_violators = true;
  std::vector<Index> fresh;
  for (const Violator& v : found) fresh.push_back(v.column);
  // The set is read anyway: features about to enter come along and save a round, the more of them the
  // larger a share of X that is and the shorter they are.
  const Design& design = *fit.inputs.design;
  const double m = static_cast<double>(state.size()), part = m / static_cast<double>(design.d());
  const double brevity = std::min(1.0, kShortColumns / static_cast<double>(design.n()));
  const Index more = kExtraEntrants + static_cast<Index>(part * std::max(part, brevity) * m);
  const Index extra = std::min(2 * static_cast<Index>(fresh.size()) + more, most);
  for (Index j : target.screen.likely(target.levels.thresholds(), kNear, fit.sides(),
                                      state.set.columns(), extra)) {
    if (std::find(fresh.begin(), fresh.end(), j) == fresh.end()) fresh.push_back(j);
  }
  return fresh;
}

void enlarge(Fit& fit, Target& target, std::vector<Violator> found, bool from_start) {
  fit.model().grow(fit.inputs, fit.state, entrants(fit, target, std::move(found), from_start));
}

// Fetched together, features save rounds. Only a guess: the screen checks all features later.
void prefetch(Fit& fit, Target& target, double previous_slope0, const std::vector<char>& held) {
  State& state = fit.state;
  const double ratio = previous_slope0 / target.levels.slope0();
  const double share = ratio > 1.0 ? std::max(kNear, 2.0 - ratio) : kInf;
  if (fit.keeps_all) return;
  const Index most = 8 + fit.history.entered;  // about as many as the last alpha needed
  const Index stayed = trim(fit, target.levels, share, most, held);
  if (!(ratio > 1.0)) return;
  const auto fresh = target.screen.likely(target.levels.thresholds(), share, fit.sides(),
                                          state.set.columns(), most - stayed);
  // The whole set is read for them, which does not pay for a few: they come with the next violators.
  if (static_cast<Index>(fresh.size()) > state.size() / kWorthwhile) {
    fit.model().grow(fit.inputs, state, fresh);
  }
}

Index trim(Fit& fit, const Levels& levels, double share, Index most,
           const std::vector<char>& held) {
  const Trimmed trimmed = trimmed_slots(fit, levels, share, most, held);
  if (trimmed.any) keep_slots(fit.state, trimmed.slots);
  return trimmed.near;
}

Trimmed trimmed_slots(const Fit& fit, const Levels& levels, double share, Index most,
                      const std::vector<char>& held) {
  const State& state = fit.state;
  const Point& at = state.point;
  const Index k = static_cast<Index>(at.support.size()), m = state.size();
  if (fit.keeps_all || m <= k + k / 3 + 32) return {};
  std::vector<Index> zeros;
  for (Index s = 0; s < m; ++s) {
    if (at.place[s] < 0 && levels.threshold(state.column(s)) > 0.0) zeros.push_back(s);
  }
  const auto reached = [&](Index s) {
    return reach(fit.inputs.box.of(state.column(s)), state.c[s]) /
           levels.threshold(state.column(s));
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
    const bool part = at.stale && at.w_read[s] != 0.0;
    const bool stays = s < static_cast<Index>(held.size()) && held[s];
    if (at.place[s] >= 0 || levels.threshold(state.column(s)) == 0.0 || part || stays) kept[s] = 1;
  }
  Trimmed out{true, {}, near - few};
  for (Index s = 0; s < m; ++s) {
    if (kept[s]) out.slots.push_back(s);
  }
  return out;
}

std::vector<char> near_slots(const Fit& fit, const Levels& levels, double share) {
  const State& state = fit.state;
  std::vector<char> near(state.size(), 0);
  for (Index s = 0; s < state.size(); ++s) {
    near[s] = state.point.place[s] >= 0 || excess(fit.inputs, levels, state, s) >=
                                               (share - 1.0) * levels.threshold(state.column(s));
  }
  return near;
}

}  // namespace sparsieve
