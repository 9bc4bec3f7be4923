// The Cholesky factor that grows and shrinks, against one that is computed anew, naively.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sparsieve/state/factor.hpp"

namespace {
using check::Index;
using check::Matrix;
using check::Random;
using sparsieve::Factor;

constexpr double kEps = std::numeric_limits<double>::epsilon();
using Long = std::vector<long double>;

// A = I + Z'Z / m for random Z with more rows than columns: its eigenvalues are above 1 and (with twice
// as many rows as columns) below 1 + (1 + 2^(-1/2))^2 < 4, up to chance; so is its condition number.
constexpr double kCondition = 5.0;
Matrix easy_gram(Random& random, Index k) {
  const Index m = 2 * k;
  const Matrix z = random.normal_matrix(m, k);
  Matrix a(k, k);
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (Index t = 0; t < m; ++t) sum += z.at(t, i) * z.at(t, j);
      a.at(i, j) = a.at(j, i) = sum / static_cast<double>(m) + (i == j ? 1.0 : 0.0);
    }
  }
  return a;
}

// The rows and columns of A that are in the support.
Matrix part_of(const Matrix& a, const std::vector<Index>& support) {
  const Index k = static_cast<Index>(support.size());
  Matrix out(k, k);
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) out.at(i, j) = a.at(support[i], support[j]);
  }
  return out;
}

// L with L L' = A, row by row as in a textbook, entry (i, j) at i * k + j.
Long naive_factor(const Matrix& a) {
  const Index k = a.rows;
  Long l(k * k, 0.0L);
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j <= i; ++j) {
      long double rest = a.at(i, j);
      for (Index t = 0; t < j; ++t) rest -= l[i * k + t] * l[j * k + t];
      l[i * k + j] = i == j ? std::sqrt(rest) : rest / l[j * k + j];
    }
  }
  return l;
}

Long naive_solve(const Long& l, const std::vector<double>& b) {
  const Index k = static_cast<Index>(b.size());
  Long x(b.begin(), b.end());
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < i; ++j) x[i] -= l[i * k + j] * x[j];
    x[i] /= l[i * k + i];
  }
  for (Index i = k - 1; i >= 0; --i) {
    for (Index j = i + 1; j < k; ++j) x[i] -= l[j * k + i] * x[j];
    x[i] /= l[i * k + i];
  }
  return x;
}

long double length(const Long& x) {
  long double sum = 0.0L;
  for (const long double v : x) sum += v * v;
  return std::sqrt(sum);
}

// L_jj^2, which the factor shows only through its smallest pivot: the other diagonal entries are given
// as so small that theirs cannot be the smallest.
double pivot(const Factor& factor, Index j) {
  std::vector<double> diagonal(factor.size(), 1e-100);
  diagonal[j] = 1e100;
  return 1e100 * factor.smallest_pivot(diagonal);
}

// A factor and the support whose part of A it should belong to.
struct Tracked {
  const Matrix& a;
  std::vector<Index> support;
  Factor factor;
  int threads = 1;
  Index steps = 0;

  bool append_one(Index fresh) {
    std::vector<double> row;
    for (const Index j : support) row.push_back(a.at(fresh, j));
    support.push_back(fresh);
    ++steps;
    return factor.append(row.data(), a.at(fresh, fresh));
  }
  bool append_batch(const std::vector<Index>& fresh) {
    const Index count = static_cast<Index>(fresh.size());
    support.insert(support.end(), fresh.begin(), fresh.end());
    const Index width = static_cast<Index>(support.size());
    // What is beyond a row's diagonal is never to be read.
    std::vector<double> rows(count * width, std::numeric_limits<double>::quiet_NaN());
    for (Index b = 0; b < count; ++b) {
      for (Index j = 0; j <= width - count + b; ++j)
        rows[b * width + j] = a.at(fresh[b], support[j]);
    }
    ++steps;
    return factor.append(std::move(rows), count, threads);
  }
  void remove(Index i) {
    support.erase(support.begin() + i);
    ++steps;
    factor.remove(i, threads);
  }
};

