// The point a solver is at, with the features it works on. No array here has one entry per column of X, and
// a copy goes on to the same bits as the original.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "sparsieve/loss/loss.hpp"
#include "sparsieve/rule/rule.hpp"
#include "sparsieve/state/factor.hpp"
#include "sparsieve/state/working_set.hpp"

namespace sparsieve {

// sum_j of(j)/2 (w_j - centre_j)^2: a part of F. In one proximal weighted lasso, mu = weight and w' = centre.
struct Ridge {
  double weight = 0.0;         // of every feature
  std::vector<double> own;     // per feature, what it has beyond that; empty = 0
  std::vector<double> centre;  // per feature; empty = 0

  bool none() const { return weight == 0.0 && own.empty(); }
  double of(Index j) const { return own.empty() ? weight : weight + own[j]; }
  double centre_of(Index j) const { return centre.empty() ? 0.0 : centre[j]; }
  // What it adds to the correlation of a coordinate: minus its derivative.
  double pull(Index j, double w) const { return of(j) * (centre_of(j) - w); }
};

// Where the coefficients may be. Zero is inside.
class Box {
 public:
  Box() = default;
  // One entry per feature, or none: no bound.
  Box(std::vector<double> lower, std::vector<double> upper);
  Bounds of(Index j) const {
    return {lower_.empty() ? -kNever : lower_[j], upper_.empty() ? kNever : upper_[j]};
  }
  bool none() const { return lower_.empty() && upper_.empty(); }
  // Whether a coefficient other than zero may be at a bound.
  bool capped() const { return capped_; }
  // The sign that a feature may take when it leaves zero, 0 = both; empty: both for all.
  const std::vector<signed char>& sides() const { return sides_; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> lower_, upper_;
  std::vector<signed char> sides_;
  bool capped_ = false;
};

// What is given and does not change during a solve.
struct Inputs {
  const Design* design;
  std::shared_ptr<const Loss> loss;
  Box box;
  Ridge ridge;
  double prox_weight =
      0.0;  // mu of [RGS19]: mu/2 ||w - w_now||^2 is added to each surrogate, not to F
  std::function<bool()> poll;  // true = stop; once true it stays so

  // What the surrogate adds to the curvature of a coordinate.
  double damping(Index j) const { return ridge.of(j) + prox_weight; }
  bool stopped() const { return poll && poll(); }
};

// Coefficients and what belongs to them. Arrays are per slot of the working set unless said otherwise.
struct Point {
  std::vector<double> w;
  std::vector<int> sign;
  std::vector<Index> place;    // position in the support, -1 = zero
  std::vector<Index> support;  // the slots that are not zero (or about to leave zero)
  Factor factor;  // of G_SS + (ridge + mu) I in the support's order, where there is a Gram matrix
  bool exact = true;           // no pivot of the factor was lifted
  Residual residual;           // at w_read
  double fit = 0.0;            // r' Omega r at w
  double fit_error = 0.0;      // how far `fit` may be from exact
  double unsure = 0.0;         // the part of that which Design::uncertainty makes, at w_read
  std::vector<double> w_read;  // where the residual was computed
  bool stale = false;          // that is not w

  // Give slots up to `m` a coefficient of zero.
  void extend(Index m);
};

struct State {
  WorkingSet set;
  Point point;
  std::vector<double>
      c;  // per slot: x_j' v plus the ridge's pull; without a Gram matrix at the residual's point
  std::vector<double> pull;      // per slot: c at w = 0; with a Gram matrix only
  double pull_error = 0.0;       // how far `pull` may be from exact
  double known_error = 0.0;      // how far `c` may be from exact
  std::vector<Index> by_column;  // the slots by increasing column; empty with a Gram matrix
  bool anchored = false;         // residual and c are those of w; never set with a Gram matrix

  Index size() const { return set.size(); }
  Index column(Index slot) const { return set.column(slot); }
  // The coefficients that are not zero, by increasing column.
  void solution(std::vector<Index>& columns, std::vector<double>& coef) const;
};

// What the loss alone correlates with: c without the ridge's pull at w, per slot. A screen may be told nothing else.
std::vector<double> loss_correlations(const Inputs& inputs, const State& state);

// The ridge of the working set at w.
double ridge_value(const Inputs& inputs, const State& state);

// ---- changing the support, the factor in step (there is a Gram matrix)
void join(const Inputs& inputs, State& state, const std::vector<Index>& slots);
void leave(const Inputs& inputs, State& state, Index position);

}  // namespace sparsieve
