// Columns in every storage, under weights and centring: moments, products and sums against long double.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "problems.hpp"

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
using Vector = std::vector<double>;

// Sizes around the widths of the kernels (8 lanes, 4 columns) and of their blocks of 1024 rows.
struct Size {
  Index n, d;
};
constexpr Size kSizes[] = {{1, 3}, {7, 9}, {8, 4}, {33, 21}, {100, 50}, {1030, 30}};

// Run a test on every storage, weights, centring and size.
template <class Body>
void on_every_problem(std::uint64_t seed, const Body& body) {
  Random random(seed);
  for (const Kind kind : problems::kEveryKind) {
    for (const Weights weights : problems::kEveryWeights) {
      for (const Size size : kSizes) {
        Vector omega = problems::make_weights(random, size.n, weights);
        omega[random.below(size.n)] = 1.0;  // not all of them zero
        Matrix x = problems::mixed_columns(random, size.n, size.d, kind);
        problems::spoil_rows_without_weight(random, x, omega);
        for (const bool centre : {false, true}) {
          const Problem problem(kind, x, omega, centre);
          const check::Note note(problem.text() + ", weights " + problems::name(weights));
          body(problem, random);
        }
      }
    }
  }
}

// A sum of n products, in any order, is off by at most n roundings, half an epsilon each, of the sum of
// their sizes; as much again is for the products themselves, the weights and the centring.
double roundings(const Problem& problem) { return kEps * (static_cast<double>(problem.n()) + 8.0); }

std::vector<Index> all_of(Index d) {
  std::vector<Index> out(d);
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

// sum_i |x_ij| |v_i|: what the error of a product is measured by.
long double size_of_product(const Problem& problem, Index j, const Vector& v) {
  long double sum = 0.0L;
  for (Index i = 0; i < problem.n(); ++i) sum += std::fabs(problem.x.at(i, j) * v[i]);
  return sum;
}
}  // namespace

TEST("columns: means and norms") {
  on_every_problem(1, [](const Problem& problem, Random&) {
    const auto design = make_design(problem);
    const long double total = problem.total(), unit = roundings(problem);
    CHECK_CLOSE(design->total(), total, kEps * total);
    CHECK(design->too_large().empty());
    CHECK(design->too_small().empty());
    for (Index j = 0; j < problem.d(); ++j) {
      const long double raw = problem.raw_norm(j), norm = problem.norm(j);
      CHECK_CLOSE(design->mean(j) + design->shift(j), problem.means[j],
                  unit * raw / std::sqrt(total));
      // The squares are off by `unit`, the entries x - mean by the rounding of the mean.
      const long double noise = 16.0L * kEps * raw;
      CHECK_CLOSE(design->norm2(j), norm * norm, unit * norm * norm + noise * (norm + noise));
      CHECK_CLOSE(design->norm(j), norm, unit * norm + noise);
      CHECK(design->norm(j) == std::sqrt(design->norm2(j)));
      if (design->shift(j) == 0.0) CHECK_CLOSE(design->raw_norm(j), raw, unit * raw);
      if (design->moments().sizes.empty()) continue;
      long double size = 0.0L;
      for (Index i = 0; i < problem.n(); ++i) size += std::fabs(problem.x.at(i, j));
      CHECK_AT_MOST(size, design->moments().sizes[j]);
      // Rounded up by what a sum may be off, and not by much more.
      CHECK_AT_MOST(design->moments().sizes[j], size * (1.0L + 20.0L * unit));
    }
  });
}

// A mean much larger than the deviations from it: 1e8 of them. Sums of squares would lose all digits.
TEST("columns: norms of columns far from zero") {
  Random random(2);
  const Index n = 500;
  for (const Kind kind : {Kind::kDouble, Kind::kSparse, Kind::kSparseLong}) {
    Matrix x = random.normal_matrix(n, 8);
    for (double& v : x.values) v += 1e8;
    const Problem problem(kind, x, problems::make_weights(random, n, Weights::kUneven), true);
    const check::Note note(problem.text());
    const auto design = make_design(problem);
    for (Index j = 0; j < x.columns; ++j) {
      const long double norm = problem.norm(j), raw = problem.raw_norm(j);
      // An error of the mean of some roundings moves the norm only in its square: (eps 1e8)^2 is nothing.
      CHECK_CLOSE(design->norm(j), norm,
                  2.0L * roundings(problem) * norm + 100.0L * kEps * kEps * raw);
    }
  }
}

