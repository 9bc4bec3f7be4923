// Which columns are alike: for a feature i all columns j whose product with x_i may matter when j takes the
// place of i. Learned when first asked for, many features in one sweep, and kept.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "sparsieve/columns/design.hpp"

namespace sparsieve {

// All columns j != i with |x_i' Omega x_j| > share ||x_i|| ||x_j||, increasing, and these products.
struct Alike {
  double share = 1.0;
  std::vector<Index> columns;
  std::vector<double> products;
};

// Columns with almost the same norm and weight: the ranges of both.
struct Group {
  double low, high;           // squared norms
  double lightest, heaviest;  // weights of the features
};

class Neighbours {
 public:
  // The columns with positive norm and a positive, finite weight (empty: all 1) in groups.
  const std::vector<Group>& groups(const Design& design, const std::vector<double>& weights);
  struct Wanted {
    Index feature;
    double share;
  };
  // Learn what is wanted and not known yet; false, and nothing learned, when `stop` says so.
  bool learn(const Design& design, const std::vector<Wanted>& wanted,
             const std::function<bool()>& stop);
  // What was learned last about feature i.
  const Alike& of(Index i) const { return known_.at(i); }
  // Forget features other than these when much is known.
  void forget_all_but(const std::vector<Index>& features, const Design& design);

 private:
  std::unordered_map<Index, Alike> known_;
  std::vector<Group> groups_;
};

// The weighted form of column i, centred where the design is: what products with it are computed from.
void weigh_column(const Design& design, Index i, Weighted& out);

}  // namespace sparsieve
