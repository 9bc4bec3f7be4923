#include "sparsieve/outer/swaps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsieve/outer/moves.hpp"

namespace sparsieve {
namespace {
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// Features that reach this share of their threshold are read; all others are bounded by it.
constexpr double kClose = 0.8;
// How alike features may have to be: steps of a search, each followed by a proof.
constexpr double kShares[] = {1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};
}  // namespace

Index SwapSearch::Known::place(Index j) const {
  const auto at = std::lower_bound(columns.begin(), columns.end(), j);
  return at == columns.end() || *at != j ? -1 : at - columns.begin();
}

void SwapSearch::Rivals::add(Index j, double bound, double known_c, double known_product) {
  columns.push_back(j);
  z.push_back(bound);
  c.push_back(known_c);
  product.push_back(known_product);
}

void take_in(Fit& fit, const std::vector<Swap>& swaps) {
  const SlotIndex before(fit.state.set);
  std::vector<Index> fresh;
  for (const Swap& s : swaps) {
    const bool known =
        before.contains(s.in) || std::find(fresh.begin(), fresh.end(), s.in) != fresh.end();
    if (!known) fresh.push_back(s.in);
  }
  if (!fresh.empty()) fit.model().grow(fit.inputs, fit.state, fresh);
}

SwapSearch::SwapSearch(Fit& fit, Neighbours& neighbours, const std::vector<double>& jump,
                       double least, double back)
    : fit_(fit),
      neighbours_(neighbours),
      jump_(jump),
      least_(least),
      back_(back),
      slots_(fit.state.set) {}

double SwapSearch::gain_needed(Index slot) const {
  return back_ * cost_of_leaving(fit_, slot) + least_;
}

std::vector<Swap> SwapSearch::find() {
  const State& state = fit_.state;
  const Design& design = *fit_.inputs.design;
  // 1. read the features that are close to their thresholds, bound all others
  know_near();
  bound_others();
  // 2. learn who is like the features of the support, as far as that may matter
  std::vector<Index> slots, features;
  std::vector<Neighbours::Wanted> wanted;
  for (Index s : state.point.support) {
    if (!(fit_.target.levels.strength(state.column(s)) > 0.0)) continue;
    slots.push_back(s);
    features.push_back(state.column(s));
    wanted.push_back({state.column(s), share_needed(s)});
  }
  if (!fit_.everyone_inside()) {  // else the Gram matrix has every product
    neighbours_.forget_all_but(features, design);
    if (!neighbours_.learn(design, wanted, fit_.inputs.poll)) return {};
  }
  // 3. the best rival for each place
  std::vector<Swap> found;
  for (Index s : slots) {
    if (fit_.inputs.stopped()) return {};
    Rivals rivals = this->rivals(s);
    keep_promising(s, rivals);
    read(s, rivals);
    const auto gain = best_values(fit_, rivals.columns, rivals.z).gain;
    const auto best = std::max_element(gain.begin(), gain.end());
    if (best == gain.end() || !(*best > gain_needed(s))) continue;
    found.push_back({s, rivals.columns[best - gain.begin()], *best - cost_of_leaving(fit_, s)});
  }
  std::sort(found.begin(), found.end(), [](const Swap& a, const Swap& b) {
    return a.fall != b.fall ? a.fall > b.fall : a.in < b.in;
  });
  return found;
}

void SwapSearch::know_near() {
  const State& state = fit_.state;
  std::vector<double> close(jump_);
  for (double& level : close) level *= kClose;
  Answer answer;
  if (!fit_.everyone_inside()) {
    answer = fit_.target.screen.ask({state.point.residual.r, state.point.residual.weighted, close,
                                     0.0, fit_.sides(), state.set.columns(), state.c,
                                     state.known_error, fit_.barred.count, /*complete=*/true,
                                     /*rough=*/false, state.point.residual.error});
  }
  std::vector<std::pair<Index, Index>> order;  // column, and slot or -1 - place in the answer
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    if (state.point.place[s] < 0 && !fit_.is_barred(j)) order.emplace_back(j, s);
  }
  for (std::size_t k = 0; k < answer.violators.size(); ++k) {
    order.emplace_back(answer.violators[k].column, -1 - static_cast<Index>(k));
  }
  std::sort(order.begin(), order.end());
  for (const auto& [j, slot] : order) {
    known_.columns.push_back(j);
    known_.slots.push_back(std::max<Index>(slot, -1));
    known_.c.push_back(slot >= 0 ? state.c[slot] : answer.violators[-1 - slot].correlation);
  }
}

// A group's thresholds grow with its norms and strengths.
void SwapSearch::bound_others() {
  const Levels& levels = fit_.target.levels;
  for (const Group& group : neighbours_.groups(*fit_.inputs.design, levels.weights())) {
    const double strongest = levels.alpha() * group.heaviest;
    double threshold = 0.0;
    levels.penalty().jump_thresholds(&group.high, &strongest, 1, &threshold);
    others_.push_back({group.low, group.high, levels.alpha() * group.lightest, kClose * threshold});
  }
}

// A lower bound, one step of kShares too low at most, of how alike a feature must be to i to take its place.
// 1: no feature needs to be looked at.
double SwapSearch::share_needed(Index slot) const {
  for (double share : kShares) {
    if (others_stay_out(slot, share)) return share;
  }
  return 0.0;
}

