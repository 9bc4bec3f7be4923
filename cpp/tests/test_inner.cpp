// The inner solvers: both lower F, both reach their target, and where F is convex both end at its minimum.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "settings.hpp"
#include "sparsieve/inner/column_descent.hpp"
#include "sparsieve/inner/gram_newton.hpp"

namespace {
using namespace settings;
using sparsieve::ColumnDescent;
using sparsieve::GramNewton;
using sparsieve::model_of;
using sparsieve::NewtonArrays;
using sparsieve::Progress;
using sparsieve::Status;

enum class Solver { kGram, kColumns };
constexpr Solver kBoth[] = {Solver::kGram, Solver::kColumns};
std::string name(Solver solver) { return solver == Solver::kGram ? "Gram matrix" : "columns"; }

// ------------------------------------------------------------------------------- the cases

// A small problem of some kind: dense or sparse, wide or tall, with twins, a ridge, bounds, weights of the
// features, sample weights and centring, all by chance.
struct Case {
  Setting setting;
  Vector weights;  // of the features
  std::string text;
};

Case random_case(Random& random, Kind kind) {
  const bool wide = random.chance(0.5), twins = random.chance(0.3), ridge = random.chance(0.4);
  const Index n = wide ? 20 : 50, d = wide ? 60 : 30;
  const bool centre = random.chance(0.5), sparse = problems::is_sparse(kind);
  const Matrix x = make_columns(random, {n, d, twins, 0.4, sparse ? 0.3 : 1.0});
  const Vector omega = problems::make_weights(random, n, problems::kEveryWeights[random.below(3)]);
  Case out{Setting(Problem(kind, x, omega, centre), random), {}, ""};
  if (ridge) out.setting.set_ridge(random, random.between(0.001, 0.1), random.chance(0.5));
  const bool positive = random.chance(0.3), weighted = random.chance(0.4);
  const bool bounded = !positive && random.chance(0.4);
  if (positive) out.setting.keep_positive();
  if (bounded) out.setting.set_bounds(random);
  if (weighted) {
    out.weights.assign(d, 1.0);
    for (double& weight : out.weights) weight = random.between(0.5, 1.5);
    out.weights[1] = out.weights[4] = 0.0;
  }
  out.text = out.setting.problem.text() + (twins ? ", twins" : "") +
             (positive ? ", positive" : "") + (bounded ? ", bounded" : "") +
             (weighted ? ", unpenalised" : "") + (ridge ? ", ridge" : "") +
             (out.setting.inputs.ridge.centre.empty() ? "" : " around a centre");
  return out;
}

Levels make_levels(const Case& on, const Penalty& penalty, double share) {
  Levels levels(&penalty, on.weights, on.setting.problem.d());
  levels.set(alpha_at(on.setting, penalty, share), {});
  return levels;
}

// Somewhere, within the bounds.
Vector random_start(Random& random, const Setting& setting, const State& state) {
  Vector w = random.normals(state.size());
  for (double& x : w) {
    x = random.chance(0.3) ? 0.3 * x : 0.0;
    if (setting.positive()) x = std::fabs(x);
  }
  return w;
}

State start_at(const Setting& setting, Solver solver, const Vector& w) {
  State state = setting.state_on_all();
  if (solver == Solver::kColumns) leave_gram(state);
  sparsieve::place_at(setting.inputs, state, w);
  return state;
}

Status minimise(const Setting& setting, const Levels& levels, Solver solver, double target,
                State& state, Progress& progress) {
  if (solver == Solver::kColumns) {
    return ColumnDescent(setting.inputs, levels, state).minimise(target, progress);
  }
  NewtonArrays arrays;
  return GramNewton(setting.inputs, levels, state, arrays).minimise(target, progress);
}

// ------------------------------------------------------------------------------ tolerances

// How far from the truth correlations may be that come from the Gram matrix: by the bound that the solver
// itself counts with, twice, because w moves after `pull` was formed.
double correlation_noise(const Setting& setting, const State& state) {
  if (!state.set.has_gram()) return state.known_error;
  return 2.0 * (gram_noise(setting.inputs, state, state.point.w) + state.pull_error);
}

// By how much F may rise, and differ from what a solver thinks, in so many steps. A step is taken if F falls
// by what sums of rounded terms say: of the loss (n / 8 roundings in a row and a few more), of one term for
// each feature, and of correlations, which are off by their noise, times the step. Steps are no longer than
// the coefficients themselves.
long double rise(const Setting& setting, const State& state, long double objective, Index steps) {
  const double roundings =
      16.0 + static_cast<double>(setting.problem.n()) / 8.0 + static_cast<double>(state.size());
  long double length = 0.0L;
  for (const double w : state.point.w) length += std::fabs(w);
  const long double each =
      kEps * roundings * objective + correlation_noise(setting, state) * length;
  return each * static_cast<long double>(steps + 1);
}

void check_bounds(const Setting& setting, const State& state) {
  for (Index s = 0; s < state.size(); ++s) {
    const sparsieve::Bounds bounds = setting.inputs.box.of(state.column(s));
    CHECK(state.point.w[s] >= bounds.lower && state.point.w[s] <= bounds.upper);
  }
}

// The arrays that say which slots are at work belong to w. Nobody needs the sign of a feature that is free.
void check_support(const Setting& setting, const Levels& levels, const State& state) {
  const auto& at = state.point;
  std::vector<Index> support = at.support, expected;
  std::sort(support.begin(), support.end());
  for (Index s = 0; s < state.size(); ++s) {
    if (at.w[s] != 0.0) {
      expected.push_back(s);
      const bool free = is_free(setting.inputs, levels, state.column(s));
      CHECK(free || at.sign[s] == (at.w[s] > 0.0 ? 1 : -1));
    }
    if (at.place[s] >= 0) CHECK(at.support[at.place[s]] == s);
  }
  CHECK(std::includes(support.begin(), support.end(), expected.begin(), expected.end()));
}

// Minimise and check what every solver promises: returns F at the end.
long double check_minimise(const Case& on, const Levels& levels, Solver solver, State& state) {
  const Setting& setting = on.setting;
  const double target = 1e-8 * levels.slope0();
  const long double before = true_objective(setting, levels, state);
  Progress progress;
  const Status status = minimise(setting, levels, solver, target, state, progress);
  CHECK(status == Status::kConverged);
  check_bounds(setting, state);
  check_support(setting, levels, state);
  CHECK_AT_MOST(worst_violation(setting, levels, state),
                target + correlation_noise(setting, state));
  const long double after = true_objective(setting, levels, state);
  CHECK_AT_MOST(after, before + rise(setting, state, before, progress.iterations));
  return after;
}
}  // namespace

