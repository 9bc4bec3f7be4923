// The Proximal Weighted Lasso, [RGS19] Algorithm 1 with the corrections of DESIGN section 3:
//
//   P(w) = 1/2 (z - Xw)' Omega (z - Xw) + mu/2 ||w - w'||^2 + sum_j lambda_j |w_j|
//
// by coordinate descent with a duality gap, safe screening and exact Newton steps on the support.
#pragma once

#include <functional>
#include <vector>

#include "sparsieve/columns/design.hpp"
#include "sparsieve/inner/basis.hpp"
#include "sparsieve/state/factor.hpp"
#include "sparsieve/state/working_set.hpp"

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
  // A dual feasible point scaled from the residual, its objective and the radius of the safe sphere.
  struct DualPoint {
    double scale = 0.0;  // kappa
    double value = 0.0;
    double gap = 0.0;
    double radius = 0.0;  // sqrt(2 gap), rounding included
    double shift = 0.0;   // how far the unpenalised block is from exact, see dual_point
  };

  double curvature(Index j) const { return problem_.design->norm2(j) + problem_.prox_weight; }
  double centre(Index j) const { return problem_.centre.empty() ? 0.0 : problem_.centre[j]; }
  bool unpenalised(Index j) const { return problem_.l1[j] == 0.0; }

  bool stopped() const { return poll_ && poll_(); }
  std::function<bool()> poll_;  // true = stop; once true it stays so
  void epoch();
  void refresh();
  void support_step();
  void release_dependent(const WorkingSet& ws, Factor& factor, std::vector<Index>& kept);
  void unpenalised_step();
  std::vector<double> unpenalised_part() const;
  void fetch_correlations(const std::vector<Index>& columns);
  // The best dual point along the residual that is feasible for `columns`; `constant` is the prox
  // term of all the others.
  DualPoint dual_point(const std::vector<Index>& columns, double constant) const;
  double primal() const;
  double primal_noise() const;
  void screen(const DualPoint& point);

  const PwlProblem& problem_;
  std::vector<Index> active_;  // not screened
  std::vector<char> screened_;
  Basis unpenalised_;              // of the columns with lambda_j = 0
  std::vector<double> w_, r_, c_;  // c_j = x_j' Omega r - mu (w_j - w'_j), filled per column asked
  Weighted weighted_;
  double excluded_ = 0.0;  // prox term of the excluded coordinates (infinite l1 weight)
  double constant_ = 0.0;  // the same, screened coordinates included
};

}  // namespace sparsieve
