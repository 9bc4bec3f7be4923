// One fit: the inputs, the point, and everything that carries over from one alpha to the next. A copy
// goes on to the same bits.
#pragma once

#include <functional>
#include <vector>

#include "sparsieve/inner/choice.hpp"
#include "sparsieve/model/model.hpp"
#include "sparsieve/outer/counters.hpp"
#include "sparsieve/screen/screen.hpp"

namespace sparsieve {

// How strong a minimum is: what cannot lower F by more than tol F.
enum class Minimum {
  kStationary,      // nothing is known but that the point is stationary
  kCoordinatewise,  // no change of a single coefficient
  kSwap,            // nor an exchange of one feature for another
};

struct SolveOptions {
  double tol = 1e-6;
  Index max_iter = 10000;
  Minimum minimum = Minimum::kStationary;  // what is looked for
  bool exchange = false;                   // look beyond swaps, see exchanges.hpp
  bool test_convexity = true;              // else `convex` is left false
  std::function<bool()> poll;              // true = stop, for good; called often, must be cheap
};

// The error that correlations taken from a Gram matrix may have, see Model::settle: a fraction of tol.
inline double allowed_error(double tol, const Levels& levels) {
  return 0.1 * tol * levels.slope0();
}

// A direction along which the loss falls without end while the penalty stays the same, in the user's units.
struct Separation {
  std::vector<Index> columns;
  std::vector<double> coef;
  double intercept = 0.0;
};

struct SolveResult {
  Status status = Status::kConverged;
  double kkt = 0.0;        // max_j violation_j / slope(0), over every feature
  double gap = 0.0;        // duality gap of the last surrogate
  double objective = 0.0;  // F(w)
  double deviance =
      0.0;  // (z - Xw)' Omega (z - Xw); of other losses 2 (F - inf F over all predictors)
  Index iterations = 0;                    // reweightings
  Minimum minimum = Minimum::kStationary;  // what was reached
  bool convex = false;                     // F is strictly convex on the support at w
  Index by_bound = 0;                      // features settled by a bound at the end
  Index by_shadow = 0;                     // features settled by the 8-bit shadow at the end
  Index by_reading = 0;                    // features whose correlation was read at the end
  double ratio = 0.0;                      // a bound of |c_j| / threshold_j outside the working set
  Counters counters;                       // without bytes, which are accounted for per point
  std::vector<double> objectives;          // F after each iteration, when asked for
  Separation separation;                   // where the status is kSeparated
};

// Features that can never enter.
struct Barred {
  std::vector<Index> dependent;  // unpenalised ones that depend on other unpenalised ones
  Index count = 0;               // these, constant ones and those with an infinite weight
};

// What the last alpha met, for guesses about the next.
struct History {
  Index entered = 0;           // how many features entered the support
  double expected = 0.0;       // violation outside, over slope(0), when it first looked there
  bool met_violators = false;  // outside the working set
};

// What a descent aims at: the levels of a penalty, and the screen that knows the residuals met on the way.
struct Target {
  Levels levels;
  Screen screen;
};

// Sets what says stop for the time of one call, so that no later call can meet it.
class PollScope {
 public:
  PollScope(Inputs& inputs, const std::function<bool()>& poll) : inputs_(inputs) {
    inputs_.poll = poll;
  }
  ~PollScope() { inputs_.poll = nullptr; }
  PollScope(const PollScope&) = delete;
  PollScope& operator=(const PollScope&) = delete;

 private:
  Inputs& inputs_;
};

struct Fit {
  Inputs inputs;
  Target target;
  State state;
  Choice choice;
  History history;
  Barred barred;
  SupportGradient gradient;  // at the point it was last asked for
  bool keeps_all = false;    // nobody leaves the working set

  const std::vector<signed char>& sides() const { return inputs.box.sides(); }
  // Whether every feature that can enter is in the working set, with a Gram matrix: then nothing outside has
  // to be looked at, and the matrix knows all correlations.
  bool everyone_inside() const {
    return state.set.has_gram() && barred.dependent.empty() &&
           state.size() + barred.count == inputs.design->d();
  }
  // Whether feature j can never enter: constant, excluded by its weight, or unpenalised and dependent.
  bool is_barred(Index j) const;
  const Model& model() const;
};

}  // namespace sparsieve
