#include "sparsieve/outer/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "sparsieve/columns/shadow.hpp"

namespace sparsieve {
namespace {
// Columns that are looked at together for all wanted features: they stay in the processor's cache.
constexpr Index kBlock = 128;
// More than the rounding of norms, so that no column is left out because of it; that of products is added
// to them, since it grows with the means and the number of rows.
constexpr double kMargin = 1.0 - 1e-9;
// Groups per factor of two of squared norms, and of weights: each knows its own extremes, so that any number
// is safe.
constexpr double kSteps = 16.0;
// Pairs that are kept for each column of X, at least this many in all.
constexpr std::size_t kPairsPerColumn = 8, kPairs = 1 << 20;

// One wanted feature during a sweep.
struct Searched {
  Index feature;
  double limit;  // of |product| / ||x_j||
  Weighted column;
  Quantised bits;
  Alike found;
};

// Columns of the block that the shadow does not rule out.
std::vector<Index> open_in_shadow(const Design& design, const Searched& one,
                                  const std::vector<Index>& block) {
  const Shadow& shadow = *design.shadow();
  std::vector<double> seen(block.size());
  design.correlate_in_shadow(one.column, one.bits, block.data(), static_cast<Index>(block.size()),
                             seen.data());
  std::vector<Index> open;
  for (std::size_t k = 0; k < block.size(); ++k) {
    const Index j = block[k];
    if (std::abs(seen[k]) + shadow.radius(one.bits, j) > one.limit * design.norm(j)) {
      open.push_back(j);
    }
  }
  return open;
}

bool sweep(const Design& design, std::vector<Searched>& wanted, bool in_shadow,
           const std::function<bool()>& stop) {
  for (Index first = 0; first < design.d(); first += kBlock) {
    std::vector<Index> block(std::min(kBlock, design.d() - first));
    std::iota(block.begin(), block.end(), first);
    if (stop && stop()) return false;
    for (Searched& one : wanted) {
      const double length = std::sqrt(one.column.norm2);
      const auto open = in_shadow ? open_in_shadow(design, one, block) : block;
      std::vector<double> products(open.size());
      design.correlate(one.column, open.data(), static_cast<Index>(open.size()), products.data());
      for (std::size_t k = 0; k < open.size(); ++k) {
        const Index j = open[k];
        const double reached = std::abs(products[k]) + design.rounding(j) * length;
        if (j == one.feature || !(reached > one.limit * design.norm(j))) continue;
        one.found.columns.push_back(j);
        one.found.products.push_back(products[k]);
      }
    }
  }
  return true;
}
}  // namespace

void weigh_column(const Design& design, Index i, Weighted& out) {
  std::vector<double> x(design.n(), 0.0);
  const double minus = -1.0;
  design.subtract(&i, &minus, 1, x);
  design.weigh(x, out);
}

const std::vector<Group>& Neighbours::groups(const Design& design,
                                             const std::vector<double>& weights) {
  if (!groups_.empty()) return groups_;
  std::map<std::pair<int, int>, Group> groups;
  const auto step = [](double x) { return static_cast<int>(std::floor(kSteps * std::log2(x))); };
  for (Index j = 0; j < design.d(); ++j) {
    const double h = design.norm2(j), weight = weights.empty() ? 1.0 : weights[j];
    if (!(h > 0.0) || !(weight > 0.0) || std::isinf(weight)) continue;
    const auto [at, fresh] =
        groups.try_emplace({step(h), step(weight)}, Group{h, h, weight, weight});
    Group& group = at->second;
    group.low = std::min(group.low, h);
    group.high = std::max(group.high, h);
    group.lightest = std::min(group.lightest, weight);
    group.heaviest = std::max(group.heaviest, weight);
  }
  for (const auto& [key, group] : groups) groups_.push_back(group);
  return groups_;
}

bool Neighbours::learn(const Design& design, const std::vector<Wanted>& wanted,
                       const std::function<bool()>& stop) {
  std::vector<Searched> fresh;
  for (const auto& [feature, share] : wanted) {
    const auto known = known_.find(feature);
    if (known != known_.end() && known->second.share <= share) continue;
    Searched one{feature, share * design.norm(feature) * kMargin, {}, {}, {share, {}, {}}};
    weigh_column(design, feature, one.column);
    fresh.push_back(std::move(one));
  }
  if (fresh.empty()) return true;
  const bool in_shadow = design.has_shadow();
  if (in_shadow) {
    for (Searched& one : fresh) one.bits = quantise(one.column.v);
  }
  if (!sweep(design, fresh, in_shadow, stop)) return false;
  for (Searched& one : fresh) known_[one.feature] = std::move(one.found);
  return true;
}

void Neighbours::forget_all_but(const std::vector<Index>& features, const Design& design) {
  std::size_t pairs = 0;
  for (const auto& [feature, alike] : known_) pairs += alike.columns.size() + 1;
  if (pairs <= std::max(kPairs, kPairsPerColumn * static_cast<std::size_t>(design.d()))) return;
  std::unordered_map<Index, Alike> kept;
  for (Index i : features) {
    const auto known = known_.find(i);
    if (known != known_.end()) kept.insert(std::move(*known));
  }
  known_ = std::move(kept);
}

}  // namespace sparsieve
