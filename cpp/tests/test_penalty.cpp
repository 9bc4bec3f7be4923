// The shapes of penalties against their definitions in long double, and the levels of features.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "settings.hpp"
#include "sparsieve/penalty/levels.hpp"
#include "sparsieve/penalty/surrogate.hpp"

namespace {
using namespace settings;
using sparsieve::Surrogate;
using sparsieve::Tangent;

// A shape with some parameters, its definition, and where that is not smooth.
struct Known {
  std::string name;
  std::function<Tangent(double, double)> shape;
  std::function<long double(long double, long double)> value;  // of t and alpha
  std::function<std::vector<double>(double)> corners;          // for alpha
  // Around t the value hardly bends over lengths that are small against this.
  std::function<double(double)> length;
  std::shared_ptr<const Penalty> penalty;
};

template <class S>
std::shared_ptr<const Penalty> shared(S shape) {
  return std::make_shared<sparsieve::ShapedPenalty<S>>(shape);
}

std::vector<double> no_corners(double) { return {}; }
double unit_length(double) { return 1.0; }

Known l1() {
  return {"l1",       sparsieve::L1Shape{}, [](long double t, long double a) { return a * t; },
          no_corners, unit_length,          shared(sparsieve::L1Shape{})};
}

Known log_sum(double theta) {
  return {"log-sum",
          sparsieve::LogSumShape{theta},
          [=](long double t, long double a) { return a * std::log1p(t / theta); },
          no_corners,
          [=](double t) { return theta + t; },
          shared(sparsieve::LogSumShape{theta})};
}

// The integral of max(alpha - t / gamma, 0).
Known mcp(double gamma) {
  return {"MCP",
          sparsieve::McpShape{gamma},
          [=](long double t, long double a) {
            const long double end = std::min(t, gamma * a);
            return a * end - end * end / (2.0L * gamma);
          },
          [=](double a) { return std::vector<double>{gamma * a}; },
          unit_length,
          shared(sparsieve::McpShape{gamma})};
}

// The integral of alpha up to alpha, then of max((gamma alpha - t) / (gamma - 1), 0).
Known scad(double gamma) {
  return {"SCAD",
          sparsieve::ScadShape{gamma},
          [=](long double t, long double a) {
            if (t <= a) return a * t;
            const long double g = gamma, beyond = std::min(t, g * a) - a;
            return a * a + beyond * (a - beyond / (2.0L * (g - 1.0L)));
          },
          [=](double a) { return std::vector<double>{a, gamma * a}; },
          unit_length,
          shared(sparsieve::ScadShape{gamma})};
}

Known capped(double theta) {
  return {"capped l1",
          sparsieve::CappedL1Shape{theta},
          [=](long double t, long double a) { return a * std::min<long double>(t, theta); },
          [=](double) { return std::vector<double>{theta}; },
          unit_length,
          shared(sparsieve::CappedL1Shape{theta})};
}

Known lq(double q, double eps) {
  return {"lq",
          sparsieve::LqShape{q, eps},
          [=](long double t, long double a) {
            const long double e = eps;
            return a * std::pow(e, static_cast<long double>(q)) * std::expm1(q * std::log1p(t / e));
          },
          no_corners,
          [=](double t) { return eps + t; },
          shared(sparsieve::LqShape{q, eps})};
}

std::vector<Known> random_shapes(Random& random) {
  return {l1(),
          log_sum(std::pow(10.0, random.between(-3.0, 1.0))),
          mcp(random.between(1.01, 6.0)),
          scad(random.between(2.01, 6.0)),
          capped(std::pow(10.0, random.between(-2.0, 1.0))),
          lq(random.between(0.1, 0.9), std::pow(10.0, random.between(-3.0, 0.0)))};
}

// Anywhere from zero on, often near a corner.
double random_t(Random& random, const Known& known, double alpha) {
  const auto corners = known.corners(alpha);
  const double t = std::pow(10.0, random.between(-6.0, 2.0));
  if (random.chance(0.1)) return 0.0;
  if (corners.empty() || random.chance(0.5)) return t;
  return corners[random.below(static_cast<Index>(corners.size()))] * (1.0 + 0.1 * random.normal());
}

double random_alpha(Random& random) { return std::pow(10.0, random.between(-2.0, 1.0)); }
}  // namespace

