// Which inner solver: the one place where that is decided, by what each would cost.
#pragma once

#include "sparsieve/inner/gram_newton.hpp"

namespace sparsieve {

class Choice {
 public:
  // A new alpha begins, from the last one's point or from a start.
  void next_alpha(bool from_start) {
    from_start_ = from_start;
    if (gram_left_ > 0) --gram_left_;
  }
  // Minimise over the working set with the solver that pays, see InnerSolver::minimise.
  Status minimise(const Inputs& inputs, const Levels& levels, State& state, double target,
                  Progress& progress);
  // From a start: drop what the penalty drops at once, see InnerSolver::prune.
  void prune(const Inputs& inputs, const Levels& levels, State& state, double allowed,
             Progress& progress);
  // Give up the Gram matrix where columns would pay.
  void choose(const Inputs& inputs, State& state) const;

 private:
  bool columns_pay(const Inputs& inputs, const State& state) const;
  bool from_start_ = false;
  int gram_left_ = 0;  // alphas for which columns are not tried: they took longer
  int gram_term_ = 4;  // the same, next time
  NewtonArrays arrays_;
};

// The violation to solve the working set to, as long as features outside violate by `outside`: exactly
// where there is a Gram matrix and the point is not `rough`, else roughly.
double target_of_round(const State& state, double exact, double outside, bool rough);

}  // namespace sparsieve
