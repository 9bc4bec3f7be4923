// Problems with many columns that are alike, and what moves bring on them, from sums over all rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "check.hpp"
#include "settings.hpp"
#include "sparsieve/outer/fit.hpp"

namespace strengths {

using namespace settings;
using sparsieve::Fit;

// Correlations of the engine are off by some n roundings of ||x_j|| ||z||, and what a move brings by that
// times a coefficient, at most some tens of ||z|| / ||x_j|| here: 1e-13 of F(0) for 100 rows and far less
// than this share of it.
constexpr double kNoise = 1e-10;

// Columns of unequal sizes, many of them more or less like an earlier one or its negative, some the same.
inline Matrix alike_columns(Random& random, Index n, Index d, double share) {
  constexpr double off[] = {0.0, 0.01, 0.1, 0.3, 0.7, 1.5};
  Matrix x(n, d);
  for (Index j = 0; j < d; ++j) {
    const Index other = random.below(std::max<Index>(j, 1));
    const bool copied = j > 0 && random.chance(0.6);
    const double size = random.chance(0.1) ? 1.0 : std::pow(10.0, random.between(-0.4, 0.4));
    const double noise = copied ? off[random.below(6)] : 1.0;
    for (Index i = 0; i < n; ++i) {
      const double u = random.chance(share) ? noise * random.normal() : 0.0;
      x.at(i, j) = size * (u + (copied ? x.at(i, other) : 0.0));
    }
    const double sign = random.sign();
    for (Index i = 0; i < n; ++i) x.at(i, j) *= sign;
  }
  return x;
}

// Without the L1 penalty, whose stationary points are all as strong as can be.
inline Shape concave_shape(Random& random) { return kEveryShape[1 + random.below(5)]; }

inline Vector feature_weights(Random& random, Index d) {
  Vector pi(d, 1.0);
  for (double& p : pi) p = random.between(0.5, 2.0);
  pi[random.below(d)] = kInf;
  pi[random.below(d)] = 0.0;
  return pi;
}

// A fit at zero. The penalty must live as long.
inline Fit make_fit(const Setting& setting, const Penalty& penalty, double alpha, Vector pi = {},
                    bool positive = false) {
  Fit fit{
      setting.inputs,
      {Levels(&penalty, std::move(pi), setting.problem.d()), sparsieve::Screen(*setting.design)},
      setting.empty_state(),
      {},
      {},
      {},
      {}};
  if (positive) fit.inputs.box = positive_box(setting.problem.d());
  fit.target.levels.set(alpha, {});
  for (Index j = 0; j < setting.problem.d(); ++j) fit.barred.count += fit.is_barred(j);
  return fit;
}

inline sparsieve::CurvatureGroups curvatures_of(const Fit& fit) {
  return {fit.inputs.design->moments().norms2, fit.target.levels.weights()};
}

// ------------------------------------------------------------------------------- the truth

// F at a point and what moves bring, from the problem's own numbers.
class Truth {
 public:
  Truth(const Setting& setting, const Levels& levels, bool positive, Vector w)
      : setting_(setting), levels_(levels), positive_(positive), w_(std::move(w)) {
    r_ = true_residual(setting_, w_);
    const Index d = setting_.problem.d();
    for (Index j = 0; j < d; ++j) {
      h_.push_back(setting_.problem.product(j, j) + setting_.inputs.ridge.of(j));
      c_.push_back(true_correlation(setting_, r_, j, w_[j]));
    }
  }
  Index d() const { return setting_.problem.d(); }
  double w(Index j) const { return w_[j]; }
  // Whether the search may move it: not constant, not excluded.
  bool moves(Index j) const {
    return setting_.design->norm2(j) > 0.0 && !std::isinf(levels_.threshold(j));
  }
  bool penalised(Index j) const { return levels_.strength(j) > 0.0; }
  double value(Index j, double w) const {
    double t = std::fabs(w), strength = levels_.strength(j), value, slope, curvature;
    levels_.penalty().evaluate(&t, &strength, 1, &value, &slope, &curvature);
    return strength > 0.0 ? value : 0.0;
  }
  long double objective() const {
    long double total = 0.5L * true_fit(setting_, w_);
    const auto& ridge = setting_.inputs.ridge;
    for (Index j = 0; j < d(); ++j) {
      const long double away = static_cast<long double>(w_[j]) - ridge.centre_of(j);
      total += value(j, w_[j]) + 0.5L * ridge.of(j) * away * away;
    }
    return total;
  }
  // By how much F falls when w_j goes from zero to its best value, its correlation being z.
  long double gain(Index j, long double z) const {
    const double size = static_cast<double>(positive_ ? std::max(z, 0.0L) : std::fabs(z));
    const double h = static_cast<double>(h_[j]), strength = levels_.strength(j);
    double t, value;
    levels_.penalty().minimise(&size, &h, &strength, 1, &t, &value);
    return -value;
  }
  long double cost_of_leaving(Index j) const {
    const long double z = c_[j] + h_[j] * w_[j];
    return -(0.5L * h_[j] * w_[j] - z) * w_[j] - value(j, w_[j]);
  }
  long double fall(Index j) const { return gain(j, c_[j] + h_[j] * w_[j]) - cost_of_leaving(j); }
  long double swap(Index i, Index j) const {
    return gain(j, c_[j] + w_[i] * setting_.problem.product(i, j)) - cost_of_leaving(i);
  }
  // The best swap for the place of i, over every column that may move, is zero and has a penalty.
  long double best_swap(Index i) const {
    long double best = -kInf;
    for (Index j = 0; j < d(); ++j) {
      if (w_[j] == 0.0 && moves(j) && penalised(j)) best = std::max(best, swap(i, j));
    }
    return best;
  }
  long double best_fall() const {
    long double best = 0.0L;
    for (Index j = 0; j < d(); ++j) best = std::max(best, moves(j) ? fall(j) : 0.0L);
    return best;
  }
  long double best_swap() const {
    long double best = 0.0L;
    for (Index i = 0; i < d(); ++i) {
      if (w_[i] != 0.0 && penalised(i)) best = std::max(best, best_swap(i));
    }
    return best;
  }
  long double kkt() const {
    long double worst = 0.0L;
    for (Index j = 0; j < d(); ++j) {
      if (!moves(j)) continue;
      const bool held = positive_ && w_[j] == 0.0 && c_[j] < 0.0L;
      const long double violation = true_violation(setting_, levels_, j, w_[j], c_[j]);
      worst = std::max(worst, held ? 0.0L : violation);
    }
    return worst / levels_.slope0();
  }

 private:
  const Setting& setting_;
  const Levels& levels_;
  const bool positive_;
  const Vector w_;
  Long r_, h_, c_;
};

inline Truth truth_of(const Setting& setting, const Fit& fit, const Vector& w) {
  Vector all(setting.problem.d(), 0.0);
  for (Index s = 0; s < fit.state.size(); ++s) all[fit.state.column(s)] = w[s];
  return {setting, fit.target.levels, !fit.sides().empty(), std::move(all)};
}

inline long double at_zero(const Setting& setting) {
  return 0.5L * true_fit(setting, Vector(setting.problem.d(), 0.0));
}

}  // namespace strengths
