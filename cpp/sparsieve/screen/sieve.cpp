#include "sparsieve/screen/sieve.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
// A residual becomes a reference when at least this share of the columns was looked at.
constexpr double kReferenceShare = 0.02;
constexpr double kAlmost = 1.0 - 1e-15;
// So many blocks are worth another thread.
constexpr Index kManyBlocks = 128;
// A column's correlation seldom moves by more than this share of what its interval allows, the larger of
// the two: with few rows a column that has nothing to do with the change moves by n^(-1/2) of it.
constexpr double kSeldom = 0.25;
constexpr double kDeviations = 4.0;
}  // namespace

Sieve::Sieve(const Design& design)
    : design_(design), ring_(kReferences), centre_(design.d()), radius_(design.d()) {}

// Call body(block, first column, columns, thread) for blocks of columns.
template <class Body>
void Sieve::over_blocks(const Body& body) const {
  parallel_for(blocks(), design_.threads(), kManyBlocks, [&](Index from, Index to, Index thread) {
    for (Index b = from; b < to; ++b) {
      body(b, b * kBlock, std::min(kBlock, design_.d() - b * kBlock), thread);
    }
  });
}

void Sieve::start(const std::vector<double>& r, const Weighted& weighted,
                  const std::vector<double>& correlations) {
  const Index d = design_.d();
  newest_ = 0;
  filled_ = 1;
  Reference& first = reference(0);
  first.r = r;
  first.norm2 = weighted.norm2;
  first.centre = correlations;
  first.radius.resize(d);
  const double norm = std::sqrt(weighted.norm2);
  for (Index j = 0; j < d; ++j) first.radius[j] = design_.rounding(j) * norm;
  centre_ = first.centre;
  radius_ = first.radius;
}

// A bound of |x_j' Omega left| per unit of sum_i |x_ij|: few entries see little of a long vector. What the
// centring of x_j takes away is at most max omega / sum omega of that, times the sum of the vector.
double Sieve::largest_entry(const std::vector<double>& left) const {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  double largest = 0.0, sum = 0.0, size = 0.0, heaviest = 0.0;
  for (Index i = 0; i < design_.n(); ++i) {
    const double omega = design_.omega()[i], v = omega * left[i];
    largest = std::max(largest, std::abs(v));
    heaviest = std::max(heaviest, omega);
    sum += v;
    size += std::abs(v);
  }
  if (!design_.centred()) return largest;
  const double rounding = kEps * static_cast<double>(design_.n()) * size;
  return largest + heaviest / design_.total() * (std::abs(sum) + rounding);
}

// r on the newest reference alone, on the two newest, and so on: each by modified Gram-Schmidt. The
// bounds hold for any coefficients, so rounding errors in them are harmless.
void Sieve::write_as_references(const Query& query) {
  const auto& omega = design_.omega();
  const Index n = design_.n();
  std::vector<double> rest = query.r, left;
  std::vector<std::vector<double>> basis;
  std::vector<std::vector<double>> recipe;  // basis vector = sum_k recipe[k] r_k
  std::vector<double> g(kReferences, 0.0);
  ways_ = Ways();
  ways_.floor = std::sqrt(query.weighted.norm2);
  for (Index k = 0; k < filled_; ++k) {
    const Reference& from = reference(k);
    std::vector<double> q = from.r, mix(kReferences, 0.0);
    mix[k] = 1.0;
    for (std::size_t b = 0; b < basis.size(); ++b) {
      const double h = weighted_dot(omega.data(), basis[b].data(), q.data(), n);
      axpy(-h, basis[b].data(), q.data(), n);
      for (Index i = 0; i < kReferences; ++i) mix[i] -= h * recipe[b][i];
    }
    const double norm2 = weighted_dot(omega.data(), q.data(), q.data(), n);
    // A reference that adds no direction of its own would only blow up the coefficients.
    if (norm2 > 1e-12 * from.norm2) {
      const double inverse = 1.0 / std::sqrt(norm2);
      for (double& x : q) x *= inverse;
      for (double& x : mix) x *= inverse;
      const double h = weighted_dot(omega.data(), q.data(), rest.data(), n);
      axpy(-h, q.data(), rest.data(), n);
      for (Index i = 0; i < kReferences; ++i) g[i] += h * mix[i];
      basis.push_back(std::move(q));
      recipe.push_back(std::move(mix));
    }
    // The rest is recomputed from the coefficients themselves.
    left = query.r;
    for (Index i = 0; i <= k; ++i) axpy(-g[i], reference(i).r.data(), left.data(), n);
    ways_.length[k] = std::sqrt(weighted_dot(omega.data(), left.data(), left.data(), n));
    ways_.length[k] += query.error;
    if (sparse()) ways_.largest[k] = largest_entry(left);
    std::copy(g.begin(), g.end(), ways_.g[k]);
    if (k == 0) rest_ = left;
  }
  ways_.count = filled_;
}

