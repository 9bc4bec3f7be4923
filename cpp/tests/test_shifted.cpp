// Columns far from zero: everything a design says of X + 2^40 must be what it says of X, whose entries are
// multiples of 2^-10, so that the sum is exact.
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "problems.hpp"
#include "sparsieve/loss/loss.hpp"

namespace {
using problems::Design;
using problems::Index;
using problems::kEps;
using problems::Kind;
using problems::Matrix;
using problems::Problem;
using problems::Random;
using problems::ShadowUse;
using problems::Weighted;
using problems::Weights;
using Vector = std::vector<double>;

constexpr double kOffset = 0x1p40;

Matrix grid_of(Random& random, Index n, Index d) {
  Matrix x = random.normal_matrix(n, d);
  for (double& v : x.values) v = std::round(1024.0 * v) / 1024.0;
  return x;
}

// The same numbers twice: near zero, and with every column but each third moved far away.
struct Pair {
  Problem near, far;
  Pair(Random& random, Kind kind, Weights weights, Index n, Index d)
      : Pair(kind, grid_of(random, n, d), problems::make_weights(random, n, weights)) {}
  Pair(Kind kind, const Matrix& x, const Vector& omega)
      : near(kind, x, omega, true), far(kind, moved(x), omega, true) {}
  static bool is_moved(Index j) { return j % 3 != 0; }
  static Matrix moved(Matrix x) {
    for (Index j = 0; j < x.columns; ++j) {
      for (Index i = 0; is_moved(j) && i < x.rows; ++i) x.at(i, j) += kOffset;
    }
    return x;
  }
};

template <class Body>
void on_every_pair(std::uint64_t seed, const Body& body) {
  Random random(seed);
  for (const Kind kind : {Kind::kDouble, Kind::kSparse, Kind::kSparseLong}) {
    for (const Weights weights : problems::kEveryWeights) {
      for (const Index n : {7, 40, 1030}) {
        const Pair pair(random, kind, weights, n, 11);
        const check::Note note(pair.far.text() + ", weights " + problems::name(weights));
        body(pair, random);
      }
    }
  }
}

// Sums of n products of numbers near zero: see test_columns.cpp.
double roundings(const Problem& problem) {
  return 4.0 * kEps * (static_cast<double>(problem.n()) + 8.0);
}

std::vector<Index> all_of(Index d) {
  std::vector<Index> out(d);
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}
}  // namespace

TEST("shifted: moments") {
  on_every_pair(1, [](const Pair& pair, Random&) {
    const auto design = problems::make_design(pair.far);
    for (Index j = 0; j < pair.far.d(); ++j) {
      CHECK((design->shift(j) != 0.0) == Pair::is_moved(j));
      const long double norm = pair.near.norm(j), raw = pair.near.raw_norm(j);
      CHECK_CLOSE(design->norm(j), norm, roundings(pair.near) * norm);
      const double left = design->shift(j) - (Pair::is_moved(j) ? kOffset : 0.0);  // exact
      CHECK_CLOSE(left + design->mean(j), pair.near.means[j], roundings(pair.near) * raw);
      CHECK_AT_MOST(design->raw_norm(j), 3.0L * raw);  // an entry near the mean was taken away
    }
  });
}

TEST("shifted: correlations, residuals and Gram matrices") {
  on_every_pair(2, [](const Pair& pair, Random& random) {
    const auto design = problems::make_design(pair.far);
    const Index n = pair.far.n(), d = pair.far.d();
    const std::vector<Index> all = all_of(d);
    const Vector r = random.normals(n), coef = random.normals(d);
    const double unit = 8.0 * roundings(pair.near);
    Vector seen(d), less = r;
    design->correlate(problems::weigh(*design, r), all.data(), d, seen.data());
    design->subtract(all.data(), coef.data(), d, less);
    for (Index j = 0; j < d; ++j) {
      const long double room = unit * pair.near.raw_norm(j) * pair.near.norm(r);
      CHECK_CLOSE(seen[j], pair.near.correlation(j, r), room);
      CHECK_AT_MOST(design->rounding(j) * pair.near.norm(r), room);
    }
    for (Index i = 0; i < n; ++i) {
      long double truth = r[i], size = std::fabs(r[i]);
      for (Index j = 0; j < d; ++j) {
        truth -= coef[j] * pair.near.entry(i, j);
        size += std::fabs(coef[j]) * (std::fabs(pair.near.x.at(i, j)) + 4.0L);
      }
      CHECK_CLOSE(less[i], truth, unit * size);
    }
    // Some of the columns were there before, the others are fresh.
    const Index fresh = 1 + random.below(d);
    Vector gram(fresh * d);
    design->gram(all.data(), d, fresh, gram.data(), nullptr, nullptr);
    for (Index a = 0; a < fresh; ++a) {
      for (Index b = 0; b < d - fresh + a + 1; ++b) {
        const Index one = d - fresh + a;
        if (b >= d - fresh && b < one) continue;  // of the fresh block only the upper half
        const long double room = unit * pair.near.raw_norm(one) * pair.near.raw_norm(b);
        CHECK_CLOSE(gram[a * d + b], pair.near.product(one, b), room);
      }
    }
  });
}

