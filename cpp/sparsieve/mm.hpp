// Majorisation-minimisation for one strength alpha, with everything that carries over to the next.
//
//   minimise over w   F(w) = 1/2 (z - Xw)' Omega (z - Xw) + sum_j r(|w_j|; alpha pi_j)
//
// The surrogate at w replaces r by its tangent: a weighted lasso with l1 weights
// lambda_j = slope(|w_j|). On a support S with signs s its Newton step solves
//   (G_SS + mu I) delta = g,   g = c_S - lambda_S s_S,   c = X' Omega (z - Xw),
// and reweighting changes only the right-hand side: one maintained factor of G_SS + mu I serves
// every reweighting, every alpha and every shape.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sparsieve/outer/counters.hpp"
#include "sparsieve/penalty/penalty.hpp"
#include "sparsieve/screen/sieve.hpp"
#include "sparsieve/state/factor.hpp"
#include "sparsieve/state/working_set.hpp"

namespace sparsieve {

enum class Status {
  kConverged,    // the violation over all features is at most tol
  kIterations,   // max_iter reached
  kStalled,      // rounding stops further progress above tol
  kInterrupted,  // the caller's poll said stop
};

struct SolveOptions {
  double tol = 1e-6;
  Index max_iter = 10000;
  bool test_convexity = true;  // else `convex` is left false
  std::function<bool()> poll;  // true = stop, for good; called often, must be cheap
};

struct SolveResult {
  Status status = Status::kConverged;
  double kkt = 0.0;                // max_j violation_j / slope(0), over every feature
  double gap = 0.0;                // duality gap of the last surrogate
  double objective = 0.0;          // F(w)
  double deviance = 0.0;           // (z - Xw)' Omega (z - Xw)
  Index iterations = 0;            // reweightings
  Index rounds = 0;                // enlargements of the working set
  bool convex = false;             // F is strictly convex on the support at w
  double passes = 0.0;             // bytes of X read, divided by the size of X
  Index by_bound = 0;              // features settled by a bound at the end
  Index by_shadow = 0;             // features settled by the 8-bit shadow at the end
  Index by_reading = 0;            // features whose correlation was read at the end
  std::vector<double> objectives;  // F after each iteration, when asked for
  Counters counters;               // filled in by the loop over alphas (outer/path)
};

struct MmProblem {
  Design* design;              // measured by the solver
  std::vector<double> z;       // response (centred by the design)
  double response_size = 0.0;  // norm of the response before centring
  std::vector<double> pi;      // per-feature weights; empty = all 1; infinity = excluded
  const Penalty* penalty;
  bool positive = false;
  double prox_weight = 0.0;  // mu
};

class MmSolver {
 public:
  explicit MmSolver(MmProblem problem, std::function<bool()> poll = {});

  // Correlations of every feature once the unpenalised ones are fitted: alpha_max follows from them.
  const std::vector<double>& null_correlations() const { return null_correlations_; }
  // ||z|| times the largest column norm: no correlation can be larger.
  double correlation_limit() const;
  SolveResult solve(double alpha, const SolveOptions& options, bool record = false);
  // Replace the current point by the lasso with levels fraction * slope_j(0), so that the next solve
  // for this alpha starts there (mm_start.cpp).
  void start_from_lasso(double alpha, double fraction, const SolveOptions& options);
  // Start from a given w (global indices); replaces the current point.
  void warm_start(const std::vector<Index>& columns, const std::vector<double>& coef);
  // Replace the penalty; the point, the working set and every bound stay.
  void set_penalty(const Penalty* penalty) { problem_.penalty = penalty; }

  // The non-zero coefficients, by increasing column.
  void solution(std::vector<Index>& columns, std::vector<double>& coef) const;
  double null_deviance() const { return z_norm2_; }
  double deviance() const { return fit_; }  // of the current point
  double coefficient_shift() const;         // sum_j mean_j w_j

