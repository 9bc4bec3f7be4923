// A copy of a state, and of a whole fit, goes on to the same bits as the original.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "settings.hpp"
#include "sparsieve/outer/solver.hpp"

namespace {
using namespace settings;
using sparsieve::keep_slots;
using sparsieve::LazyDesign;
using sparsieve::leave_gram;
using sparsieve::model_of;
using sparsieve::ShadowUse;
using sparsieve::SlotIndex;
using sparsieve::SolveOptions;
using sparsieve::Solver;
using sparsieve::SolveResult;
using sparsieve::SolverParts;
using sparsieve::WorkingSet;

void check_same(const WorkingSet& a, const WorkingSet& b) {
  CHECK(a.columns() == b.columns());
  CHECK(a.has_gram() == b.has_gram());
  for (Index s = 0; s < a.size(); ++s) {
    if (!a.has_gram() || !b.has_gram()) continue;
    CHECK(std::memcmp(a.gram(s), b.gram(s), a.size() * sizeof(double)) == 0);
  }
}

// All bits of a state; those of the factor as a solve shows them.
void check_same(const State& a, const State& b) {
  check_same(a.set, b.set);
  CHECK(same_bits(a.point.w, b.point.w));
  CHECK(same_bits(a.point.w_read, b.point.w_read));
  CHECK(a.point.sign == b.point.sign);
  CHECK(a.point.place == b.point.place);
  CHECK(a.point.support == b.point.support);
  CHECK(a.point.exact == b.point.exact);
  CHECK(a.point.stale == b.point.stale);
  CHECK(same_bits(a.point.fit, b.point.fit));
  CHECK(same_bits(a.point.residual.r, b.point.residual.r));
  CHECK(same_bits(a.point.residual.weighted.v, b.point.residual.weighted.v));
  CHECK(same_bits(a.point.residual.weighted.sum, b.point.residual.weighted.sum));
  CHECK(same_bits(a.point.residual.weighted.norm2, b.point.residual.weighted.norm2));
  CHECK(same_bits(a.c, b.c));
  CHECK(same_bits(a.pull, b.pull));
  CHECK(same_bits(a.pull_error, b.pull_error));
  CHECK(same_bits(a.known_error, b.known_error));
  CHECK(a.by_column == b.by_column);
  CHECK(a.anchored == b.anchored);
  const Index k = a.point.factor.size();
  CHECK(k == b.point.factor.size());
  Vector ones(k, 1.0), one_by_a(k), one_by_b(k);
  a.point.factor.solve(ones.data(), one_by_a.data());
  b.point.factor.solve(ones.data(), one_by_b.data());
  CHECK(same_bits(one_by_a, one_by_b));
}

// Something that a solver does to its state; the same for the same random numbers.
void change(const Inputs& inputs, State& state, Random random) {
  const Index d = inputs.design->d(), m = state.size();
  std::vector<Index> fresh;
  switch (random.below(6)) {
    case 0:
      for (const Index j : random.some(1 + random.below(20), d)) {
        if (!SlotIndex(state.set).contains(j) && inputs.design->norm2(j) > 0.0) fresh.push_back(j);
      }
      return model_of(state).grow(inputs, state, fresh);
    case 1: {
      // Features that are not zero stay, and those that are a part of the residual.
      if (state.point.stale) model_of(state).anchor(inputs, state);
      std::vector<Index> slots;
      for (Index s = 0; s < m; ++s) {
        if (state.point.place[s] >= 0 || random.chance(0.6)) slots.push_back(s);
      }
      return keep_slots(state, slots);
    }
    case 2:
      if (state.set.has_gram()) return leave_gram(state);
      sparsieve::return_to_gram(inputs, state);
      return;
    case 3:
      return model_of(state).settle(inputs, state, 1e-8);
    default: {
      Vector w = random.normals(m);
      for (double& x : w) x = random.chance(0.5) ? x : 0.0;
      return sparsieve::place_at(inputs, state, w);
    }
  }
}
}  // namespace

TEST("state: a copy goes on to the same bits") {
  for (const Kind kind : {Kind::kDouble, Kind::kSparse}) {
    Random random(31);
    const Matrix x =
        make_columns(random, {30, 60, true, 0.3, problems::is_sparse(kind) ? 0.3 : 1.0});
    const Vector omega = problems::make_weights(random, 30, Weights::kUneven);
    Setting setting(Problem(kind, x, omega, true), random);
    setting.set_ridge(random, 0.1, true);
    State state = setting.state_on(random.some(20, 60));
    for (int step = 0; step < 60; ++step) {
      const check::Note note(problems::name(kind) + ", step " + std::to_string(step));
      State copy = state, assigned = setting.state_on({0, 1, 2});
      assigned = state;
      check_same(state, copy);
      const Random same = random;
      change(setting.inputs, state, same);
      change(setting.inputs, copy, same);
      change(setting.inputs, assigned, same);
      check_same(state, copy);
      check_same(state, assigned);
      random.bits();
      // What happens to a copy does not reach the original.
      const State before = state;
      change(setting.inputs, copy, random);
      change(setting.inputs, assigned, random);
      check_same(state, before);
    }
  }
}

