// Standardised columns: everything a design says of X must be what it says of columns that were divided by
// their standard deviations by hand. These are powers of two here, so that the division is exact.
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "problems.hpp"

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
using Vector = std::vector<double>;

std::unique_ptr<Design> standardised(const Problem& problem, ShadowUse shadow = ShadowUse::kLazy) {
  return std::make_unique<Design>(problem.storage,
                                  sparsieve::SampleWeights(problem.omega, problem.centre), 1,
                                  shadow, nullptr, nullptr, sparsieve::Scaling::kStandardised);
}

// The weighted standard deviation of a column about its mean, whether or not columns are centred.
long double spread(const Problem& problem, Index j) {
  long double total = 0.0L, mean = 0.0L, square = 0.0L;
  for (Index i = 0; i < problem.n(); ++i) {
    total += problem.omega[i];
    mean += problem.omega[i] * static_cast<long double>(problem.x.at(i, j));
  }
  mean /= total;
  for (Index i = 0; i < problem.n(); ++i) {
    const long double away = problem.x.at(i, j) - mean;
    square += problem.omega[i] * away * away;
  }
  return std::sqrt(square / total);
}

template <class Body>
void on_every_problem(int seed, const Body& body) {
  Random random(seed);
  for (const Kind kind : problems::kEveryKind) {
    for (const auto weights : problems::kEveryWeights) {
      for (const bool centre : {false, true}) {
        const Index n = 40, d = 12;
        Matrix x = random.normal_matrix(n, d);
        for (Index j = 0; j < d; ++j) {
          const double scale = std::exp2(static_cast<double>(random.below(17)) - 8.0);
          for (Index i = 0; i < n; ++i) {
            const bool stored = !problems::is_sparse(kind) || random.chance(0.5);
            x.at(i, j) = stored ? scale * (x.at(i, j) + (j % 3 == 0 ? 4.0 : 0.0)) : 0.0;
            if (j == 5) x.at(i, j) = 2.0;  // constant
          }
        }
        const Problem problem(kind, x, problems::make_weights(random, n, weights), centre);
        const check::Note note(problem.text() + ", weights " + problems::name(weights));
        body(problem, random);
      }
    }
  }
}

// Sums of n products, with the factor and what it was computed from: see test_columns.cpp.
double roundings(const Problem& problem) {
  return 8.0 * kEps * (static_cast<double>(problem.n()) + 8.0);
}
}  // namespace

TEST("standardised: factors, norms and correlations") {
  on_every_problem(1, [](const Problem& problem, Random& random) {
    const auto plain = problems::make_design(problem), design = standardised(problem);
    const double unit = roundings(problem);
    const Vector r = random.normals(problem.n());
    const Weighted weighted = problems::weigh(*design, r);
    for (Index j = 0; j < problem.d(); ++j) {
      const long double s = spread(problem, j);
      const double factor = j == 5 ? 1.0 : static_cast<double>(1.0L / s);
      CHECK_CLOSE(design->factor(j), factor, unit * factor);
      CHECK_CLOSE(design->norm(j), factor * plain->norm(j), unit * factor * plain->norm(j));
      CHECK_CLOSE(design->norm2(j), design->norm(j) * design->norm(j), unit * design->norm2(j));
      double one, other;
      plain->correlate(weighted, &j, 1, &one);
      design->correlate(weighted, &j, 1, &other);
      CHECK_CLOSE(other, design->factor(j) * one, 4.0 * kEps * std::fabs(other));
      CHECK_CLOSE(design->rounding(j), factor * plain->rounding(j), unit * design->rounding(j));
    }
    CHECK(design->moments().constant == std::vector<Index>{5});
    CHECK(plain->moments().constant.empty());
  });
}

TEST("standardised: sums, Gram matrices and epochs") {
  on_every_problem(2, [](const Problem& problem, Random& random) {
    const auto plain = problems::make_design(problem), design = standardised(problem);
    const Index d = problem.d();
    std::vector<Index> all(d);
    std::iota(all.begin(), all.end(), Index{0});
    Vector w = random.normals(d), v(d);
    for (Index j = 0; j < d; ++j) v[j] = w[j] * design->factor(j);
    Vector one(problem.n(), 0.0), other(problem.n(), 0.0);
    plain->subtract(all.data(), v.data(), d, one);
    design->subtract(all.data(), w.data(), d, other);
    for (Index i = 0; i < problem.n(); ++i) CHECK(one[i] == other[i]);
    Vector gram(d * d), scaled(d * d);
    plain->gram(all.data(), d, d, gram.data(), nullptr, nullptr);
    design->gram(all.data(), d, d, scaled.data(), nullptr, nullptr);
    for (Index a = 0; a < d; ++a) {
      for (Index b = a; b < d; ++b) {
        const double both = design->factor(a) * design->factor(b);
        const double room = roundings(problem) * both * plain->raw_norm(a) * plain->raw_norm(b);
        CHECK_CLOSE(scaled[a * d + b], both * gram[a * d + b], room);
      }
    }
    // One epoch without a penalty moves v as it moves w: the minimiser of a coordinate has no units.
    const Vector zero(d, 0.0), r = random.normals(problem.n());
    Weighted left = problems::weigh(*plain, r), right = left;
    std::fill(v.begin(), v.end(), 0.0);
    std::fill(w.begin(), w.end(), 0.0);
    std::vector<Index> varying(all);
    varying.erase(varying.begin() + 5);
    const Index count = d - 1;
    sparsieve::Epoch in_stored{count,   varying.data(), zero.data(), zero.data(), nullptr,
                               nullptr, nullptr,        0.0,         false,       v.data()};
    sparsieve::Epoch in_units{count,   varying.data(), zero.data(), zero.data(), nullptr,
                              nullptr, nullptr,        0.0,         false,       w.data()};
    plain->descend(in_stored, left);
    design->descend(in_units, right);
    for (Index s = 0; s < count; ++s) {
      const double moved = w[s] * design->factor(varying[s]);
      CHECK_CLOSE(v[s], moved, 1e-9 * (std::fabs(v[s]) + 1e-3));  // errors of earlier steps add up
    }
  });
}

TEST("standardised: bounds in the shadow hold") {
  Random random(3);
  Matrix x = random.normal_matrix(200, 400);
  for (Index j = 0; j < 400; ++j) {
    for (Index i = 0; i < 200; ++i) x.at(i, j) *= std::exp2(static_cast<double>(j % 13) - 6.0);
  }
  const Problem problem(Kind::kDouble, x, Vector(200, 1.0 / 200.0), true);
  const auto design = standardised(problem, ShadowUse::kAtFirst);
  CHECK(design->has_shadow());
  const Weighted r = problems::weigh(*design, random.normals(200));
  const auto q = sparsieve::quantise(r.v);
  for (Index j = 0; j < 400; ++j) {
    double exact, seen;
    design->correlate(r, &j, 1, &exact);
    design->correlate_in_shadow(r, q, &j, 1, &seen);
    CHECK_AT_MOST(std::fabs(exact - seen), design->shadow_radius(q, j) + design->rounding(j));
    CHECK_AT_MOST(design->shadow_radius(q, j), 0.1 * design->norm(j) * std::sqrt(r.norm2));
  }
}