TEST("penalty: values are those of the definitions") {
  Random random(81);
  for (int trial = 0; trial < 400; ++trial) {
    for (const Known& known : random_shapes(random)) {
      const double a = random_alpha(random), t = random_t(random, known, a);
      const check::Note note(known.name + " at " + check::show(t) + ", alpha " + check::show(a));
      const Tangent p = known.shape(t, a);
      const long double truth = known.value(t, a);
      // Terms of a quadratic piece are up to ten times as large as the value (gamma is below 6), functions
      // of the library are good to a few roundings.
      CHECK_CLOSE(p.value, truth, 64.0L * kEps * truth);
      CHECK(known.shape(0.0, a).value == 0.0);
    }
  }
}

TEST("penalty: slopes and curvatures are derivatives") {
  Random random(82);
  for (int trial = 0; trial < 400; ++trial) {
    for (const Known& known : random_shapes(random)) {
      const double a = random_alpha(random), t = random_t(random, known, a);
      const check::Note note(known.name + " at " + check::show(t) + ", alpha " + check::show(a));
      const long double h = 1e-4L * known.length(t), scale = known.length(t);
      bool smooth = t > h;
      for (const double corner : known.corners(a))
        smooth = smooth && std::fabs(t - corner) > 2.0L * h;
      if (!smooth) continue;
      const Tangent p = known.shape(t, a);
      const auto value = [&](long double at) { return known.value(at, a); };
      const long double before = value(t - h), here = value(t), after = value(t + h);
      // Differences over h = 1e-4 lengths are off by h^2 / 6 of a third derivative, which is at most
      // 2 slope / length^2 (log-sum and lq; zero on quadratic pieces), by h^2 / 12 of a fourth, at most
      // 6 slope / length^3, and by the rounding of the values in long double.
      const long double slope = known.shape(0.0, a).slope;
      const long double noise = 16.0L * std::numeric_limits<long double>::epsilon() * after;
      const long double steep = std::max<long double>(p.slope, kEps * slope);
      CHECK_CLOSE(p.slope, (after - before) / (2.0L * h), 1e-8L * steep + noise / h);
      CHECK_CLOSE(p.curvature, (after - 2.0L * here + before) / (h * h),
                  1e-7L * steep / scale + 4.0L * noise / (h * h));
    }
  }
}

TEST("penalty: slopes fall from slope(0) to zero at most") {
  Random random(83);
  for (int trial = 0; trial < 100; ++trial) {
    for (const Known& known : random_shapes(random)) {
      const check::Note note(known.name);
      const double a = random_alpha(random);
      Vector ts{0.0, 1e-300, 1e-30, 1e30, 1e100};
      for (int k = 0; k < 60; ++k) ts.push_back(random_t(random, known, a));
      for (const double corner : known.corners(a)) {
        for (const double t : {std::nextafter(corner, 0.0), corner, std::nextafter(corner, kInf)}) {
          ts.push_back(t);
        }
      }
      std::sort(ts.begin(), ts.end());
      double last = kInf, value = 0.0;
      for (const double t : ts) {
        const Tangent p = known.shape(t, a);
        CHECK(p.slope >= 0.0 && p.curvature <= 0.0 && std::isfinite(p.value));
        // Powers are rounded this way or that.
        CHECK_AT_MOST(p.slope, last * (1.0 + 8.0 * kEps));
        CHECK_AT_MOST(value, p.value * (1.0 + 64.0 * kEps));
        last = p.slope;
        value = p.value;
      }
    }
  }
}

// r(t) <= value + slope (t - |w|): what makes every step of majorisation-minimisation a descent.
TEST("penalty: tangents majorise") {
  Random random(84);
  for (int trial = 0; trial < 400; ++trial) {
    for (const Known& known : random_shapes(random)) {
      const double a = random_alpha(random), w = random_t(random, known, a);
      const check::Note note(known.name + " at " + check::show(w) + ", alpha " + check::show(a));
      const Tangent p = known.shape(w, a);
      for (int k = 0; k < 20; ++k) {
        const double t = k == 0 ? 0.0 : random_t(random, known, a);
        const long double tangent =
            p.value + p.slope * (static_cast<long double>(t) - static_cast<long double>(w));
        // The value and the slope are rounded as above.
        const long double room = 64.0L * kEps * (p.value + p.slope * (t + w));
        CHECK_AT_MOST(known.value(t, a), tangent + room);
      }
    }
  }
}

