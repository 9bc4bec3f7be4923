// Swaps that are judged only once the other coefficients have followed: a feature leaves, another takes its
// place, the working set is minimised again, and F is compared then.
//
// A swap by itself leaves the others where they suit the feature that has left; what it brings before they
// move (swaps.hpp) can be too little although it leads lower in the end. Each trial costs a few Newton steps
// on the Gram matrix, and X is read only to find who takes the places.
#pragma once

#include <vector>

#include "sparsieve/outer/fit.hpp"
#include "sparsieve/outer/swaps.hpp"

namespace sparsieve {

class Exchanges {
 public:
  // `jump` and `least` as in SwapSearch; `exact`: the violation that the working set is minimised to.
  Exchanges(Fit& fit, Neighbours& neighbours, const std::vector<double>& jump, double least,
            double exact);
  // Make the first exchange that lowers F by more than `least`, the most promising ones tried first, at most
  // a limited number of them. False: there is none, or the poll said stop; the point is what it was.
  bool make();
  const Progress& spent() const { return progress_; }

 private:
  std::vector<Swap> takers();
  bool lowers(const Swap& swap);
  bool follow(Index out, Index in);
  void restore();

  Fit& fit_;
  Neighbours& neighbours_;
  const std::vector<double>& jump_;
  const double least_, exact_;
  Progress progress_;
  struct {
    Point point;
    std::vector<double> c;
    double known_error = 0.0, objective = 0.0;
  } before_;
};

}  // namespace sparsieve