 private:
  struct Direction {
    std::vector<double> delta, gram_delta;  // delta and G_SS delta
    void resize(Index k) {
      delta.resize(k);
      gram_delta.resize(k);
    }
  };

  // A point with all that is known of it, to be taken up again. Arrays are per slot of the working
  // set as it was, `support` and `place` in the order of the factor.
  struct SavedPoint {
    std::vector<Index> columns;
    bool gram;
    std::vector<double> w;
    std::vector<int> sign;
    std::vector<Index> place, support;
    Factor factor;
    bool exact;
    std::vector<double> r;
    Weighted weighted;
    double fit;
    std::vector<double> w_read;
    bool stale;
    double slope0;
    Index entered;
    double expected;
    bool restless;
  };

  bool stopped() const { return poll_ && poll_(); }
  // ---- where a solve starts (mm_start.cpp)
  SavedPoint saved() const;
  void resume(const SavedPoint& point);
  std::vector<char> near_slots(double share) const;
  void prune_start(const SolveOptions& options);
  void drop_negligible(double pull);
  void prune_columns(const SolveOptions& options);
  // ---- setting up
  void set_alpha(double alpha);
  void fit_unpenalised();
  std::vector<Index> independent(const std::vector<Index>& columns) const;
  void add_to_working_set(const std::vector<Index>& columns);
  void prefetch(double previous_slope0);
  void enlarge(std::vector<Violator> found, bool from_start);
  enum class Seen { kUnknown, kFew, kMany, kNothing };
  Seen look_in_shadow(double tol, bool proof, bool from_start, SolveResult& result);
  void descend(const SolveOptions& options, bool record, SolveResult& result);
  void finish(const SolveOptions& options, SolveResult& result);
  std::vector<Violator> look_outside(double tol, bool last, double& inside, double& outside,
                                     SolveResult& result);
  bool fit_by_gram();
  void residual();
  void restore(const std::vector<double>& w);
  void move_to(const std::vector<Index>& columns, const std::vector<double>& coef);
  double dependent_violation() const;
  bool excluded(Index j) const;
  Index trim_working_set(double share, Index most);
  void order_columns();
  // ---- the inner problem on the working set (mm_inner.cpp)
  Status minimise(double target, const SolveOptions& options, SolveResult& result, bool record);
  void reweight();
  void newton_direction();
  void mm_direction(Direction& out);
  void multiply(Direction& dir) const;
  bool step(double& change);
  bool leap(const Direction& dir, double& change);
  void note_objective(double change, SolveResult& result);
  bool wrong_entrants(const Direction& dir) const;
  Index drop_wrong_entrants(const Direction& dir);
  double first_crossing(const Direction& dir, Index& who) const;
  double change_along(const Direction& dir, double t);
  void move(const Direction& dir, double t, Index leaver);
  bool enter(double floor);
  double coordinate_minimum(double c, double w, double steep, double l1) const;
  bool sweep();
  void join(const std::vector<Index>& slots);
  void leave(Index position);
  void rebuild_support();
  void flush();
  static double larger(double worst, double x);
  double worst_active() const;
  double worst_zero() const;
  double excess(Index slot) const;
  bool is_free(Index slot) const;
  double objective_now();
  // ---- the inner problem by columns, for supports too large for a Gram matrix (mm_columns.cpp)
  double entries(Bytes bytes) const;
  bool columns_pay() const;
  bool gram_would_pay(double read, double epochs) const;
  void leave_gram();
  void return_to_gram();
  Status minimise_by_columns(double target, const SolveOptions& options, SolveResult& result);
  Status column_epochs(int count, double target, const SolveOptions& options, SolveResult& result);
  void prepare_columns();
  double evaluate_columns();
  bool column_newton();
  bool column_trial(const std::vector<double>& delta, double t);
  void list_support();
  // ---- leaps ahead of its epochs (mm_leap.cpp)
  void make_steps();
  bool span_newton(std::vector<double>& y);
  double farthest(const std::vector<double>& way, const Weighted& image, double start);
  bool leap_ahead(double now, double& penalty);
  // ---- certificates (mm_certificate.cpp)
  void anchor();
  void settle(double tol);
  void add_gram_product(double factor, const std::vector<double>& x,
                        std::vector<double>& out) const;
  double gram_noise(const std::vector<double>& w) const;
  double surrogate_gap(double outside_ratio);
  double rounding_noise() const;
  bool support_gram(const std::vector<Index>& columns, double* out, Index ld) const;
  bool strictly_convex() const;

