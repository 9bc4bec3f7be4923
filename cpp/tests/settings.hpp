// A problem with all that the rooms of the solver ask for: a response, inputs, penalties, and the truth
// about a point in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "problems.hpp"
#include "sparsieve/loss/loss.hpp"
#include "sparsieve/model/model.hpp"
#include "sparsieve/penalty/levels.hpp"
#include "sparsieve/state/state.hpp"

namespace settings {

using check::Matrix;
using problems::Design;
using problems::Index;
using problems::kEps;
using problems::Kind;
using problems::Problem;
using problems::Random;
using problems::Weights;
using sparsieve::Inputs;
using sparsieve::Levels;
using sparsieve::Penalty;
using sparsieve::State;
using Vector = std::vector<double>;
using Long = std::vector<long double>;

constexpr double kInf = std::numeric_limits<double>::infinity();

// ------------------------------------------------------------------------------- penalties

enum class Shape { kL1, kLogSum, kMcp, kScad, kCappedL1, kLq };
constexpr Shape kEveryShape[] = {Shape::kL1,   Shape::kLogSum,   Shape::kMcp,
                                 Shape::kScad, Shape::kCappedL1, Shape::kLq};

inline std::string name(Shape shape) {
  constexpr const char* names[] = {"l1", "log-sum", "MCP", "SCAD", "capped l1", "lq"};
  return names[static_cast<int>(shape)];
}

inline std::unique_ptr<Penalty> make_penalty(Shape shape) {
  using namespace sparsieve;
  switch (shape) {
    case Shape::kL1:
      return std::make_unique<ShapedPenalty<L1Shape>>(L1Shape{});
    case Shape::kLogSum:
      return std::make_unique<ShapedPenalty<LogSumShape>>(LogSumShape{0.5});
    case Shape::kMcp:
      return std::make_unique<ShapedPenalty<McpShape>>(McpShape{3.0});
    case Shape::kScad:
      return std::make_unique<ShapedPenalty<ScadShape>>(ScadShape{3.7});
    case Shape::kCappedL1:
      return std::make_unique<ShapedPenalty<CappedL1Shape>>(CappedL1Shape{1.0});
    case Shape::kLq:
      return std::make_unique<ShapedPenalty<LqShape>>(LqShape{0.5, 0.1});
  }
  return nullptr;
}

// --------------------------------------------------------------------------------- columns

// Normal columns of moderate sizes that share a common part, some of them twice (then every fourth), and
// sparse ones of `share` of their entries.
struct Columns {
  Index n, d;
  bool twins = false;
  double common = 0.3;
  double share = 1.0;
};

inline Matrix make_columns(Random& random, const Columns& how) {
  Matrix x(how.n, how.d);
  const Vector shared = random.normals(how.n);
  for (Index j = 0; j < how.d; ++j) {
    const double size = random.between(0.5, 2.0);
    for (Index i = 0; i < how.n; ++i) {
      const double u = random.normal() + how.common * shared[i];
      x.at(i, j) = random.chance(how.share) ? size * u : 0.0;
    }
    for (Index i = 0; i < how.n && how.twins && j % 4 == 3; ++i) x.at(i, j) = x.at(i, j - 1);
  }
  return x;
}

// ----------------------------------------------------------------------------- the setting

// A problem with a response that some of its columns explain, in part.
inline sparsieve::Box positive_box(Index d) { return {Vector(d, 0.0), {}}; }

struct Setting {
  Problem problem;
  std::unique_ptr<Design> design;
  Vector z;  // centred as the columns are
  Inputs inputs;

