// The quadratic model of the loss on the working set: residual, correlations c = X'v (and the ridge's
// pull), and products with the Hessian, in one of two forms.
//
//   GramModel    the Gram matrix G of the set is there: c = pull - (G + ridge I) w without reading X
//   ColumnModel  it is not: everything is read from the columns; for sparse data with supports so large
//                that the matrix would cost more than the columns do
#pragma once

#include <vector>

#include "sparsieve/state/state.hpp"

namespace sparsieve {

class Model {
 public:
  virtual ~Model() = default;
  // Take features into the working set; their correlations come with them.
  virtual void grow(const Inputs& inputs, State& state,
                    const std::vector<Index>& columns) const = 0;
  // Support and signs from w, and the factor where there is one.
  virtual void list_support(const Inputs& inputs, State& state) const = 0;
  // The residual at w, unless it is there.
  virtual void residual(const Inputs& inputs, State& state) const = 0;
  // Residual and correlations, both computed from X, without errors of earlier steps.
  virtual void anchor(const Inputs& inputs, State& state) const = 0;
  // The same up to an error of `allowed` in the correlations, without reading the columns of the working
  // set where that can be had.
  virtual void settle(const Inputs& inputs, State& state, double allowed) const = 0;
  // The lower triangle of the Gram matrix of some slots, row by row; false when the poll
  // said stop.
  virtual bool gram(const Inputs& inputs, const State& state, const std::vector<Index>& slots,
                    double* out, Index ld) const = 0;
};

// The model that fits a state: the one place that asks whether there is a Gram matrix.
const Model& model_of(const State& state);

// Fill an empty working set with all that others share; `correlations` of every feature, at w = 0.
void share_gram(const Inputs& inputs, State& state, std::shared_ptr<const SharedGram> shared,
                const std::vector<double>& correlations);
// The residual of an empty working set.
void start_at_zero(const Inputs& inputs, State& state);
// Replace w by the given coefficients (per slot; missing ones are zero), moved into their bounds.
void place_at(const Inputs& inputs, State& state, const std::vector<double>& w);
// Go on without the Gram matrix.
void leave_gram(State& state);
// Have it again; false when the poll said stop.
bool return_to_gram(const Inputs& inputs, State& state);
// Keep only the given slots, which must increase.
void keep_slots(State& state, const std::vector<Index>& slots);

// ---- with a Gram matrix
// out += factor G x, for x per slot.
void add_gram_product(const Inputs& inputs, const State& state, double factor,
                      const std::vector<double>& x, std::vector<double>& out);
// The same with G + ridge I.
void add_hessian_product(const Inputs& inputs, const State& state, double factor,
                         const std::vector<double>& x, std::vector<double>& out);
// c = pull - (G + ridge I) w.
void correlate_by_gram(const Inputs& inputs, State& state);
// A bound of the error of that, without `pull`'s own, for coefficients w.
double gram_noise(const Inputs& inputs, const State& state, const std::vector<double>& w);
// The fit at w from that of the last residual, without reading X; false where rounding spoils it.
bool fit_by_gram(const Inputs& inputs, State& state);

// ---- rounding
// Residual and correlations of the working set at w in extended precision: what is left of their errors is
// one rounding of the residual.
void settle_exactly(const Inputs& inputs, State& state);
// Roundings in a row of a product of two columns: sums in eight lanes over blocks of 1024 rows.
double product_roundings(Index n);
// What rounding does to the part of a correlation that is the ridge's: a difference, a product and a sum.
double ridge_noise(const Inputs& inputs, const State& state);
// What rounding the response, the coefficients and the intercept to double precision does to the
// correlations, however they are computed. A certificate cannot prove violations smaller than this.
double rounding_noise(const Inputs& inputs, const State& state);
// The same with what is lost where correlations are read from X, at the residual's point: sums x_j'v have
// roundings of their own (Design::rounding), and an error e of the residual moves them by ||x_j|| ||e||.
double reading_noise(const Inputs& inputs, const State& state);

}  // namespace sparsieve