  MmProblem problem_;
  std::function<bool()> poll_;  // true = stop; once true it stays so
  WorkingSet ws_;
  Sieve sieve_;
  Factor factor_;
  std::optional<SavedPoint> lasso_;  // the last start, where the next one is looked for
  std::vector<char> held_;           // slots that the lasso may not trim: the penalty wants them
  bool at_start_ = false;            // the point and the working set are those of a start
  bool exact_ = true;                // no pivot of the factor was lifted
  bool bold_ = true;                 // epochs over columns still take bold steps at this alpha
  int gram_left_ = 0;                // alphas for which columns are not tried: they took longer
  int gram_term_ = 4;                // the same, next time
  double slope0_ = 0.0, z_norm2_ = 0.0;
  std::vector<double> strength_;   // alpha pi_j, per feature (a lasso to start from: its levels)
  std::vector<double> threshold_;  // slope_j(0), per feature (the same)
  std::vector<double> null_correlations_;
  Index excluded_ = 0;            // how many can never enter
  std::vector<Index> dependent_;  // unpenalised features that depend on other unpenalised ones
  // per slot of the working set; c_ is current on the support, elsewhere as of the last flush
  std::vector<double> w_, c_;
  std::vector<double> pull_;                   // x_j' Omega z
  std::vector<double> w_flushed_, c_flushed_;  // correlations of every slot, and where they hold
  std::vector<int> sign_;
  std::vector<Index> place_;      // position in the support, -1 = zero
  std::vector<Index> by_column_;  // the slots by increasing column; empty with a Gram matrix
  // per position of the support
  std::vector<Index> support_;
  std::vector<double> t_, a_, value_, slope_, curvature_, g_;
  Direction newton_, mm_, leap_;
  bool concave_ = false;   // negative curvature met along the MM direction
  double expected_ = 0.0;  // violation outside, over slope0, when the last alpha first looked there
  Index batch_ = 8;        // how many features may enter at once
  Index entered_ = 0;      // how many entered the support at this alpha
  double target_ = 0.0;    // violation the inner problem is solved to
  double noise_ = 0.0;     // rounding error of a change of F
  struct Halt {
    std::vector<double> w;
    Weighted residual;
  };
  static constexpr Index kMemory = 5;              // epochs between two leaps ahead
  std::vector<Halt> trail_{std::size_t{kMemory}};  // where the last epochs over columns began
  Index halts_ = 0;                                // how many of them
  std::vector<double> spread_;                     // one over the roots of the weights
  // the point in observation space
  std::vector<double> r_;
  double fit_ = 0.0;            // ||r||^2 at w_
  std::vector<double> w_read_;  // per slot: where r_ was computed
  bool stale_ = false;          // that is not w_
  bool restless_ = false;       // the last alpha met violators outside the working set
  bool anchored_ = false;       // r_ and c_ are those of w_; never set while there is a Gram matrix
  // Correlations are taken from the Gram matrix while their error stays below this fraction of tol.
  static constexpr double kGramShare = 0.1;
  double pull_error_ = 0.0;   // how far pull_ may be from the exact x_j' Omega z
  double known_error_ = 0.0;  // how far c_ may be from the exact correlations
  Weighted weighted_;
  std::vector<double> scratch_, trial_value_;
};

}  // namespace sparsieve