TEST("columns: constant columns have the norm zero, exactly") {
  Random random(3);
  for (const Kind kind : problems::kEveryKind) {
    for (const Weights weights : problems::kEveryWeights) {
      for (const Index n : {1, 10, 333, 5000}) {
        Matrix x(n, 6);
        for (Index j = 0; j < 6; ++j) {
          const double value = std::pow(10.0, random.between(-6.0, 6.0)) * random.sign();
          for (Index i = 0; i < n; ++i) x.at(i, j) = j == 5 ? 0.0 : value;
        }
        Vector omega = problems::make_weights(random, n, weights);
        omega[0] = 0.5;
        const Problem problem(kind, x, omega, true);
        const check::Note note(problem.text() + ", weights " + problems::name(weights));
        const auto design = make_design(problem);
        for (Index j = 0; j < 6; ++j) CHECK(design->norm2(j) == 0.0);
        const Problem as_they_are(kind, x, omega, false);
        const auto plain = make_design(as_they_are);
        for (Index j = 0; j < 5; ++j) CHECK(plain->norm2(j) > 0.0);
        CHECK(plain->norm2(5) == 0.0);
      }
    }
  }
}

TEST("columns: correlations are as exact as promised") {
  on_every_problem(4, [](const Problem& problem, Random& random) {
    const auto design = make_design(problem);
    Vector r = random.normals(problem.n());
    if (random.chance(0.3)) {
      for (double& v : r) v += 10.0;  // a sum that is not small: centring matters
    }
    const Weighted weighted = problems::weigh(*design, r);
    const std::vector<Index> all = all_of(problem.d());
    Vector seen(problem.d());
    design->correlate(weighted, all.data(), problem.d(), seen.data());
    const long double norm = problem.norm(r);
    CHECK_CLOSE(weighted.norm2, norm * norm, roundings(problem) * norm * norm);
    for (Index j = 0; j < problem.d(); ++j) {
      // The design's own promise, which the screening relies on...
      const double promised = design->rounding(j) * std::sqrt(weighted.norm2);
      CHECK_CLOSE(seen[j], problem.correlation(j, r), promised);
      // ... and which is no more than some roundings of the largest that a correlation may be.
      CHECK_AT_MOST(promised, 4.0L * roundings(problem) * problem.raw_norm(j) * norm);
    }
    // The same numbers, to the bit, from the pass that measures and for a part of the columns.
    Vector measured;
    const Design again(problem.storage, sparsieve::SampleWeights(problem.omega, problem.centre), 1,
                       ShadowUse::kLazy, &weighted, &measured);
    CHECK(measured == seen);
    for (Index j = 0; j < problem.d(); ++j) {
      double one;
      design->correlate(weighted, &j, 1, &one);
      CHECK(one == seen[j]);
    }
  });
}

TEST("columns: products and sums of stored columns") {
  on_every_problem(5, [](const Problem& problem, Random& random) {
    const Index n = problem.n(), d = problem.d();
    const std::vector<Index> cols = random.some(1 + random.below(d), d);
    const Index count = static_cast<Index>(cols.size()), nv = 1 + random.below(6);
    const long double unit = roundings(problem);
    std::vector<Vector> v;
    std::vector<const double*> pointers;
    for (Index a = 0; a < nv; ++a) v.push_back(random.normals(n));
    for (const Vector& a : v) pointers.push_back(a.data());
    Vector one(count), many(nv * (count + 2), 7.0);
    problem.storage->dots(v[0].data(), cols.data(), count, one.data());
    problem.storage->dots_many(pointers.data(), nv, cols.data(), count, many.data(), count + 2);
    for (Index k = 0; k < count; ++k) {
      for (Index a = 0; a < nv; ++a) {
        long double truth = 0.0L;
        for (Index i = 0; i < n; ++i) {
          truth += static_cast<long double>(problem.x.at(i, cols[k])) * v[a][i];
        }
        const long double room = unit * size_of_product(problem, cols[k], v[a]);
        CHECK_CLOSE(many[a * (count + 2) + k], truth, room);
        if (a == 0) CHECK_CLOSE(one[k], truth, room);
      }
    }
    for (Index a = 0; a < nv; ++a) CHECK(many[a * (count + 2) + count] == 7.0);  // untouched

    const Vector coef = random.normals(count), start = random.normals(n);
    Vector y = start, weighted = start;
    problem.storage->accumulate(cols.data(), coef.data(), count, y.data(), 1);
    problem.storage->accumulate_weighted(cols[0], coef[0], problem.omega.data(), weighted.data());
    for (Index i = 0; i < n; ++i) {
      long double truth = start[i], size = std::fabs(start[i]);
      for (Index k = 0; k < count; ++k) {
        const long double term = static_cast<long double>(coef[k]) * problem.x.at(i, cols[k]);
        truth += term;
        size += std::fabs(term);
      }
      CHECK_CLOSE(y[i], truth, kEps * (static_cast<double>(count) + 2.0) * size);
      const long double part =
          static_cast<long double>(coef[0]) * problem.omega[i] * problem.x.at(i, cols[0]);
      // Two products and a sum.
      CHECK_CLOSE(weighted[i], start[i] + part,
                  2.0 * kEps * (std::fabs(start[i]) + std::fabs(part)));
    }
  });
}

