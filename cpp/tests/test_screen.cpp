// The screen never misses a violator: its answers along walks of residuals, against brute force.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "problems.hpp"
#include "sparsieve/screen/screen.hpp"
#include "sparsieve/threads/threads.hpp"
#include "walks.hpp"

namespace {
using problems::Design;
using problems::Index;
using problems::kEps;
using problems::Kind;
using problems::make_design;
using problems::Matrix;
using problems::Problem;
using problems::Random;
using problems::ShadowUse;
using problems::Weighted;
using problems::Weights;
using sparsieve::Answer;
using sparsieve::Screen;
using sparsieve::Violator;
using walks::asked_about;
using walks::make_question;
using walks::Question;
using walks::Truth;
using walks::Vector;
using walks::Walk;

// -------------------------------------------------------------------------------- answers

// How the columns of some questions were settled: a test that never uses a shadow proves nothing about it.
struct Tally {
  Index asked = 0, by_bound = 0, by_shadow = 0, by_reading = 0, violators = 0;
  void add(const Answer& answer) {
    ++asked;
    by_bound += answer.by_bound;
    by_shadow += answer.by_shadow;
    by_reading += answer.by_reading;
    violators += static_cast<Index>(answer.violators.size());
  }
};

// How far the screen may misjudge a column that it has read: by the rounding of a correlation, which the
// design promises (see test_columns.cpp), and that of comparing it with the threshold.
long double doubt(const Design& design, const Question& q, const Truth& truth, Index j) {
  return design.rounding(j) * truth.norm + 4.0L * kEps * (q.threshold[j] + q.slack);
}

long double excess(const Question& q, const Truth& truth, Index j) {
  const long double c = truth.correlation[j];
  const int side = q.sides.empty() ? 0 : q.sides[j];
  return (side == 0 ? std::fabs(c) : side * c) - q.threshold[j];
}

// The ratio is a bound for every column, however it was settled. It is made of intervals with their
// roundings in them; one division is left.
void check_ratio(const Design& design, const Question& q, const Truth& truth, double ratio) {
  for (Index j = 0; j < design.d(); ++j) {
    if (!asked_about(design, q, j) || !(q.threshold[j] > 0.0)) continue;
    const long double reached = excess(q, truth, j) + q.threshold[j];
    CHECK_AT_MOST(reached / q.threshold[j], ratio * (1.0L + 2.0L * kEps));
  }
}

void check_found(const Design& design, const Question& q, const Truth& truth,
                 const std::vector<Violator>& found) {
  for (const Violator& v : found) {
    CHECK(asked_about(design, q, v.column));
    CHECK_CLOSE(v.correlation, truth.correlation[v.column],
                design.rounding(v.column) * std::sqrt(q.weighted.norm2));
    CHECK_AT_MOST(q.slack, excess(q, truth, v.column) + doubt(design, q, truth, v.column));
  }
}

void check_answer(const Design& design, const Answer& answer, const Question& q,
                  const Truth& truth) {
  const std::vector<Violator>& found = answer.violators;
  check_found(design, q, truth, found);
  check_ratio(design, q, truth, answer.ratio);
  // Violators that are found end the search, unless everything is asked for.
  if (!q.complete && !found.empty()) return;
  std::vector<char> returned(design.d(), 0);
  for (const Violator& v : found) {
    CHECK(!returned[v.column]);
    returned[v.column] = 1;
  }
  long double most = 0.0L;
  for (Index j = 0; j < design.d(); ++j) {
    if (!asked_about(design, q, j) || returned[j]) continue;
    const long double over = excess(q, truth, j), room = doubt(design, q, truth, j);
    CHECK_AT_MOST(over, q.slack + room);
    CHECK_AT_MOST(over, answer.worst_kept);  // no room: it includes the rounding of what was read
    most = std::max(most, room);
  }
  CHECK_AT_MOST(answer.worst_kept, q.slack + 2.0L * most);
  const Index outside = static_cast<Index>(q.known.size()) + q.excluded;
  CHECK(answer.by_bound + answer.by_shadow + answer.by_reading == design.d() - outside);
}

// ----------------------------------------------------------------------------------- walks

// Start a screen as a solver does: with the correlations of the first pass.
void start(Screen& screen, const Problem& problem, const Design& design, const Vector& r) {
  const Weighted weighted = problems::weigh(design, r);
  Vector correlations(problem.d());
  std::vector<Index> all;
  for (Index j = 0; j < problem.d(); ++j) all.push_back(j);
  design.correlate(weighted, all.data(), problem.d(), correlations.data());
  screen.start(r, weighted, correlations);
}

Tally walk(const Problem& problem, ShadowUse use, int steps, std::uint64_t seed) {
  Random random(seed);
  const auto design = make_design(problem, 1, use);
  Walk path(problem, random);
  Screen screen(*design);
  start(screen, problem, *design, path.now());
  Tally tally;
  for (int step = 0; step < steps; ++step) {
    const check::Note note("step " + std::to_string(step));
    const Vector r = path.next();
    const Truth truth(problem, r);
    const Question q = make_question(problem, *design, r, truth, random);
    const Answer answer = screen.ask(q.query());
    check_answer(*design, answer, q, truth);
    tally.add(answer);
  }
  return tally;
}

Problem make_problem(Kind kind, Index n, Index d, Weights weights, bool centre,
                     std::uint64_t seed) {
  Random random(seed);
  Vector omega = problems::make_weights(random, n, weights);
  omega[0] = omega[1] = 1.0;  // something is left to see
  Matrix x = problems::mixed_columns(random, n, d, kind);
  if (random.chance(0.5)) problems::spoil_rows_without_weight(random, x, omega);
  return Problem(kind, x, omega, centre);
}

// Walks on problems of one size, for every weight and centring.
Tally walk_on_all(Kind kind, Index n, Index d, ShadowUse use, int steps, std::uint64_t seed) {
  Tally sum;
  for (const Weights weights : problems::kEveryWeights) {
    for (const bool centre : {false, true}) {
      const Problem problem = make_problem(kind, n, d, weights, centre, ++seed);
      const check::Note note(problem.text() + ", weights " + problems::name(weights) + ", seed " +
                             std::to_string(seed));
      const Tally t = walk(problem, use, steps, seed);
      sum.asked += t.asked;
      sum.by_bound += t.by_bound;
      sum.by_shadow += t.by_shadow;
      sum.by_reading += t.by_reading;
      sum.violators += t.violators;
    }
  }
  // Each way to settle a column was taken often.
  CHECK(sum.by_bound > sum.asked);
  CHECK(sum.by_reading > sum.asked);
  CHECK(sum.violators > sum.asked);
  return sum;
}
}  // namespace

