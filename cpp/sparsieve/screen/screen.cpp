#include "sparsieve/screen/screen.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
// A residual becomes a reference when at least this share of the columns had to be looked at: speed alone.
constexpr double kReferenceShare = 0.02;
// Less than 1 by more than the two roundings of a ratio and a product: nothing above the ratio is overlooked.
constexpr double kAlmostOne = 1.0 - 1e-15;
// Below this number of grains per thread, sharing them costs more than it saves.
constexpr Index kGrainsPerThread = 128;
// Who is looked at first, not who is looked at: a correlation seldom moves by more than a share of what its interval allows: this share, or as many
// standard deviations as below, whichever is more. A column unrelated to the change of the residual moves
// by a share with standard deviation n^(-1/2).
constexpr double kSeldomShare = 0.25;
constexpr double kDeviations = 4.0;

// How far a correlation goes in the directions that count.
double towards(const std::vector<signed char>& sides, Index j, double correlation) {
  return sides.empty() || sides[j] == 0 ? std::abs(correlation) : sides[j] * correlation;
}

// Marks columns as long as it lives, also when an exception ends the query. The cost is that of the
// columns, not that of the mask.
class Marked {
 public:
  Marked(std::vector<char>& mask, const std::vector<Index>& columns)
      : mask_(mask), columns_(columns) {
    for (const Index j : columns_) mask_[j] = 1;
  }
  ~Marked() {
    for (const Index j : columns_) mask_[j] = 0;
  }
  Marked(const Marked&) = delete;
  Marked& operator=(const Marked&) = delete;

 private:
  std::vector<char>& mask_;
  const std::vector<Index>& columns_;
};
}  // namespace

Screen::Screen(const Design& design)
    : design_(&design), centre_(design.d()), radius_(design.d()), marked_(design.d()) {
  start(std::vector<double>(design.n()), Weighted(), centre_);
}

void Screen::start(const std::vector<double>& r, const Weighted& weighted,
                   const std::vector<double>& correlations) {
  const Index d = design_->d();
  references_.clear();
  Reference& first = references_.add();
  first.r = r;
  first.norm2 = weighted.norm2;
  first.centre = correlations;
  first.radius.resize(d);
  const double norm = std::sqrt(weighted.norm2);
  for (Index j = 0; j < d; ++j) first.radius[j] = design_->rounding(j) * norm;
  centre_ = first.centre;
  radius_ = first.radius;
}

Answer Screen::ask(const Query& query) {
  const Marked working_set(marked_, query.columns);
  Answer answer;
  // 1. intervals of all columns, without reading any
  bound_all(query);
  list_open(query, answer);
  // 2. the likely violators, and, if there are none among them, the others
  open(true);
  examine(query, answer);
  if (answer.violators.empty() && query.proves()) {
    open(false);
    examine(query, answer);
  }
  add_opened_to_ratio(query, answer);
  // 3. where intervals were wide, this residual is a better reference than the oldest one
  const double count = static_cast<double>(opened_.count());
  const double all = static_cast<double>(answer.by_bound) + count;
  if (count > kReferenceShare * all) remember(query);
  return answer;
}

// ----------------------------------------------------------------------------- about one column

// Whether nothing is asked about column j.
bool Screen::skipped(const Query& query, Index j) const {
  return marked_[j] || design_->norm2(j) == 0.0 || std::isinf(query.threshold[j]);
}

// How far the interval of column j reaches, with a share of its radius.
double Screen::reach(const Query& query, Index j, double share) const {
  return towards(query.sides, j, centre_[j]) + share * radius_[j];
}

bool Screen::settled(const Query& query, Index j) const {
  return reach(query, j, 1.0) <= query.threshold[j];
}

// Another interval for column j: the one that reaches less far from zero is kept.
void Screen::narrow(Index j, double centre, double radius) {
  if (std::abs(centre) + radius < std::abs(centre_[j]) + radius_[j]) {
    centre_[j] = centre;
    radius_[j] = radius;
  }
}

// ------------------------------------------------------------------------------- all columns

// Call body(grain, first column, number of columns, thread) for every grain.
template <class Body>
void Screen::over_grains(const Body& body) const {
  const Index d = design_->d();
  const auto some = [&](Index from, Index to, Index thread) {
    for (Index g = from; g < to; ++g) {
      const Index first = g * kGrainColumns;
      body(g, first, std::min(kGrainColumns, d - first), thread);
    }
  };
  parallel_for(grains(), design_->threads(), kGrainsPerThread, some);
}

// For every column the narrowest interval that the references give.
void Screen::bound_all(const Query& query) {
  combinations_ = combine(references_, *design_, query.r, query.weighted, query.error, rest_);
  ColumnIntervals known;
  for (Index k = 0; k < references_.count(); ++k) {
    known.centre[k] = references_[k].centre.data();
    known.radius[k] = references_[k].radius.data();
  }
  known.norm = design_->moments().norms.data();
  known.rounding = design_->moments().roundings.data();
  known.size = sparse() ? design_->moments().sizes.data() : nullptr;
  over_grains([&](Index, Index first, Index count, Index) {
    interval_kernels().narrowest(combinations_, known, first, first + count, centre_.data(),
                                 radius_.data());
  });
}

