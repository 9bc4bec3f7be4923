// The screen of one fit: "which columns may exceed this threshold at this residual?", answered mostly
// without reading X.
//
// For a few reference residuals r_k every column knows an interval, centre_jk +- radius_jk, that holds
// x_j' Omega r_k. Any combination r = sum_k g_k r_k + p then gives, without reading X,
//     x_j' Omega r  in  sum_k g_k centre_jk  +-  ( sum_k |g_k| radius_jk + ||x_j|| ||p|| ),
// the propagation rule of [RGS19] with several reference points and used as an optimality check. Columns
// whose interval reaches the threshold are open: they are looked up in the 8-bit shadow first, then read
// in X.
//
// Threads share the columns by grains, fixed ranges of kGrainColumns columns. An answer has the same bits
// however grains are dealt to threads:
// - the interval of a column depends on that column alone and on its place in its grain (the last few
//   columns of a range go through other instructions than the rest);
// - results of grains are merged by maxima, by sums of integers and by lists in the order of columns;
// - products with the shadow are sums of integers, and a column's sum in X does not depend on its
//   neighbours.
#pragma once

#include <vector>

#include "sparsieve/columns/design.hpp"
#include "sparsieve/screen/references.hpp"

namespace sparsieve {

// What is asked: a residual, a threshold per column, and what is known already.
struct Query {
  const std::vector<double>& r;
  const Weighted& weighted;  // of r
  const std::vector<double>& threshold;
  double slack;  // a column may exceed its threshold by this much
  // Per column: 1 = negative correlations exceed no threshold, -1 = positive ones do not; empty: both do.
  const std::vector<signed char>& sides;
  // The working set, about which nothing is asked: its columns, their correlations, and a bound of the
  // error of those. A rough query (see below) makes no use of the correlations.
  const std::vector<Index>& columns;
  const std::vector<double>& known;
  double known_error;
  // How many columns outside the working set are constant or have an infinite threshold.
  Index excluded;
  bool complete;  // examine every column, also when violators were found early
  // r is not the residual of `known` but only close to it. X is not read, so that columns may stay
  // undecided.
  bool rough;
  // How close, in the norm of Omega; else what rounding made of r. 0 for a rough r: that is not known, and
  // the answer is about r itself.
  double error = 0.0;
  bool exact =
      false;  // r was computed in extended precision: so are the correlations that are read
  // Whether an answer without violators and undecided columns proves that there are none.
  bool proves() const { return !rough || error > 0.0; }
};

struct Violator {
  Index column;
  double correlation;
  double error;  // how far that may be from exact
};

struct Answer {
  // Columns outside the working set that exceed threshold + slack, by increasing column: all of them if the
  // query is complete, else those among the likely ones, and all if there are none of these.
  std::vector<Violator> violators;
  // A proven bound of |x_j' Omega r| / threshold_j (without |.| where only one side counts), over all columns that
  // were asked about, examined or not.
  double ratio = 0.0;
  // The largest excess over the threshold among columns that were examined and not returned, or a bound of it.
  double worst_kept = 0.0;
  // How many columns were settled by their interval, by the shadow and by reading them (in a rough query:
  // were left over by the first two).
  Index by_bound = 0, by_shadow = 0, by_reading = 0;
  Index undecided = 0;  // columns that a rough query neither settles nor returns
};

// A value: it can be copied, assigned and dropped. The design must outlive it.
class Screen {
 public:
  static constexpr Index kGrainColumns = 256;

  // A new screen knows one reference: at the residual 0 every correlation is 0.
  explicit Screen(const Design& design);
  // Forget all references but this one: a residual at which every correlation is known up to rounding.
  void start(const std::vector<double>& r, const Weighted& weighted,
             const std::vector<double>& correlations);

  // Columns with an infinite threshold are never read.
  Answer ask(const Query& query);
  // Columns, other than those left out, whose correlation at the last residual asked about is likely to
  // exceed share * threshold: the most likely first, at most `most`.
  std::vector<Index> likely(const std::vector<double>& threshold, double share,
                            const std::vector<signed char>& sides,
                            const std::vector<Index>& left_out, Index most);

 private:
  // Columns that are open after their intervals were computed, by grain. Grain g has the places from
  // g * kGrainColumns on: likely violators from the front, the others from the back.
  struct OpenByGrain {
    std::vector<Index> columns;
    std::vector<Index> likely, unlikely;  // per grain: how many
    Index count() const;
  };
  bool sparse() const { return !design_->moments().sizes.empty(); }
  Index grains() const { return (design_->d() + kGrainColumns - 1) / kGrainColumns; }
  template <class Body>
  void over_grains(const Body& body) const;
  bool skipped(const Query& query, Index j) const;
  double reach(const Query& query, Index j, double share) const;
  bool settled(const Query& query, Index j) const;
  void narrow(Index j, double centre, double radius);
  // ---- the steps of a query, in this order
  void bound_all(const Query& query);
  void list_open(const Query& query, Answer& answer);
  void open(bool likely);
  void examine(const Query& query, Answer& answer);
  void look_in_shadow(const Query& query);
  void look_in_fine_shadow(const Query& query, const Quantised& whole);
  void read(const Query& query);
  void add_opened_to_ratio(const Query& query, Answer& answer) const;
  void remember(const Query& query);

  const Design* design_;
  References references_;
  std::vector<double> centre_, radius_;  // per column, at the last residual asked about
  Bytes read_ = 0;                       // bytes of X that queries have read
  // ---- used during a query only
  std::vector<char> marked_;   // per column: in the working set; all zero between queries
  Combinations combinations_;  // of the residual asked about
  std::vector<double> rest_;   // what the first combination leaves over
  OpenByGrain opened_;         // after the intervals
  std::vector<Index> open_;    // not settled yet
};

}  // namespace sparsieve
