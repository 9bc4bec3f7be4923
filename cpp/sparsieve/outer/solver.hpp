// Majorisation-minimisation along alphas.
//
//   minimise over w   F(w) = 1/2 (z - Xw)' Omega (z - Xw)
//                            + sum_j [ r(|w_j|; alpha l pi_j) + (alpha (1 - l) pi_j + ridge)/2 w_j^2 ]
//
// within bounds; l is the l1 ratio. Where the design is standardised, w is in units of its columns, and what
// comes in and goes out in those of the user.
//
// The surrogate at w replaces r by its tangent: a weighted lasso with l1 weights slope_j(|w_j|).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sparsieve/columns/lazy_design.hpp"
#include "sparsieve/outer/fit.hpp"
#include "sparsieve/outer/neighbours.hpp"
#include "sparsieve/outer/path_solver.hpp"

namespace sparsieve {

// What is beside loss and penalty, in the user's units.
struct Terms {
  double l1_ratio = 1.0, ridge = 0.0;
  std::vector<double> lower, upper;  // bounds of the coefficients; empty: none
};

// What was made of a response already: its correlations with every column too.
struct Prepared {
  Response response;
  std::vector<double> correlations;
};

// What a solver is made of.
struct SolverParts {
  LazyDesign* design;
  std::vector<double> y;
  std::shared_ptr<const Penalty> penalty;
  std::optional<std::vector<double>> weights;  // of the features; none = all 1; infinity = excluded
  double prox_weight = 0.0;                    // mu, see Inputs
  Terms terms = {};
  bool keeps_all = false;  // every feature is taken into the working set at once and stays
  // Where many responses have one design; y is empty then. `shared`: the Gram matrix of all columns that can
  // enter, or null.
  std::optional<Prepared> prepared = std::nullopt;
  std::shared_ptr<const SharedGram> shared = nullptr;
};

class Solver final : public PathSolver {
 public:
  // Throws std::invalid_argument when a length is wrong. poll: true = stop.
  explicit Solver(SolverParts parts, std::function<bool()> poll = {});

  const std::vector<double>& null_correlations() const override { return null_correlations_; }
  // ||z|| times the largest column norm.
  double correlation_limit() const override;
  SolveResult solve(double alpha, const SolveOptions& options, bool record = false) override;
  void start_from_lasso(double alpha, double fraction, const SolveOptions& options) override;
  void warm_start(const std::vector<Index>& columns, const std::vector<double>& coef,
                  const std::function<bool()>& poll = {}) override;
  void set_penalty(std::shared_ptr<const Penalty> penalty) override;

  void solution(std::vector<Index>& columns, std::vector<double>& coef) const override;
  double null_deviance() const override { return fit_.inputs.loss->null_deviance(); }
  double deviance() const override { return fit_.state.point.fit; }
  // Of the current point: the mean that centring took from the response, less that of the prediction.
  double intercept() const override;
  const Design& design() const override { return *design_; }

 private:
  // The lasso that solves start from, put aside while the penalty's own solve goes on from its point.
  struct Lasso {
    Target target;
    std::vector<Index> columns;  // per slot of the working set as it was
    bool gram;
    Point point;
    History history;
  };
  void set_alpha(double alpha);
  void take_in_all();
  // ---- setting up (setup.cpp)
  struct Measured;
  Solver(SolverParts& parts, Measured measured, std::function<bool()> poll);
  void fit_unpenalised();
  // ---- where a solve starts (lasso_start.cpp)
  void move_to(const std::vector<Index>& columns, const std::vector<double>& coef);
  void resume(const Lasso& lasso);
  void prune_start(const SolveOptions& options);

  std::shared_ptr<const Design> design_;
  std::shared_ptr<const Penalty> penalty_;
  Terms terms_;
  double response_mean_ = 0.0, response_shift_ = 0.0;  // see Response; 0 without centring
  std::vector<double> null_correlations_;
  Fit fit_;
  std::optional<Lasso> lasso_;
  bool at_start_ = false;                      // the point and the working set are those of a start
  std::optional<CurvatureGroups> curvatures_;  // for jumps, once they are looked for
  Neighbours neighbours_;                      // what swaps have learned about columns
  Counters start_cost_;                        // of the start that the next solve goes on from
};

}  // namespace sparsieve