TEST("columns: the response") {
  on_every_problem(6, [](const Problem& problem, Random& random) {
    const auto design = make_design(problem);
    const Index n = problem.n();
    Vector y = random.normals(n);
    for (double& v : y) v += 1000.0;
    const Vector before = y;
    const double mean = design->weights().centre_response(y);
    long double sum = 0.0L, size = 0.0L;
    for (Index i = 0; i < n; ++i) {
      sum += static_cast<long double>(problem.omega[i]) * before[i];
      size += problem.omega[i] * std::fabs(before[i]);
    }
    const long double expected = problem.centre ? sum / problem.total() : 0.0L;
    CHECK_CLOSE(mean, expected, roundings(problem) * size / problem.total());
    for (Index i = 0; n > 1 && i < n; ++i) {
      CHECK_CLOSE(y[i], before[i] - expected, 2.0L * roundings(problem) * 1010.0L);
    }
  });
}

TEST("columns: residuals") {
  on_every_problem(12, [](const Problem& problem, Random& random) {
    const auto design = make_design(problem);
    const Index n = problem.n(), d = problem.d();
    const std::vector<Index> cols = random.some(1 + random.below(d), d);
    const Index count = static_cast<Index>(cols.size());
    const Vector coef = random.normals(count), r = random.normals(n);
    Vector less = r;
    design->subtract(cols.data(), coef.data(), count, less);
    // The means are subtracted on their own, and are themselves off by some roundings of the norms.
    long double of_means = 0.0L;
    for (Index k = 0; k < count; ++k) {
      of_means += std::fabs(coef[k]) * problem.raw_norm(cols[k]) / std::sqrt(problem.total());
    }
    for (Index i = 0; i < n; ++i) {
      long double truth = r[i], terms = std::fabs(r[i]) + of_means;
      for (Index k = 0; k < count; ++k) {
        truth -= coef[k] * problem.entry(i, cols[k]);
        terms += std::fabs(coef[k] * problem.x.at(i, cols[k]));
      }
      const double steps = static_cast<double>(count + n) + 8.0;
      CHECK_CLOSE(less[i], truth, kEps * steps * terms);
    }
    // In weighted form a multiple of omega may differ, which no correlation of centred columns sees.
    Weighted weighted = problems::weigh(*design, r);
    design->subtract_weighted(cols[0], coef[0], weighted);
    Vector one = r;
    design->subtract(cols.data(), coef.data(), 1, one);
    const Weighted expected_weighted = problems::weigh(*design, one);
    Vector a(d), b(d);
    const std::vector<Index> all = all_of(d);
    design->correlate(weighted, all.data(), d, a.data());
    design->correlate(expected_weighted, all.data(), d, b.data());
    const long double length = problem.norm(r) + std::fabs(coef[0]) * problem.raw_norm(cols[0]);
    for (Index j = 0; j < d; ++j) {
      CHECK_CLOSE(a[j], b[j], 8.0L * roundings(problem) * problem.raw_norm(j) * length);
    }
  });
}

namespace {
// How far an entry of the Gram matrix may be off, of a fresh column a and a column b. Dense fresh columns
// are centred before they are multiplied, so that means do not count but in second order; a column that is
// read as it is stored brings its mean along.
long double gram_room(const Problem& problem, Index a, Index b, bool both_fresh) {
  const long double unit = 2.0L * roundings(problem), noise = 16.0L * kEps;
  const bool expanded = both_fresh && !problems::is_sparse(problem.kind);
  const long double raw_a = problem.raw_norm(a), raw_b = problem.raw_norm(b);
  const long double norm_a = problem.norm(a), norm_b = expanded ? problem.norm(b) : raw_b;
  return unit * norm_a * norm_b + noise * noise * raw_a * raw_b;
}
}  // namespace

