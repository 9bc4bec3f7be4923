// From a stationary point to a stronger minimum: moves that majorisation-minimisation cannot make.
#pragma once

#include <vector>

#include "sparsieve/outer/fit.hpp"
#include "sparsieve/outer/neighbours.hpp"

namespace sparsieve {

class Search {
 public:
  Search(Fit& fit, const CurvatureGroups& curvatures, Neighbours& neighbours,
         const SolveOptions& options);
  // Move and descend again until no jump, and no swap if that is asked for, lowers F by more than tol F.
  // The result becomes that of the last descent. When the poll says stop, the last point that is known to be
  // stationary is kept.
  void run(SolveResult& result);

 private:
  void settle(double allowed);
  bool jump();
  void take_in_jumpers();
  bool swap();
  bool exchange(SolveResult& result);
  bool descend(const std::vector<double>& before, SolveResult& result);

  Fit& fit_;
  Neighbours& neighbours_;
  const SolveOptions& options_;
  const std::vector<double> jump_;  // Levels::jump_thresholds
  double least_ = 0.0;              // by which a move has to lower F
};

}  // namespace sparsieve
