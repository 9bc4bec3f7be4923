// Swaps, and the search that makes them: nothing that pays is missed, and what is said of a point holds, by
// brute force over every coordinate and every pair.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sparsieve/outer/descent.hpp"
#include "sparsieve/outer/search.hpp"
#include "sparsieve/outer/solver.hpp"
#include "sparsieve/outer/swaps.hpp"
#include "strengths.hpp"

namespace {
using namespace strengths;
using problems::make_weights;
using sparsieve::Descent;
using sparsieve::LazyDesign;
using sparsieve::Minimum;
using sparsieve::Neighbours;
using sparsieve::Search;
using sparsieve::ShadowUse;
using sparsieve::SolveOptions;
using sparsieve::Solver;
using sparsieve::SolveResult;
using sparsieve::SolverParts;
using sparsieve::Status;
using sparsieve::Swap;
using sparsieve::SwapSearch;

// From some coefficients to a point where no single one can be moved any more.
void bring_to_rest(Fit& fit, Neighbours& neighbours, Random& random) {
  std::vector<Index> columns;
  Vector w;
  for (const Index j : random.some(25, fit.inputs.design->d())) {
    if (fit.is_barred(j)) continue;
    columns.push_back(j);
    w.push_back(20.0 * random.normal() / fit.inputs.design->norm(j));
  }
  fit.model().grow(fit.inputs, fit.state, columns);
  sparsieve::place_at(fit.inputs, fit.state, w);
  SolveOptions options;
  options.minimum = Minimum::kCoordinatewise;
  SolveResult result;
  Descent(fit, fit.target, options, false, false).run(result);
  CHECK(result.status == Status::kConverged);
  Search(fit, curvatures_of(fit), neighbours, options).run(result);
  CHECK(result.minimum == Minimum::kCoordinatewise);
}

// All swaps of the support's features against those that are found; counts what there was to be found.
Index check_swaps(const Setting& setting, Fit& fit, Neighbours& neighbours, double least) {
  fit.model().settle(fit.inputs, fit.state, 0.0);
  const Levels& levels = fit.target.levels;
  const Vector jump = levels.jump_thresholds(curvatures_of(fit));
  const std::vector<Swap> found = SwapSearch(fit, neighbours, jump, least).find();
  const Truth truth = truth_of(setting, fit, fit.state.point.w);
  const long double noise = kNoise * at_zero(setting);
  Index count = 0;
  for (const Index s : fit.state.point.support) {
    const Index i = fit.state.column(s);
    const auto mine = std::find_if(found.begin(), found.end(), [&](auto& f) { return f.out == s; });
    if (!truth.penalised(i)) {
      CHECK(mine == found.end());
      continue;
    }
    const check::Note note("the place of " + std::to_string(i));
    const long double best = truth.best_swap(i);
    if (best > least + noise) CHECK(mine != found.end());
    if (mine == found.end()) continue;
    ++count;
    CHECK(mine->fall > least);
    CHECK(truth.w(mine->in) == 0.0 && truth.moves(mine->in));
    CHECK_CLOSE(mine->fall, best, noise);
    CHECK_CLOSE(mine->fall, truth.swap(i, mine->in), noise);
  }
  CHECK(count == static_cast<Index>(found.size()));
  for (std::size_t k = 1; k < found.size(); ++k) CHECK(found[k].fall <= found[k - 1].fall);
  return count;
}
}  // namespace