TEST("columns: Gram matrices") {
  on_every_problem(7, [](const Problem& problem, Random& random) {
    const auto design = make_design(problem);
    const Index d = problem.d();
    std::vector<Index> cols = random.some(1 + random.below(std::min<Index>(d, 30)), d);
    const Index m = static_cast<Index>(cols.size());
    for (Index i = m - 1; i > 0; --i) std::swap(cols[i], cols[random.below(i + 1)]);
    const Index nf = 1 + random.below(m), old = m - nf;
    const Vector r = random.normals(problem.n());
    Vector out(nf * m), correlations(nf), without(nf * m);
    design->gram(cols.data(), m, nf, out.data(), &r, correlations.data());
    design->gram(cols.data(), m, nf, without.data(), nullptr, nullptr);
    for (Index a = 0; a < nf; ++a) {
      const Index fresh = cols[old + a];
      for (Index b = 0; b < m; ++b) {
        if (b >= old && b < old + a) continue;  // not promised
        const long double room = gram_room(problem, fresh, cols[b], b >= old);
        CHECK_CLOSE(out[a * m + b], problem.product(fresh, cols[b]), room);
        CHECK(out[a * m + b] == without[a * m + b]);
      }
      // x - mean is off by the rounding of the mean.
      const long double size =
          problem.norm(fresh) * roundings(problem) + 16.0L * kEps * problem.raw_norm(fresh);
      CHECK_CLOSE(correlations[a], problem.correlation(fresh, r), 2.0L * size * problem.norm(r));
    }
  });
}

// What the claim above is for: means a million times the deviations, dense and fresh.
TEST("columns: Gram matrices of columns far from zero") {
  Random random(8);
  const Index n = 300, d = 11;
  Matrix x = random.normal_matrix(n, d);
  for (double& v : x.values) v += 1e6;
  for (const Weights weights : problems::kEveryWeights) {
    const Problem problem(Kind::kDouble, x, problems::make_weights(random, n, weights), true);
    const auto design = make_design(problem);
    const std::vector<Index> all = all_of(d);
    Vector out(d * d);
    design->gram(all.data(), d, d, out.data(), nullptr, nullptr);
    for (Index a = 0; a < d; ++a) {
      for (Index b = a; b < d; ++b) {
        CHECK_CLOSE(out[a * d + b], problem.product(a, b), gram_room(problem, a, b, true));
      }
    }
  }
}

namespace {
// Everything a design says, to compare two of them bit by bit.
Vector told_by(const Problem& problem, int threads, ShadowUse use, std::uint64_t seed) {
  Random random(seed);
  const Index n = problem.n(), d = problem.d();
  const auto design = make_design(problem, threads, use);
  Vector told;
  const auto add = [&](const Vector& v) { told.insert(told.end(), v.begin(), v.end()); };
  for (Index j = 0; j < d; ++j) add({design->mean(j), design->norm2(j), design->rounding(j)});
  const Weighted weighted = problems::weigh(*design, random.normals(n));
  add({weighted.sum, weighted.norm2});
  const std::vector<Index> all = all_of(d);
  Vector c(d);
  design->correlate(weighted, all.data(), d, c.data());
  add(c);
  // Residuals only where they count: rows without weight keep what they had.
  Vector r = random.normals(n);
  const Vector coef = random.normals(d);
  design->subtract(all.data(), coef.data(), d, r);
  for (Index i = 0; i < n; ++i) add({problem.omega[i] > 0.0 ? r[i] : 0.0});
  const Index m = std::min<Index>(d, 45), nf = (m + 1) / 2;
  Vector gram(nf * m, 0.0), fresh(nf);
  design->gram(all.data(), m, nf, gram.data(), &r, fresh.data());
  for (Index a = 0; a < nf; ++a) {
    for (Index b = 0; b < m; ++b) add({b >= m - nf && b < m - nf + a ? 0.0 : gram[a * m + b]});
  }
  add(fresh);
  return told;
}

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}
}  // namespace