TEST("screen: dense columns too few for a shadow") {
  for (const Index n : {3, 20, 90}) {
    for (const Kind kind : {Kind::kDouble, Kind::kFloat}) {
      CHECK(walk_on_all(kind, n, 150, ShadowUse::kLazy, 60, 100).by_shadow == 0);
    }
  }
}

TEST("screen: dense columns with a shadow") {
  for (const ShadowUse use : {ShadowUse::kAtFirst, ShadowUse::kLazy}) {
    // X is larger than a quarter of a megabyte, below which nobody asks a shadow.
    CHECK(walk_on_all(Kind::kDouble, 110, 330, use, 60, 200).by_shadow > 1000);
    CHECK(walk_on_all(Kind::kFloat, 110, 650, use, 40, 300).by_shadow > 1000);
    CHECK(walk_on_all(Kind::kDouble, 40, 900, use, 40, 400).by_shadow > 1000);
  }
}

TEST("screen: dense columns with fine bits") {
  CHECK(walk_on_all(Kind::kDouble, 4100, 24, ShadowUse::kAtFirst, 30, 500).by_shadow > 100);
  CHECK(walk_on_all(Kind::kFloat, 4100, 24, ShadowUse::kAtFirst, 30, 600).by_shadow > 100);
}

TEST("screen: sparse columns") {
  for (const Kind kind : problems::kEveryKind) {
    if (!problems::is_sparse(kind)) continue;
    for (const Index n : {3, 25, 150}) {
      CHECK(walk_on_all(kind, n, 400, ShadowUse::kLazy, 40, 700).by_shadow == 0);
    }
  }
}

// ------------------------------------------------------------------------- rough residuals

