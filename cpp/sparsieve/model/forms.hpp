// The two forms of the quadratic model, see model.hpp, and what they share.
#pragma once

#include "sparsieve/model/model.hpp"

namespace sparsieve {

class GramModel final : public Model {
 public:
  void grow(const Inputs&, State&, const std::vector<Index>& columns) const override;
  void list_support(const Inputs&, State&) const override;
  void residual(const Inputs&, State&) const override;
  void anchor(const Inputs&, State&) const override;
  void settle(const Inputs&, State&, double allowed) const override;
  bool gram(const Inputs&, const State&, const std::vector<Index>& slots, double* out,
            Index ld) const override;
};

class ColumnModel final : public Model {
 public:
  void grow(const Inputs&, State&, const std::vector<Index>& columns) const override;
  void list_support(const Inputs&, State&) const override;
  void residual(const Inputs&, State&) const override;
  void anchor(const Inputs&, State&) const override;
  void settle(const Inputs&, State&, double allowed) const override;
  bool gram(const Inputs&, const State&, const std::vector<Index>& slots, double* out,
            Index ld) const override;
};

// Add columns to the working set, with a coefficient of zero; `seen`: their correlations with the
// residual where a Gram matrix is made, for which they are read anyway.
void take_in(const Inputs& inputs, State& state, const std::vector<Index>& columns,
             std::vector<double>& seen);
// Support and signs from w; there is no factor to keep in step.
void list_columns(State& state);
// Add the ridge's pull to correlations that are X'v.
void add_ridge(const Inputs& inputs, State& state);
// The residual at w from X.
void compute_residual(const Inputs& inputs, State& state);
// The fit of the residual, and a bound of its error.
void read_fit(Point& at);

}  // namespace sparsieve
