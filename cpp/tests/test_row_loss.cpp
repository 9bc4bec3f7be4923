// Losses that are sums over rows: derivatives by differences, Fenchel's equality, the best intercept, what
// separates; and the Gram matrix of a working set under weights of the rows.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "settings.hpp"
#include "sparsieve/loss/rows.hpp"
#include "sparsieve/model/curved_set.hpp"

namespace {
using namespace settings;
using sparsieve::CurvedSet;
using sparsieve::RowLoss;
using sparsieve::RowPoint;
using sparsieve::Rows;
using sparsieve::SampleWeights;

struct Kind4 {
  const char* name;
  std::shared_ptr<const RowLoss> loss;
  bool counts, labels;
};

std::vector<Kind4> every_loss() {
  return {{"logistic", sparsieve::logistic_loss(), false, true},
          {"poisson", sparsieve::poisson_loss(), true, false},
          {"negative binomial", sparsieve::negative_binomial_loss(0.7), true, false},
          {"huber", sparsieve::huber_loss(0.8), false, false}};
}

double draw_y(const Kind4& kind, Random& random) {
  if (kind.labels) return random.chance(0.5) ? random.uniform() : random.chance(0.5);
  if (kind.counts) return random.chance(0.3) ? 0.0 : 10.0 * random.uniform();
  return 2.0 * random.normal();
}

struct Row {
  double value, residual, curvature;
  Row(const Kind4& kind, double eta, double y) {
    kind.loss->evaluate(&eta, &y, 1, &value, &residual, &curvature);
  }
};

// The conjugates of docs: f*(-t), by the formula for each loss and not by the code's way.
long double conjugate(const std::string& name, long double t, long double y) {
  const auto xlogx = [](long double x) { return x > 0.0L ? x * std::log(x) : 0.0L; };
  if (name == "huber") return t * t / 2.0L - y * t;
  const long double m = y - t;
  if (name == "poisson") return xlogx(m) - m;
  if (name == "logistic") return xlogx(m) + xlogx(1.0L - m);
  // (y + theta) times a logistic loss of label q = y / (y + theta) at eta - ln theta
  const long double theta = 0.7L, c = y + theta, q = y / c, p = q - t / c;
  return c * (xlogx(p) + xlogx(1.0L - p)) - theta * std::log(theta) - t * std::log(theta);
}
}  // namespace

TEST("row loss: residual and curvature are derivatives") {
  Random random(2401);
  for (const Kind4& kind : every_loss()) {
    const check::Note note(kind.name);
    for (int trial = 0; trial < 300; ++trial) {
      const double eta = 3.0 * random.normal(), y = draw_y(kind, random), h = 1e-5;
      const Row at(kind, eta, y), high(kind, eta + h, y), low(kind, eta - h, y);
      // A kink of the slope is not differentiable; nothing is off by more near one than its step.
      const bool kink = high.curvature != low.curvature && kind.name == std::string("huber");
      const double size = std::fabs(at.value) + std::fabs(y) + 1.0, third = 20.0 * at.curvature;
      // Differences have an error of h^2 times the third derivative, and roundings over h.
      const double room = h * h * (third + 1.0) + 8.0 * kEps * size / h;
      if (!kink) {
        CHECK_CLOSE(-(high.value - low.value) / (2.0 * h), at.residual, room);
        CHECK_CLOSE(-(high.residual - low.residual) / (2.0 * h), at.curvature, room);
      }
      CHECK(at.curvature >= 0.0);
    }
  }
}

TEST("row loss: the infimum is below every value and close to the smallest") {
  Random random(2402);
  for (const Kind4& kind : every_loss()) {
    const check::Note note(kind.name);
    for (int trial = 0; trial < 100; ++trial) {
      const double y = draw_y(kind, random);
      double lowest, least = HUGE_VAL;
      kind.loss->lowest(&y, 1, &lowest);
      for (double eta = -40.0; eta < 40.0; eta += 1e-3) {
        const double value = Row(kind, eta, y).value;
        CHECK_AT_MOST(lowest, value + 16.0 * kEps * (std::fabs(value) + y * 40.0 + 1.0));
        least = std::min(least, value);
      }
      // The grid is within 5e-4 of the minimiser, where the curvature is at most 11.
      CHECK_CLOSE(least, lowest, 2e-6 * (1.0 + std::fabs(y)));
    }
  }
}