namespace {
// Of a rough residual the screen promises this: if it finds nobody and leaves nobody undecided, there is no
// violator at the true one. And its ratio is a bound there too.
Index rough_walk(const Problem& problem, int steps, std::uint64_t seed) {
  Random random(seed);
  const auto design = make_design(problem, 1, ShadowUse::kAtFirst);
  CHECK(design->has_shadow());
  Walk path(problem, random);
  Screen screen(*design);
  start(screen, problem, *design, path.now());
  Index proofs = 0;
  for (int step = 0; step < steps; ++step) {
    const check::Note note("step " + std::to_string(step));
    const Vector r = path.next();
    const Truth truth(problem, r);
    Question q = make_question(problem, *design, r, truth, random);
    if (random.chance(0.7)) {
      walks::make_rough(problem, *design, truth, random, q);
      q.weighted = problems::weigh(*design, q.r);
    }
    const Answer answer = screen.ask(q.query());
    const std::vector<Violator>& found = answer.violators;
    if (!q.rough) {
      check_answer(*design, answer, q, truth);
      continue;
    }
    // Where it does not know how rough the residual is, the bound is one for that residual itself.
    check_ratio(*design, q, q.error > 0.0 ? truth : Truth(problem, q.r), answer.ratio);
    if (!q.query().proves() || !found.empty() || answer.undecided > 0) continue;
    ++proofs;
    for (Index j = 0; j < problem.d(); ++j) {
      if (!asked_about(*design, q, j)) continue;
      CHECK_AT_MOST(excess(q, truth, j), doubt(*design, q, truth, j));
    }
  }
  return proofs;
}
}  // namespace

TEST("screen: rough residuals") {
  Index proofs = 0;
  for (const bool centre : {false, true}) {
    for (const Weights weights : problems::kEveryWeights) {
      const Problem wide = make_problem(Kind::kDouble, 110, 330, weights, centre, 31);
      const Problem tall = make_problem(Kind::kFloat, 4100, 24, weights, centre, 32);
      for (const Problem* problem : {&wide, &tall}) {
        const check::Note note(problem->text() + ", weights " + problems::name(weights));
        proofs += rough_walk(*problem, problem == &wide ? 60 : 30, 33);
      }
    }
  }
  CHECK(proofs > 50);
}

// --------------------------------------------------------------------------------- threads

namespace {
// Thresholds relative to the largest that a correlation may be; when quiet, so high that bounds settle all.
Question plain_question(const Design& design, const Vector& r, bool quiet, Random& random) {
  Question q;
  q.r = r;
  q.weighted = problems::weigh(design, r);
  const double size = std::sqrt(q.weighted.norm2), level = random.between(0.1, 1.0);
  for (Index j = 0; j < design.d(); ++j) {
    const double share = quiet ? random.between(4.0, 5.0) : level * random.uniform();
    q.threshold.push_back(share * size * design.norm(j));
    q.excluded += design.norm2(j) == 0.0;
  }
  q.slot.assign(design.d(), -1);
  q.complete = random.chance(0.5);
  return q;
}

// All answers of a walk. With `brute` they are also compared with the truth, which takes longer.
Vector answers(const Problem& problem, int threads, bool brute) {
  const sparsieve::ThreadPool pool;  // as in a solve: threads that stay from one loop to the next
  Random random(41);
  const auto design = make_design(problem, threads, ShadowUse::kAtFirst);
  Walk path(problem, random);
  Screen screen(*design);
  start(screen, problem, *design, path.now());
  Vector told;
  for (int step = 0; step < 8; ++step) {
    const Vector r = path.next();
    const Question q = plain_question(*design, r, step % 3 == 1, random);
    const Answer answer = screen.ask(q.query());
    const std::vector<Violator>& found = answer.violators;
    if (brute) check_answer(*design, answer, q, Truth(problem, r));
    for (const Violator& v : found) {
      told.push_back(static_cast<double>(v.column));
      told.push_back(v.correlation);
    }
    for (const Index count :
         {answer.by_bound, answer.by_shadow, answer.by_reading, static_cast<Index>(found.size())}) {
      told.push_back(static_cast<double>(count));
    }
    told.push_back(answer.ratio);
    told.push_back(answer.worst_kept);
    for (const Index j : screen.likely(q.threshold, 0.7, {}, {}, 100)) {
      told.push_back(static_cast<double>(j));
    }
  }
  return told;
}
}  // namespace

