// From the current point of a fit to a stationary one, for a loss whose curvature changes. On the working set
// proximal Newton steps: minimise the quadratic model plus the penalty, go there if the objective itself
// falls; then look outside, enlarge, certify.
#pragma once

#include <optional>

#include "sparsieve/certificate/certificate.hpp"
#include "sparsieve/outer/newton_fit.hpp"

namespace sparsieve {

class NewtonDescent {
 public:
  NewtonDescent(NewtonFit& fit, Target& target, const SolveOptions& options, bool from_start,
                bool record);
  // Fills in how the descent ended, its kkt, what the screen said in the end and what it cost.
  void run(SolveResult& result);
  // Minimise on the working set until no coordinate of it violates by more than `target`.
  Status minimise(double target);

 private:
  const Levels& levels() const { return aim_.levels; }
  State& state() { return fit_.base.state; }
  double look_inside();
  double objective_here();
  bool renewal_pays(double worst, double target) const;
  void renew();
  bool step(double worst, double target);
  struct Line;
  bool go(const std::vector<double>& before, double objective_before);
  double move_to(const Line& line, double t, double& objective);
  double go_further(const Line& line, double objective);
  void look_outside(bool last, SolveResult& result);
  double slack() const;
  std::optional<Status> verdict(Status inner, const SolveResult& result);

  NewtonFit& fit_;
  Target& aim_;
  const SolveOptions& options_;
  const bool from_start_;
  double exact_, target_ = 0.0;  // what the working set is solved to in the end, and in this round
  double outside_ = 0.0;         // the largest violation met outside
  Answer answer_;
  Violations violations_;
  struct {
    double best;
    int left;
  } patience_;            // exact checks that may fail to halve the violation before the solve ends
  double rate_ = 0.0;     // of the last step: violation after it over that before; 0 = not known
  bool refused_ = false;  // the last step was not taken
  bool fell_ = false;     // the last step lowered the objective by more than rounding
  Progress progress_;
};

}  // namespace sparsieve
