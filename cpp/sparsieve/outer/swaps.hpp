// Which feature could take the place of which: all swaps that lower F, or the proof that there are none.
//
// When w_i becomes zero, the correlation of j is c_j + w_i x_i'Omega x_j. Features j fall into three kinds:
// - close to their own threshold: c_j is read; there are few of them;
// - like i: the product x_i'Omega x_j is known (neighbours.hpp);
// - all others: both are small. How alike j must be to i to matter is computed first, for groups of columns
//   with almost the same norm and strength, so that nothing has to be read about these.
#pragma once

#include <vector>

#include "sparsieve/outer/fit.hpp"
#include "sparsieve/outer/neighbours.hpp"

namespace sparsieve {

struct Swap {
  Index out;  // slot
  Index in;   // feature
  double fall;
};

// Take the features that come in into the working set.
void take_in(Fit& fit, const std::vector<Swap>& swaps);

class SwapSearch {
 public:
  // `jump`: the correlations from which on a coefficient of zero jumps (Levels::jump_thresholds). Residual
  // and correlations must be those of w.
  SwapSearch(Fit& fit, Neighbours& neighbours, const std::vector<double>& jump, double least,
             double back = 1.0);
  // For each feature that has one, its best swap among those by which F falls by more than `least`; the
  // largest first. F may also rise when `back` is below 1: whoever takes a place has to bring back that share
  // of what it costs to leave it, and `least` beyond that.
  std::vector<Swap> find();

 private:
  // What is known of the features of a group whose correlation was not read.
  struct Others {
    double low, high;  // squared norms
    double strength;   // the smallest
    double c;          // the largest correlation
  };
  // Features whose correlation is known, by increasing column.
  struct Known {
    std::vector<Index> columns, slots;  // slot -1: outside the working set
    std::vector<double> c;
    Index place(Index j) const;  // -1 = not among them
  };
  // Features that may take one place: bounds of their correlations without i, and what they are made of.
  struct Rivals {
    std::vector<Index> columns;
    std::vector<double> z, c, product;  // NaN = not known yet
    void add(Index j, double bound, double known_c, double known_product);
  };

  void know_near();
  void bound_others();
  double share_needed(Index slot) const;
  bool others_stay_out(Index slot, double share) const;
  Rivals rivals(Index slot) const;
  void keep_promising(Index slot, Rivals& rivals) const;
  void read(Index slot, Rivals& rivals) const;
  bool may_gain(Index j, double z, double least) const;
  double gain_needed(Index slot) const;

  Fit& fit_;
  Neighbours& neighbours_;
  const std::vector<double>& jump_;
  const double least_, back_;
  const SlotIndex slots_;
  std::vector<Others> others_;
  Known known_;
};

}  // namespace sparsieve