void Sieve::narrow(Index j, double centre, double radius) {
  if (std::abs(centre) + radius < std::abs(centre_[j]) + radius_[j]) {
    centre_[j] = centre;
    radius_[j] = radius;
  }
}

// The best interval of every column from what the references know.
void Sieve::propagate(const Query& query) {
  write_as_references(query);
  Enclosed known;
  for (Index k = 0; k < filled_; ++k) {
    known.centre[k] = reference(k).centre.data();
    known.radius[k] = reference(k).radius.data();
  }
  known.norm = design_.moments().norms.data();
  known.rounding = design_.moments().roundings.data();
  known.size = sparse() ? design_.moments().sizes.data() : nullptr;
  over_blocks([&](Index, Index first, Index count, Index) {
    interval_kernels().narrowest(ways_, known, first, first + count, centre_.data(),
                                 radius_.data());
  });
}

// How far the interval of column j reaches, or one of a share of its radius.
double Sieve::reach(const Query& query, Index j, double share) const {
  return (query.positive ? centre_[j] : std::abs(centre_[j])) + share * radius_[j];
}

// Whether column j is looked after elsewhere, or constant, or excluded.
bool Sieve::skipped(const Query& query, Index j) const {
  return query.slot[j] >= 0 || design_.norm2(j) == 0.0 || std::isinf(query.threshold[j]);
}

bool Sieve::settled(const Query& query, Index j) const {
  return reach(query, j, 1.0) <= query.threshold[j];
}

// Look at the open columns in the shadow and keep those still open: with the residual itself or with
// its difference to the newest reference, whichever is sharper. The error of the latter scales with
// that difference, which is short, so columns that were once read exactly stay sharp for many
// residuals (a combination of several references would multiply their radii).
void Sieve::look_in_shadow(const Query& query) {
  const Shadow* shadow = design_.shadow();
  if (shadow == nullptr) return;
  Weighted rest;
  design_.weigh(rest_, rest);
  const Quantised whole = quantise(query.weighted.v), change = quantise(rest.v);
  const Reference& newest = reference(0);
  const double g = ways_.g[0][0];
  const Index count = static_cast<Index>(open_.size());
  std::vector<Index> columns(count);
  std::vector<double> radius(count), centre(count);
  parallel_for(
      count, design_.threads(), 4 * design_.columns_per_thread(), [&](Index first, Index last) {
        // Those that are looked at directly from the front, the others from the back.
        Index direct = first, back = last;
        for (Index k = first; k < last; ++k) {
          const Index j = open_[k];
          const double whole_radius = shadow->radius(whole, j);
          const double change_radius = shadow->radius(change, j) + std::abs(g) * newest.radius[j] +
                                       ways_.floor * design_.rounding(j);
          const Index place = change_radius < whole_radius ? --back : direct++;
          columns[place] = j;
          radius[place] = std::min(change_radius, whole_radius) + design_.norm(j) * query.error;
        }
        design_.correlate_in_shadow(query.weighted, whole, columns.data() + first, direct - first,
                                    centre.data() + first);
        design_.correlate_in_shadow(rest, change, columns.data() + direct, last - direct,
                                    centre.data() + direct);
        for (Index k = first; k < last; ++k) {
          const Index j = columns[k];
          narrow(j, k < direct ? centre[k] : centre[k] + g * newest.centre[j], radius[k]);
        }
        for (Index k = first; k < last; ++k) {
          if (settled(query, open_[k])) open_[k] = -1;
        }
      });
  std::erase(open_, -1);
  if (shadow->has_fine() && query.proves()) look_finely(query, *shadow, whole);
}