TEST("inner: every solver reaches its target, and both agree on the lasso") {
  for (const Kind kind : {Kind::kDouble, Kind::kSparse}) {
    Random random(51);
    const auto penalty = make_penalty(Shape::kL1);
    for (int trial = 0; trial < 60; ++trial) {
      const Case on = random_case(random, kind);
      const check::Note note(on.text + ", trial " + std::to_string(trial));
      const Levels levels = make_levels(on, *penalty, random.between(0.02, 0.7));
      const Vector start = random_start(random, on.setting, on.setting.state_on_all());
      State by_gram = start_at(on.setting, Solver::kGram, start);
      State by_columns = start_at(on.setting, Solver::kColumns, start);
      const long double one = check_minimise(on, levels, Solver::kGram, by_gram);
      const long double other = check_minimise(on, levels, Solver::kColumns, by_columns);
      // F is convex: it differs by no more than its derivatives, at most the target and their errors here,
      // times the way from one to the other; and by the rounding of its own sum.
      long double way = 0.0L;
      for (Index s = 0; s < by_gram.size(); ++s) {
        way += std::fabs(by_gram.point.w[s] - by_columns.point.w[s]);
      }
      const double slack = 1e-8 * levels.slope0() + correlation_noise(on.setting, by_gram) +
                           correlation_noise(on.setting, by_columns);
      CHECK_CLOSE(one, other, slack * way + 4.0L * kEps * one);
    }
  }
}

