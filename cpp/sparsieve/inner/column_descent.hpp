// Minimise F on the working set over the columns themselves, for sparse data with supports so large that
// a Gram matrix would cost more than the columns do: coordinate descent on the surrogate, reweighted
// after every epoch, with extrapolation (extrapolation.cpp) and truncated Newton steps.
#pragma once

#include <functional>

#include "sparsieve/inner/inner.hpp"

namespace sparsieve {

class ColumnDescent final : public InnerSolver {
 public:
  ColumnDescent(const Inputs& inputs, const Levels& levels, State& state)
      : inputs_(inputs), levels_(levels), state_(state), at_(state.point) {}
  // too_long(bytes read, epochs made, whether the penalty is curved): whether to give up, asked now and then;
  // `gave_up` is then set.
  void give_up_when(std::function<bool(Bytes, Index, bool)> too_long) {
    too_long_ = std::move(too_long);
  }
  bool gave_up() const { return gave_up_; }

  Status minimise(double target, Progress& progress) override;
  // A few epochs from a residual that belongs to w, until nothing moves by more than `target`, or why they
  // were broken off; now and then an extrapolation. Support and residual are left to be listed and computed.
  Status epochs(int count, double target, Progress& progress);
  // Over the whole working set, in its order. Less exact than with a Gram matrix.
  void prune(double allowed, Progress& progress) override;

 private:
  struct NewtonSystem;
  // Where an epoch began.
  struct Stop {
    std::vector<double> w;
    Weighted residual;
  };

  bool is_free(Index slot) const {
    return sparsieve::is_free(inputs_, levels_, state_.column(slot));
  }
  Weighted& weighted() { return at_.residual.weighted; }
  double worst();
  // Loss and ridge at w.
  double smooth() { return 0.5 * weighted().norm2 + ridge_value(inputs_, state_); }
  double evaluate();
  bool newton_step();
  bool try_step(const std::vector<double>& delta, double t);
  // ---- extrapolation (extrapolation.cpp)
  void make_steps();
  bool minimise_on_span(std::vector<double>& y);
  double farthest(const std::vector<double>& way, const Weighted& image, double start);
  bool extrapolate(double now, double& penalty);

  static constexpr Index kMemory = 5;  // epochs between two extrapolations

  const Inputs& inputs_;
  const Levels& levels_;
  State& state_;
  Point& at_;
  std::function<bool(Bytes, Index, bool)> too_long_;
  bool gave_up_ = false;
  Surrogate surrogate_;  // per slot
  SupportGradient gradient_;
  bool newton_steps_ = true;  // coordinates still take Newton steps at this alpha
  double target_ = 0.0;
  std::vector<Stop> trail_{std::size_t{kMemory}};  // where the last epochs began
  Index stops_ = 0;                                // how many of them
  std::vector<double> spread_;                     // one over the roots of the weights
};

}  // namespace sparsieve
