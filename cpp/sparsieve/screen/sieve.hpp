// "Which columns may violate this threshold at this residual?" answered mostly without reading X.
//
// For a few reference residuals r_k every column knows an interval, centre_jk +- radius_jk, that
// holds x_j' Omega r_k. Any combination r = sum_k g_k r_k + p then gives, without reading X,
//     x_j' Omega r  in  sum_k g_k centre_jk  +-  ( sum_k |g_k| radius_jk + ||x_j|| ||p|| ),
// the propagation rule of [RGS19] with several reference points and used as an optimality check.
// Columns whose interval reaches the threshold are looked at: in the 8-bit shadow first, then in X.
#pragma once

#include <vector>

#include "sparsieve/columns/design.hpp"

namespace sparsieve {

struct Violator {
  Index column;
  double correlation;
};

// What is asked of the sieve: the residual, thresholds per feature and who is looked after elsewhere.
struct Query {
  const std::vector<double>& r;
  const Weighted& weighted;
  const std::vector<double>& threshold;
  double slack;                       // a column may exceed its threshold by this much
  bool positive;                      // only positive correlations count
  const std::vector<Index>& slot;     // per column; >= 0: in the working set, skipped
  const std::vector<Index>& columns;  // per slot: the column
  const std::vector<double>& known;   // per slot: the correlation
  double known_error;                 // and how far it may be off
  Index excluded;                     // columns that are constant or have an infinite threshold
  bool complete;                      // say everything about every column, violators found or not
  bool
      rough;  // r is not the residual that `known` belongs to, only close to it: nothing is read in X
  double error =
      0.0;  // how close, in the norm of Omega; 0 for a rough r: no matter, nothing is proven
  bool proves() const { return !rough || error > 0.0; }
};

class Sieve {
 public:
  explicit Sieve(const Design& design);

  // Start from a residual at which every column's correlation is known.
  void start(const std::vector<double>& r, const Weighted& weighted,
             const std::vector<double>& correlations);
  // All columns outside the working set that exceed threshold + slack, or, if there are any and the
  // query does not ask for completeness, those among the likely ones. Columns with an infinite threshold
  // are never read.
  std::vector<Violator> above(const Query& query);

  // Columns outside the working set whose correlation at the last residual asked about is likely to
  // exceed share * threshold, most likely first, at most `most`.
  std::vector<Index> likely(const std::vector<double>& threshold, double share, bool positive,
                            const std::vector<Index>& slot, Index most) const;
  // About the last call of `above`: a proven bound of |x_j' Omega r| / threshold_j over the columns
  // not skipped; the largest violation among those not returned; how they were settled.
  double ratio() const { return ratio_; }
  double worst_kept() const { return worst_kept_; }
  Index settled_by_bound() const { return by_bound_; }
  Index settled_by_shadow() const { return by_shadow_; }
  Index settled_by_reading() const { return by_reading_; }
  // Columns that a rough residual neither settles nor makes violators.
  Index undecided() const { return undecided_; }

 private:
  static constexpr Index kReferences = kWays;
  static constexpr Index kBlock = 256;  // columns whose reach is compared at once
  struct Reference {
    std::vector<double> r;
    double norm2 = 0.0;
    std::vector<double> centre, radius;  // per column
  };
  Reference& reference(Index age) { return ring_[(newest_ + kReferences - age) % kReferences]; }
  double largest_entry(const std::vector<double>& left) const;
  void write_as_references(const Query& query);
  void propagate(const Query& query);
  bool sparse() const { return !design_.moments().sizes.empty(); }
  Index blocks() const { return (design_.d() + kBlock - 1) / kBlock; }
  template <class Body>
  void over_blocks(const Body& body) const;
  void scan(const Query& query, bool all);
  void open(bool likely);
  void add_opened_to_ratio(const Query& query);
  std::vector<Violator> examine(const Query& query);
  void look_in_shadow(const Query& query);
  void look_finely(const Query& query, const Shadow& shadow, const Quantised& whole);
  void read(const Query& query);
  bool skipped(const Query& query, Index j) const;
  double reach(const Query& query, Index j, double share) const;
  void narrow(Index j, double centre, double radius);
  bool settled(const Query& query, Index j) const;
  void remember(const Query& query);

  const Design& design_;
  std::vector<Reference> ring_;
  Index newest_ = 0, filled_ = 0;
  std::vector<double> centre_, radius_;  // of every column at the residual asked about
  std::vector<Index> open_;              // columns not settled yet
  // Per block of columns, those that were open after propagation: the likely violators from the front of
  // its part of the list, the others from the back, and how many.
  std::vector<Index> listed_, likely_, unlikely_;
  Index opened_ = 0;
  Ways ways_;                 // to write that residual, on the newest reference first
  std::vector<double> rest_;  // of the first way
  Bytes looked_ = 0;          // bytes of X read by looks so far
  double ratio_ = 0.0, worst_kept_ = 0.0;
  Index by_bound_ = 0, by_shadow_ = 0, by_reading_ = 0, undecided_ = 0;
};

}  // namespace sparsieve