bool SwapSearch::others_stay_out(Index slot, double share) const {
  const Index i = fit_.state.column(slot), count = static_cast<Index>(others_.size());
  const double size = std::abs(fit_.state.point.w[slot]) * fit_.inputs.design->norm(i) * share;
  const double least = gain_needed(slot);
  std::vector<double> z(count), h(count), strength(count), t(count), value(count);
  for (Index g = 0; g < count; ++g) {
    z[g] = others_[g].c + size * std::sqrt(others_[g].high);
    h[g] = others_[g].low;
    strength[g] = others_[g].strength;
  }
  fit_.target.levels.penalty().minimise(z.data(), h.data(), strength.data(), count, t.data(),
                                        value.data());
  return std::all_of(value.begin(), value.end(), [&](double v) { return -v <= least; });
}

// gain_j is convex, zero up to the jump's threshold T, and its slope at z is a minimiser, at most z / h.
bool SwapSearch::may_gain(Index j, double z, double least) const {
  return z > jump_[j] && (z - jump_[j]) * z > least * fit_.inputs.design->norm2(j);
}

SwapSearch::Rivals SwapSearch::rivals(Index slot) const {
  const State& state = fit_.state;
  const Design& design = *fit_.inputs.design;
  const Index i = state.column(slot);
  static const Alike nobody;
  const Alike& alike = fit_.everyone_inside() ? nobody : neighbours_.of(i);
  const double w = state.point.w[slot], least = gain_needed(slot);
  const double others = std::abs(w) * alike.share * design.norm(i);
  const double* gram = state.set.has_gram() ? state.set.gram(slot) : nullptr;
  Rivals rivals;
  // 1. whose correlation is known: with all products that can be had, else with a bound
  for (std::size_t k = 0; k < known_.columns.size(); ++k) {
    const Index j = known_.columns[k], place = known_.slots[k];
    const bool exact = gram != nullptr && place >= 0;
    const double z = exact ? std::abs(known_.c[k] + w * gram[place])
                           : std::abs(known_.c[k]) + others * design.norm(j);
    if (may_gain(j, z, least)) rivals.add(j, z, known_.c[k], exact ? gram[place] : kUnknown);
  }
  // 2. who is like i
  for (std::size_t k = 0; k < alike.columns.size(); ++k) {
    const Index j = alike.columns[k], place = known_.place(j);
    if (std::isinf(jump_[j]) || !(jump_[j] > 0.0)) continue;
    const Index in_set = slots_.slot(j);
    if (in_set >= 0 && (state.point.place[in_set] >= 0 || gram != nullptr)) continue;
    const double c = place >= 0 ? known_.c[place] : kUnknown, product = alike.products[k];
    const double z =
        place >= 0 ? std::abs(c + w * product) : kClose * jump_[j] + std::abs(w * product);
    if (may_gain(j, z, least)) rivals.add(j, z, c, product);
  }
  return rivals;
}

// What is known of z so far are bounds of its size: either sign may be meant, which bounds tell apart.
void SwapSearch::keep_promising(Index slot, Rivals& rivals) const {
  auto gain = best_values(fit_, rivals.columns, rivals.z).gain;
  if (!fit_.inputs.box.none()) {
    std::vector<double> negative(rivals.z);
    for (double& z : negative) z = -z;
    const auto other = best_values(fit_, rivals.columns, negative).gain;
    for (std::size_t k = 0; k < gain.size(); ++k) gain[k] = std::max(gain[k], other[k]);
  }
  const double least = gain_needed(slot);
  Rivals kept;
  for (std::size_t k = 0; k < gain.size(); ++k) {
    if (!(gain[k] > least)) continue;
    kept.add(rivals.columns[k], rivals.z[k], rivals.c[k], rivals.product[k]);
  }
  rivals = std::move(kept);
}

// Correlations and products that are not known, and with them the true z.
void SwapSearch::read(Index slot, Rivals& rivals) const {
  const State& state = fit_.state;
  const Design& design = *fit_.inputs.design;
  const auto fill = [&](std::vector<double>& numbers, const Weighted& with) {
    std::vector<Index> columns, places;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (!std::isnan(numbers[k])) continue;
      places.push_back(static_cast<Index>(k));
      columns.push_back(rivals.columns[k]);
    }
    std::vector<double> read(columns.size());
    design.correlate(with, columns.data(), static_cast<Index>(columns.size()), read.data());
    for (std::size_t k = 0; k < places.size(); ++k) numbers[places[k]] = read[k];
  };
  if (rivals.columns.empty()) return;
  const bool unknown = std::any_of(rivals.product.begin(), rivals.product.end(),
                                   [](double p) { return std::isnan(p); });
  if (unknown) {
    Weighted column;
    weigh_column(design, state.column(slot), column);
    fill(rivals.product, column);
  }
  fill(rivals.c, state.point.residual.weighted);
  for (std::size_t k = 0; k < rivals.z.size(); ++k) {
    rivals.z[k] = rivals.c[k] + state.point.w[slot] * rivals.product[k];
  }
}

}  // namespace sparsieve
