// The rule of one coordinate: the formulas of rule.hpp carried out in long double, and brute force.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "sparsieve/rule/rule.hpp"

namespace {
using check::Random;
using sparsieve::Bounds;
using sparsieve::Rule;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr long double kLongEps = std::numeric_limits<long double>::epsilon();

// What prox minimises, as its header says it.
struct Cost {
  Rule rule;
  double pull, steep;
  long double curvature() const { return static_cast<long double>(steep) + rule.ridge; }
  long double operator()(long double w) const {
    return 0.5L * curvature() * w * w - pull * w + rule.up * std::max(w, 0.0L) +
           rule.down * std::max(-w, 0.0L);
  }
  // The size of its terms, for rounding errors.
  long double size(long double w) const {
    const long double t = std::fabs(w);
    return 0.5L * curvature() * t * t + (std::fabs(pull) + rule.up + rule.down) * t;
  }
  // No minimiser is farther from zero than this, but for one on a bound; so it lies in [low, high].
  double farthest() const {
    return 2.0 * (std::fabs(pull) + rule.up + rule.down) / static_cast<double>(curvature()) + 1.0;
  }
  // A point of [low, high], at a share of the way.
  double at(double share) const {
    return std::clamp(low() + (high() - low()) * share, rule.lower, rule.upper);
  }
  double low() const { return std::max(rule.lower, std::min(-farthest(), rule.upper - 1.0)); }
  double high() const { return std::min(rule.upper, std::max(farthest(), rule.lower + 1.0)); }
};

// The minimiser on each piece, and the best of them.
long double minimiser(const Cost& cost) {
  const Rule& rule = cost.rule;
  const long double lower = rule.lower, upper = rule.upper, pull = cost.pull;
  const auto clipped = [&](long double w, long double a, long double b) {
    return std::clamp(w, std::max(lower, a), std::min(upper, b));
  };
  std::vector<long double> candidates;
  if (upper >= 0.0L) candidates.push_back(clipped((pull - rule.up) / cost.curvature(), 0.0L, kInf));
  if (lower <= 0.0L) {
    candidates.push_back(clipped((pull + rule.down) / cost.curvature(), -kInf, 0.0L));
  }
  return *std::min_element(candidates.begin(), candidates.end(),
                           [&](long double a, long double b) { return cost(a) < cost(b); });
}

// The lowest value that golden section finds.
long double golden_section(const Cost& cost) {
  const long double share = 0.5L * (std::sqrt(5.0L) - 1.0L);
  long double a = cost.low(), b = cost.high();
  for (int step = 0; step < 120 && a < b; ++step) {
    const long double left = b - share * (b - a), right = a + share * (b - a);
    (cost(left) < cost(right) ? b : a) = cost(left) < cost(right) ? right : left;
  }
  return cost(0.5L * (a + b));
}

// Bounds of every kind: none, one-sided, around zero, apart from it, of a single point.
void random_bounds(Random& random, Rule& rule) {
  const double a = random.normal(), b = a + 2.0 * random.uniform();
  switch (random.below(9)) {
    case 0:
      return;
    case 1:
      rule.lower = 0.0;
      return;
    case 2:
      rule.upper = 0.0;
      return;
    case 3:
      rule.lower = a;
      return;
    case 4:
      rule.upper = a;
      return;
    case 5:
      rule.lower = rule.upper = random.chance(0.3) ? 0.0 : a;
      return;
    default:
      rule.lower = a;
      rule.upper = b;
  }
}

Rule random_rule(Random& random) {
  Rule rule{};
  rule.up = random.chance(0.2) ? 0.0 : random.uniform();
  rule.down = random.chance(0.5) ? rule.up : random.chance(0.2) ? 0.0 : 2.0 * random.uniform();
  if (random.chance(0.05)) rule.up = rule.down = kInf;  // an excluded feature
  rule.lower = -kInf;
  rule.upper = kInf;
  random_bounds(random, rule);
  rule.ridge = random.chance(0.5) ? 0.0 : random.uniform();
  // With infinite slopes only zero has a finite cost, so it has to be allowed.
  if (std::isinf(rule.up) && (rule.lower > 0.0 || rule.upper < 0.0)) rule.up = rule.down = 1.0;
  return rule;
}

Cost random_cost(Random& random) {
  Cost cost{random_rule(random), 2.0 * random.normal(), std::pow(10.0, random.between(-2.0, 1.0))};
  if (random.chance(0.1)) cost.pull = cost.rule.up;  // at the corner
  if (std::isinf(cost.pull)) cost.pull = 1.0;
  return cost;
}

// The bounds as a failure shows them.
std::string text(const Cost& cost) {
  return "[" + check::show(cost.rule.lower) + ", " + check::show(cost.rule.upper) + "], slopes " +
         check::show(cost.rule.down) + " and " + check::show(cost.rule.up) + ", ridge " +
         check::show(cost.rule.ridge) + ", pull " + check::show(cost.pull);
}

// The fall of F per unit of the better way that w can go, by differences. F has the derivative -c without
// its rule; along one piece of it a difference quotient is off by no more than ridge h / 2.
long double fall_by_differences(const Rule& rule, double w, double c, long double h) {
  const Cost cost{rule, c, 0.0};
  long double best = 0.0L;
  if (w < rule.upper) best = std::max(best, (cost(w) - cost(w + h)) / h);
  if (w > rule.lower) best = std::max(best, (cost(w) - cost(w - h)) / h);
  return best;
}
}  // namespace

