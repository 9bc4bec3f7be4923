// What is proven about a point: never more than what is true, in long double.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "settings.hpp"
#include "sparsieve/certificate/certificate.hpp"
#include "sparsieve/outer/solver.hpp"

namespace {
using namespace settings;
using sparsieve::LazyDesign;
using sparsieve::SlotIndex;
using sparsieve::SolveOptions;
using sparsieve::Solver;
using sparsieve::SolveResult;
using sparsieve::SolverParts;
using sparsieve::SupportGradient;

// The largest violations over slope(0) of the features that are not zero, and of those that are.
struct TrueKkt {
  long double active = 0.0L, zero = 0.0L;
  long double worst() const { return std::max(active, zero); }
};

TrueKkt true_kkt(const Setting& setting, const Levels& levels, const Vector& w) {
  const Long r = true_residual(setting, w);
  TrueKkt out;
  for (Index j = 0; j < setting.problem.d(); ++j) {
    if (std::isinf(levels.threshold(j))) continue;  // excluded
    const long double c = true_correlation(setting, r, j, w[j]);
    long double& worst = w[j] == 0.0 ? out.zero : out.active;
    worst = std::max(worst, true_violation(setting, levels, j, w[j], c) / levels.slope0());
  }
  return out;
}

Setting random_setting(Random& random, Index n, Index d) {
  const bool sparse = random.chance(0.4);
  const Matrix x = make_columns(random, {n, d, random.chance(0.2), 0.4, sparse ? 0.4 : 1.0});
  const Vector omega = problems::make_weights(random, n, problems::kEveryWeights[random.below(3)]);
  const Kind kind = sparse ? Kind::kSparse : Kind::kDouble;
  return Setting(Problem(kind, x, omega, random.chance(0.5)), random);
}

Vector random_weights(Random& random, Index d) {
  if (random.chance(0.5)) return {};
  Vector pi(d, 1.0);
  for (double& weight : pi) weight = random.between(0.5, 1.5);
  pi[1] = 0.0;
  pi[2] = kInf;
  return pi;
}

Vector solution(const Solver& solver, Index d) {
  std::vector<Index> columns;
  Vector coef, w(d, 0.0);
  solver.solution(columns, coef);
  for (std::size_t k = 0; k < columns.size(); ++k) w[columns[k]] = coef[k];
  return w;
}
}  // namespace

// ------------------------------------------------------------------------------------- kkt

// At points that are stationary, and at some where the solver had to give up.
TEST("certificate: kkt is at least the true one") {
  Random random(71);
  for (int trial = 0; trial < 150; ++trial) {
    Setting setting = random_setting(random, 20 + random.below(30), 60);
    const bool positive = random.chance(0.3);
    if (positive) setting.keep_positive();
    const Shape shape = kEveryShape[random.below(6)];
    const check::Note note(name(shape) + ", " + setting.problem.text() + ", trial " +
                           std::to_string(trial));
    const std::shared_ptr<const sparsieve::Penalty> penalty = make_penalty(shape);
    const Vector pi = random_weights(random, 60);
    LazyDesign design(setting.problem.storage,
                      sparsieve::SampleWeights(setting.problem.omega, setting.problem.centre), 1,
                      sparsieve::ShadowUse::kLazy);
    SolverParts parts{&design, setting.z, penalty, {}};
    if (positive) parts.terms.lower.assign(60, 0.0);
    if (!pi.empty()) parts.weights = pi;
    Solver solver(std::move(parts));
    Levels levels(penalty.get(), pi, 60);
    for (const double share : {0.6, 0.3, 0.1}) {
      SolveOptions options;
      options.tol = std::pow(10.0, random.between(-13.0, -0.3));
      if (random.chance(0.4)) options.max_iter = random.below(6);
      const double alpha = alpha_at(setting, *penalty, share);
      const SolveResult result = solver.solve(alpha, options);
      levels.set(alpha, {});
      const TrueKkt truth = true_kkt(setting, levels, solution(solver, 60));
      // A correlation outside the working set is taken as it was read, with its rounding error.
      double read = 0.0;
      for (Index j = 0; j < 60; ++j) read = std::max(read, setting.design->rounding(j));
      read *= std::sqrt(result.deviance) / levels.slope0();
      CHECK_AT_MOST(truth.active, result.kkt * (1.0 + 4.0 * kEps));  // its own sums are rounded
      CHECK_AT_MOST(truth.zero, result.kkt + read);
      if (result.status == sparsieve::Status::kConverged) CHECK_AT_MOST(result.kkt, options.tol);
      // It is a bound, but not one that is far away. What it adds, errors of correlations, is some ten
      // roundings of ||z|| ||x||, and slope(0) is no less than that over a thousand here; outside the
      // working set it may stop at tol / 2.
      CHECK_AT_MOST(result.kkt, truth.worst() + 0.5 * options.tol + 1e-10);
    }
  }
}