// An append, a solve and the rotations of a removal are stable: each is exact for a matrix that differs
// from A by some k eps ||A||, and these differences add up over the steps. A solution then differs by the
// condition number times that, relative to its length.
double tolerance(const Tracked& t) {
  return kCondition * kEps * static_cast<double>((t.steps + 2) * (t.factor.size() + 8));
}

void compare(const Tracked& t, Random& random) {
  const Index k = t.factor.size();
  CHECK(k == static_cast<Index>(t.support.size()));
  const Long l = naive_factor(part_of(t.a, t.support));
  const std::vector<double> b = random.normals(k);
  std::vector<double> x(k, std::numeric_limits<double>::quiet_NaN());
  t.factor.solve(b.data(), x.data(), t.threads);
  const Long truth = naive_solve(l, b);
  for (Index i = 0; i < k; ++i) CHECK_CLOSE(x[i], truth[i], tolerance(t) * length(truth));
  // A pivot is a Schur complement: it moves with A as a solution does, and is below 4 here.
  for (Index i = 0; i < k; ++i) {
    const long double expected = l[i * k + i] * l[i * k + i];
    CHECK_CLOSE(pivot(t.factor, i), expected, 4.0 * tolerance(t));
  }
  std::vector<double> in_place = b;
  t.factor.solve(in_place.data(), in_place.data(), t.threads);
  CHECK(in_place == x);
}

// One step: grow by one or by several, or shrink at the front, the back or in between.
void random_step(Tracked& t, Random& random) {
  const Index pool = t.a.rows, k = t.factor.size();
  std::vector<Index> outside;
  for (Index j = 0; j < pool; ++j) {
    if (std::find(t.support.begin(), t.support.end(), j) == t.support.end()) outside.push_back(j);
  }
  const Index left = static_cast<Index>(outside.size());
  for (Index i = left - 1; i > 0; --i) std::swap(outside[i], outside[random.below(i + 1)]);
  if (left > 0 && (k == 0 || random.chance(0.3))) {
    CHECK(t.append_one(outside[0]));
  } else if (left > 0 && random.chance(0.35)) {
    outside.resize(std::min<Index>(left, 1 + random.below(20)));
    CHECK(t.append_batch(outside));
  } else if (random.chance(0.2)) {
    t.remove(random.chance(0.5) ? 0 : k - 1);
  } else {
    t.remove(random.below(k));
  }
}
}  // namespace

TEST("factor: random appends and removals") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const check::Note note("seed " + std::to_string(seed));
    Random random(seed);
    const Matrix a = easy_gram(random, 90);
    Tracked t{a, {}, {}};
    for (int step = 0; step < 150; ++step) {
      random_step(t, random);
      compare(t, random);
    }
  }
}

// From nothing to every size up to 40 and back: groups of eight columns that are full, empty or begun.
TEST("factor: every small size") {
  Random random(5);
  const Matrix a = easy_gram(random, 40);
  Tracked t{a, {}, {}};
  for (Index k = 0; k < 40; ++k) {
    CHECK(t.append_one(k));
    compare(t, random);
  }
  while (t.factor.size() > 0) {
    t.remove(random.below(t.factor.size()));
    compare(t, random);
  }
  CHECK(t.append_batch({3, 1, 4}));
  compare(t, random);
  t.factor.clear();
  t.support.clear();
  CHECK(t.append_batch({1, 5, 9, 2, 6}));
  compare(t, random);
}