Index Screen::OpenByGrain::count() const {
  return std::accumulate(likely.begin(), likely.end(), Index{0}) +
         std::accumulate(unlikely.begin(), unlikely.end(), Index{0});
}

// List the columns whose intervals reach their thresholds, likely violators apart from the others. The
// other columns are settled; the answer gets their number and their ratio. As long as there are violators
// among the likely ones, nothing needs to be proven about the unlikely ones, so a complete query has none
// of these. Nor have sparse columns: reading one costs no more than telling how likely it is.
void Screen::list_open(const Query& query, Answer& answer) {
  const bool all_likely = query.complete || sparse();
  const double rows = static_cast<double>(design_->n());
  const double seldom = std::max(kSeldomShare, kDeviations / std::sqrt(rows));
  opened_.columns.resize(grains() * kGrainColumns);
  opened_.likely.resize(grains());
  opened_.unlikely.resize(grains());
  std::vector<double> ratio(design_->threads(), 0.0);
  over_grains([&](Index grain, Index first, Index count, Index thread) {
    Index* list = opened_.columns.data() + grain * kGrainColumns;
    Index far[kGrainColumns], front = 0, back = kGrainColumns;
    // Columns below the largest ratio that this thread has met cannot change the maximum. Which ones those
    // are depends on the thread, the maximum does not: hence a little less, so that rounding hides no
    // larger ratio.
    const Index beyond = interval_kernels().beyond(centre_.data() + first, radius_.data() + first,
                                                   query.threshold.data() + first,
                                                   kAlmostOne * ratio[thread], count, far);
    for (Index k = 0; k < beyond; ++k) {
      const Index j = first + far[k];
      const double reached = reach(query, j, 1.0), threshold = query.threshold[j];
      if (skipped(query, j)) continue;
      if (reached <= threshold) {
        ratio[thread] = std::max(ratio[thread], reached / threshold);
      } else if (all_likely || !(reach(query, j, seldom) <= threshold)) {
        list[front++] = j;
      } else {
        list[--back] = j;
      }
    }
    opened_.likely[grain] = front;
    opened_.unlikely[grain] = kGrainColumns - back;
  });
  answer.ratio = *std::max_element(ratio.begin(), ratio.end());
  const Index outside = static_cast<Index>(query.columns.size()) + query.excluded;
  answer.by_bound = design_->d() - outside - opened_.count();
}

// The ratio of the columns that were open, with what is known about them now.
void Screen::add_opened_to_ratio(const Query& query, Answer& answer) const {
  std::vector<double> ratio(design_->threads(), answer.ratio);
  over_grains([&](Index grain, Index, Index, Index thread) {
    const Index* list = opened_.columns.data() + grain * kGrainColumns;
    const auto add = [&](Index j) {
      const double far = reach(query, j, 1.0), threshold = query.threshold[j];
      if (threshold > 0.0) ratio[thread] = std::max(ratio[thread], far / threshold);
    };
    std::for_each(list, list + opened_.likely[grain], add);
    std::for_each(list + kGrainColumns - opened_.unlikely[grain], list + kGrainColumns, add);
  });
  answer.ratio = *std::max_element(ratio.begin(), ratio.end());
}

// Make this residual the newest reference.
void Screen::remember(const Query& query) {
  Reference& fresh = references_.add();
  fresh.r = query.r;
  fresh.norm2 = query.weighted.norm2;
  fresh.centre.resize(centre_.size());
  fresh.radius.resize(radius_.size());
  over_grains([&](Index, Index first, Index count, Index) {
    std::copy_n(centre_.begin() + first, count, fresh.centre.begin() + first);
    std::copy_n(radius_.begin() + first, count, fresh.radius.begin() + first);
  });
  if (query.rough) return;
  for (std::size_t k = 0; k < query.columns.size(); ++k) {
    fresh.centre[query.columns[k]] = query.known[k];
    fresh.radius[query.columns[k]] = query.known_error;
  }
}

std::vector<Index> Screen::likely(const std::vector<double>& threshold, double share,
                                  const std::vector<signed char>& sides,
                                  const std::vector<Index>& left_out, Index most) {
  const Marked marks(marked_, left_out);
  std::vector<std::pair<double, Index>> found;
  static const double no_radius[kGrainColumns] = {};
  Index far[kGrainColumns];
  for (Index first = 0; first < design_->d(); first += kGrainColumns) {
    const Index count =
        interval_kernels().beyond(centre_.data() + first, no_radius, threshold.data() + first,
                                  share, std::min(kGrainColumns, design_->d() - first), far);
    for (Index k = 0; k < count; ++k) {
      const Index j = first + far[k];
      const double reached = towards(sides, j, centre_[j]);
      if (!(reached > share * threshold[j])) continue;
      if (marked_[j] || design_->norm2(j) == 0.0 || !(threshold[j] > 0.0)) continue;
      found.emplace_back(-reached / threshold[j], j);
    }
  }
  const Index listed = std::min(most, static_cast<Index>(found.size()));
  std::partial_sort(found.begin(), found.begin() + listed, found.end());
  std::vector<Index> out;
  for (Index k = 0; k < listed; ++k) out.push_back(found[k].second);
  return out;
}