// A column too small to compute with counts with what it could do at most.
TEST("certificate: kkt counts columns that are too small") {
  Random random(72);
  Matrix x = make_columns(random, {20, 6});
  for (double& v : x.values) v *= 1e-150;
  for (Index i = 0; i < 20; ++i) x.at(i, 4) *= 1e-3;
  const Setting setting(Problem(Kind::kDouble, x, Vector(20, 0.05), false), random);
  CHECK(setting.design->too_small() == std::vector<Index>{4});
  const auto penalty = make_penalty(Shape::kL1);
  Levels levels(penalty.get(), {}, 6);
  levels.set(1e-154, {});
  const Long r = true_residual(setting, Vector(6, 0.0));
  const long double c = true_correlation(setting, r, 4, 0.0);
  const long double truth = true_violation(setting, levels, 4, 0.0, c) / levels.slope0();
  CHECK_AT_MOST(0.1L, truth);  // the test is about something
  CHECK_AT_MOST(truth, kkt(setting.inputs, levels, setting.empty_state(), {}));
}

TEST("certificate: kkt is no number where a violation is none") {
  Random random(73);
  const Setting setting = random_setting(random, 20, 8);
  const auto penalty = make_penalty(Shape::kL1);
  Levels levels(penalty.get(), {}, 8);
  levels.set(0.5, {});
  const State state = setting.empty_state();
  const double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(kkt(setting.inputs, levels, state, {none, 1.0})));
  CHECK(std::isnan(kkt(setting.inputs, levels, state, {1.0, none})));
  CHECK(kkt(setting.inputs, levels, state, {1.0, 0.0}) == 2.0);
  CHECK(kkt(setting.inputs, levels, state, {0.0, 3.0}) == 6.0);
}

// ---------------------------------------------------------------------------------- duality

TEST("certificate: the best dual point along a residual") {
  Random random(74);
  for (int trial = 0; trial < 2000; ++trial) {
    const double linear = random.normal(), quadratic = std::fabs(random.normal());
    const double slack = random.chance(0.5) ? 0.0 : std::fabs(0.3 * random.normal());
    const double highest = random.chance(0.2) ? kInf : std::fabs(random.normal());
    const double lowest = random.chance(0.5) ? 0.0 : -highest;
    const auto point = sparsieve::best_dual(linear, slack, quadratic, lowest, highest);
    CHECK(point.scale >= lowest && point.scale <= highest);
    const auto value = [&](long double kappa) {
      return kappa * linear - std::fabs(kappa) * slack - 0.5L * kappa * kappa * quadratic;
    };
    // Three products and two sums.
    const long double sizes = std::fabs(point.scale) * (std::fabs(linear) + slack) +
                              0.5L * point.scale * point.scale * quadratic;
    CHECK_CLOSE(point.value, value(point.scale), 4.0L * kEps * sizes);
    // No other is better.
    const double far = 2.0 * (std::fabs(linear) + slack) / quadratic;
    for (int k = -40; k <= 40; ++k) {
      const double kappa = std::clamp(far * k / 40.0, lowest, highest);
      CHECK_AT_MOST(value(kappa), value(point.scale) + 4.0L * kEps * sizes);
    }
  }
  CHECK(sparsieve::best_dual(0.0, 0.0, 0.0, 0.0, kInf).value == 0.0);  // nothing is left to explain
}

