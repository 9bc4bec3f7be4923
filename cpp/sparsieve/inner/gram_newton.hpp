// Minimise F on the working set in Gram form. On a support S with signs s the surrogate's Newton step
// solves
//   (G_SS + (ridge + mu) I) delta = g,   g = c_S - slope_S s_S,
// and reweighting changes only the right-hand side: one maintained factor of that matrix serves every
// reweighting, every alpha and every shape.
#pragma once

#include "sparsieve/inner/inner.hpp"

namespace sparsieve {

// Arrays of a Newton solve, kept from one to the next: small solves would spend their time on memory.
struct NewtonArrays {
  // A step on the support, per position there, and G_SS + ridge I times it.
  struct Direction {
    std::vector<double> delta, hessian_delta;
    void resize(Index k) {
      delta.resize(k);
      hessian_delta.resize(k);
    }
  };
  SupportGradient gradient;
  Direction newton, mm, whole;
  Surrogate trial;
  // For coefficients that are held at their bounds: the inverse's columns there, and a factor of its part there.
  std::vector<std::vector<double>> held_columns;
  Factor held_part;
  // Where the support's own factor is no use (`apart`): the positions of the others, and a factor of their part.
  bool apart = false;
  std::vector<Index> free;
  Factor free_part;
  std::vector<double> w_known, c_known;  // correlations of every slot, and where they hold
  std::vector<double> moved_by;          // per slot, since then
};

class GramNewton final : public InnerSolver {
 public:
  GramNewton(const Inputs& inputs, const Levels& levels, State& state, NewtonArrays& arrays)
      : inputs_(inputs), levels_(levels), state_(state), at_(state.point), arrays_(arrays) {}
  // On entry every correlation is exact at w.
  Status minimise(double target, Progress& progress) override;
  void prune(double allowed, Progress& progress) override;

 private:
  using Direction = NewtonArrays::Direction;
  struct NewtonSystem;
  // The first coefficient of the support that reaches zero or a bound along a direction, and the step there.
  struct Crossing {
    double t;
    Index who = -1;  // position in the support
    bool at_zero = true;
  };

  bool is_free(Index slot) const {
    return sparsieve::is_free(inputs_, levels_, state_.column(slot));
  }
  // ---- directions (newton_direction.cpp)
  void find_directions(Progress& progress);
  void newton_direction(Progress& progress);
  bool hold_outward();
  void prepare_held(Progress& progress);
  void factorise_free();
  void solve_free(const std::vector<double>& g, std::vector<double>& out) const;
  void mm_direction(Direction& out, Progress& progress);
  void take_off_prox(const std::vector<double>& m_delta, Direction& dir) const;
  void multiply(Direction& dir) const;
  bool wrong_entrants(const Direction& dir) const;
  Index drop_wrong_entrants(const Direction& dir);
  Crossing first_crossing(const Direction& dir) const;
  double change_along(const Direction& dir, double t);
  // ---- steps
  bool step(double& change, Progress& progress);
  bool step_across(const Direction& dir, double& change);
  void move(const Direction& dir, double t);
  void arrive(const Crossing& crossing);
  bool enter(double floor, Progress& progress);
  bool sweep(double& change);
  void update_zeros();

  const Inputs& inputs_;
  const Levels& levels_;
  State& state_;
  Point& at_;
  NewtonArrays& arrays_;
  bool concave_ = false;               // negative curvature met along the MM direction
  Index batch_ = 8;                    // how many features may enter at once
  double target_ = 0.0, noise_ = 0.0;  // violation aimed at; rounding error of a change of F
};

// Set penalised coefficients to zero that move their own correlation by no more than `pull`: they are zero
// in the solution, and Newton's method only comes close to that.
void drop_negligible(const Inputs& inputs, const Levels& levels, State& state, double pull);

}  // namespace sparsieve
