// What swaps are found with: thresholds of jumps, who is like whom, and moves of single coefficients, against
// sums over all rows.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "check.hpp"
#include "sparsieve/outer/moves.hpp"
#include "sparsieve/outer/neighbours.hpp"
#include "strengths.hpp"

namespace {
using namespace strengths;
using problems::make_weights;
using problems::mixed_columns;
using sparsieve::Alike;
using sparsieve::Moves;
using sparsieve::Neighbours;
using sparsieve::place_at;
using sparsieve::ShadowUse;

// ---------------------------------------------------------------------------- neighbours

// Exactly those above the share, up to those so close to it that rounding decides.
void check_alike(const Problem& problem, const Alike& alike, Index i, double share) {
  CHECK(alike.share <= share);
  CHECK(std::is_sorted(alike.columns.begin(), alike.columns.end()));
  CHECK(alike.columns.size() == alike.products.size());
  std::size_t at = 0;
  for (Index j = 0; j < problem.d(); ++j) {
    const bool found = at < alike.columns.size() && alike.columns[at] == j;
    const long double product = problem.product(i, j);
    // Sums of products with their means taken off are off by some roundings of the raw norms.
    const long double size = problem.raw_norm(i) * problem.raw_norm(j);
    const long double room = 1e-13L * size;
    const long double limit = alike.share * problem.norm(i) * problem.norm(j);
    // The engine's own margin is 1e-9, so that nobody is left out by rounding.
    if (std::fabs(product) > limit + room && j != i) CHECK(found);
    if (std::fabs(product) < limit * (1.0L - 2e-9L) - room || j == i) CHECK(!found);
    if (found) CHECK_CLOSE(alike.products[at++], product, room);
  }
  CHECK(at == alike.columns.size());
}

void check_neighbours(const Problem& problem, const Design& design, Random& random) {
  Neighbours neighbours;
  const std::vector<Index> features = random.some(6, problem.d());
  Vector asked(problem.d(), 1.0);
  for (const double share : {0.9, 0.5, 0.95, 0.3, 0.0}) {
    std::vector<Neighbours::Wanted> wanted;
    for (const Index i : features) {
      if (random.chance(0.3) && share > 0.0) continue;  // they keep what was learned before
      wanted.push_back({i, share});
      asked[i] = std::min(asked[i], share);
    }
    neighbours.learn(design, wanted, {});
    for (const auto& [i, unused] : wanted) {
      const check::Note note(std::to_string(i) + " at " + std::to_string(asked[i]));
      CHECK(neighbours.of(i).share == asked[i]);
      check_alike(problem, neighbours.of(i), i, asked[i]);
    }
  }
  // Little is known: nothing is forgotten, and nothing has to be read again.
  neighbours.forget_all_but({features[0]}, design);
  const sparsieve::Bytes before = design.bytes_read();
  neighbours.learn(design, {{features[1], 0.2}, {features[2], 0.0}}, {});
  CHECK(design.bytes_read() == before);
}
}  // namespace

TEST("search: neighbours are those above the share, in every storage") {
  Random random(81);
  for (const Kind kind : problems::kEveryKind) {
    for (const Weights weights : problems::kEveryWeights) {
      const Vector omega = make_weights(random, 40, weights);
      const double share = problems::is_sparse(kind) ? 0.3 : 1.0;
      const Problem alike(kind, alike_columns(random, 40, 300, share), omega, random.chance(0.5));
      const Problem mixed(kind, mixed_columns(random, 40, 150, kind), omega, random.chance(0.5));
      for (const Problem* problem : {&alike, &mixed}) {
        const check::Note note(problem->text() + ", " + problems::name(weights));
        const auto design = problems::make_design(*problem, 1, ShadowUse::kNever);
        check_neighbours(*problem, *design, random);
      }
    }
  }
}

