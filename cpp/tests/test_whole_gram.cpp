// The Gram matrix of all columns at once, summed by leaves of rows.
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "problems.hpp"

namespace {
using problems::Index;
using problems::kEps;
using problems::Kind;
using problems::Matrix;
using problems::Problem;
using problems::Random;
using Vector = std::vector<double>;

// Problems with one leaf of rows, and with several.
template <class Body>
void on_every_problem(int seed, const Body& body) {
  Random random(seed);
  for (const Kind kind : problems::kEveryKind) {
    for (const auto weights : problems::kEveryWeights) {
      for (const Index n : {40, 3000}) {
        const Matrix x = random.normal_matrix(n, 11);
        const Vector omega = problems::make_weights(random, n, weights);
        const Problem problem(kind, x, omega, random.chance(0.5));
        const check::Note note(problem.text() + ", weights " + problems::name(weights));
        body(problem, random);
      }
    }
  }
}

// See test_columns.cpp.
double roundings(const Problem& problem) { return kEps * (static_cast<double>(problem.n()) + 8.0); }

std::vector<Index> all_of(Index d) {
  std::vector<Index> out(d);
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}
}  // namespace

TEST("columns: the Gram matrix of all columns at once") {
  on_every_problem(12, [](const Problem& problem, Random& random) {
    const Index n = problem.n(), d = problem.d();
    const Vector r = random.normals(n);
    const std::vector<Index> all = all_of(d);
    Vector whole[2], correlations[2];
    for (const int threads : {1, 3}) {
      const auto design = problems::make_design(problem, threads);
      Vector& gram = whole[threads / 2];
      Vector& c = correlations[threads / 2];
      gram.assign(d * d, 0.0);
      c.assign(d, 0.0);
      CHECK(design->whole_gram(all.data(), d, gram.data(), &r, c.data(), {}));
    }
    CHECK(whole[0] == whole[1] && correlations[0] == correlations[1]);
    long double length = 0.0L;
    for (Index i = 0; i < n; ++i)
      length += problem.omega[i] * static_cast<long double>(r[i]) * r[i];
    for (Index a = 0; a < d; ++a) {
      long double c = 0.0L;
      for (Index i = 0; i < n; ++i) c += problem.omega[i] * problem.entry(i, a) * r[i];
      const long double size = problem.raw_norm(a);
      CHECK_CLOSE(correlations[0][a], c, 4.0L * roundings(problem) * size * std::sqrt(length));
      for (Index b = a; b < d; ++b) {
        const long double room = 4.0L * roundings(problem) * size * problem.raw_norm(b);
        CHECK_CLOSE(whole[0][a * d + b], problem.product(a, b), room);
      }
    }
  });
}

TEST("columns: when a whole Gram matrix pays") {
  Random random(13);
  const Matrix x = random.normal_matrix(300, 12);
  const Vector omega(300, 1.0 / 300.0);
  for (const Kind kind : problems::kEveryKind) {
    const auto design = problems::make_design(Problem(kind, x, omega, true));
    CHECK(design->whole_gram_pays(12) == !problems::is_sparse(kind));
    CHECK(!design->whole_gram_pays(2));
  }
}