namespace {
// A weighted lasso on the columns of a setting: the surrogate at a point.
struct Surrogate {
  const Setting& setting;
  Vector lambda;
  long double at(const Long& v) const {
    const Problem& problem = setting.problem;
    long double total = 0.0L;
    for (Index i = 0; i < problem.n(); ++i) {
      long double r = setting.z[i];
      for (Index j = 0; j < problem.d(); ++j) r -= problem.entry(i, j) * v[j];
      total += 0.5L * problem.omega[i] * r * r;
    }
    for (Index j = 0; j < problem.d(); ++j) total += lambda[j] * std::fabs(v[j]);
    return total;
  }
  // Its minimum over the bounds, by coordinate descent. What is found is never below the minimum.
  Long minimiser(Long v) const {
    const Problem& problem = setting.problem;
    const double lower = setting.inputs.box.of(0).lower;
    Long r(setting.z.begin(), setting.z.end());
    for (Index i = 0; i < problem.n(); ++i) {
      for (Index j = 0; j < problem.d(); ++j) r[i] -= problem.entry(i, j) * v[j];
    }
    Long norm2(problem.d());
    for (Index j = 0; j < problem.d(); ++j) norm2[j] = problem.product(j, j);
    for (int epoch = 0; epoch < 400; ++epoch) {
      for (Index j = 0; j < problem.d(); ++j) {
        if (norm2[j] == 0.0L) continue;
        long double pull = norm2[j] * v[j];
        for (Index i = 0; i < problem.n(); ++i)
          pull += problem.omega[i] * problem.entry(i, j) * r[i];
        const long double size = std::max(0.0L, std::fabs(pull) - lambda[j]);
        long double fresh = (pull > 0.0L ? size : -size) / norm2[j];
        fresh = std::max(fresh, static_cast<long double>(lower));
        for (Index i = 0; i < problem.n(); ++i) r[i] -= problem.entry(i, j) * (fresh - v[j]);
        v[j] = fresh;
      }
    }
    return v;
  }
};

// The gap of a state's surrogate against the truth; the ratio outside the working set is the true one.
// Returns the gap over the primal value.
long double check_gap(const Setting& setting, const Levels& levels, State& state) {
  SupportGradient gradient;
  gradient.compute(setting.inputs, levels, state);
  const Vector w = coefficients(setting, state);
  Surrogate surrogate{setting, levels.thresholds()};
  for (std::size_t p = 0; p < state.point.support.size(); ++p) {
    surrogate.lambda[state.column(state.point.support[p])] = gradient.penalty.slope[p];
  }
  const Long r = true_residual(setting, w);
  double ratio = 0.0;
  for (Index j = 0; j < setting.problem.d(); ++j) {
    if (sparsieve::SlotIndex(state.set).contains(j)) continue;
    const double c = static_cast<double>(true_correlation(setting, r, j, 0.0));
    ratio =
        std::max(ratio, reach(setting.inputs.box.of(j), c) / levels.threshold(j) * (1.0 + kEps));
  }
  const double gap = surrogate_gap(setting.inputs, levels, state, gradient, ratio);
  const Long here(w.begin(), w.end());
  const Long best = surrogate.minimiser(here);
  const long double primal = surrogate.at(here), above = primal - surrogate.at(best);
  // No room for rounding: the gap includes it. Where lambda is 0 the dual needs c = 0: what is left of it is
  // charged for coefficients up to twice those of w.
  long double room = 0.0L;
  for (Index s = 0; s < state.size(); ++s) {
    const Index j = state.column(s);
    const long double beyond = std::fabs(best[j]) - 2.0L * std::fabs(here[j]);
    if (surrogate.lambda[j] == 0.0) room += std::fabs(state.c[s]) * std::max(beyond, 0.0L);
  }
  CHECK_AT_MOST(above, gap + room);
  CHECK_AT_MOST(0.0L, gap);
  return gap / primal;
}
}  // namespace

