// From the current point of a fit to a stationary one, for one alpha: majorise, minimise on the working
// set, look outside, enlarge, certify.
#pragma once

#include <optional>

#include "sparsieve/certificate/certificate.hpp"
#include "sparsieve/outer/fit.hpp"

namespace sparsieve {

class Descent {
 public:
  // `from_start`: the point comes from a start, so that much will change yet.
  Descent(Fit& fit, Target& target, const SolveOptions& options, bool from_start, bool record);
  // Fills in how the descent ended, its kkt, what the screen said in the end and what it cost.
  void run(SolveResult& result);

 private:
  enum class Seen { kUnknown, kFew, kMany, kNothing };

  // ---- the sentences of run()
  Status minimise();
  Seen look_by_gram(SolveResult& result);
  Seen look_in_shadow(SolveResult& result);
  bool go_back_if_misled();
  void look_outside(bool last, SolveResult& result, bool exact = false);
  std::optional<Status> verdict(const std::vector<Violator>& found, bool misled, Status inner,
                                const SolveResult& result);
  bool certify_exactly(SolveResult& result);
  // ---- details
  const Levels& levels() const { return aim_.levels; }
  bool risen();
  double slack() const;
  void add_violators(const std::vector<Violator>& found);
  void look_at_violations(SolveResult& result);

  Fit& fit_;
  Target& aim_;
  const SolveOptions& options_;
  const bool from_start_;
  bool
      rough_;  // features outside are looked for before the inner problem is solved to its last digits
  bool expecting_;               // violators outside: look for them without the residual first
  bool proof_;                   // the shadow is fine enough for a proof without the residual
  bool known_ = true;            // the objective at w
  double exact_, target_ = 0.0;  // what the working set is solved to in the end, and in this round
  Answer answer_;
  Violations violations_;  // at the last look outside
  struct {
    std::vector<double> w;
    double objective = 0.0;
  } before_;  // the point before the inner problem was solved
  struct {
    double best;
    int left;
  } patience_;  // exact checks that may fail to halve the violation before the solve ends
  Progress progress_;
};

}  // namespace sparsieve