// Where A is nearly singular, solutions may differ, but what they solve may not: the residual stays at
// rounding level relative to ||A|| ||x||, whatever the condition number (here 1e10).
TEST("factor: nearly singular matrices are solved stably") {
  Random random(6);
  const Index pool = 60;
  Matrix a = easy_gram(random, pool);
  for (Index i = 0; i < pool; ++i) {
    for (Index j = 0; j < pool; ++j) {
      // Eigenvalue directions keep, sizes spread from 1 to 1e-5 on each side.
      a.at(i, j) *= std::pow(10.0, -5.0 * static_cast<double>(i + j) / pool);
    }
  }
  Tracked t{a, {}, {}};
  for (int step = 0; step < 120; ++step) {
    random_step(t, random);
    const Index k = t.factor.size();
    const std::vector<double> b = random.normals(k);
    std::vector<double> x(k);
    t.factor.solve(b.data(), x.data());
    for (Index i = 0; i < k; ++i) {
      long double left = b[i], size = std::fabs(b[i]);
      for (Index j = 0; j < k; ++j) {
        const long double term = static_cast<long double>(a.at(t.support[i], t.support[j])) * x[j];
        left -= term;
        size += std::fabs(term);
      }
      // Row by row, because the matrix is one of condition 5 with its rows and columns scaled, and scaling
      // does not change the relative rounding errors of a Cholesky factor.
      CHECK_AT_MOST(std::fabs(left), 100.0L * tolerance(t) * size);
    }
  }
}

TEST("factor: dependent columns are reported and do no harm") {
  Random random(7);
  const Index k = 40;
  Matrix a = easy_gram(random, k);
  // Column 38 is the sum of two others, column 39 equals column 2.
  for (Index j = 0; j < k; ++j) a.at(38, j) = a.at(j, 38) = a.at(0, j) + a.at(1, j);
  a.at(38, 38) = a.at(0, 0) + 2.0 * a.at(0, 1) + a.at(1, 1);
  for (Index j = 0; j < k; ++j) a.at(39, j) = a.at(j, 39) = a.at(2, j);
  a.at(39, 39) = a.at(2, 2);
  for (const bool batched : {false, true}) {
    const check::Note note(batched ? "batch" : "one");
    Tracked t{a, {}, {}};
    for (Index j = 0; j < 30; ++j) CHECK(t.append_one(j));
    CHECK(batched ? !t.append_batch({30, 38, 31}) : !t.append_one(38));
    std::vector<double> x = random.normals(t.factor.size());
    t.factor.solve(x.data(), x.data());
    for (const double v : x) CHECK(std::isfinite(v));
    // The pivot is lifted to 1e-13 of the diagonal entry, the floor that factor.cpp names; the entry is a
    // sum of squares, exact up to rounding.
    const Index place = batched ? 31 : 30;
    CHECK_CLOSE(pivot(t.factor, place), 1e-13 * a.at(38, 38), 1e-13 * 16.0 * kEps * a.at(38, 38));
    t.remove(place);
    compare(t, random);
    CHECK(!t.append_batch({39}));
  }
}

// The floor itself: of the correlation c, the second pivot is 1 - c^2.
TEST("factor: the pivot floor is 1e-13") {
  for (const double rest : {1e-3, 1e-9, 2e-13}) {
    Factor factor;
    const double c = std::sqrt(1.0 - rest), none = 0.0;
    CHECK(factor.append(&none, 1.0));
    CHECK(factor.append(&c, 1.0));
  }
  for (const double rest : {5e-14, 1e-15, 0.0, -1e-3}) {
    Factor factor;
    const double c = std::sqrt(1.0 - rest), none = 0.0;
    CHECK(factor.append(&none, 1.0));
    CHECK(!factor.append(&c, 1.0));
  }
}

TEST("factor: the smallest pivot") {
  Random random(8);
  const Index k = 23;
  const Matrix a = easy_gram(random, k);
  Tracked t{a, {}, {}};
  for (Index j = 0; j < k; ++j) CHECK(t.append_one(j));
  const Long l = naive_factor(a);
  long double smallest = 1.0L;
  std::vector<double> diagonal;
  for (Index j = 0; j < k; ++j) {
    diagonal.push_back(a.at(j, j));
    smallest = std::min(smallest, l[j * k + j] * l[j * k + j] / a.at(j, j));
  }
  CHECK_CLOSE(t.factor.smallest_pivot(diagonal), smallest, tolerance(t));
}

