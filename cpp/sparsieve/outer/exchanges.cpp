#include "sparsieve/outer/exchanges.hpp"

#include <algorithm>
#include <limits>

#include "sparsieve/outer/moves.hpp"

namespace sparsieve {
namespace {
// Exchanges are tried, nothing is claimed of those that are not: limits of the cost.
// Places that are tried at one point.
constexpr std::size_t kPlaces = 64;
// Whoever takes a place brings back at least this share of what it costs to leave it.
constexpr double kBack = 0.5;
// Newton steps of one trial.
constexpr Index kSteps = 100;
constexpr double kInf = std::numeric_limits<double>::infinity();
}  // namespace

Exchanges::Exchanges(Fit& fit, Neighbours& neighbours, const std::vector<double>& jump,
                     double least, double exact)
    : fit_(fit), neighbours_(neighbours), jump_(jump), least_(least), exact_(exact) {}

bool Exchanges::make() {
  const State& state = fit_.state;
  if (!state.set.has_gram()) return false;
  const std::vector<Swap> swaps = takers();
  before_ = {state.point, state.c, state.known_error,
             objective(fit_.inputs, fit_.target.levels, state, fit_.gradient)};
  return std::any_of(swaps.begin(), swaps.end(), [&](const Swap& swap) { return lowers(swap); });
}

// The best taker of each place, all in the working set, the most promising first.
std::vector<Swap> Exchanges::takers() {
  auto swaps = SwapSearch(fit_, neighbours_, jump_, least_, kBack).find();
  if (swaps.size() > kPlaces) swaps.resize(kPlaces);
  take_in(fit_, swaps);
  return swaps;
}

bool Exchanges::lowers(const Swap& swap) {
  State& state = fit_.state;
  const SlotIndex slots(state.set);
  if (fit_.inputs.stopped() || !state.set.has_gram() || !slots.contains(swap.in)) return false;
  bool lower = follow(swap.out, slots.slot(swap.in));
  if (lower) {
    // once more with everything computed from X
    const std::vector<double> w = state.point.w;
    place_at(fit_.inputs, state, w);
    lower = !fit_.inputs.stopped() && objective(fit_.inputs, fit_.target.levels, state,
                                                fit_.gradient) < before_.objective - least_;
  }
  if (!lower) restore();
  return lower;
}

// Swap and let the working set follow; whether F is lower, as far as the Gram matrix tells.
bool Exchanges::follow(Index out, Index in) {
  State& state = fit_.state;
  Moves moves(fit_);
  if (!moves.swap(out, in, -kInf) || moves.w()[in] == 0.0) return false;
  leave(fit_.inputs, state, state.point.place[out]);
  state.point.w[in] = moves.w()[in];
  state.point.sign[in] = state.point.w[in] > 0.0 ? 1 : -1;
  join(fit_.inputs, state, {in});
  if (state.point.place[in] < 0) return false;  // the poll said stop
  correlate_by_gram(fit_.inputs, state);
  state.known_error = gram_noise(fit_.inputs, state, state.point.w) + state.pull_error;
  if (!fit_by_gram(fit_.inputs, state)) return false;
  progress_.max_iter = progress_.iterations + kSteps;
  const Status ended =
      fit_.choice.minimise(fit_.inputs, fit_.target.levels, state, exact_, progress_);
  if (ended == Status::kInterrupted || !fit_by_gram(fit_.inputs, state)) return false;
  return objective(fit_.inputs, fit_.target.levels, state, fit_.gradient) <
         before_.objective - least_;
}

void Exchanges::restore() {
  State& state = fit_.state;
  if (!state.set.has_gram()) {   // it is given up when the poll says stop
    fit_.inputs.poll = nullptr;  // the way back is short
    return place_at(fit_.inputs, state, before_.point.w);
  }
  state.point = before_.point;
  state.c = before_.c;
  state.known_error = before_.known_error;
}

}  // namespace sparsieve