// Look at what is open still with all the bits there are.
void Sieve::look_finely(const Query& query, const Shadow& shadow, const Quantised& whole) {
  const std::vector<Index> columns = open_;
  const Index count = static_cast<Index>(columns.size());
  std::vector<double> centre(count);
  design_.correlate_in_fine_shadow(query.weighted, whole, columns.data(), count, centre.data());
  open_.clear();
  for (Index k = 0; k < count; ++k) {
    const Index j = columns[k];
    narrow(j, centre[k], shadow.fine_radius(whole, j) + design_.norm(j) * query.error);
    if (!settled(query, columns[k])) open_.push_back(columns[k]);
  }
}

// Read the open columns themselves.
void Sieve::read(const Query& query) {
  const Index count = static_cast<Index>(open_.size());
  const double norm = std::sqrt(query.weighted.norm2);
  std::vector<double> seen(count);
  looked_ += design_.correlate(query.weighted, open_.data(), count, seen.data());
  for (Index k = 0; k < count; ++k) {
    centre_[open_[k]] = seen[k];
    radius_[open_[k]] = design_.rounding(open_[k]) * norm;
  }
}

std::vector<Index> Sieve::likely(const std::vector<double>& threshold, double share, bool positive,
                                 const std::vector<Index>& slot, Index most) const {
  std::vector<std::pair<double, Index>> found;
  static const double no_radius[kBlock] = {};
  Index far[kBlock];
  for (Index first = 0; first < design_.d(); first += kBlock) {
    const Index count =
        interval_kernels().beyond(centre_.data() + first, no_radius, threshold.data() + first,
                                  share, std::min(kBlock, design_.d() - first), far);
    for (Index k = 0; k < count; ++k) {
      const Index j = first + far[k];
      const double reached = positive ? centre_[j] : std::abs(centre_[j]);
      if (!(reached > share * threshold[j])) continue;
      if (slot[j] >= 0 || design_.norm2(j) == 0.0 || !(threshold[j] > 0.0)) continue;
      found.emplace_back(-reached / threshold[j], j);
    }
  }
  const Index listed = std::min(most, static_cast<Index>(found.size()));
  std::partial_sort(found.begin(), found.begin() + listed, found.end());
  std::vector<Index> out;
  for (Index k = 0; k < listed; ++k) out.push_back(found[k].second);
  return out;
}

// Make this residual a reference; the oldest one gives way.
void Sieve::remember(const Query& query) {
  newest_ = (newest_ + 1) % kReferences;
  filled_ = std::min(filled_ + 1, kReferences);
  Reference& fresh = reference(0);
  fresh.r = query.r;
  fresh.norm2 = query.weighted.norm2;
  fresh.centre.resize(centre_.size());
  fresh.radius.resize(radius_.size());
  over_blocks([&](Index, Index first, Index count, Index) {
    std::copy_n(centre_.begin() + first, count, fresh.centre.begin() + first);
    std::copy_n(radius_.begin() + first, count, fresh.radius.begin() + first);
  });
  if (query.rough) return;
  for (std::size_t s = 0; s < query.columns.size(); ++s) {
    fresh.centre[query.columns[s]] = query.known[s];
    fresh.radius[query.columns[s]] = query.known_error;
  }
}