// f(eta) + f*(-kappa t) + kappa t eta, by the conjugate of each loss.
TEST("row loss: the dual loss is Fenchel's inequality, exactly zero at kappa = 1") {
  Random random(2403);
  for (const Kind4& kind : every_loss()) {
    const check::Note note(kind.name);
    for (int trial = 0; trial < 500; ++trial) {
      const double eta = 3.0 * random.normal(), y = draw_y(kind, random);
      const double kappa = random.chance(0.3) ? 1.0 - 1e-6 * random.uniform() : random.uniform();
      const Row at(kind, eta, y);
      double lost;
      kind.loss->dual_loss(&eta, &y, 1, kappa, &lost);
      const long double t = static_cast<long double>(kappa) * at.residual;
      const long double truth = at.value + conjugate(kind.name, t, y) + t * eta;
      const double size = std::fabs(at.value) + std::fabs(at.residual * eta) + std::fabs(y) + 1.0;
      // The truth cancels: a few roundings of its terms, the first of them in double precision.
      CHECK_CLOSE(lost, truth, 32.0 * kEps * size * (1.0 + std::log1p(std::fabs(y))));
      CHECK(lost >= 0.0);
      kind.loss->dual_loss(&eta, &y, 1, 1.0, &lost);
      CHECK(lost == 0.0);
    }
  }
}

TEST("row loss: the recession is how values rise in the end") {
  Random random(2404);
  for (const Kind4& kind : every_loss()) {
    const check::Note note(kind.name);
    for (int trial = 0; trial < 100; ++trial) {
      const double d = random.normal(), y = draw_y(kind, random), far = 300.0;
      const double rise = kind.loss->recession(d, y);
      const double truth = Row(kind, far * d, y).value / far;
      if (std::isinf(rise)) {
        CHECK(truth > 10.0 || far * d < 10.0);
      } else {
        // What stays bounded is divided by 300.
        CHECK_CLOSE(rise, truth, (20.0 + 5.0 * std::fabs(y)) / far);
      }
    }
  }
}

TEST("rows: the best intercept leaves residuals that sum to zero, or there is none") {
  Random random(2405);
  for (const Kind4& kind : every_loss()) {
    const check::Note note(kind.name);
    for (int trial = 0; trial < 60; ++trial) {
      const Index n = 2 + random.below(20);
      const Vector omega = problems::make_weights(random, n, problems::Weights::kUneven);
      Vector y(n), offset = random.normals(n);
      for (double& v : y) v = draw_y(kind, random);
      if (random.chance(0.3)) offset[0] = random.chance(0.5) ? 50.0 : -50.0;
      const bool none = (kind.labels || kind.counts) && random.chance(0.2);
      if (none) std::fill(y.begin(), y.end(), 0.0);
      const Rows rows(kind.loss, SampleWeights(omega, true), y, offset);
      RowPoint at;
      rows.start(0.0, at);
      double drift = 0.0, sum = 0.0, size = 0.0;
      const bool found = rows.fit_intercept(at, drift);
      CHECK(found != none);
      if (none) {
        CHECK(drift == -1.0);
        continue;
      }
      for (Index i = 0; i < n; ++i) {
        sum += at.weighted.v[i];
        size += std::fabs(at.weighted.v[i]) +
                omega[i] * at.curvature[i] * (4.0 + std::fabs(at.eta[i]) + std::fabs(at.intercept));
      }
      // The residuals' own roundings, those of the intercept, and of their sum.
      CHECK_CLOSE(sum, 0.0, kEps * (static_cast<double>(n) + 4.0) * size);
    }
  }
}

namespace {
// A set of some columns under weights of the rows, and what it must know of them.
struct Curved {
  const Setting& setting;
  State state;
  CurvedSet set;