// ------------------------------------------------------------------------------ open columns

// Open the likely violators, or the others, in the order of columns.
void Screen::open(bool likely) {
  open_.clear();
  for (Index g = 0; g < grains(); ++g) {
    const Index* list = opened_.columns.data() + g * kGrainColumns;
    if (likely) {
      open_.insert(open_.end(), list, list + opened_.likely[g]);
    } else {
      std::reverse_copy(list + kGrainColumns - opened_.unlikely[g], list + kGrainColumns,
                        std::back_inserter(open_));
    }
  }
}

// Look at the open columns and add the violators among them to the answer.
void Screen::examine(const Query& query, Answer& answer) {
  const Index count = static_cast<Index>(open_.size());
  if (count > 0 && design_->shadow_pays(read_)) look_in_shadow(query);
  answer.by_shadow += count - static_cast<Index>(open_.size());
  if (!open_.empty() && !query.rough) read(query);
  answer.by_reading += static_cast<Index>(open_.size());
  for (const Index j : open_) {
    const double reached = towards(query.sides, j, centre_[j]);
    const double over = reached - query.threshold[j];
    if (!(over <= query.slack)) {  // also what is not a number
      answer.violators.push_back({j, centre_[j], radius_[j]});
    } else {
      answer.worst_kept = std::max(answer.worst_kept, over + radius_[j]);
      answer.undecided += query.rough;
    }
  }
}

// Look up the open columns in the shadow and keep those that stay open. A column is multiplied with the
// residual itself or with its difference to the newest reference, whichever gives the smaller radius.
// That of the difference is small when the difference is short, so that columns which were read exactly
// at the reference keep a small radius for many residuals. (A combination of several references would
// multiply their radii.)
void Screen::look_in_shadow(const Query& query) {
  const Shadow* shadow = design_->shadow();
  if (shadow == nullptr) return;
  Weighted rest;
  design_->weigh(rest_, rest);
  const Quantised whole = quantise(query.weighted.v), change = quantise(rest.v);
  const Reference& newest = references_[0];
  const double g = combinations_.g[0][0];
  const Index count = static_cast<Index>(open_.size());
  std::vector<Index> columns(count);
  std::vector<double> radius(count), centre(count);
  parallel_for(
      count, design_->threads(), 4 * design_->columns_per_thread(), [&](Index first, Index last) {
        // Columns multiplied with the residual itself from the front, the others from the back.
        Index direct = first, back = last;
        for (Index k = first; k < last; ++k) {
          const Index j = open_[k];
          const double whole_radius = design_->shadow_radius(whole, j);
          const double change_radius = design_->shadow_radius(change, j) +
                                       std::abs(g) * newest.radius[j] +
                                       combinations_.norm * design_->rounding(j);
          const Index place = change_radius < whole_radius ? --back : direct++;
          columns[place] = j;
          radius[place] = std::min(change_radius, whole_radius) + design_->norm(j) * query.error;
        }
        design_->correlate_in_shadow(query.weighted, whole, columns.data() + first, direct - first,
                                     centre.data() + first);
        design_->correlate_in_shadow(rest, change, columns.data() + direct, last - direct,
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
  if (shadow->has_fine() && query.proves()) look_in_fine_shadow(query, whole);
}

// The same for what is open still, with all the bits of the shadow.
void Screen::look_in_fine_shadow(const Query& query, const Quantised& whole) {
  const std::vector<Index> columns = open_;
  const Index count = static_cast<Index>(columns.size());
  std::vector<double> centre(count);
  design_->correlate_in_fine_shadow(query.weighted, whole, columns.data(), count, centre.data());
  open_.clear();
  for (Index k = 0; k < count; ++k) {
    const Index j = columns[k];
    narrow(j, centre[k], design_->fine_shadow_radius(whole, j) + design_->norm(j) * query.error);
    if (!settled(query, j)) open_.push_back(j);
  }
}

// Read the open columns in X: their correlations are then known up to rounding.
void Screen::read(const Query& query) {
  const Index count = static_cast<Index>(open_.size());
  const double norm = std::sqrt(query.weighted.norm2);
  std::vector<double> seen(count), errors(count);
  if (query.exact) {
    design_->exact_correlations(query.weighted, open_.data(), count, seen.data(), errors.data());
    for (Index k = 0; k < count && design_->uncertainty() > 0.0; ++k) {
      errors[k] += design_->norm(open_[k]) * query.error;
    }
  } else {
    read_ += design_->correlate(query.weighted, open_.data(), count, seen.data());
    for (Index k = 0; k < count; ++k) {
      errors[k] = design_->rounding(open_[k]) * norm + design_->norm(open_[k]) * query.error;
    }
  }
  for (Index k = 0; k < count; ++k) {
    centre_[open_[k]] = seen[k];
    radius_[open_[k]] = errors[k];
  }
}

}  // namespace sparsieve
