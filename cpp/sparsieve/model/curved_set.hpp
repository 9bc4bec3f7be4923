// The working set's columns and their Gram matrix under weights W of the rows that change: the quadratic model
// of a loss whose curvature changes,
//
//   F(eta + u) ~ F(eta) - v'u + 1/2 u' W u,   u = X dw + db,
//
// with the intercept's move db eliminated where one is fitted:
//
//   G = X' W X - (X'W1)(X'W1)' / 1'W1,   db = (sum(v) - (X'W1)'dw) / 1'W1.
//
// The state's Gram matrix is G, so that GramNewton minimises the model, given c = X'v - X'W1 sum(v) / 1'W1.
#pragma once

#include <vector>

#include "sparsieve/model/curved_columns.hpp"
#include "sparsieve/state/state.hpp"

namespace sparsieve {

class CurvedSet {
 public:
  explicit CurvedSet(const Design& design);

  // The weights that the first features are taken in with.
  void start(std::vector<double> weights);
  // Take features into the working set, with a coefficient of zero.
  void take_in(State& state, const std::vector<Index>& fresh);
  // Keep only the given slots, which must increase.
  void keep(State& state, const std::vector<Index>& slots);
  // The Gram matrix under other weights of the rows (omega times curvature), and the factor of the support.
  void renew(const Inputs& inputs, State& state, std::vector<double> weights);
  const std::vector<double>& weights() const { return weights_; }
  // What that costs, and one product with all columns.
  double cost_of_renewal() const { return columns_->cost_of_gram(); }
  double cost_of_product() const { return columns_->cost_of_product(); }

  // c = X'v, per slot.
  void correlate(const Weighted& v, std::vector<double>& c) const;
  // out += X w
  void predict(const std::vector<double>& w, std::vector<double>& out) const {
    columns_->predict(w, out);
  }
  // X'W1 and 1'W1; zeros and infinity without an intercept
  const std::vector<double>& cross() const { return cross_; }
  double total() const { return total_; }
  // The lower triangle of the Gram matrix of some slots under other weights, row by row, and their X'W1.
  void gram_under(const std::vector<double>& weights, const std::vector<Index>& slots,
                  std::vector<double>& out, Index ld, std::vector<double>& cross) const;

 private:
  void fill(State& state, Index first);
  const Design* design_;
  std::unique_ptr<CurvedColumns> columns_;
  std::vector<double> weights_;  // W; empty before the first features
  std::vector<double> cross_;    // per slot
  double total_ = 0.0;
};

}  // namespace sparsieve