namespace {
// All that the factor shows after the same work: pivots and solutions.
std::vector<double> worked_by(const Matrix& a, int threads) {
  Random random(9);
  const Index pool = a.rows;
  Tracked t{a, {}, {}, threads};
  std::vector<double> shown;
  const auto show = [&] {
    std::vector<double> x = random.normals(t.factor.size());
    t.factor.solve(x.data(), x.data(), threads);
    shown.insert(shown.end(), x.begin(), x.end());
    for (Index j = 0; j < t.factor.size(); ++j) shown.push_back(pivot(t.factor, j));
  };
  // Beyond 512 columns a solve is shared, beyond 256 a batch is (see Factor::shares), and nothing of
  // that ends at a multiple of the panel.
  for (Index first = 0; first < pool; first += 67) {
    std::vector<Index> fresh;
    for (Index j = first; j < std::min(pool, first + 67); ++j) fresh.push_back(j);
    CHECK(t.append_batch(fresh));
    show();
  }
  for (int step = 0; step < 12; ++step) t.remove(random.below(t.factor.size()));
  show();
  const std::vector<double> b = random.normals(t.factor.size());
  const Long truth = naive_solve(naive_factor(part_of(a, t.support)), b);
  std::vector<double> x(b.size());
  t.factor.solve(b.data(), x.data(), threads);
  for (std::size_t i = 0; i < b.size(); ++i) {
    CHECK_CLOSE(x[i], truth[i], tolerance(t) * length(truth));
  }
  return shown;
}
}  // namespace

TEST("factor: the same bits with several threads") {
  Random random(10);
  const Matrix a = easy_gram(random, 603);
  const std::vector<double> alone = worked_by(a, 1);
  for (const int threads : {2, 3, 4}) {
    const check::Note note(std::to_string(threads) + " threads");
    CHECK(worked_by(a, threads) == alone);
  }
}

TEST("factorise: the factor of a whole matrix") {
  Random random(11);
  for (const Index k : {1, 2, 3, 4, 5, 8, 13, 64, 70}) {
    const check::Note note("size " + std::to_string(k));
    const Matrix a = easy_gram(random, k);
    const Index ld = (k + 3) / 4 * 4;
    std::vector<double> work(ld * ld, std::numeric_limits<double>::quiet_NaN());
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j <= i; ++j) work[i * ld + j] = a.at(i, j);
    }
    CHECK(sparsieve::factorise(work.data(), k, ld, std::vector<double>(k, 0.0), {}));
    const Long l = naive_factor(a);
    // One factorisation: k roundings per entry, amplified by the condition number; entries are below 2.
    const double room = 2.0 * kCondition * kEps * static_cast<double>(k + 8);
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j <= i; ++j) CHECK_CLOSE(work[i * ld + j], l[i * k + j], room);
    }
  }
}

TEST("factorise: what is not positive definite beyond its noise") {
  const Index ld = 4;
  // (1 c; c 1) has the second pivot 1 - c^2.
  const auto definite = [&](double c, double noise, bool stopped) {
    std::vector<double> a(ld * ld, 0.0);
    a[0] = a[ld + 1] = 1.0;
    a[ld] = c;
    return sparsieve::factorise(a.data(), 2, ld, {0.0, noise}, [&] { return stopped; });
  };
  CHECK(definite(0.5, 0.0, false));
  CHECK(definite(0.5, 0.7, false));
  CHECK(!definite(0.5, 0.8, false));
  CHECK(!definite(1.0, 0.0, false));
  CHECK(!definite(1.5, 0.0, false));
  CHECK(!definite(std::numeric_limits<double>::quiet_NaN(), 0.0, false));
  CHECK(!definite(0.5, 0.0, true));
}