TEST("rule: prox is the minimiser") {
  Random random(41);
  for (int trial = 0; trial < 3000; ++trial) {
    const Cost cost = random_cost(random);
    const check::Note note(text(cost));
    const double w = sparsieve::prox(cost.rule, cost.pull, cost.steep);
    CHECK(w >= cost.rule.lower && w <= cost.rule.upper);
    if (std::isinf(cost.rule.up)) {
      CHECK(w == 0.0);
      continue;
    }
    // A difference, a sum and a quotient: each is rounded once.
    const long double best = minimiser(cost);
    CHECK_CLOSE(w, best, 2.0L * kEps * std::fabs(best));
    // So far w may be off, which the cost sees through its curvature; the rest is rounding in long double.
    const long double off = 2.0L * kEps * std::fabs(best);
    const auto room = [&](long double at) {
      return cost.curvature() * off * off + 16.0L * kLongEps * (cost.size(w) + cost.size(at));
    };
    CHECK_AT_MOST(cost(w), golden_section(cost) + room(w));
    for (int k = 0; k <= 60; ++k) {
      const double at = cost.at(k / 60.0);
      CHECK_AT_MOST(cost(w), cost(at) + room(at));
    }
  }
}

TEST("rule: the violation is the better one-sided derivative") {
  Random random(42);
  for (int trial = 0; trial < 3000; ++trial) {
    const Cost cost = random_cost(random);
    const Rule& rule = cost.rule;
    if (std::isinf(rule.up)) continue;
    const check::Note note(text(cost));
    const double c = 2.0 * random.normal();
    for (const double at : {cost.at(random.uniform()), cost.low(), cost.high(), 0.0}) {
      if (at < rule.lower || at > rule.upper) continue;
      // Steps that do not reach the corner at zero.
      const long double h = at == 0.0 ? 1e-6L : std::min(1e-6L, 0.5L * std::fabs((long double)at));
      const double found = sparsieve::violation(rule, at, c);
      // Besides the ridge's part: rounding of the difference, and three roundings of the violation.
      const long double sizes = std::fabs(c) + rule.up + rule.down + rule.ridge * std::fabs(at);
      const long double room = 0.5L * rule.ridge * h + 8.0L * kLongEps * cost.size(at) / h +
                               8.0L * kLongEps * std::fabs(c * at) / h + 2.0L * kEps * sizes;
      CHECK_CLOSE(found, fall_by_differences(rule, at, c, h), room);
    }
  }
}