TEST("certificate: the gap of the surrogate is at least what is left") {
  Random random(75);
  for (int trial = 0; trial < 80; ++trial) {
    const Index d = 8;
    Setting setting = random_setting(random, 12 + random.below(10), d);
    if (random.chance(0.3)) setting.keep_positive();
    for (const Shape shape : {Shape::kL1, Shape::kLogSum, Shape::kLq}) {
      const check::Note note(name(shape) + ", " + setting.problem.text() + ", trial " +
                             std::to_string(trial));
      const auto penalty = make_penalty(shape);
      Levels levels(penalty.get(), {}, d);
      levels.set(alpha_at(setting, *penalty, random.between(0.05, 0.9)), {});
      std::vector<Index> inside;
      for (Index j = 0; j < d; ++j) {
        if (random.chance(0.7) && setting.design->norm2(j) > 0.0) inside.push_back(j);
      }
      // Anywhere: the slopes of these penalties are positive, so that the dual point is feasible.
      State state = setting.state_on(inside);
      if (random.chance(0.3)) leave_gram(state);
      Vector w = random.normals(state.size());
      for (double& x : w) {
        x *= random.chance(0.5) ? std::pow(10.0, random.between(-4.0, 0.0)) : 0.0;
        if (setting.positive()) x = std::fabs(x);
      }
      place_at(setting.inputs, state, w);
      check_gap(setting, levels, state);
    }
  }
}

// At stationary points, also of penalties whose slope is zero somewhere, and with unpenalised features.
TEST("certificate: the gap of the surrogate vanishes where nothing is left") {
  Random random(76);
  for (int trial = 0; trial < 40; ++trial) {
    const Index d = 8;
    const Setting setting = random_setting(random, 20 + random.below(10), d);
    for (const Shape shape : kEveryShape) {
      const check::Note note(name(shape) + ", " + setting.problem.text() + ", trial " +
                             std::to_string(trial));
      const auto penalty = make_penalty(shape);
      const Vector pi = trial % 2 == 0 ? Vector() : Vector{1.0, 0.0, 1.0, 2.0, 0.5, 1.0, 1.0, 1.0};
      Levels levels(penalty.get(), pi, d);
      levels.set(alpha_at(setting, *penalty, random.between(0.05, 0.9)), {});
      State state = setting.state_on_all();
      sparsieve::NewtonArrays arrays;
      sparsieve::Progress progress;
      sparsieve::GramNewton(setting.inputs, levels, state, arrays)
          .minimise(1e-11 * levels.slope0(), progress);
      sparsieve::model_of(state).anchor(setting.inputs, state);
      // With a violation of 1e-11 of slope(0), and slopes that are no smaller than a hundredth of it or
      // zero: the scale of the dual point is off by 1e-9.
      CHECK_AT_MOST(check_gap(setting, levels, state), 1e-8L);
    }
  }
}

// -------------------------------------------------------------------------------- convexity

namespace {
// The smallest eigenvalue of a symmetric matrix by Jacobi's rotations.
long double smallest_eigenvalue(std::vector<Long> a) {
  const std::size_t k = a.size();
  for (int round = 0; round < 12; ++round) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t q = p + 1; q < k; ++q) {
        if (a[p][q] == 0.0L) continue;
        const long double theta = (a[q][q] - a[p][p]) / (2.0L * a[p][q]);
        const long double t =
            (theta >= 0.0L ? 1.0L : -1.0L) / (std::fabs(theta) + std::sqrt(theta * theta + 1.0L));
        const long double c = 1.0L / std::sqrt(t * t + 1.0L), s = t * c;
        for (std::size_t i = 0; i < k; ++i) {
          const long double x = a[i][p], y = a[i][q];
          a[i][p] = c * x - s * y;
          a[i][q] = s * x + c * y;
        }
        for (std::size_t i = 0; i < k; ++i) {
          const long double x = a[p][i], y = a[q][i];
          a[p][i] = c * x - s * y;
          a[q][i] = s * x + c * y;
        }
      }
    }
  }
  long double smallest = kInf;
  for (std::size_t p = 0; p < k; ++p) smallest = std::min(smallest, a[p][p]);
  return smallest;
}

