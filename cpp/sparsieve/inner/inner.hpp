// Inner solvers: minimise the penalised objective over the working set.
//
//   GramNewton     active-set Newton steps on the Gram matrix; X is not read
//   ColumnDescent  coordinate descent over the columns, with extrapolation
//
// Every step lowers F (up to rounding). Which of the two is used is decided in choice.cpp alone.
#pragma once

#include <vector>

#include "sparsieve/certificate/violation.hpp"

namespace sparsieve {

enum class Status {
  kConverged,    // the violation over all features is at most tol
  kIterations,   // max_iter reached
  kStalled,      // rounding stops further progress above tol
  kInterrupted,  // the caller's poll said stop
  kSeparated,    // F falls without end: there is no minimiser, and a direction proves it
};

// What inner solvers may spend, and what they have spent at one alpha.
struct Progress {
  Index max_iter = 10000;
  bool record = false;             // the objective after each iteration
  Index iterations = 0;            // reweightings
  Index epochs = 0, solves = 0;    // over columns, and with the factor
  Index entered = 0;               // features that entered the support
  std::vector<double> objectives;  // F after each iteration, when recorded
};

// Pruning ends when no coordinate moves by more than this share of slope(0): a start, solved further later.
constexpr double kStill = 1e-2;

class InnerSolver {
 public:
  virtual ~InnerSolver() = default;
  // Minimise F over the working set until no coordinate of it violates by more than `target`.
  virtual Status minimise(double target, Progress& progress) = 0;
  // From a start: let the penalty drop what it drops at once, before other features are let in.
  // `allowed`: how exact correlations must be, see Model::settle.
  virtual void prune(double allowed, Progress& progress) = 0;
};

}  // namespace sparsieve