TEST("rule: no violation at the minimiser, and more of it the farther away") {
  Random random(43);
  for (int trial = 0; trial < 3000; ++trial) {
    const Cost cost = random_cost(random);
    const Rule& rule = cost.rule;
    if (std::isinf(rule.up)) continue;
    const check::Note note(text(cost));
    const double best = sparsieve::prox(rule, cost.pull, cost.steep);
    const auto violation_at = [&](double w) {
      return sparsieve::violation(rule, w, cost.pull - cost.steep * w);
    };
    // The minimiser's own rounding moves its derivative by eps times the curvature term, the correlation
    // and the sums here by eps times their terms.
    const auto room = [&](double w) {
      const double terms = (cost.steep + rule.ridge) * std::fabs(w);
      return 4.0 * kEps * (terms + std::fabs(cost.pull) + rule.up + rule.down);
    };
    CHECK_AT_MOST(violation_at(best), room(best));
    // Elsewhere the derivative has grown by the curvature times the distance, at least.
    for (int k = 0; k < 10; ++k) {
      const double w = cost.at(random.uniform());
      const long double least =
          cost.curvature() * std::fabs(static_cast<long double>(w) - minimiser(cost));
      CHECK_AT_MOST(least, violation_at(w) + room(w));
    }
  }
}

TEST("rule: the excess pushes zero away, in the ways it may go") {
  Random random(44);
  for (int trial = 0; trial < 3000; ++trial) {
    const Rule rule = random_rule(random);
    const double c = 2.0 * random.normal(), found = sparsieve::excess(rule, c);
    long double best = -kInf;
    if (rule.upper > 0.0) best = std::max(best, static_cast<long double>(c) - rule.up);
    if (rule.lower < 0.0) best = std::max(best, -static_cast<long double>(c) - rule.down);
    // One rounding.
    CHECK_CLOSE(found, best,
                kEps * (std::isinf(rule.up) ? 0.0 : std::fabs(c) + rule.up + rule.down));
    // Where zero is allowed this is its violation, unless slopes hold it; and then prox leaves it.
    if (rule.lower > 0.0 || rule.upper < 0.0) continue;
    CHECK(sparsieve::violation(rule, 0.0, c) == std::max(found, 0.0));
    CHECK((sparsieve::prox(rule, c, 1.0) != 0.0) == (found > 0.0));
    // Without slopes, and with the bounds alone: how far c pushes.
    const Bounds bounds{rule.lower, rule.upper};
    CHECK(sparsieve::reach(bounds, c) == sparsieve::excess(sparsieve::l1_rule(0.0, bounds), c));
    // With slopes that are equal, one bound and one slope are enough to know.
    const Rule even = sparsieve::l1_rule(rule.up, bounds);
    CHECK(even.down == rule.up && even.up == rule.up && even.ridge == 0.0);
    CHECK(even.lower == rule.lower && even.upper == rule.upper);
    CHECK((sparsieve::reach(bounds, c) > rule.up) == (sparsieve::excess(even, c) > 0.0));
  }
}

TEST("rule: a zero that may not be left, and numbers that are none") {
  const Bounds none, point{0.0, 0.0}, positive{0.0, kInf}, negative{-kInf, 0.0};
  CHECK(none.none() && !point.none() && !positive.none() && !negative.none());
  CHECK(sparsieve::reach(point, 3.0) == -kInf);
  CHECK(sparsieve::excess(sparsieve::l1_rule(1.0, point), 3.0) == -kInf);
  CHECK(sparsieve::reach(positive, -3.0) == -3.0 && sparsieve::reach(negative, -3.0) == 3.0);
  // A correlation that is not a number is a violation, in every way that it is asked for.
  for (const Bounds& bounds : {none, positive, negative}) {
    const Rule rule = sparsieve::l1_rule(1.0, bounds);
    CHECK(std::isnan(sparsieve::reach(bounds, kNaN)));
    CHECK(std::isnan(sparsieve::excess(rule, kNaN)));
    for (const double w : {-1.0, 0.0, 1.0}) {
      if (w < bounds.lower || w > bounds.upper) continue;
      CHECK(std::isnan(sparsieve::violation(rule, w, kNaN)));
    }
  }
  CHECK(std::isnan(sparsieve::larger(1.0, kNaN)));
  CHECK(sparsieve::larger(1.0, 2.0) == 2.0 && sparsieve::larger(2.0, 1.0) == 2.0);
}