  Setting(Problem of, Random& random, sparsieve::ShadowUse shadow = sparsieve::ShadowUse::kNever)
      : problem(std::move(of)), design(problems::make_design(problem, 1, shadow)) {
    z = random.normals(problem.n());
    for (Index j = 0; j < problem.d(); j += 3) {
      const double norm = static_cast<double>(problem.raw_norm(j));
      const double by = norm > 0.0 ? 2.0 * random.normal() / norm : 0.0;
      for (Index i = 0; i < problem.n(); ++i) z[i] += by * problem.x.at(i, j);
    }
    const sparsieve::Response response(design->weights(), z);
    z = response.z;
    inputs = {
        design.get(), std::make_shared<sparsieve::SquaredLoss>(*design, response), {}, {}, 0.0, {}};
  }
  void keep_positive() { inputs.box = positive_box(problem.d()); }
  bool positive() const { return !inputs.box.sides().empty(); }
  // Bounds on both sides of some features, on one side or none of others; some may not leave zero upwards.
  void set_bounds(Random& random) {
    Vector lower, upper;
    for (Index j = 0; j < problem.d(); ++j) {
      const double norm = static_cast<double>(problem.raw_norm(j));
      const double size = norm > 0.0 ? random.uniform() / norm : 1.0;
      lower.push_back(random.chance(0.5) ? -size : -HUGE_VAL);
      upper.push_back(random.chance(0.2) ? 0.0 : random.chance(0.5) ? 2.0 * size : HUGE_VAL);
    }
    inputs.box = {std::move(lower), std::move(upper)};
  }
  void set_ridge(Random& random, double weight, bool with_centre) {
    inputs.ridge.weight = weight;
    if (with_centre) inputs.ridge.centre = random.normals(problem.d());
    if (!random.chance(0.5)) return;  // else each feature has more of its own
    for (Index j = 0; j < problem.d(); ++j) {
      inputs.ridge.own.push_back(weight * random.uniform());
    }
  }
  // A state at w = 0, with an empty working set.
  State empty_state() const {
    State state;
    state.point.residual.r = inputs.loss->origin();
    inputs.loss->residual(state.point.residual);
    state.point.fit = state.point.residual.weighted.norm2;
    return state;
  }
  // A state at w = 0 that works on some columns.
  State state_on(const std::vector<Index>& columns) const {
    State state = empty_state();
    sparsieve::model_of(state).grow(inputs, state, columns);
    return state;
  }
  State state_on_all() const {
    std::vector<Index> all;
    for (Index j = 0; j < problem.d(); ++j) {
      if (design->norm2(j) > 0.0) all.push_back(j);
    }
    return state_on(all);
  }
};

// ------------------------------------------------------------------------------- the truth

// z - Xw in long double, for w per column of X.
inline Long true_residual(const Setting& setting, const Vector& w) {
  const Problem& problem = setting.problem;
  Long r(setting.z.begin(), setting.z.end());
  for (Index j = 0; j < problem.d(); ++j) {
    for (Index i = 0; i < problem.n() && w[j] != 0.0; ++i) r[i] -= problem.entry(i, j) * w[j];
  }
  return r;
}

inline long double true_fit(const Setting& setting, const Vector& w) {
  const Long r = true_residual(setting, w);
  long double sum = 0.0L;
  for (Index i = 0; i < setting.problem.n(); ++i) sum += setting.problem.omega[i] * r[i] * r[i];
  return sum;
}

// x_j' Omega r, with the pull of the ridge for a coefficient w_j.
inline long double true_correlation(const Setting& setting, const Long& r, Index j, double w) {
  long double sum = 0.0L;
  for (Index i = 0; i < setting.problem.n(); ++i) {
    sum += setting.problem.omega[i] * setting.problem.entry(i, j) * r[i];
  }
  const auto& ridge = setting.inputs.ridge;
  return sum +
         static_cast<long double>(ridge.of(j)) * (static_cast<long double>(ridge.centre_of(j)) - w);
}

// The coefficients of a state per column of X.
inline Vector coefficients(const Setting& setting, const State& state) {
  Vector w(setting.problem.d(), 0.0);
  for (Index s = 0; s < state.size(); ++s) w[state.column(s)] = state.point.w[s];
  return w;
}

// Loss, penalty and ridge of the columns of the working set.
inline long double true_objective(const Setting& setting, const Levels& levels,
                                  const State& state) {
  long double total = 0.5L * true_fit(setting, coefficients(setting, state));
  const auto& ridge = setting.inputs.ridge;
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    const double t = std::fabs(state.point.w[s]), strength = levels.strength(j);
    double value, slope, curvature;
    levels.penalty().evaluate(&t, &strength, 1, &value, &slope, &curvature);
    if (strength > 0.0) total += value;
    const long double away = static_cast<long double>(state.point.w[s]) - ridge.centre_of(j);
    total += 0.5L * ridge.of(j) * away * away;
  }
  return total;
}