TEST("working set: slots, and memory that X's number of columns does not enter") {
  Random random(32);
  const Setting setting(
      Problem(Kind::kDouble, make_columns(random, {20, 300}), Vector(20, 0.05), false), random);
  for (const bool with_gram : {true, false}) {
    WorkingSet set;
    if (!with_gram) set.drop_gram();
    std::vector<Index> inside;  // in the order they came
    for (int step = 0; step < 40; ++step) {
      std::vector<Index> fresh;
      for (const Index j : random.some(random.below(30), 300)) {
        if (std::find(inside.begin(), inside.end(), j) == inside.end()) fresh.push_back(j);
      }
      std::reverse(fresh.begin(), fresh.end());
      set.grow(*setting.design, fresh);
      inside.insert(inside.end(), fresh.begin(), fresh.end());
      if (step % 3 == 2) {
        const auto slots = random.some(set.size() / 2, set.size());
        std::vector<Index> kept;
        for (const Index s : slots) kept.push_back(inside[s]);
        inside = kept;
        set.keep(slots);
      }
      CHECK(set.columns() == inside);
      for (Index j = 0; j < 300; ++j) {
        const auto at = std::find(inside.begin(), inside.end(), j);
        CHECK(SlotIndex(set).contains(j) == (at != inside.end()));
        CHECK(SlotIndex(set).slot(j) == (at == inside.end() ? -1 : at - inside.begin()));
      }
    }
  }
}

// With so many rows the fresh columns come in batches of 32, and after each of them it is asked.
TEST("working set: a matrix that was not finished leaves the slots as they were") {
  Random random(33);
  const Index n = 70000, d = 40;
  Matrix x(n, d);
  for (double& v : x.values) v = random.between(-1.0, 1.0);
  const Problem problem(Kind::kSparse, x, Vector(n, 1.0 / static_cast<double>(n)), false);
  const auto design = problems::make_design(problem);
  WorkingSet set;
  set.drop_gram();
  std::vector<Index> all(d);
  std::iota(all.rbegin(), all.rend(), Index{0});
  set.grow(*design, all);
  const WorkingSet before = set;
  CHECK(!set.regain_gram(*design, [] { return true; }));
  check_same(set, before);
  CHECK(set.regain_gram(*design, [] { return false; }));
  WorkingSet other;
  other.grow(*design, all, [] { return true; });
  CHECK(other.size() == 32 && other.has_gram());
  for (Index s = 0; s < 32; ++s) CHECK(SlotIndex(other).slot(all[s]) == s);
  CHECK(!SlotIndex(other).contains(all[32]));
  other.grow(*design, {all.begin() + 32, all.end()});
  check_same(set, other);
}

// -------------------------------------------------------------------------------- whole fits