TEST("search: every swap that pays is found") {
  Index found = 0, points = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(8500 + seed);
    const Kind kind = problems::kEveryKind[seed % 3];
    const bool shadow = seed % 5 == 0;
    const Index n = shadow ? 100 : 30 + random.below(30),
                d = shadow ? 600 : 300 + random.below(200);
    const Matrix x = alike_columns(random, n, d, problems::is_sparse(kind) ? 0.4 : 1.0);
    const Vector omega =
        make_weights(random, n, random.chance(0.7) ? Weights::kEven : Weights::kUneven);
    const Setting setting(Problem(kind, x, omega, random.chance(0.5)), random,
                          shadow ? ShadowUse::kAtFirst : ShadowUse::kNever);
    const Shape shape = concave_shape(random);
    const auto penalty = make_penalty(shape);
    const bool positive = random.chance(0.2);
    const check::Note note("seed " + std::to_string(seed) + ", " + name(shape) + ", " +
                           setting.problem.text() + (positive ? ", positive" : ""));
    const Vector pi = random.chance(0.7) ? Vector{} : feature_weights(random, d);
    const double alpha = alpha_at(setting, *penalty, random.between(0.02, 0.3));
    Neighbours neighbours;
    for (int start = 0; start < 3; ++start) {
      Fit fit = make_fit(setting, *penalty, alpha, pi, positive);
      bring_to_rest(fit, neighbours, random);
      if (random.chance(0.3)) sparsieve::leave_gram(fit.state);
      const double unit = static_cast<double>(at_zero(setting));
      found += check_swaps(setting, fit, neighbours, 1e-6 * unit);
      check_swaps(setting, fit, neighbours, 0.01 * unit);
      ++points;
    }
  }
  CHECK(found > points / 2);  // or the test would say little
}

// ---------------------------------------------------------------------------- whole solves

namespace {
constexpr double kTol = 1e-6;

struct Case {
  Setting setting;
  std::shared_ptr<const Penalty> penalty;
  Vector pi;
  bool positive;
  double alpha;
  Levels levels;
  std::string text;

  explicit Case(Random& random, Index n, Index d, ShadowUse shadow = ShadowUse::kNever)
      : Case(random, n, d, shadow, problems::kEveryKind[random.below(3)], concave_shape(random)) {}
  Case(Random& random, Index n, Index d, ShadowUse shadow, Kind kind, Shape shape)
      : setting(Problem(kind, alike_columns(random, n, d, problems::is_sparse(kind) ? 0.4 : 1.0),
                        make_weights(random, n, Weights::kEven), random.chance(0.5)),
                random, shadow),
        penalty(make_penalty(shape)),
        pi(random.chance(0.7) ? Vector{} : feature_weights(random, d)),
        positive(random.chance(0.2)),
        alpha(alpha_at(setting, *penalty, random.between(0.05, 0.4))),
        levels(penalty.get(), pi, d),
        text(name(shape) + ", " + setting.problem.text() + (positive ? ", positive" : "") +
             (pi.empty() ? "" : ", weighted")) {
    levels.set(alpha, {});
  }
  Solver solver(int threads = 1, ShadowUse shadow = ShadowUse::kNever) const {
    const Problem& problem = setting.problem;
    LazyDesign design(problem.storage, sparsieve::SampleWeights(problem.omega, problem.centre),
                      threads, shadow);
    SolverParts parts{&design, setting.z, penalty, {}};
    if (positive) parts.terms.lower.assign(setting.problem.d(), 0.0);
    if (!pi.empty()) parts.weights = pi;
    return Solver(std::move(parts));
  }
};

// Where a solve may begin.
struct Begun {
  bool lasso;
  std::vector<Index> columns;
  Vector coef;