// Every product with such a row has the factor zero, so not even a rounding may differ.
TEST("columns: what is in rows without weight does not matter") {
  Random random(9);
  for (const Kind kind : problems::kEveryKind) {
    for (const bool centre : {false, true}) {
      const Index n = 150, d = 40;
      Vector omega = problems::make_weights(random, n, Weights::kSomeZero);
      // The same entries are stored in both, also those that are zero in neither.
      Matrix x = problems::mixed_columns(random, n, d, kind), other = x;
      problems::spoil_rows_without_weight(random, x, omega);
      problems::spoil_rows_without_weight(random, other, omega);
      const Problem one(kind, x, omega, centre), two(kind, other, omega, centre);
      const check::Note note(one.text());
      CHECK(
          same_bits(told_by(one, 1, ShadowUse::kNever, 1), told_by(two, 1, ShadowUse::kNever, 1)));
    }
  }
}

TEST("columns: the same bits with several threads") {
  Random random(10);
  for (const Kind kind : {Kind::kDouble, Kind::kFloat, Kind::kSparse}) {
    for (const bool centre : {false, true}) {
      // A thread is worth two megabytes of columns: here there are at least two times three of them.
      const Index n = 1500, d = problems::is_float(kind) ? 1100 : 600;
      const Matrix x = problems::mixed_columns(random, n, d, Kind::kDouble);
      const Problem problem(kind, x, problems::make_weights(random, n, Weights::kUneven), centre);
      const Vector alone = told_by(problem, 1, ShadowUse::kNever, 2);
      for (const int threads : {2, 3, 4}) {
        const check::Note note(problem.text() + ", " + std::to_string(threads) + " threads");
        CHECK(same_bits(told_by(problem, threads, ShadowUse::kNever, 2), alone));
        CHECK(same_bits(told_by(problem, threads, ShadowUse::kAtFirst, 2), alone));
      }
    }
  }
}

TEST("columns: what a design cannot compute with is reported") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double entries[] = {1.0, 1e-160, 1e160, inf, nan, 0.0, 1e-140, 1e140};
  for (const Kind kind : {Kind::kDouble, Kind::kSparse}) {
    for (const Index row : {0, 1}) {  // the second has no weight
      Matrix x(40, 8);
      for (Index j = 0; j < 8; ++j) x.at(row, j) = entries[j];
      Vector omega(40, 1.0 / 40.0);
      omega[1] = 0.0;
      const Problem problem(kind, x, omega, false);
      const check::Note note(problem.text() + ", row " + std::to_string(row));
      const auto design = make_design(problem);
      // Without weight a small or large entry is as good as none, but infinity times zero is no number.
      using Columns = std::vector<Index>;
      CHECK(design->too_small() == (row == 0 ? Columns{1} : Columns{}));
      CHECK(design->too_large() == (row == 0 ? Columns{2, 3, 4} : Columns{3, 4}));
      for (const Index j : {1, 2, 3, 4, 5}) CHECK(design->norm(j) == 0.0);
      CHECK((design->norm(6) > 0.0) == (row == 0));
    }
  }
}

// Subtracting columns as the shadow knows them: the design says how far that may be off.
TEST("columns: subtracting in the shadow") {
  Random random(11);
  for (const Kind kind : {Kind::kDouble, Kind::kFloat}) {
    for (const Index n : {Index{120}, Index{4100}}) {
      for (const bool centre : {false, true}) {
        const Index d = n > 1000 ? 25 : 600;  // X is larger than what a shadow is too small for
        const Matrix x = problems::mixed_columns(random, n, d, kind);
        const Vector omega = problems::make_weights(random, n, Weights::kUneven);
        const Problem problem(kind, x, omega, centre);
        const check::Note note(problem.text());
        const auto design = make_design(problem, 1, ShadowUse::kAtFirst);
        CHECK(design->has_shadow());
        for (Index count = 1; count <= 12; ++count) {
          const std::vector<Index> cols = random.some(count, d);
          const Vector coef = random.normals(count), r = random.normals(n);
          Vector rough = r;
          const double room = design->subtract_in_shadow(cols.data(), coef.data(), count, rough);
          long double miss2 = 0.0L;
          for (Index i = 0; i < n; ++i) {
            long double move = 0.0L;
            for (Index k = 0; k < count; ++k) move -= coef[k] * problem.entry(i, cols[k]);
            const long double miss = r[i] + move - rough[i];
            miss2 += omega[i] * miss * miss;
          }
          CHECK_AT_MOST(std::sqrt(miss2), room);
          CHECK(std::isfinite(room));
        }
      }
    }
  }
}
