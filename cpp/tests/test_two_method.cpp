// Penalties of which only value and slope are known: what is searched for them against what the built-in
// ones know of the same shape, and what is said of shapes that are not concave.
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "settings.hpp"
#include "sparsieve/penalty/branch_and_bound.hpp"
#include "sparsieve/penalty/two_method.hpp"

namespace {
using namespace settings;
using sparsieve::Best;
using sparsieve::Tangent;

// A shape as a user would write it; `rise` is a value at zero, which changes no minimiser.
template <class S>
class Written final : public sparsieve::TwoMethodPenalty {
 public:
  explicit Written(S shape, double rise = 0.0) : shape_(shape), rise_(rise) {}
  mutable long calls = 0;

 private:
  void value_at(const double* t, const double* alpha, Index k, double* out) const override {
    ++calls;
    for (Index i = 0; i < k; ++i) out[i] = rise_ + shape_(t[i], alpha[i]).value;
  }
  void slope_at(const double* t, const double* alpha, Index k, double* out) const override {
    ++calls;
    for (Index i = 0; i < k; ++i) out[i] = shape_(t[i], alpha[i]).slope;
  }
  S shape_;
  double rise_;
};

struct Batch {
  Vector z, h, a, t, value, limits;
  void add(double at, double curvature, double alpha) {
    z.push_back(at);
    h.push_back(curvature);
    a.push_back(alpha);
  }
  Index size() const { return static_cast<Index>(z.size()); }
  void ask(const Penalty& penalty) {
    t.assign(z.size(), kInf);
    value = limits = t;
    penalty.minimise(z.data(), h.data(), a.data(), size(), t.data(), value.data());
    penalty.jump_thresholds(h.data(), a.data(), size(), limits.data());
  }
};

double power(Random& random, double low, double high) {
  return std::pow(10.0, random.between(low, high));
}

template <class S>
void compare(Random& random, S shape, const std::string& called) {
  const check::Note note(called);
  const sparsieve::ShapedPenalty<S> known(shape);
  Batch truth;
  for (int i = 0; i < 40; ++i) {
    const double h = power(random, -2.0, 2.0), a = i == 0 ? 0.0 : power(random, -2.0, 2.0);
    double limit;
    known.jump_thresholds(&h, &a, 1, &limit);
    const double unit = limit == 0.0 ? 1.0 : limit;
    truth.add(
        i == 1 ? 0.0 : unit * (i % 3 ? power(random, -0.5, 2.0) : 1.0 + 0.1 * random.normal()), h,
        a);
  }
  Batch found = truth;
  truth.ask(known);
  const Written<S> written(shape);
  found.ask(written);
  CHECK_AT_MOST(written.calls, 300);  // of Python, for all coordinates together
  for (Index i = 0; i < truth.size(); ++i) {
    const check::Note which("z " + check::show(truth.z[i]) + ", h " + check::show(truth.h[i]) +
                            ", alpha " + check::show(truth.a[i]));
    const double scale = 0.5 * truth.z[i] * truth.z[i] / truth.h[i];
    CHECK_CLOSE(found.value[i], truth.value[i], 2e-12 * scale);
    CHECK(found.value[i] <= 0.0);
    CHECK_AT_MOST(found.limits[i], truth.limits[i] * (1.0 + 4.0 * kEps));
    CHECK_AT_MOST(truth.limits[i] * (1.0 - 1.01e-9), found.limits[i]);
    // Two minima within what is proven of each other may change places.
    if (std::fabs(truth.z[i] / truth.limits[i] - 1.0) > 1e-6) {
      CHECK_CLOSE(found.t[i], truth.t[i], 1e-9 * truth.t[i]);
    }
  }
}
}  // namespace