// Whether F is strictly convex on the support at w: the claim, and the truth where it is beyond doubt.
// Returns 1 for "yes, rightly", -1 for "no, rightly", 0 where the Hessian is nearly singular.
int check_convexity(const Setting& setting, const Levels& levels, const State& state) {
  SupportGradient gradient;
  gradient.compute(setting.inputs, levels, state);
  const bool claimed = strictly_convex(setting.inputs, levels.penalty(), state, gradient, 0.0);
  const auto& support = state.point.support;
  std::vector<Long> hessian(support.size(), Long(support.size()));
  double largest = 0.0, flattest = 1.0;
  for (std::size_t p = 0; p < support.size(); ++p) {
    const Index j = state.column(support[p]);
    for (std::size_t q = 0; q < support.size(); ++q) {
      hessian[p][q] = setting.problem.product(j, state.column(support[q]));
    }
    hessian[p][p] +=
        static_cast<long double>(gradient.penalty.curvature[p]) + setting.inputs.ridge.of(j);
    largest = std::max(largest, setting.design->norm2(j) + setting.inputs.ridge.of(j));
    flattest = std::max(flattest, setting.design->raw_norm(j) / setting.design->norm(j));
  }
  const long double smallest = smallest_eigenvalue(hessian);
  // The errors of the entries and of their factor, k of them in each row, are taken off the diagonal before
  // the factor is made, and are in it once more. Jacobi in long double is off by far less.
  const double k = static_cast<double>(support.size());
  const double roundings =
      2.0 * sparsieve::product_roundings(setting.problem.n()) * flattest + k + 4.0;
  const long double doubt = 2.0L * kEps * k * roundings * largest;
  if (smallest > doubt) {
    CHECK(claimed);
    return 1;
  }
  if (smallest < 16.0L * std::numeric_limits<long double>::epsilon() * largest) {
    CHECK(!claimed);
    return -1;
  }
  return 0;
}
}  // namespace

TEST("certificate: strictly convex only where the Hessian is positive definite") {
  Random random(77);
  int yes = 0, no = 0;
  for (int trial = 0; trial < 150; ++trial) {
    Setting setting = random_setting(random, 10 + random.below(30), 20);
    if (random.chance(0.3)) setting.set_ridge(random, random.between(0.01, 1.0), false);
    for (const Shape shape : kEveryShape) {
      const check::Note note(name(shape) + ", " + setting.problem.text() + ", trial " +
                             std::to_string(trial));
      const auto penalty = make_penalty(shape);
      Levels levels(penalty.get(), {}, 20);
      levels.set(alpha_at(setting, *penalty, random.between(0.02, 0.9)), {});
      State state = setting.state_on_all();
      if (random.chance(0.5)) leave_gram(state);
      Vector w = random.normals(state.size());
      const double share = random.uniform();
      for (double& x : w) x *= random.chance(share) ? 3.0 : 0.0;
      place_at(setting.inputs, state, w);
      const int answer = check_convexity(setting, levels, state);
      yes += answer > 0;
      no += answer < 0;
    }
  }
  CHECK(yes > 100 && no > 100);
}

// As many centred columns as rows cannot be independent. With rows of uneven weights the rounding errors of
// their last pivot are far larger than those of a single sum.
TEST("certificate: too few rows are not strictly convex") {
  Random random(79);
  for (int trial = 0; trial < 400; ++trial) {
    const Index n = 20;
    const Matrix x = make_columns(random, {n, n, false, 0.4});
    const Vector omega = problems::make_weights(random, n, Weights::kUneven);
    const Setting setting(Problem(Kind::kDouble, x, omega, true), random);
    const auto penalty = make_penalty(Shape::kL1);
    Levels levels(penalty.get(), {}, n);
    levels.set(0.1, {});
    State state = setting.state_on_all();
    if (trial % 2 == 0) leave_gram(state);
    place_at(setting.inputs, state, Vector(n, 1.0));
    SupportGradient gradient;
    gradient.compute(setting.inputs, levels, state);
    CHECK(!strictly_convex(setting.inputs, levels.penalty(), state, gradient, 0.0));
  }
}