TEST("penalty: many coordinates at once, and those that cost nothing") {
  Random random(85);
  for (const Shape shape : kEveryShape) {
    const check::Note note(name(shape));
    const auto penalty = make_penalty(shape);
    Surrogate all;
    all.resize(9);
    for (Index i = 0; i < 9; ++i) {
      // At zero MCP bends however weak it is.
      all.t[i] = i < 2 ? 0.0 : std::fabs(random.normal());
      all.strength[i] = i % 3 == 0 ? 0.0 : random_alpha(random);
    }
    all.evaluate(*penalty);
    for (Index i = 0; i < 9; ++i) {
      double value = 0.0, slope = 0.0, curvature = 0.0;
      if (i % 3 != 0) penalty->evaluate(&all.t[i], &all.strength[i], 1, &value, &slope, &curvature);
      CHECK(all.value[i] == value && all.slope[i] == slope && all.curvature[i] == curvature);
    }
    CHECK(all.bends() == std::any_of(all.curvature.begin(), all.curvature.end(),
                                     [](double h) { return h != 0.0; }));
    std::fill(all.strength.begin(), all.strength.end(), 0.0);
    all.evaluate(*penalty);
    CHECK(!all.bends());
  }
}

// ------------------------------------------------------------------------------ minimisers

namespace {
struct Coordinate {
  double z, h, a;
};

long double phi(const Known& known, const Coordinate& c, long double t) {
  return t * (0.5L * c.h * t - c.z) + known.value(t, c.a);
}

// The smallest of f on a grid from `low` to `high`, then on finer ones around its local minima, and in
// those around the lowest.
using Function = std::function<long double(long double)>;
long double smallest(const Function& f, long double low, long double high, int finer = 6) {
  constexpr int kPoints = 100;
  const long double ratio = std::pow(high / low, 1.0L / kPoints);
  Long t, value;
  for (int k = 0; k <= kPoints; ++k) {
    t.push_back(k < kPoints ? low * std::pow(ratio, static_cast<long double>(k)) : high);
    value.push_back(f(t.back()));
  }
  const int lowest = static_cast<int>(std::min_element(value.begin(), value.end()) - value.begin());
  long double best = value[lowest];
  for (int k = 1; k < kPoints && finer > 0; ++k) {
    const bool local = value[k] <= value[k - 1] && value[k] < value[k + 1];
    if (finer == 6 ? !local : k != lowest) continue;
    best = std::min(best, smallest(f, t[k - 1], t[k + 1], finer - 1));
  }
  return best;
}

sparsieve::Best minimise(const Penalty& penalty, const Coordinate& c) {
  sparsieve::Best best;
  penalty.minimise(&c.z, &c.h, &c.a, 1, &best.t, &best.value);
  return best;
}

double jump(const Penalty& penalty, double h, double a) {
  double out;
  penalty.jump_thresholds(&h, &a, 1, &out);
  return out;
}

double power(Random& random, double low, double high) {
  return std::pow(10.0, random.between(low, high));
}

// Shapes of any strength of concavity, over all ranges a curvature h may meet; sometimes h is where
// phi just becomes convex, or where the order of its pieces changes.
struct Met {
  Known known;
  double h, a;
};
std::vector<Met> random_meetings(Random& random, double range) {
  const auto any = [&] { return power(random, -range, range); };
  const auto h_or = [&](double special) { return random.chance(0.2) ? special : any(); };
  const double gamma = power(random, -0.5 * range, 0.5 * range),
               g = 2.0 + power(random, -0.5 * range, 0.5 * range);
  const double theta = power(random, -0.5 * range, 0.5 * range), a = any();
  const double q = random.between(0.05, 1.0);
  return {{l1(), any(), any()},
          {log_sum(theta), h_or(a / theta / theta), a},
          {mcp(gamma), h_or(1.0 / gamma), any()},
          {scad(g), h_or(1.0 / (random.chance(0.5) ? g - 1.0 : g + 1.0)), any()},
          {capped(theta), h_or(0.5 * a / theta), a},
          {lq(q, theta), h_or(a * q * (1.0 - q) * std::pow(theta, q - 2.0)), a},
          {lq(1.0, theta), any(), a}};
}

// Below, around and above what moves the coordinate from zero.
double random_z(Random& random, double threshold) {
  if (random.chance(0.3)) return threshold * (1.0 + 0.1 * random.normal());
  return threshold * power(random, -0.5, 2.0);
}

void check_minimiser(const Known& known, const Coordinate& c) {
  const sparsieve::Best best = minimise(*known.penalty, c);
  CHECK(std::isfinite(best.t) && std::isfinite(best.value));
  CHECK(best.t >= 0.0 && best.t <= c.z / c.h * (1.0 + 8.0 * kEps));
  CHECK(best.value <= 0.0 && (best.t == 0.0) == (best.value == 0.0));
  // Near a tie with zero its two parts, each up to z t, cancel, and they are rounded a few times.
  const long double room = 32.0L * kEps * c.z * best.t;
  CHECK_CLOSE(best.value, phi(known, c, best.t), room);
  const auto all = [&](long double t) { return phi(known, c, t); };
  CHECK_AT_MOST(best.value, smallest(all, 1e-30L * c.z / c.h, c.z / c.h) + room);
}
}  // namespace