TEST("penalty: a threshold within bounds is the smallest of h t/2 + r(t)/t up to there") {
  Random random(92);
  const sparsieve::ShapedPenalty<sparsieve::McpShape> mcp({0.8});
  const sparsieve::ShapedPenalty<sparsieve::CappedL1Shape> capped({0.5});
  const sparsieve::ShapedPenalty<sparsieve::LogSumShape> log_sum({0.1});
  const std::vector<const sparsieve::Penalty*> penalties = {&mcp, &capped, &log_sum};
  for (int trial = 0; trial < 90; ++trial) {
    const sparsieve::Penalty& penalty = *penalties[trial % 3];
    sparsieve::Coordinate c{0.0, power(random, -2.0, 1.0), power(random, -1.0, 1.0)};
    c.cap = trial % 10 ? power(random, -2.0, 2.0) : kInf;
    double free, value, slope, curvature;
    penalty.jump_thresholds(&c.h, &c.alpha, 1, &free);
    const double zero = 0.0, far = std::min(c.cap, 1e4);
    penalty.evaluate(&zero, &c.alpha, 1, &value, &slope, &curvature);
    double least = slope;
    for (int i = 1; i <= 20000; ++i) {
      const double t = far * std::pow(i / 20000.0, 3);
      penalty.evaluate(&t, &c.alpha, 1, &value, &slope, &curvature);
      least = std::min(least, 0.5 * c.h * t + value / t);
    }
    const double found = sparsieve::capped_thresholds(penalty, {c})[0];
    CHECK_AT_MOST(free, found);
    CHECK_AT_MOST(found, least * (1.0 + 8.0 * kEps));
    CHECK_AT_MOST(least * (1.0 - 1e-6), found);  // points lie 1.5e-4 apart, relative
  }
}

TEST("penalty: value and slope alone give the same minimisers and thresholds") {
  Random random(91);
  for (int trial = 0; trial < 6; ++trial) {
    compare(random, sparsieve::L1Shape{}, "l1");
    compare(random, sparsieve::LogSumShape{power(random, -2.0, 1.0)}, "log-sum");
    compare(random, sparsieve::McpShape{power(random, -1.0, 1.0)}, "MCP");
    compare(random, sparsieve::ScadShape{2.0 + power(random, -1.0, 1.0)}, "SCAD");
    compare(random, sparsieve::CappedL1Shape{power(random, -1.0, 1.0)}, "capped l1");
    compare(random, sparsieve::LqShape{random.between(0.1, 0.9), power(random, -3.0, 0.0)}, "lq");
  }
}

TEST("penalty: a value at zero moves no minimiser") {
  const Written<sparsieve::LogSumShape> plain({0.1}), raised({0.1}, 3.0);
  Batch truth, found;
  for (const double z : {1.0, 3.0, 30.0}) truth.add(z, 1.0, 0.5);
  found = truth;
  truth.ask(plain);
  found.ask(raised);
  for (Index i = 0; i < truth.size(); ++i) {
    // Values near 3 are rounded a hundred times as much as small ones.
    CHECK_CLOSE(found.t[i], truth.t[i], 1e-9 * truth.t[i]);
    CHECK_CLOSE(found.value[i], truth.value[i], 1e-12);
    CHECK_CLOSE(found.limits[i], truth.limits[i], 1.1e-9 * truth.limits[i]);
  }
}

// phi is flat over a long stretch: nothing there is better than anything else.
TEST("penalty: a search among equals ends") {
  const Written<sparsieve::McpShape> mcp({2.0});
  Batch flat;
  flat.add(1.0, 0.5, 1.0);
  flat.ask(mcp);
  CHECK_CLOSE(flat.value[0], 0.0, 1e-12);
  CHECK_CLOSE(flat.limits[0], 1.0, 1e-9);
}

namespace {
// Convex between 1 and 2.
struct Bent {
  Tangent operator()(double t, double a) const {
    if (t <= 1.0) return {a * t, a, 0.0};
    if (t <= 2.0) return {a * (t + 0.5 * (t - 1.0) * (t - 1.0)), a * t, a};
    return {a * (2.5 + 2.0 * (t - 2.0)), 2.0 * a, 0.0};
  }
};
// Its slope is not that of its value.
struct Wrong {
  Tangent operator()(double t, double a) const { return {a * t, 0.9 * a, 0.0}; }
};

template <class S>
void check_refused(S shape) {
  const Written<S> penalty(shape);
  Batch batch;
  batch.add(5.0, 1.0, 1.0);
  std::string said;
  try {
    batch.ask(penalty);
  } catch (const std::invalid_argument& error) {
    said = error.what();
  }
  CHECK(said.find("not concave") != std::string::npos);
  CHECK(said.find("minimum='stationary'") != std::string::npos);
  double limit;
  bool refused = false;
  try {
    penalty.jump_thresholds(batch.h.data(), batch.a.data(), 1, &limit);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}
}  // namespace

TEST("penalty: one that is not concave has no search for its minimisers") {
  check_refused(Bent{});
  check_refused(Wrong{});
}
