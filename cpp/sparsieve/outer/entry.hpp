// Which features are in the working set: which enter, which are fetched ahead, and which are dropped.
#pragma once

#include <vector>

#include "sparsieve/outer/fit.hpp"

namespace sparsieve {

// By how much violators exceed their thresholds: the largest that was met, and a bound for every feature outside
// the working set, rounding included.
struct Excess {
  double met, bound;
};
Excess excess_of(const Answer& answer, const Levels& levels);

// Which features to add: some that exceed their thresholds, and some that are about to; `from_start`: few at once.
std::vector<Index> entrants(Fit& fit, Target& target, std::vector<Violator> found, bool from_start);
// Add them.
void enlarge(Fit& fit, Target& target, std::vector<Violator> found, bool from_start);
// Features that a sequential strong rule expects to enter at this alpha, given the last one's slope at
// zero, stay or are fetched; others that are zero go, but for `held` slots.
void prefetch(Fit& fit, Target& target, double previous_slope0, const std::vector<char>& held = {});
// Forget features that are zero and far from entering, when they outnumber those at work: all but some of
// the nearest, and at most `most` beyond them that reach this share of their threshold. Returns how many
// those are.
Index trim(Fit& fit, const Levels& levels, double share, Index most,
           const std::vector<char>& held = {});
// The same as a list of the slots that stay, if any goes.
struct Trimmed {
  bool any = false;
  std::vector<Index> slots;
  Index near = 0;  // what trim() returns
};
Trimmed trimmed_slots(const Fit& fit, const Levels& levels, double share, Index most,
                      const std::vector<char>& held = {});
// The slots of the support and those whose correlation reaches a share of the threshold.
std::vector<char> near_slots(const Fit& fit, const Levels& levels, double share);

// Zeros that reach this share of their threshold are likely to be needed again.
constexpr double kNear = 0.8;

}  // namespace sparsieve