TEST("penalty: no point of a grid is better than the minimiser") {
  Random random(86);
  for (int trial = 0; trial < 150; ++trial) {
    for (const Met& met : random_meetings(random, 2.0)) {
      const Coordinate c{random_z(random, jump(*met.known.penalty, met.h, met.a)), met.h, met.a};
      const check::Note note(met.known.name + ": z " + check::show(c.z) + ", h " +
                             check::show(c.h) + ", alpha " + check::show(c.a));
      check_minimiser(met.known, c);
    }
  }
}

TEST("penalty: minimisers and thresholds of very large and very small numbers") {
  Random random(87);
  for (int trial = 0; trial < 100; ++trial) {
    for (const Met& met : random_meetings(random, 12.0)) {
      const double z = random.chance(0.5)
                           ? power(random, -12.0, 12.0)
                           : random_z(random, jump(*met.known.penalty, met.h, met.a));
      const Coordinate c{z, met.h, met.a};
      const check::Note note(met.known.name + ": z " + check::show(c.z) + ", h " +
                             check::show(c.h) + ", alpha " + check::show(c.a));
      check_minimiser(met.known, c);
    }
  }
}

// Beside slope(0), which is a number without rounding here: h t^2/2, z t and r are a million times larger
// than what is left of them.
TEST("penalty: minima that are small keep their digits") {
  Random random(88);
  for (int trial = 0; trial < 50; ++trial) {
    for (const Known& known :
         {l1(), log_sum(0.25), mcp(3.0), scad(3.7), capped(4.0), lq(0.5, 0.25), lq(1.0, 0.5)}) {
      const double h = random.between(20.0, 60.0), slope = known.shape(0.0, 1.0).slope;
      const Coordinate c{slope * (1.0 + 1e-6), h, 1.0};
      const check::Note note(known.name + ": h " + check::show(h));
      const sparsieve::Best best = minimise(*known.penalty, c);
      CHECK(best.t > 0.0 && best.value < 0.0);
      CHECK_CLOSE(best.value, phi(known, c, best.t), 1e-12L * -best.value);
    }
  }
}

TEST("penalty: up to the threshold zero is best, beyond it is not") {
  Random random(89);
  for (int trial = 0; trial < 150; ++trial) {
    for (const Met& met : random_meetings(random, trial % 2 ? 2.0 : 12.0)) {
      const Known& known = met.known;
      const check::Note note(known.name + ": h " + check::show(met.h) + ", alpha " +
                             check::show(met.a));
      const double limit = jump(*known.penalty, met.h, met.a);
      const double slope = known.shape(0.0, met.a).slope;
      const auto ratio = [&](long double t) {
        return 0.5L * met.h * t + known.value(t, met.a) / t;
      };
      const long double end = 2.0L * slope / met.h;
      CHECK(limit > 0.0 && limit <= slope);
      const long double truth = std::min<long double>(slope, smallest(ratio, 1e-30L * end, end));
      CHECK_CLOSE(limit, truth, 64.0L * kEps * truth);
      for (const double share : {0.0, 0.5, 1.0 - 1e-9, 1.0}) {
        const sparsieve::Best best = minimise(*known.penalty, {share * limit, met.h, met.a});
        CHECK(best.t == 0.0 && best.value == 0.0);
      }
      CHECK(minimise(*known.penalty, {(1.0 + 1e-9) * limit, met.h, met.a}).t > 0.0);
    }
  }
}

