#include "sparsieve/state/working_set.hpp"

#include <algorithm>
#include <utility>

#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
Index roomy(Index m) { return m + m / 8 + 32; }

Pages<double> square(Index k) { return make_pages<double>(static_cast<std::size_t>(k) * k); }
}  // namespace

// What is beyond size() in a row was never written, so that it is not copied either.
WorkingSet::WorkingSet(const WorkingSet& other)
    : columns_(other.columns_),
      rows_(other.rows_),
      shared_(other.shared_),
      capacity_(other.capacity_),
      has_gram_(other.has_gram_),
      by_leaves_(other.by_leaves_) {
  if (!other.gram_) return;
  hold(square(capacity_), capacity_);
  for (Index s = 0; s < size(); ++s) std::copy(other.gram(s), other.gram(s) + size(), writable(s));
}

WorkingSet::WorkingSet(std::shared_ptr<const SharedGram> shared)
    : columns_(shared->columns),
      rows_(shared->gram.get()),
      shared_(std::move(shared)),
      capacity_(shared_->capacity),
      by_leaves_(shared_->by_leaves) {}

std::shared_ptr<const SharedGram> WorkingSet::share() {
  auto out = std::make_shared<SharedGram>();
  out->columns.swap(columns_);
  out->gram = std::move(gram_);
  out->capacity = capacity_;
  out->by_leaves = by_leaves_;
  hold({}, 0);
  return out;
}

void WorkingSet::hold(Pages<double> gram, Index capacity) {
  gram_ = std::move(gram);
  rows_ = gram_.get();
  capacity_ = capacity;
  shared_.reset();
}

// Copy what is shared, to change it.
void WorkingSet::own() {
  if (!shared_) return;
  const double* from = rows_;
  const auto kept = shared_;
  hold(square(capacity_), capacity_);
  for (Index s = 0; s < size(); ++s)
    std::copy(from + s * capacity_, from + s * capacity_ + size(), writable(s));
}

WorkingSet& WorkingSet::operator=(const WorkingSet& other) { return *this = WorkingSet(other); }

void WorkingSet::drop_gram() {
  has_gram_ = by_leaves_ = false;
  hold({}, 0);
}

bool WorkingSet::regain_gram(const Design& design, const std::function<bool()>& stop) {
  std::vector<Index> columns;
  columns.swap(columns_);
  has_gram_ = true;
  grow(design, columns, stop);
  if (columns_.size() == columns.size()) return true;
  drop_gram();
  columns_.swap(columns);
  return false;
}

void WorkingSet::grow(const Design& design, const std::vector<Index>& fresh,
                      const std::function<bool()>& stop, const std::vector<double>* r,
                      double* correlations) {
  if (!has_gram_) {
    columns_.insert(columns_.end(), fresh.begin(), fresh.end());
    return;
  }
  if (fresh.empty()) return;
  own();
  // Fresh columns are expanded to double in a buffer of at most so many numbers (but 32 columns). The
  // working set is read once for each time it is filled, and Ctrl-C is not looked for during a
  // batch: at most so many products.
  constexpr Index kBuffer = 1 << 21, kBatch = 32, kProducts = Index{1} << 31;
  const Index total = size() + static_cast<Index>(fresh.size());
  const bool whole = size() == 0 && design.whole_gram_pays(total);
  by_leaves_ = whole;
  const Index batch =
      whole ? total : std::max(kBatch, std::min(kBuffer, kProducts / total) / design.n());
  for (std::size_t begin = 0; begin < fresh.size(); begin += batch) {
    if (begin > 0 && stop && stop()) return;
    const Index nf = std::min<Index>(batch, static_cast<Index>(fresh.size() - begin));
    const Index old = size(), m = old + nf;
    reserve(design, total);
    for (Index a = 0; a < nf; ++a) {
      columns_.push_back(fresh[begin + a]);
    }
    std::vector<double> block(static_cast<std::size_t>(nf) * m);
    double* here = correlations == nullptr ? nullptr : correlations + begin;
    if (whole) {
      if (!design.whole_gram(columns_.data(), m, block.data(), r, here, stop)) {
        columns_.clear();
        return;
      }
    } else {
      design.gram(columns_.data(), m, nf, block.data(), r, here);
    }
    place(old, nf, block.data());
    // The diagonal is exactly the design's own norms, unless leaves know them better.
    for (Index a = 0; a < nf && !whole; ++a) {
      writable(old + a)[old + a] = design.norm2(columns_[old + a]);
    }
  }
}

void WorkingSet::append(const Design& design, const std::vector<Index>& fresh) {
  reserve(design, size() + static_cast<Index>(fresh.size()));
  columns_.insert(columns_.end(), fresh.begin(), fresh.end());
}

void WorkingSet::replace(Index slot, const double* row) {
  std::copy(row, row + slot + 1, writable(slot));
  for (Index s = 0; s < slot; ++s) writable(s)[slot] = row[s];
}

// Room for m features.
void WorkingSet::reserve(const Design& design, Index m) {
  if (m <= capacity_) return;
  const Index old = std::min(size(), capacity_), grown = roomy(m);
  auto bigger = square(grown);
  parallel_for(old, design.threads(), kGrain / (old + 1) + 1, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s)
      std::copy(gram(s), gram(s) + old, bigger.get() + s * grown);
  });
  hold(std::move(bigger), grown);
}

// The rows of fresh features, and their columns. Their own block is exactly symmetric.
void WorkingSet::place(Index old, Index count, const double* block) {
  const Index m = old + count;
  for (Index a = 0; a < count; ++a) {
    const double* row = block + a * m;
    std::copy(row, row + m, writable(old + a));
    for (Index s = 0; s < old; ++s) writable(s)[old + a] = row[s];
  }
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < a; ++b) writable(old + a)[old + b] = gram(old + b)[old + a];
  }
}

void WorkingSet::keep(const std::vector<Index>& slots) {
  const Index m = static_cast<Index>(slots.size());
  std::vector<Index> columns(m);
  for (Index a = 0; a < m; ++a) columns[a] = columns_[slots[a]];
  columns_.swap(columns);
  if (!has_gram_) return;
  // In place, or into less memory where most of it would lie idle: what is read is never behind what is
  // written. What is shared stays as it is.
  const bool elsewhere = shared_ != nullptr || 2 * roomy(m) < capacity_;
  const Index capacity = elsewhere ? roomy(m) : capacity_;
  Pages<double> smaller;
  if (elsewhere) smaller = square(capacity);
  double* to = smaller ? smaller.get() : gram_.get();
  for (Index a = 0; a < m; ++a) {
    const double* from = gram(slots[a]);
    for (Index b = 0; b < m; ++b) to[a * capacity + b] = from[slots[b]];
  }
  if (!smaller) return;
  hold(std::move(smaller), capacity);
}

SlotIndex::SlotIndex(const WorkingSet& set) {
  slots_.reserve(set.size());
  for (Index s = 0; s < set.size(); ++s) slots_.emplace_back(set.column(s), s);
  std::sort(slots_.begin(), slots_.end());
}

Index SlotIndex::slot(Index j) const {
  const auto found = std::lower_bound(slots_.begin(), slots_.end(), std::pair<Index, Index>(j, -1));
  return found == slots_.end() || found->first != j ? -1 : found->second;
}

}  // namespace sparsieve
