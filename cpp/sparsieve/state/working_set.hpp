// The features a solver is working on, and the Gram matrix of their columns. Its memory grows with the
// features in it, not with those of X, and it can be copied.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sparsieve/columns/design.hpp"
#include "sparsieve/memory/pages.hpp"

namespace sparsieve {

// A working set that several fits read and none of them changes.
struct SharedGram {
  std::vector<Index> columns;
  Pages<double> gram;
  Index capacity = 0;  // from one column of the matrix to the next
  bool by_leaves = false;
};

class WorkingSet {
 public:
  WorkingSet() = default;
  // All that is shared; copied once the set has to change.
  explicit WorkingSet(std::shared_ptr<const SharedGram> shared);
  WorkingSet(const WorkingSet& other);
  WorkingSet(WorkingSet&&) = default;
  WorkingSet& operator=(const WorkingSet& other);
  WorkingSet& operator=(WorkingSet&&) = default;
  Index size() const { return static_cast<Index>(columns_.size()); }
  const std::vector<Index>& columns() const { return columns_; }
  Index column(Index slot) const { return columns_[slot]; }
  // Column `slot` of the Gram matrix, size() entries.
  const double* gram(Index slot) const { return rows_ + slot * capacity_; }
  // Whether its Gram matrix is one that others have too. It is paid for: nobody gives it up for its size.
  bool is_shared() const { return shared_ != nullptr; }
  // Hand the matrix over, for others to share; the set is empty then.
  std::shared_ptr<const SharedGram> share();

  // From now on keep no Gram matrix: for supports so large that it costs more than the columns do.
  void drop_gram();
  bool has_gram() const { return has_gram_; }
  // Whether it was summed over leaves of rows, of all columns at once: see Design::whole_gram. It is more exact.
  bool by_leaves() const { return by_leaves_; }
  // Add features. With a Gram matrix this reads each of their columns and each column of the set once;
  // the features' correlations with a residual r, when given, come with it. Ends early, with some of
  // them left out, when `stop` says so.
  void grow(const Design& design, const std::vector<Index>& fresh,
            const std::function<bool()>& stop = {}, const std::vector<double>* r = nullptr,
            double* correlations = nullptr);
  // Add features whose products the caller gives afterwards, by replace().
  void append(const Design& design, const std::vector<Index>& fresh);
  // Other products: row `slot` up to its diagonal.
  void replace(Index slot, const double* row);
  // Compute the Gram matrix that was dropped; false, and still without it, when `stop` says so.
  bool regain_gram(const Design& design, const std::function<bool()>& stop);
  // Keep only the given slots, which must increase.
  void keep(const std::vector<Index>& slots);

 private:
  void reserve(const Design& design, Index m);
  void place(Index old, Index count, const double* block);
  double* writable(Index slot) { return gram_.get() + slot * capacity_; }
  void own();
  void hold(Pages<double> gram, Index capacity);
  std::vector<Index> columns_;
  Pages<double> gram_;            // what is beyond size() was never written
  const double* rows_ = nullptr;  // of gram_, or of what is shared
  std::shared_ptr<const SharedGram> shared_;
  Index capacity_ = 0;
  bool has_gram_ = true;
  bool by_leaves_ = false;
};

// The slots of a working set by feature, as of when it was made.
class SlotIndex {
 public:
  explicit SlotIndex(const WorkingSet& set);
  // The slot of feature j, -1 if it is outside.
  Index slot(Index j) const;
  bool contains(Index j) const { return slot(j) >= 0; }

 private:
  std::vector<std::pair<Index, Index>> slots_;  // feature and slot, by increasing feature
};

}  // namespace sparsieve