TEST("search: neighbours by the shadow") {
  Random random(82);
  for (const Kind kind : {Kind::kDouble, Kind::kFloat}) {
    for (const Weights weights : problems::kEveryWeights) {
      const Vector omega = make_weights(random, 110, weights);
      const Problem problem(kind, alike_columns(random, 110, 700, 1.0), omega, random.chance(0.5));
      const check::Note note(problem.text() + ", " + problems::name(weights));
      const auto design = problems::make_design(problem, 1, ShadowUse::kAtFirst);
      CHECK(design->has_shadow());
      check_neighbours(problem, *design, random);
      const sparsieve::Bytes before = design->column_bytes_read();
      Neighbours().learn(*design, {{3, 0.9}}, {});
      CHECK(design->column_bytes_read() - before < design->bytes() / 4);  // the bits rule most out
    }
  }
}

TEST("search: neighbours are forgotten when they are many") {
  Random random(83);
  const Vector omega(12, 1.0 / 12.0);
  const Problem problem(Kind::kDouble, alike_columns(random, 12, 1500, 1.0), omega, false);
  const auto design = problems::make_design(problem, 1, ShadowUse::kNever);
  Neighbours neighbours;
  std::vector<Neighbours::Wanted> everybody;
  for (Index i = 0; i < 1000; ++i) everybody.push_back({i, 0.0});  // with all others: 1.5 million
  neighbours.learn(*design, everybody, {});
  neighbours.forget_all_but({7, 9}, *design);
  check_alike(problem, neighbours.of(7), 7, 0.0);
  const sparsieve::Bytes before = design->bytes_read();
  neighbours.learn(*design, {{7, 0.1}, {9, 0.5}}, {});
  CHECK(design->bytes_read() == before);
  neighbours.learn(*design, {{8, 0.5}}, {});
  CHECK(design->bytes_read() > before);
  CHECK(neighbours.of(8).share == 0.5);
}

// --------------------------------------------------------------------------------- moves

namespace {
// The falls that are announced at the point of `moves`, against F.
void check_falls(const Setting& setting, const Fit& fit, const Moves& moves) {
  const Truth truth = truth_of(setting, fit, moves.w());
  const Vector falls = moves.falls(fit.target.levels.jump_thresholds(curvatures_of(fit)));
  for (Index s = 0; s < fit.state.size(); ++s) {
    const Index j = fit.state.column(s);
    CHECK_CLOSE(falls[s], truth.moves(j) ? truth.fall(j) : 0.0L, kNoise * at_zero(setting));
  }
}

// Whether a move that was announced to bring `fall` does, and that one below `least` was not made.
void check_move(bool moved, long double fall, double least, long double before, long double now,
                long double noise) {
  if (std::fabs(fall - least) > noise) CHECK(moved == (fall > least));
  CHECK_CLOSE(before - now, moved ? fall : 0.0L, noise);
  CHECK_AT_MOST(now, before);
}

void check_moves(const Setting& setting, Fit& fit, Random& random) {
  const long double noise = kNoise * at_zero(setting);
  Moves moves(fit);
  for (int step = 0; step < 12; ++step) {
    const check::Note note("step " + std::to_string(step));
    check_falls(setting, fit, moves);
    const Index out = random.below(fit.state.size()), in = random.below(fit.state.size());
    const Truth truth = truth_of(setting, fit, moves.w());
    const Index i = fit.state.column(out), j = fit.state.column(in);
    // Moves have to bring something, or a tie could go either way; some have to bring very much.
    const double least = static_cast<double>(at_zero(setting)) * (random.chance(0.8) ? 1e-6 : 0.05);
    const Vector before = moves.w();
    if (random.chance(0.5)) {
      const bool moved = moves.jump(out, least);
      check_move(moved, truth.fall(i), least, truth.objective(),
                 truth_of(setting, fit, moves.w()).objective(), noise);
    } else if (truth.w(i) == 0.0 || truth.w(j) != 0.0) {
      CHECK(!moves.swap(out, in, least));
    } else {
      const bool moved = moves.swap(out, in, least);
      check_move(moved, truth.swap(i, j), least, truth.objective(),
                 truth_of(setting, fit, moves.w()).objective(), noise);
      if (moved) CHECK(moves.w()[out] == 0.0);
      if (!moved) CHECK(same_bits(moves.w(), before));
    }
    for (const double w : moves.w()) CHECK(fit.sides().empty() || w >= 0.0);
  }
  check_falls(setting, fit, moves);
}
}  // namespace