TEST("certificate: equal columns are not strictly convex") {
  Random random(78);
  const Matrix x = make_columns(random, {40, 12, true});
  for (const Kind kind : {Kind::kDouble, Kind::kSparse}) {
    for (const bool centre : {false, true}) {
      Setting setting(Problem(kind, x, Vector(40, 1.0 / 40.0), centre), random);
      const auto penalty = make_penalty(Shape::kL1);
      Levels levels(penalty.get(), {}, 12);
      levels.set(0.1, {});
      for (const bool with_gram : {true, false}) {
        State state = setting.state_on_all();
        if (!with_gram) leave_gram(state);
        SupportGradient gradient;
        place_at(setting.inputs, state, Vector(12, 1.0));  // columns 2 and 3 are equal
        gradient.compute(setting.inputs, levels, state);
        CHECK(!strictly_convex(setting.inputs, levels.penalty(), state, gradient, 0.0));
        place_at(setting.inputs, state, {1.0, 1.0, 0.0, 1.0});
        gradient.compute(setting.inputs, levels, state);
        CHECK(strictly_convex(setting.inputs, levels.penalty(), state, gradient, 0.0));
        place_at(setting.inputs, state, {});
        gradient.compute(setting.inputs, levels, state);
        CHECK(strictly_convex(setting.inputs, levels.penalty(), state, gradient,
                              0.0));  // nobody is there
      }
      // A ridge makes equal columns convex.
      setting.set_ridge(random, 0.1, false);
      State state = setting.state_on_all();
      SupportGradient gradient;
      place_at(setting.inputs, state, Vector(12, 1.0));
      gradient.compute(setting.inputs, levels, state);
      CHECK(strictly_convex(setting.inputs, levels.penalty(), state, gradient, 0.0));
    }
  }
}

// One column of norm 1 and a coefficient near a kink or a bend: what holds on one side only is not claimed,
// neither at the kink nor within the doubt about where the minimum is.
TEST("certificate: nothing is claimed across a kink or a bend of the penalty") {
  Random random(80);
  Matrix x(2, 1);
  x.at(0, 0) = 1.0;
  x.at(1, 0) = -1.0;
  Setting setting(Problem(Kind::kDouble, x, Vector(2, 0.5), false), random);
  const auto claimed = [&](Shape shape, double alpha, double w, double violation) {
    const auto penalty = make_penalty(shape);
    Levels levels(penalty.get(), {}, 1);
    levels.set(alpha, {});
    State state = setting.state_on_all();
    place_at(setting.inputs, state, {w});
    SupportGradient gradient;
    gradient.compute(setting.inputs, levels, state);
    return strictly_convex(setting.inputs, levels.penalty(), state, gradient, violation);
  };
  // make_penalty's capped l1 has its kink where its slope falls to zero.
  const auto capped = make_penalty(Shape::kCappedL1);
  double kink = 1.0, value, slope, curvature;
  for (double step = 0.5; step > 1e-12; step *= 0.5) {
    const double alpha = 0.1, t = kink;
    capped->evaluate(&t, &alpha, 1, &value, &slope, &curvature);
    kink += slope > 0.0 ? step : -step;
  }
  CHECK(!claimed(Shape::kCappedL1, 0.1, kink, 0.0));
  CHECK(!claimed(Shape::kCappedL1, 0.1, kink * (1.0 - 1e-8), 0.0));
  CHECK(!claimed(Shape::kCappedL1, 0.1, kink * (1.0 + 1e-8), 0.0));
  CHECK(claimed(Shape::kCappedL1, 0.1, 0.9 * kink, 0.0));
  CHECK(claimed(Shape::kCappedL1, 0.1, 1.1 * kink, 0.0));
  CHECK(!claimed(Shape::kCappedL1, 0.1, 1.1 * kink, 0.1 * kink));  // a step of that size crosses it
}