// The screen gives a thread 32768 columns at least, so there are more than three times that.
TEST("screen: the same bits with several threads") {
  for (const Kind kind : {Kind::kFloat, Kind::kSparse}) {
    const Problem problem = make_problem(kind, 36, 100003, Weights::kUneven, true, 40);
    const Vector alone = answers(problem, 1, true);
    for (const int threads : {2, 3}) {
      const check::Note note(problem.text() + ", " + std::to_string(threads) + " threads");
      const Vector shared = answers(problem, threads, false);
      CHECK(shared.size() == alone.size() &&
            std::memcmp(shared.data(), alone.data(), alone.size() * sizeof(double)) == 0);
    }
  }
}

// ----------------------------------------------------------------------------- corner cases

TEST("screen: the likely ones") {
  const Problem problem = make_problem(Kind::kDouble, 60, 700, Weights::kUneven, true, 50);
  Random random(51);
  const auto design = make_design(problem);
  Screen screen(*design);
  const Vector r = random.normals(problem.n());
  start(screen, problem, *design, r);
  const Truth truth(problem, r);
  Vector threshold = walks::make_thresholds(truth, random);
  const std::vector<Index> left_out = random.some(50, problem.d());
  std::vector<Index> slot(problem.d(), -1);
  for (const Index j : left_out) slot[j] = j;
  const double share = 0.5;
  const auto reached = [&](Index j) { return truth.size(j) / threshold[j]; };
  const std::vector<Index> all = screen.likely(threshold, share, {}, left_out, problem.d());
  const std::vector<Index> few = screen.likely(threshold, share, {}, left_out, 10);
  Index expected = 0;
  for (Index j = 0; j < problem.d(); ++j) {
    const bool counts = slot[j] < 0 && design->norm2(j) > 0.0 && threshold[j] > 0.0;
    expected += counts && reached(j) > share;
  }
  CHECK(static_cast<Index>(all.size()) == expected);
  CHECK(few == std::vector<Index>(all.begin(), all.begin() + 10));
  // Correlations are known up to rounding, which is far below 1e-12 of them.
  for (std::size_t k = 1; k < all.size(); ++k) {
    CHECK_AT_MOST(reached(all[k]), reached(all[k - 1]) + 1e-12 * reached(all[k - 1]));
  }
}

// A bound that is not a number proves nothing: not "above the threshold", but "not below it".
TEST("screen: what is not a number is not settled") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Index count = 21;  // whole vectors of eight and a rest
  for (Index odd = 0; odd < count; ++odd) {
    for (int which = 0; which < 3; ++which) {
      Vector centre(count, 0.5), radius(count, 0.1), threshold(count, 1.0);
      (which == 0 ? centre : which == 1 ? radius : threshold)[odd] = nan;
      std::vector<Index> out(count, -1);
      CHECK(sparsieve::interval_kernels().beyond(centre.data(), radius.data(), threshold.data(),
                                                 1.0, count, out.data()) == 1);
      CHECK(out[0] == odd);
    }
  }
}

// A residual of zero has no violator, whatever is asked, and no reference that could divide by its norm.
TEST("screen: a residual of zero") {
  for (const Kind kind : {Kind::kDouble, Kind::kSparse}) {
    const Problem problem = make_problem(kind, 50, 800, Weights::kEven, true, 60);
    Random random(61);
    const auto design = make_design(problem);
    Walk path(problem, random);
    Screen screen(*design);
    start(screen, problem, *design, Vector(problem.n(), 0.0));
    for (int step = 0; step < 30; ++step) {
      const Vector r = step % 3 == 0 ? Vector(problem.n(), 0.0) : path.next();
      const Truth truth(problem, r);
      Question q = make_question(problem, *design, r, truth, random);
      const Answer answer = screen.ask(q.query());
      const std::vector<Violator>& found = answer.violators;
      check_answer(*design, answer, q, truth);
      if (step % 3 == 0) CHECK(found.empty());
    }
  }
}