TEST("search: moves lower F by what they say") {
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    Random random(8400 + seed);
    const Kind kind = problems::kEveryKind[seed % 3];
    const Matrix x = alike_columns(random, 30, 60, problems::is_sparse(kind) ? 0.4 : 1.0);
    const Vector omega = make_weights(random, 30, problems::kEveryWeights[random.below(3)]);
    Setting setting(Problem(kind, x, omega, random.chance(0.5)), random);
    if (random.chance(0.3)) setting.set_ridge(random, 0.1, random.chance(0.5));
    const Shape shape = kEveryShape[random.below(6)];
    const auto penalty = make_penalty(shape);
    const bool positive = random.chance(0.3), gram = random.chance(0.6);
    const check::Note note("seed " + std::to_string(seed) + ", " + name(shape) + ", " +
                           setting.problem.text() + (gram ? ", Gram" : ""));
    const double alpha = alpha_at(setting, *penalty, random.between(0.1, 0.6));
    Fit fit = make_fit(setting, *penalty, alpha,
                       random.chance(0.5) ? Vector{} : feature_weights(random, 60), positive);
    std::vector<Index> columns;
    for (const Index j : random.some(12, 60)) {
      if (!fit.is_barred(j)) columns.push_back(j);
    }
    fit.model().grow(fit.inputs, fit.state, columns);
    if (!gram) sparsieve::leave_gram(fit.state);
    Vector w(columns.size(), 0.0);
    for (double& v : w) v = random.chance(0.5) ? random.normal() : 0.0;
    place_at(fit.inputs, fit.state, w);
    fit.model().settle(fit.inputs, fit.state, 0.0);
    for (Index s = 0; s < fit.state.size(); ++s) {
      const Truth truth = truth_of(setting, fit, fit.state.point.w);
      CHECK_CLOSE(cost_of_leaving(fit, s), truth.cost_of_leaving(fit.state.column(s)),
                  kNoise * at_zero(setting));
    }
    check_moves(setting, fit, random);
  }
}

// ------------------------------------------------------------------------------ thresholds

TEST("search: thresholds of jumps are rounded down, by 1 % at most") {
  Random random(86);
  const Index d = 200;
  for (const Shape shape : kEveryShape) {
    for (const bool weighted : {false, true}) {
      const check::Note note(name(shape));
      const auto penalty = make_penalty(shape);
      Levels levels(penalty.get(), weighted ? feature_weights(random, d) : Vector{}, d);
      levels.set(std::pow(10.0, random.between(-3.0, 2.0)), {});
      Vector h(d, 0.0);
      for (Index j = 1; j < d; ++j) h[j] = std::pow(10.0, random.between(-8.0, 8.0));
      for (Index j = 1; j < 40; ++j)
        h[j] = std::exp2(random.below(20) - 10.0);  // where steps begin
      const Vector jump = levels.jump_thresholds({h, levels.weights()});
      for (Index j = 0; j < d; ++j) {
        if (h[j] == 0.0 || levels.threshold(j) == 0.0 || std::isinf(levels.threshold(j))) {
          CHECK(jump[j] == levels.threshold(j));
          continue;
        }
        const double strength = levels.strength(j);
        double own;
        penalty->jump_thresholds(&h[j], &strength, 1, &own);
        // Both sides are computed, by Newton steps for some penalties: a few roundings.
        CHECK_AT_MOST(jump[j], own * (1.0 + 1e-12));
        CHECK_AT_MOST(0.99 * own, jump[j]);
        CHECK_AT_MOST(jump[j], levels.threshold(j));
      }
    }
  }
}