// Which columns are open after propagation, those that are likely to violate before the others, and the
// ratio of those that are not. As long as there are violators among the likely ones, nothing needs to
// be proven about the rest; with `all` there is no rest.
void Sieve::scan(const Query& query, bool all) {
  const double rows = static_cast<double>(design_.n());
  const double seldom = std::max(kSeldom, kDeviations / std::sqrt(rows));
  listed_.resize(blocks() * kBlock);
  likely_.resize(blocks());
  unlikely_.resize(blocks());
  std::vector<double> ratio(design_.threads(), 0.0);
  over_blocks([&](Index block, Index first, Index count, Index thread) {
    Index* list = listed_.data() + block * kBlock;
    Index far[kBlock], front = 0, back = kBlock;
    // A little less than the largest so far: rounding must not hide a larger one from some threads.
    const Index beyond = interval_kernels().beyond(centre_.data() + first, radius_.data() + first,
                                                   query.threshold.data() + first,
                                                   kAlmost * ratio[thread], count, far);
    for (Index k = 0; k < beyond; ++k) {
      const Index j = first + far[k];
      const double reached = reach(query, j, 1.0), threshold = query.threshold[j];
      if (skipped(query, j)) continue;
      if (reached <= threshold) {
        ratio[thread] = std::max(ratio[thread], reached / threshold);
      } else if (all || !(reach(query, j, seldom) <= threshold)) {
        list[front++] = j;
      } else {
        list[--back] = j;
      }
    }
    likely_[block] = front;
    unlikely_[block] = kBlock - back;
  });
  ratio_ = *std::max_element(ratio.begin(), ratio.end());
  worst_kept_ = 0.0;
  const Index outside = static_cast<Index>(query.known.size()) + query.excluded;
  opened_ = std::accumulate(likely_.begin(), likely_.end(), Index{0}) +
            std::accumulate(unlikely_.begin(), unlikely_.end(), Index{0});
  by_bound_ = design_.d() - outside - opened_;
}

// The columns that a scan has listed, in their order.
void Sieve::open(bool likely) {
  open_.clear();
  for (Index b = 0; b < blocks(); ++b) {
    const Index* list = listed_.data() + b * kBlock;
    if (likely) {
      open_.insert(open_.end(), list, list + likely_[b]);
    } else {
      std::reverse_copy(list + kBlock - unlikely_[b], list + kBlock, std::back_inserter(open_));
    }
  }
}

// The ratio with what is now known about the columns that were open.
void Sieve::add_opened_to_ratio(const Query& query) {
  std::vector<double> ratio(design_.threads(), ratio_);
  over_blocks([&](Index block, Index, Index, Index thread) {
    const Index* list = listed_.data() + block * kBlock;
    const auto add = [&](Index j) {
      const double far = reach(query, j, 1.0), threshold = query.threshold[j];
      if (threshold > 0.0) ratio[thread] = std::max(ratio[thread], far / threshold);
    };
    std::for_each(list, list + likely_[block], add);
    std::for_each(list + kBlock - unlikely_[block], list + kBlock, add);
  });
  ratio_ = *std::max_element(ratio.begin(), ratio.end());
}

// Look at the open columns and return the violators among them.
std::vector<Violator> Sieve::examine(const Query& query) {
  const Index count = static_cast<Index>(open_.size());
  if (count > 0 && design_.shadow_pays(looked_)) look_in_shadow(query);
  by_shadow_ += count - static_cast<Index>(open_.size());
  if (!open_.empty() && !query.rough) read(query);
  by_reading_ += static_cast<Index>(open_.size());
  std::vector<Violator> found;
  for (const Index j : open_) {
    const double reached = query.positive ? centre_[j] : std::abs(centre_[j]);
    const double over = reached - query.threshold[j];
    if (over > query.slack) {
      found.push_back({j, centre_[j]});
    } else {
      worst_kept_ = std::max(worst_kept_, over);
      undecided_ += query.rough;
    }
  }
  return found;
}

std::vector<Violator> Sieve::above(const Query& query) {
  propagate(query);
  // Reading a sparse column costs no more than it takes to say how likely a violator it is.
  scan(query, query.complete || sparse());
  by_shadow_ = by_reading_ = undecided_ = 0;
  open(true);
  std::vector<Violator> found = examine(query);
  if (found.empty() && query.proves()) {
    open(false);
    found = examine(query);
  }
  add_opened_to_ratio(query);
  const double count = static_cast<double>(opened_);
  if (count > kReferenceShare * (static_cast<double>(by_bound_) + count)) remember(query);
  return found;
}

}  // namespace sparsieve