// By how much feature j is from stationary, as [RGS19] eq. (fermat) says it, given its true correlation c.
inline long double true_violation(const Setting& setting, const Levels& levels, Index j, double w,
                                  long double c) {
  const double t = std::fabs(w), strength = levels.strength(j);
  double value, slope, curvature;
  levels.penalty().evaluate(&t, &strength, 1, &value, &slope, &curvature);
  if (strength == 0.0) slope = 0.0;
  const sparsieve::Bounds bounds = setting.inputs.box.of(j);
  if (w != 0.0) {
    const long double push = c - (w > 0.0 ? slope : -slope);
    const bool held = (w == bounds.upper && push > 0.0L) || (w == bounds.lower && push < 0.0L);
    return held ? 0.0L : std::fabs(push);
  }
  // A coefficient of zero is held by its threshold, and stays where the bounds keep it.
  const long double up = bounds.upper > 0.0 ? c - levels.threshold(j) : 0.0L;
  const long double down = bounds.lower < 0.0 ? -c - levels.threshold(j) : 0.0L;
  return std::max({0.0L, up, down});
}

// The largest violation of the features of the working set.
inline long double worst_violation(const Setting& setting, const Levels& levels,
                                   const State& state) {
  const Long r = true_residual(setting, coefficients(setting, state));
  long double worst = 0.0L;
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    const double w = state.point.w[s];
    const long double c = true_correlation(setting, r, j, w);
    worst = std::max(worst, true_violation(setting, levels, j, w, c));
  }
  return worst;
}

// An alpha at which slope(0) is a share of the largest correlation with the response.
inline double alpha_at(const Setting& setting, const Penalty& penalty, double share) {
  long double largest = 0.0L;
  for (Index j = 0; j < setting.problem.d(); ++j) {
    largest = std::max(largest, std::fabs(setting.problem.correlation(j, setting.z)));
  }
  double zero = 0.0, one = 1.0, value, slope, curvature;
  penalty.evaluate(&zero, &one, 1, &value, &slope, &curvature);
  return share * static_cast<double>(largest) / slope;  // slope(0) is linear in alpha
}

// ----------------------------------------------------------------------------- the factor

// The factor of a state with a Gram matrix is that of G_SS + ridge I, in the order of the support.
inline void check_factor(const Setting& setting, const State& state) {
  const auto& at = state.point;
  const Index k = static_cast<Index>(at.support.size());
  CHECK(at.factor.size() == k);
  if (!at.exact) return;  // a pivot was lifted: the factor is that of another matrix, on purpose
  Vector b(k), x(k);
  Long root(k);
  for (Index p = 0; p < k; ++p) {
    const Index s = at.support[p];
    const double ridge = setting.inputs.ridge.of(state.column(s));
    root[p] = std::sqrt(static_cast<long double>(state.set.gram(s)[s]) + ridge);
    b[p] = static_cast<double>(root[p]) * (p % 2 == 0 ? 1.0 : -0.5);
  }
  at.factor.solve(b.data(), x.data());
  for (Index p = 0; p < k; ++p) {
    const double ridge = setting.inputs.ridge.of(state.column(at.support[p]));
    long double sum = ridge * static_cast<long double>(x[p]), size = 0.0L;
    for (Index q = 0; q < k; ++q) {
      sum += static_cast<long double>(state.set.gram(at.support[p])[at.support[q]]) * x[q];
      size += root[p] * root[q] * std::fabs(x[q]);
    }
    // A Cholesky solve is exact for a matrix whose entry (p, q) is off by a few k roundings of the product
    // of the roots of the diagonal entries p and q, however columns are scaled; and the factor may have seen
    // some appended and removed rows before.
    CHECK_CLOSE(sum, b[p], 16.0L * static_cast<long double>(k + 8) * kEps * (root[p] + size));
  }
}

// ----------------------------------------------------------------------------- equal bits

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }
inline bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace settings