TEST("inner: stationary points of concave penalties") {
  for (const Kind kind : {Kind::kDouble, Kind::kSparse}) {
    Random random(52);
    for (int trial = 0; trial < 20; ++trial) {
      const Case on = random_case(random, kind);
      for (const Shape shape : kEveryShape) {
        const auto penalty = make_penalty(shape);
        const Levels levels = make_levels(on, *penalty, random.between(0.05, 0.7));
        const Vector start = random_start(random, on.setting, on.setting.state_on_all());
        for (const Solver solver : kBoth) {
          const check::Note note(name(shape) + ", " + name(solver) + ", " + on.text + ", trial " +
                                 std::to_string(trial));
          State state = start_at(on.setting, solver, start);
          check_minimise(on, levels, solver, state);
        }
      }
    }
  }
}

// F after one iteration, after two, and so on.
TEST("inner: no iteration raises the objective") {
  Random random(53);
  for (int trial = 0; trial < 40; ++trial) {
    const Case on = random_case(random, trial % 2 == 0 ? Kind::kDouble : Kind::kSparse);
    for (const Shape shape : kEveryShape) {
      const auto penalty = make_penalty(shape);
      const Levels levels = make_levels(on, *penalty, random.between(0.05, 0.5));
      const Vector start = random_start(random, on.setting, on.setting.state_on_all());
      for (const Solver solver : kBoth) {
        const check::Note note(name(shape) + ", " + name(solver) + ", " + on.text);
        State state = start_at(on.setting, solver, start);
        long double before = true_objective(on.setting, levels, state);
        for (Index most = 1; most <= 12; ++most) {
          Progress progress;
          progress.max_iter = most;
          state = start_at(on.setting, solver, start);
          const Status status = minimise(on.setting, levels, solver, 0.0, state, progress);
          CHECK(status == Status::kIterations ? progress.iterations == most
                                              : progress.iterations <= most);
          const long double now = true_objective(on.setting, levels, state);
          CHECK_AT_MOST(now, before + rise(on.setting, state, before, 1));
          before = now;
        }
      }
    }
  }
}

// So many trials that Newton stalls in some of them and coordinate descent has to help.
TEST("inner: recorded objectives fall to the true one") {
  Random random(54);
  for (int trial = 0; trial < 120; ++trial) {
    const Case on = random_case(random, Kind::kDouble);
    const check::Note note(on.text);
    const auto penalty = make_penalty(Shape::kMcp);
    const Levels levels = make_levels(on, *penalty, 0.2);
    State state = start_at(on.setting, Solver::kGram, {});
    Progress progress;
    progress.record = true;
    minimise(on.setting, levels, Solver::kGram, 1e-8 * levels.slope0(), state, progress);
    const auto& seen = progress.objectives;
    CHECK(static_cast<Index>(seen.size()) == progress.iterations + 1);
    for (std::size_t k = 1; k < seen.size(); ++k) {
      CHECK_AT_MOST(seen[k], seen[k - 1] + rise(on.setting, state, seen[0], 0));
    }
    const long double truth = true_objective(on.setting, levels, state);
    CHECK_CLOSE(seen.back(), truth, rise(on.setting, state, seen[0], progress.iterations));
  }
}

// --------------------------------------------------------------------------------- pruning

