// The one loop over alphas: solve for each in turn and hand out the point.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sparsieve/outer/path_solver.hpp"

namespace sparsieve {

// Where a solve begins.
struct Start {
  enum class From {
    kCurrent,  // the current point of the solver
    kLasso,    // the lasso with levels fraction * slope_j(0), solved to `tol`
    kGiven,    // given non-zero coefficients
  };
  From from = From::kCurrent;
  double fraction = 0.0;
  double tol = 0.0;
  std::vector<Index> columns;
  std::vector<double> coef;

  static Start lasso(double fraction, double tol);
  static Start given(std::vector<Index> columns, std::vector<double> coef);
};

struct PathPlan {
  std::span<const double> alphas;
  std::span<const double> tolerances;  // one per alpha
  std::vector<Start> starts;           // one for all alphas, or one per alpha
};

struct PathPoint {
  double alpha = 0.0;
  SolveResult result;
  std::vector<Index> columns;  // of the non-zero coefficients, increasing
  std::vector<double> coef;
  double intercept = 0.0;
  double passes =
      0.0;  // over X since the last point was handed out (the first one: with the set-up)
};

enum class PathEnd {
  kComplete,     // every alpha was solved
  kEnough,       // the caller said so after a point
  kInterrupted,  // the poll said stop
  kOverflow,     // the squared residuals of given coefficients are not finite
};

// What is done with a point; true = end the path.
using OnPoint = std::function<bool(PathPoint&&)>;

// Solves for each alpha of the plan. `options.tol` is not used: the plan has the tolerances. A solve that
// the poll ends is the last one, and its point is handed out too. Between two alphas the poll is asked
// as well, so that no solve begins once it said stop; the first solve always begins. Throws
// std::invalid_argument when the lengths of the plan do not agree, and what `on_point` throws.
PathEnd follow(PathSolver& solver, const PathPlan& plan, SolveOptions options,
               const OnPoint& on_point, bool record = false);

// All points of a path, one after the other in each array, for callers that do not look at single points.
struct PathArrays {
  std::vector<std::int64_t> sizes, columns;
  std::vector<double> values, intercepts, objective, kkt;
  std::vector<std::uint8_t> converged;

  void add(const PathPoint& point);
};

}  // namespace sparsieve