  Begun(const Case& of, Random& random) : lasso(random.chance(0.3)) {
    for (const Index j : random.some(random.below(20), of.setting.problem.d())) {
      if (!of.pi.empty() && std::isinf(of.pi[j])) continue;
      if (of.setting.design->norm2(j) == 0.0) continue;
      columns.push_back(j);
      const double w = 20.0 * random.normal() / of.setting.design->norm(j);
      coef.push_back(of.positive ? std::fabs(w) : w);
    }
  }
  void put(Solver& solver, double alpha) const {
    if (lasso) return solver.start_from_lasso(alpha, 0.3, {});
    solver.warm_start(columns, coef);
  }
};

struct Ended {
  SolveResult result;
  std::vector<Index> columns;
  Vector coef;
};

Ended solve(const Case& of, const Begun& begun, Minimum minimum, int polls = -1,
            bool exchange = false) {
  Solver solver = of.solver();
  begun.put(solver, of.alpha);
  SolveOptions options;
  options.tol = kTol;
  options.minimum = minimum;
  options.exchange = exchange;
  int asked = 0;
  if (polls >= 0) options.poll = [&] { return ++asked > polls; };
  Ended ended;
  ended.result = solver.solve(of.alpha, options);
  solver.solution(ended.columns, ended.coef);
  return ended;
}

Truth truth_of(const Case& of, const Ended& ended) {
  Vector w(of.setting.problem.d(), 0.0);
  for (std::size_t k = 0; k < ended.coef.size(); ++k) w[ended.columns[k]] = ended.coef[k];
  return {of.setting, of.levels, of.positive, std::move(w)};
}

// What a result says of its point, by brute force.
void check_claims(const Case& of, const Ended& ended) {
  const Truth truth = truth_of(of, ended);
  const long double value = truth.objective(), noise = kNoise * at_zero(of.setting);
  CHECK_CLOSE(ended.result.objective, value, noise);
  if (ended.result.status != Status::kConverged) {
    CHECK(ended.result.minimum == Minimum::kStationary);
    return;
  }
  // The certificate sums in another order: correlations are off by roundings of ||x|| ||z||.
  CHECK_AT_MOST(truth.kkt(), kTol * (1.0 + 1e-3));
  CHECK_AT_MOST(truth.kkt(), ended.result.kkt + 1e-9);
  if (ended.result.minimum == Minimum::kStationary) return;
  // Correlations known up to a tenth of what a move must bring may be wrong by that (search.cpp).
  const long double allowed = 1.2L * kTol * value + noise;
  CHECK_AT_MOST(truth.best_fall(), allowed);
  if (ended.result.minimum == Minimum::kSwap) CHECK_AT_MOST(truth.best_swap(), allowed);
}
}  // namespace

TEST("search: what a solve calls swap-optimal is, and lies below its stationary point") {
  Index lower = 0, jumped = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(8700 + seed);
    const Case of(random, 30 + random.below(30), 100 + random.below(300));
    const check::Note note("seed " + std::to_string(seed) + ", " + of.text);
    for (int start = 0; start < 2; ++start) {
      const Begun begun(of, random);
      const Ended plain = solve(of, begun, Minimum::kStationary);
      const Ended single = solve(of, begun, Minimum::kCoordinatewise);
      const Ended swap = solve(of, begun, Minimum::kSwap);
      CHECK(plain.result.minimum == Minimum::kStationary);
      CHECK(single.result.minimum == Minimum::kCoordinatewise);
      CHECK(swap.result.minimum == Minimum::kSwap);
      for (const Ended* each : {&plain, &single, &swap}) {
        CHECK(each->result.status == Status::kConverged);
        check_claims(of, *each);
      }
      // Each move brings more than tol F; two ways to compute one F differ by roundings only.
      const double room = kNoise * static_cast<double>(at_zero(of.setting));
      CHECK_AT_MOST(single.result.objective, plain.result.objective + room);
      CHECK_AT_MOST(swap.result.objective, single.result.objective + room);
      jumped += single.result.objective < plain.result.objective - room;
      lower += swap.result.objective < single.result.objective - room;
    }
  }
  CHECK(jumped > 10);  // or the test would say little
  CHECK(lower > 20);
}

// The poll is asked at every place in turn; what a stop leaves behind must be what the result says.
TEST("search: a stop at any time keeps a point that was certified") {
  Index weaker = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(8800 + seed);
    const Case of(random, 30, 150);
    const Begun begun(of, random);
    const Ended plain = solve(of, begun, Minimum::kStationary);
    const Ended whole = solve(of, begun, Minimum::kSwap);
    const double room = kNoise * static_cast<double>(at_zero(of.setting));
    bool reached = false;
    for (int polls = 0; polls < 5000 && !reached; ++polls) {
      const check::Note note("seed " + std::to_string(seed) + ", " + of.text + ", stop at " +
                             std::to_string(polls));
      const Ended ended = solve(of, begun, Minimum::kSwap, polls);
      check_claims(of, ended);
      if (ended.result.status != Status::kConverged) continue;
      CHECK_AT_MOST(ended.result.objective, plain.result.objective + room);
      CHECK_AT_MOST(whole.result.objective, ended.result.objective + room);
      reached = ended.result.minimum == Minimum::kSwap;
      weaker += !reached;
    }
    CHECK(reached);
  }
  CHECK(weaker > 20);
}