TEST("inner: pruning lowers the objective and leaves a sound state") {
  for (const Kind kind : {Kind::kDouble, Kind::kSparse}) {
    Random random(55);
    const auto l1 = make_penalty(Shape::kL1);
    for (int trial = 0; trial < 12; ++trial) {
      const Case on = random_case(random, kind);
      for (const Shape shape : {Shape::kMcp, Shape::kScad, Shape::kLogSum, Shape::kCappedL1}) {
        const auto penalty = make_penalty(shape);
        const Levels levels = make_levels(on, *penalty, random.between(0.05, 0.5));
        for (const Solver solver : kBoth) {
          const check::Note note(name(shape) + ", " + name(solver) + ", " + on.text);
          State state = start_at(on.setting, solver, {});
          Progress progress;
          minimise(on.setting, levels.lasso(1.0), solver, 1e-6 * levels.slope0(), state, progress);
          model_of(state).anchor(on.setting.inputs, state);
          const long double before = true_objective(on.setting, levels, state);
          NewtonArrays arrays;
          Progress limits;
          if (solver == Solver::kColumns) {
            ColumnDescent(on.setting.inputs, levels, state).prune(kInf, limits);
          } else {
            GramNewton(on.setting.inputs, levels, state, arrays).prune(kInf, limits);
            check_factor(on.setting, state);
          }
          check_bounds(on.setting, state);
          check_support(on.setting, levels, state);
          // At most sixty epochs.
          const long double after = true_objective(on.setting, levels, state);
          CHECK_AT_MOST(after, before + rise(on.setting, state, before, 60));
          const Vector w = coefficients(on.setting, state);
          const Long r = true_residual(on.setting, w);
          for (Index s = 0; s < state.size(); ++s) {
            const Index j = state.column(s);
            CHECK_CLOSE(state.c[s], true_correlation(on.setting, r, j, w[j]), state.known_error);
          }
        }
      }
    }
  }
}

// ------------------------------------------------------------------------------ being ended

TEST("inner: a solver that is stopped leaves a sound state") {
  Random random(56);
  for (int trial = 0; trial < 10; ++trial) {
    Case on = random_case(random, trial % 2 == 0 ? Kind::kDouble : Kind::kSparse);
    const auto penalty = make_penalty(Shape::kMcp);
    const Levels levels = make_levels(on, *penalty, 0.1);
    for (const Solver solver : kBoth) {
      for (const int calls : {0, 1, 2, 5}) {
        const check::Note note(name(solver) + ", " + on.text + ", " + std::to_string(calls));
        State state = start_at(on.setting, solver, {});
        const long double before = true_objective(on.setting, levels, state);
        int left = calls;
        on.setting.inputs.poll = [&] { return left-- <= 0; };
        Progress progress;
        const Status status = minimise(on.setting, levels, solver, 0.0, state, progress);
        on.setting.inputs.poll = nullptr;
        CHECK((status == Status::kInterrupted) == (left < 0));  // else it was done before
        check_support(on.setting, levels, state);
        const long double after = true_objective(on.setting, levels, state);
        CHECK_AT_MOST(after, before + rise(on.setting, state, before, progress.iterations));
      }
    }
  }
}

TEST("inner: negligible coefficients are dropped, others are not") {
  Random random(57);
  const Case on = random_case(random, Kind::kDouble);
  const auto penalty = make_penalty(Shape::kL1);
  Vector weights(on.setting.problem.d(), 1.0);
  weights[0] = 0.0;  // unpenalised, so that it stays
  Levels levels(penalty.get(), weights, on.setting.problem.d());
  levels.set(0.1, {});
  const double pull = 1e-3;
  State state = start_at(on.setting, Solver::kGram, {});
  Vector w(state.size(), 0.0);
  const auto at_most = [&](Index s, double share) { return share * pull / state.set.gram(s)[s]; };
  w[0] = at_most(0, 0.5);
  w[3] = at_most(3, -0.999);
  w[5] = at_most(5, 1.001);
  w[6] = at_most(6, -1.001);
  w[8] = at_most(8, 0.5);
  sparsieve::place_at(on.setting.inputs, state, w);
  drop_negligible(on.setting.inputs, levels, state, pull);
  check_support(on.setting, levels, state);
  check_factor(on.setting, state);
  w[3] = w[8] = 0.0;
  CHECK(state.point.w == w);
  CHECK(state.point.support.size() == 3);
}