  Curved(const Setting& of, const Vector& weights)
      : setting(of), state(of.empty_state()), set(*of.design) {
    set.start(weights);
    set.take_in(state, {3, 7, 1});
    set.take_in(state, {0, 12, 5, 9});
    set.keep(state, {0, 2, 3, 5, 6});
  }
  long double entry(Index i, Index slot) const {
    return setting.problem.entry(i, state.column(slot));
  }
  // G = X'WX with the intercept eliminated, in sums of n rounded terms of columns whose means may be as large
  // as they are.
  void check_product(const Vector& w, Index s, Index t) const {
    long double total = 0.0L, a = 0.0L, b = 0.0L, product = 0.0L, size = 1.0L;
    for (Index i = 0; i < setting.problem.n(); ++i) {
      const long double x = entry(i, s), z = entry(i, t);
      total += w[i];
      a += w[i] * x;
      b += w[i] * z;
      product += w[i] * x * z;
      size += w[i] * (x * x + z * z);
    }
    const bool centre = setting.problem.centre;
    const long double truth = product - (centre ? a * b / total : 0.0L);
    CHECK_CLOSE(state.set.gram(s)[t], truth, 64.0L * kEps * size);
    if (centre) CHECK_CLOSE(set.cross()[s], a, 64.0L * kEps * size);
  }
  void check_gram(const Vector& w) const {
    for (Index s = 0; s < state.size(); ++s) {
      for (Index t = 0; t < state.size(); ++t) check_product(w, s, t);
    }
  }
  // Products with the copies are those with the columns.
  void check_products(Random& random) const {
    const Problem& problem = setting.problem;
    const Vector r = random.normals(problem.n()), w = random.normals(state.size());
    sparsieve::Weighted v;
    setting.design->weigh(r, v);
    Vector c, eta(problem.n(), 0.0);
    set.correlate(v, c);
    set.predict(w, eta);
    for (Index s = 0; s < state.size(); ++s) {
      const Index j = state.column(s);
      CHECK_CLOSE(c[s], problem.correlation(j, r), 512.0L * kEps * problem.raw_norm(j));
    }
    for (Index i = 0; i < problem.n(); ++i) {
      long double truth = 0.0L, size = 0.0L;
      for (Index s = 0; s < state.size(); ++s) {
        truth += entry(i, s) * w[s];
        size += std::fabs(w[s]) * (std::fabs(entry(i, s)) + 2.0L);
      }
      CHECK_CLOSE(eta[i], truth, 16.0L * kEps * size);
    }
  }
};
}  // namespace

TEST("rows: the best intercept is found where every residual is an exponential tail") {
  const Vector omega(4, 0.25), y{0.0, 0.0, 1.0, 1.0}, offset{-300.0, -300.0, 900.0, 900.0};
  const Rows rows(sparsieve::logistic_loss(), SampleWeights(omega, true), y, offset);
  RowPoint at;
  rows.start(0.0, at);
  double drift = 0.0;
  CHECK(rows.fit_intercept(at, drift));
  // -300 puts both classes 600 away from zero; Newton's method goes there in steps of one unit.
  CHECK_CLOSE(at.intercept, -300.0, 1e-9);
}

TEST("curved set: the Gram matrix under weights of the rows, and products") {
  for (const bool centre : {false, true}) {
    for (const Kind storage : problems::kEveryKind) {
      Random random(2406);
      const Index n = 29, d = 13;
      const double share = problems::is_sparse(storage) ? 0.4 : 1.0;
      const Setting setting(Problem(storage, make_columns(random, {n, d, false, 0.5, share}),
                                    problems::make_weights(random, n, Weights::kSomeZero), centre),
                            random);
      const check::Note note(setting.problem.text());
      Vector weights(n), other(n);
      for (Index i = 0; i < n; ++i) {
        weights[i] = setting.problem.omega[i] * random.uniform();
        other[i] = setting.problem.omega[i] * random.uniform();
      }
      Curved curved(setting, weights);
      curved.check_gram(weights);
      curved.set.renew(setting.inputs, curved.state, other);
      curved.check_gram(other);
      curved.check_products(random);
    }
  }
}