TEST("search: exchanges lead to swap-optimal points that are lower, often") {
  Index lower = 0, points = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(9000 + seed);
    const Case of(random, 30 + random.below(30), 100 + random.below(300));
    const check::Note note("seed " + std::to_string(seed) + ", " + of.text);
    const Begun begun(of, random);
    const Ended swap = solve(of, begun, Minimum::kSwap);
    const Ended more = solve(of, begun, Minimum::kSwap, -1, /*exchange=*/true);
    const double room = kNoise * static_cast<double>(at_zero(of.setting));
    CHECK(more.result.status == Status::kConverged);
    CHECK(more.result.minimum == Minimum::kSwap);
    check_claims(of, more);
    CHECK_AT_MOST(more.result.objective, swap.result.objective + room);
    lower += more.result.objective < swap.result.objective - room;
    // Nothing weaker is asked to try any.
    const Ended single = solve(of, begun, Minimum::kCoordinatewise);
    const Ended same = solve(of, begun, Minimum::kCoordinatewise, -1, /*exchange=*/true);
    CHECK(single.columns == same.columns && same_bits(single.coef, same.coef));
    ++points;
  }
  CHECK(lower > points / 10);  // or the test would say little
}

TEST("search: where no exchange pays, the point keeps its bits") {
  Index kept = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(9100 + seed);
    const Case of(random, 30, 150);
    const check::Note note("seed " + std::to_string(seed) + ", " + of.text);
    const Begun begun(of, random);
    const Ended swap = solve(of, begun, Minimum::kSwap);
    const Ended more = solve(of, begun, Minimum::kSwap, -1, /*exchange=*/true);
    if (more.columns != swap.columns) continue;
    CHECK(same_bits(more.coef, swap.coef) && same_bits(more.result.kkt, swap.result.kkt));
    CHECK(same_bits(more.result.objective, swap.result.objective));
    ++kept;
  }
  CHECK(kept > 10);
}

TEST("search: a stop during exchanges keeps a point that was certified") {
  Index moved = 0;
  for (std::uint64_t seed = 0; seed < 60 && moved < 5; ++seed) {
    Random random(9200 + seed);
    const Case of(random, 40, 300);
    const Begun begun(of, random);
    const Ended swap = solve(of, begun, Minimum::kSwap);
    const Ended whole = solve(of, begun, Minimum::kSwap, -1, /*exchange=*/true);
    const double room = kNoise * static_cast<double>(at_zero(of.setting));
    const bool lower = whole.result.objective < swap.result.objective - room;
    if (!lower && seed >= 4) continue;  // of those without an exchange, some
    moved += lower;
    double last = 0.0;
    for (int polls = 0; polls < 20000; polls += 1 + polls / 20) {
      const check::Note note("seed " + std::to_string(seed) + ", " + of.text + ", stop at " +
                             std::to_string(polls));
      const Ended ended = solve(of, begun, Minimum::kSwap, polls, /*exchange=*/true);
      check_claims(of, ended);
      last = ended.result.objective;
      if (ended.result.status != Status::kConverged) continue;
      CHECK_AT_MOST(whole.result.objective, last + room);
    }
    CHECK_CLOSE(last, whole.result.objective, room);
  }
  CHECK(moved == 5);
}

TEST("search: the same bits for one and two threads") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(8900 + seed);
    const ShadowUse shadow = seed % 2 == 0 ? ShadowUse::kAtFirst : ShadowUse::kNever;
    const Case of(random, 110, 1200, shadow);
    const check::Note note("seed " + std::to_string(seed) + ", " + of.text);
    Solver one = of.solver(1, shadow), two = of.solver(2, shadow);
    SolveOptions options;
    options.minimum = Minimum::kSwap;
    options.exchange = seed >= 3;
    for (const double share : {1.0, 0.8, 0.5}) {
      std::vector<Index> columns, others;
      Vector coef, theirs;
      const SolveResult a = one.solve(share * of.alpha, options);
      const SolveResult b = two.solve(share * of.alpha, options);
      one.solution(columns, coef);
      two.solution(others, theirs);
      CHECK(columns == others && same_bits(coef, theirs));
      CHECK(same_bits(a.objective, b.objective) && same_bits(a.kkt, b.kkt));
      CHECK(a.minimum == b.minimum && a.iterations == b.iterations);
    }
  }
}
