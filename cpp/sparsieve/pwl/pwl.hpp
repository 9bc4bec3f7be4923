// The Proximal Weighted Lasso, [RGS19] Algorithm 1:
//
//   P(w) = 1/2 (z - Xw)' Omega (z - Xw) + mu/2 ||w - w'||^2 + sum_j lambda_j |w_j|
//
// one surrogate, solved with the inner solvers of the engine: epochs over the columns that are not screened
// yet, and Newton steps on the Gram matrix of the support. A duality gap says how exact the point is, and a
// sphere around the dual point which coordinates are zero in every solution:
//
//   |kappa| |c_j| + sqrt(2 gap) sqrt(||x_j||^2 + mu) < lambda_j   =>   w_j = 0,   c_j = x_j' v - mu (w_j - w'_j)
//
// [RGS19] eq. (test) prints ||x_j|| + mu for the root, which its own proof does not give and which is unsafe
// for short columns.
#pragma once

#include <functional>
#include <vector>

#include "sparsieve/certificate/certificate.hpp"
#include "sparsieve/inner/basis.hpp"
#include "sparsieve/inner/gram_newton.hpp"

namespace sparsieve {

struct PwlProblem {
  const Design* design;
  std::vector<double> z;
  std::vector<double> l1;      // lambda_j; infinity = excluded
  double prox_weight = 0.0;    // mu
  std::vector<double> centre;  // w'; empty = 0
};

struct PwlOptions {
  double tol = 1e-12;  // on the gap, relative to the primal objective at zero
  Index max_epochs = 10000;
  bool screen = true;
  std::function<bool()> poll;
};

struct PwlResult {
  std::vector<double> w, r;
  double primal = 0.0, dual = 0.0, gap = 0.0;
  std::vector<char> screened;
  Index epochs = 0;
  bool converged = false;
};

class PwlSolver {
 public:
  explicit PwlSolver(const PwlProblem& problem);
  PwlResult solve(const PwlOptions& options);

 private:
  // A feasible dual point along the residual and the sphere around it that holds the solution.
  struct Sphere {
    DualPoint point;
    double gap = 0.0;
    double radius = 0.0;  // sqrt(2 gap), rounding included
    double shift = 0.0;   // how far the unpenalised block is from exact, see `sphere`
  };
  // Coordinates that a dual point has to be feasible for.
  struct Coordinates {
    std::vector<Index> columns;
    std::vector<double> w, c;
  };

  double mu() const { return inputs_.ridge.weight; }
  double centre(Index j) const { return inputs_.ridge.centre_of(j); }
  double lambda(Index j) const { return levels_.threshold(j); }
  double curvature(Index j) const { return inputs_.design->norm2(j) + mu(); }
  double prox_term(Index j) const { return 0.5 * mu() * centre(j) * centre(j); }

  void refresh();
  void descend(Index epochs, Progress& progress);
  void solve_support();
  void solve_unpenalised();
  std::vector<double> unpenalised_part() const;
  double primal();
  double primal_noise() const;
  Coordinates active() const;
  Coordinates everybody() const;
  // The best dual point that is feasible for some coordinates; `constant` is the prox term of the others.
  Sphere sphere(const Coordinates& coordinates, double constant);
  void screen(const Sphere& sphere);

  Inputs inputs_;
  Levels levels_;
  State state_;  // the working set: every column that is not screened
  std::vector<char> screened_;
  Basis unpenalised_;      // of the columns with lambda_j = 0
  double excluded_ = 0.0;  // prox term of the excluded coordinates (infinite l1 weight)
  double constant_ = 0.0;  // the same, screened coordinates included
  NewtonArrays arrays_;
};

}  // namespace sparsieve
