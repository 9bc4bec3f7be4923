// The fit of one response on one design: the solver with all that it points to, and the intercept, of
// which the solver knows nothing because it sees a centred response.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sparsieve/mm.hpp"

namespace sparsieve {

struct FitParts {
  std::shared_ptr<Design> design;
  std::vector<double> y;
  std::shared_ptr<const Penalty> penalty;
  std::optional<std::vector<double>> weights;  // of the features; none = all 1; infinity = excluded
  bool positive = false;
  double prox_weight = 0.0;
};

struct Account {
  Bytes bytes;
  double passes;  // over X
};

class Fit {
 public:
  // Throws std::invalid_argument when a length is wrong. poll: true = stop.
  explicit Fit(FitParts parts, std::function<bool()> poll = {});

  MmSolver& solver() { return *solver_; }
  const MmSolver& solver() const { return *solver_; }
  const Design& design() const { return *design_; }
  // Replace the penalty; the point and all that was computed stay.
  void set_penalty(std::shared_ptr<const Penalty> penalty);
  // Of the current point.
  double intercept() const { return response_mean_ - solver_->coefficient_shift(); }

  // Bytes read up to where they were last accounted for. Setting it back leaves what was read since to
  // the next account.
  Bytes accounted() const { return accounted_; }
  void set_accounted(Bytes bytes) { accounted_ = bytes; }
  // What was read since the last account.
  Account account();

 private:
  std::shared_ptr<Design> design_;
  std::shared_ptr<const Penalty> penalty_;
  double response_mean_ = 0.0;  // 0 without centring
  Bytes accounted_ = 0;
  std::unique_ptr<MmSolver> solver_;
};

}  // namespace sparsieve