TEST("penalty: minimisers and thresholds of many coordinates, and without a penalty") {
  Random random(90);
  for (const Shape shape : kEveryShape) {
    const check::Note note(name(shape));
    const auto penalty = make_penalty(shape);
    Vector z, h, a, t(12), value(12), limits(12);
    for (Index i = 0; i < 12; ++i) {
      z.push_back(std::fabs(random.normal()));
      h.push_back(power(random, -1.0, 1.0));
      a.push_back(i % 4 == 0 ? 0.0 : random_alpha(random));
    }
    penalty->minimise(z.data(), h.data(), a.data(), 12, t.data(), value.data());
    penalty->jump_thresholds(h.data(), a.data(), 12, limits.data());
    for (Index i = 0; i < 12; ++i) {
      const sparsieve::Best best = minimise(*penalty, {z[i], h[i], a[i]});
      CHECK(best.t == t[i] && best.value == value[i] && limits[i] == jump(*penalty, h[i], a[i]));
      if (i % 4 != 0) continue;
      CHECK(limits[i] == 0.0 && t[i] == z[i] / h[i]);
      CHECK_CLOSE(value[i], -0.5L * z[i] * z[i] / h[i], 4.0L * kEps * -value[i]);
    }
  }
}

// ---------------------------------------------------------------------------------- levels

namespace {
double slope_at_zero(const Penalty& penalty, double alpha) {
  double zero = 0.0, value, slope, curvature;
  penalty.evaluate(&zero, &alpha, 1, &value, &slope, &curvature);
  return slope;
}
}  // namespace

TEST("levels: of features with weights") {
  for (const Shape shape : kEveryShape) {
    const check::Note note(name(shape));
    const auto penalty = make_penalty(shape);
    const Vector weights{1.0, 0.0, kInf, 0.5, 0.0, 2.0};
    Levels levels(penalty.get(), weights, 6);
    for (const double alpha : {0.7, 0.2}) {  // the second time over what the first one left
      levels.set(alpha, {4});
      CHECK(levels.slope0() == slope_at_zero(*penalty, alpha));
      CHECK(levels.weights() == weights && &levels.penalty() == penalty.get());
      const Vector strengths{alpha, 0.0, alpha, 0.5 * alpha, 0.0, 2.0 * alpha};
      for (Index j = 0; j < 6; ++j) CHECK(levels.strength(j) == strengths[j]);
      CHECK(levels.threshold(0) == levels.slope0());
      CHECK(levels.threshold(1) == 0.0);   // unpenalised
      CHECK(levels.threshold(2) == kInf);  // excluded
      CHECK(levels.threshold(3) == slope_at_zero(*penalty, 0.5 * alpha));
      CHECK(levels.threshold(4) == kInf);  // unpenalised, but dependent
      CHECK(levels.threshold(5) == slope_at_zero(*penalty, 2.0 * alpha));
    }
    Levels even(penalty.get(), {}, 3);
    even.set(0.4, {});
    for (Index j = 0; j < 3; ++j) {
      CHECK(even.strength(j) == 0.4 && even.threshold(j) == slope_at_zero(*penalty, 0.4));
    }
  }
}

TEST("levels: of the lasso that a solve starts from") {
  for (const Shape shape : kEveryShape) {
    const check::Note note(name(shape));
    const auto penalty = make_penalty(shape);
    Levels levels(penalty.get(), {1.0, 0.0, kInf, 0.5, 0.0}, 5);
    levels.set(0.7, {4});
    const Levels before = levels, lasso = levels.lasso(0.25);
    CHECK(lasso.slope0() == 0.25 * levels.slope0());
    for (Index j = 0; j < 5; ++j) {
      CHECK(lasso.threshold(j) ==
            0.25 * levels.threshold(j));  // an exact product, and infinity stays
      CHECK(levels.threshold(j) == before.threshold(j) && levels.strength(j) == before.strength(j));
      // Its penalty is the l1 norm, whose slope is the strength, wherever that is finite.
      CHECK(slope_at_zero(lasso.penalty(), 0.3) == 0.3);
      CHECK(lasso.strength(j) ==
            (std::isinf(lasso.threshold(j)) ? lasso.slope0() : lasso.threshold(j)));
    }
    CHECK(&levels.penalty() == penalty.get());
  }
}

TEST("levels: before there is an alpha, and with another penalty") {
  const auto l1 = make_penalty(Shape::kL1), mcp = make_penalty(Shape::kMcp);
  Levels levels(l1.get(), {1.0, 0.0, 0.0, 1.0}, 4);
  levels.set_unpenalised({1, 2}, 3.0);
  CHECK(levels.slope0() == 3.0);
  CHECK(levels.threshold(1) == 0.0 && levels.threshold(2) == 0.0);
  CHECK(levels.threshold(0) == kInf && levels.threshold(3) == kInf);
  for (Index j = 0; j < 4; ++j) CHECK(levels.strength(j) == 0.0);
  levels.set_penalty(mcp.get());
  CHECK(&levels.penalty() == mcp.get());
}