namespace {
struct Path {
  Shape shape = Shape::kMcp;
  ShadowUse shadow = ShadowUse::kNever;
  bool from_lasso = false, positive = false, unpenalised = false;
  std::string text() const {
    return name(shape) + (shadow == ShadowUse::kNever ? "" : ", shadow") +
           (from_lasso ? ", from a lasso" : "") + (positive ? ", positive" : "") +
           (unpenalised ? ", unpenalised" : "");
  }
};

Solver make_solver(const Setting& setting, const Path& path,
                   std::shared_ptr<const Penalty> penalty) {
  const problems::Problem& problem = setting.problem;
  LazyDesign design(problem.storage, sparsieve::SampleWeights(problem.omega, problem.centre), 1,
                    path.shadow);
  SolverParts parts{&design, setting.z, std::move(penalty), {}};
  if (path.positive) parts.terms.lower.assign(setting.problem.d(), 0.0);
  if (path.unpenalised) {
    parts.weights.emplace(problem.d(), 1.0);
    (*parts.weights)[1] = (*parts.weights)[4] = 0.0;
    (*parts.weights)[2] = kInf;
    (*parts.weights)[7] = 0.5;
  }
  return Solver(std::move(parts));
}

// Ten alphas below alpha_max, where slope(0) is the largest correlation.
Vector make_alphas(const Solver& solver, const Penalty& penalty) {
  double largest = 0.0;
  for (const double c : solver.null_correlations()) largest = std::max(largest, std::fabs(c));
  double zero = 0.0, one = 1.0, value, slope, curvature;
  penalty.evaluate(&zero, &one, 1, &value, &slope, &curvature);  // slope(0) is linear in alpha
  Vector alphas;
  for (int k = 0; k < 10; ++k) alphas.push_back(largest / slope * std::pow(0.75, k + 1));
  return alphas;
}

// What a solver answers for one alpha, all bits of it.
struct Solved {
  SolveResult result;
  std::vector<Index> columns;
  Vector coef;
  sparsieve::Bytes bytes = 0;  // read meanwhile
};

Solved solve(Solver& solver, const Path& path, double alpha) {
  SolveOptions options;
  options.tol = 1e-7;
  Solved out;
  const sparsieve::Bytes before = solver.design().bytes_read();
  if (path.from_lasso) solver.start_from_lasso(alpha, 1.0, options);
  out.result = solver.solve(alpha, options);
  solver.solution(out.columns, out.coef);
  out.bytes = solver.design().bytes_read() - before;
  return out;
}

void check_same(const Solved& a, const Solved& b) {
  CHECK(a.columns == b.columns);
  CHECK(same_bits(a.coef, b.coef));
  CHECK(a.result.status == b.result.status);
  CHECK(same_bits(a.result.kkt, b.result.kkt));
  CHECK(same_bits(a.result.gap, b.result.gap));
  CHECK(same_bits(a.result.objective, b.result.objective));
  CHECK(same_bits(a.result.deviance, b.result.deviance));
  CHECK(a.result.iterations == b.result.iterations);
  CHECK(a.result.convex == b.result.convex);
  CHECK(a.result.by_bound == b.result.by_bound);
  CHECK(a.result.by_shadow == b.result.by_shadow);
  CHECK(a.result.by_reading == b.result.by_reading);
  CHECK(a.result.counters.rounds == b.result.counters.rounds);
  CHECK(a.result.counters.epochs == b.result.counters.epochs);
  CHECK(a.result.counters.solves == b.result.counters.solves);
  CHECK(a.bytes == b.bytes);
}

// The path in one go, and in a copy from every third alpha on, also when another copy went somewhere else
// entirely meanwhile, or when that one is overwritten. Returns the epochs over columns that it took.
Index check_copies(const Setting& setting, const Path& path) {
  const check::Note note(path.text() + ", " + setting.problem.text());
  const std::shared_ptr<const Penalty> penalty = make_penalty(path.shape);
  Solver whole = make_solver(setting, path, penalty);
  const Vector alphas = make_alphas(whole, *penalty);
  std::vector<Solved> expected;
  for (const double alpha : alphas) expected.push_back(solve(whole, path, alpha));
  CHECK(expected.back().columns.size() > 3);
  Solver original = make_solver(setting, path, penalty);
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    if (k % 3 == 1) {
      Solver copy = original, disturbed = original;
      solve(disturbed, path, 0.1 * alphas[k]);
      disturbed.warm_start({0, 3}, {1.0, 2.0});
      for (std::size_t rest = k; rest < alphas.size(); ++rest) {
        check_same(solve(copy, path, alphas[rest]), expected[rest]);
      }
      disturbed = original;
      check_same(solve(disturbed, path, alphas[k]), expected[k]);
    }
    check_same(solve(original, path, alphas[k]), expected[k]);
  }
  Index epochs = 0;
  for (const Solved& each : expected) epochs += each.result.counters.epochs;
  return epochs;
}
}  // namespace

// As large as a shadow needs, and with enough rows for its fine bits.
TEST("fit: a copy goes on to the same bits, dense") {
  Random random(34);
  const Matrix x = make_columns(random, {150, 400});
  const Vector omega = problems::make_weights(random, 150, Weights::kUneven);
  const Setting plain(Problem(Kind::kDouble, x, omega, true), random);
  const Setting shadowed(Problem(Kind::kDouble, x, omega, true), random, ShadowUse::kAtFirst);
  CHECK(shadowed.design->has_shadow());
  for (const bool from_lasso : {false, true}) {
    check_copies(plain, {Shape::kMcp, ShadowUse::kNever, from_lasso});
    check_copies(shadowed, {Shape::kLogSum, ShadowUse::kAtFirst, from_lasso});
    check_copies(plain, {Shape::kScad, ShadowUse::kNever, from_lasso, true, true});
  }
}

// With three entries per column the Gram matrix is left on the way: only then are there epochs.
TEST("fit: a copy goes on to the same bits, sparse") {
  Random random(35);
  const Matrix x = make_columns(random, {500, 800, false, 0.0, 0.006});
  const Vector omega = problems::make_weights(random, 500, Weights::kSomeZero);
  const Setting setting(Problem(Kind::kSparse, x, omega, true), random);
  for (const bool from_lasso : {false, true}) {
    CHECK(check_copies(setting, {Shape::kMcp, ShadowUse::kNever, from_lasso}) > 0);
    check_copies(setting, {Shape::kL1, ShadowUse::kNever, from_lasso, false, true});
  }
}

// Coefficients are moved into their bounds, so that no point outside them can be certified.
TEST("fit: a start obeys the bounds") {
  Random random(36);
  const Matrix x = make_columns(random, {60, 40});
  const Setting setting(Problem(Kind::kDouble, x, Vector(60, 1.0 / 60.0), true), random);
  const Path path{Shape::kL1, ShadowUse::kNever, false, true};
  const std::shared_ptr<const Penalty> penalty = make_penalty(path.shape);
  Solver solver = make_solver(setting, path, penalty);
  const double alpha = make_alphas(solver, *penalty)[4];
  solver.warm_start({0, 3, 5}, {-1.0, -1.0, 1.0});
  for (const double w : solve(solver, path, alpha).coef) CHECK(w > 0.0);
  bool refused = false;
  try {
    solver.warm_start({0, 40}, {1.0, 1.0});
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}