// An epoch on the far columns does what the same epoch does on the near ones.
TEST("shifted: epochs of coordinate descent") {
  on_every_pair(3, [](const Pair& pair, Random& random) {
    const Index d = pair.far.d();
    const Vector r = random.normals(pair.far.n());
    const std::vector<Index> all = all_of(d);
    const Vector slope(d, 0.05), curvature(d, 0.0);
    std::vector<Vector> ends;
    for (const Problem* problem : {&pair.near, &pair.far}) {
      const auto design = problems::make_design(*problem);
      Weighted weighted = problems::weigh(*design, r);
      Vector w(d, 0.0);
      sparsieve::Epoch epoch{d,       all.data(), slope.data(), curvature.data(), nullptr, nullptr,
                             nullptr, 0.0,        false,        w.data()};
      design->descend(epoch, weighted);
      design->descend(epoch, weighted);
      ends.push_back(w);
    }
    for (Index j = 0; j < d; ++j) {
      CHECK_CLOSE(ends[0][j], ends[1][j], 1e-10 * (1.0 + std::fabs(ends[0][j])));
    }
  });
}

TEST("shifted: a shadow holds the moved columns") {
  Random random(4);
  for (const ShadowUse use : {ShadowUse::kAtFirst, ShadowUse::kLazy}) {
    const Pair pair(random, Kind::kDouble, Weights::kUneven, 400, 200);
    const auto design = problems::make_design(pair.far, 1, use);
    const auto never_moved = problems::make_design(pair.near, 1, use);
    const sparsieve::Shadow* shadow = design->shadow();
    CHECK(shadow != nullptr);
    const Vector r = random.normals(pair.far.n());
    const Weighted weighted = problems::weigh(*design, r);
    const sparsieve::Quantised q = sparsieve::quantise(weighted.v);
    const std::vector<Index> all = all_of(pair.far.d());
    Vector seen(pair.far.d());
    design->correlate_in_shadow(weighted, q, all.data(), pair.far.d(), seen.data());
    for (Index j = 0; j < pair.far.d(); ++j) {
      CHECK_CLOSE(seen[j], pair.near.correlation(j, r),
                  1.01 * shadow->radius(q, j) + 1e-12 /* rounding of the mean */);
      // The middle of a column may have moved, but not how fine its shadow is.
      CHECK_AT_MOST(shadow->radius(q, j), 1.1 * never_moved->shadow()->radius(q, j));
    }
  }
}

// Weights over 31 orders of magnitude: the mean is one entry, and all that varies has next to no weight.
TEST("shifted: one row has nearly all of the weight") {
  Random random(5);
  const Index n = 12;
  for (const Kind kind : {Kind::kDouble, Kind::kSparse}) {
    const Matrix x = random.normal_matrix(n, 5);
    Vector omega(n, 1e-31);
    omega[3] = 1.0;
    const Problem problem(kind, x, omega, true);
    const auto design = problems::make_design(problem);
    for (Index j = 0; j < 5; ++j) {
      long double norm2 =
          0.0L;  // the mean differs from the entry by 1e-31 of it: no digit of a sum
      for (Index i = 0; i < n; ++i) {
        const long double u = static_cast<long double>(x.at(i, j)) - x.at(3, j);
        norm2 += omega[i] * u * u;
      }
      CHECK(design->shift(j) == x.at(3, j));
      CHECK_CLOSE(design->norm2(j), norm2, 1e-14L * norm2);
    }
  }
}

TEST("shifted: the response") {
  Random random(6);
  for (const double offset : {0.0, 1e3, 0x1p40, -0x1p50}) {
    const Index n = 50;
    const Matrix y = grid_of(random, n, 1);
    const Vector omega = problems::make_weights(random, n, Weights::kUneven);
    Vector moved = y.values;
    for (double& v : moved) v = std::round(4.0 * v) / 4.0 + offset;
    Matrix near(n, 1);
    for (Index i = 0; i < n; ++i) near.at(i, 0) = moved[i] - offset;
    const Problem reference(Kind::kDouble, near, omega, true);
    const sparsieve::Response response(sparsieve::SampleWeights(omega, true), moved);
    // With an offset of a thousand the response is centred as it is, at the price of three digits.
    const double unit = roundings(reference) * (offset == 1e3 ? 1e3 : 1.0);
    for (Index i = 0; i < n; ++i) {
      CHECK_CLOSE(response.z[i], reference.entry(i, 0), unit * (1.0 + reference.raw_norm(0)));
    }
    CHECK_CLOSE((response.shift - offset) + response.mean, reference.means[0],
                unit * (1.0 + reference.raw_norm(0)));
  }
  // A constant one is zero exactly, one that differs in the last digit is not.
  const Vector omega(9, 1.0);
  Vector y(9, 0.1);
  for (const double z : sparsieve::Response(sparsieve::SampleWeights(omega, true), y).z) {
    CHECK(z == 0.0);
  }
  y[4] = std::nextafter(0.1, 1.0);
  CHECK(sparsieve::Response(sparsieve::SampleWeights(omega, true), y).z[4] > 0.0);
}
