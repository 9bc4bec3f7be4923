// The 8-bit shadow: what it says of a product is never further from the truth than it admits.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "sparsieve/columns/shadow.hpp"

namespace {
using check::Index;
using check::Random;
using sparsieve::quantise;
using sparsieve::Quantised;
using sparsieve::Shadow;
using Vector = std::vector<double>;

constexpr double kEps = std::numeric_limits<double>::epsilon();

struct Named {
  std::string name;
  Vector values;
};

Vector made(Index n, const std::function<double(Index)>& entry) {
  Vector out;
  for (Index i = 0; i < n; ++i) out.push_back(entry(i));
  return out;
}

Vector scaled_to(Vector v, double largest) {
  double now = 0.0;
  for (const double x : v) now = std::max(now, std::abs(x));
  for (double& x : v) x = x / now * largest;
  return v;
}

// Columns that are hard for 8 bits. A design asks nothing about columns whose mean squares leave the range
// 1e-304 ... 1e304, so entries end at 1e-152, where squares of what is lost are subnormal numbers, and at
// 1e152. Floats go to their own limits.
template <class T>
std::vector<Named> hard_columns(Random& random, Index n) {
  const bool wide = sizeof(T) == sizeof(double);
  const double tiny = wide ? 1e-152 : 1e-40, huge = wide ? 1e152 : 3e38;
  const auto normal = [&](Index) { return random.normal(); };
  std::vector<Named> out;
  out.push_back({"normal", made(n, normal)});
  out.push_back({"uniform", made(n, [&](Index) { return random.uniform(); })});
  out.push_back({"heavy tails", made(n, [&](Index) { return random.heavy_tailed(); })});
  out.push_back({"zero", Vector(n, 0.0)});
  out.push_back({"constant", Vector(n, 0.1)});
  out.push_back({"almost constant", made(n, [&](Index) { return 1e6 + 1e-3 * random.normal(); })});
  out.push_back({"large mean", made(n, [&](Index) { return -1e4 + random.normal(); })});
  out.push_back({"as small as can be", scaled_to(made(n, normal), tiny)});
  out.push_back({"small", scaled_to(made(n, normal), wide ? 1e-120 : 1e-30)});
  out.push_back({"large", scaled_to(made(n, normal), wide ? 1e120 : 1e30)});
  out.push_back({"as large as can be", scaled_to(made(n, normal), huge)});
  out.push_back({"two values", made(n, [&](Index) { return random.chance(0.3) ? 2.0 : -1.0; })});
  out.push_back({"ramp", made(n, [&](Index i) { return static_cast<double>(i); })});
  Vector outlier = made(n, normal), lonely(n, 0.0);
  outlier[random.below(n)] = 1e5;
  lonely[random.below(n)] = -7.0;
  out.push_back({"one outlier", outlier});
  out.push_back({"one entry", lonely});
  for (Named& column : out) {
    for (double& x : column.values) x = static_cast<double>(static_cast<T>(x));
  }
  return out;
}

// Vectors that columns are multiplied with: residuals of all sizes and shapes.
std::vector<Named> residuals(Random& random, Index n) {
  const auto normal = [&](Index) { return random.normal(); };
  std::vector<Named> out;
  for (int k = 0; k < 5; ++k) out.push_back({"normal", made(n, normal)});
  out.push_back({"heavy tails", made(n, [&](Index) { return random.heavy_tailed(); })});
  out.push_back({"zero", Vector(n, 0.0)});
  out.push_back({"constant", Vector(n, -0.3)});
  out.push_back({"signs", made(n, [&](Index) { return random.sign(); })});
  // Products with the columns must stay within the range of doubles.
  out.push_back({"small", scaled_to(made(n, normal), 1e-100)});
  out.push_back({"large", scaled_to(made(n, normal), 1e100)});
  Vector spike = made(n, [&](Index) { return 1e-3 * random.normal(); }), some(n, 0.0);
  spike[random.below(n)] = 50.0;
  for (Index i = 0; i < n; i += 3) some[i] = random.normal();
  out.push_back({"one spike", spike});
  out.push_back({"many zeros", some});
  return out;
}

template <class T>
Shadow shade(const std::vector<Named>& columns) {
  const Index n = static_cast<Index>(columns[0].values.size());
  Shadow shadow(n, static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::vector<T> x(columns[j].values.begin(), columns[j].values.end());
    shadow.fill(static_cast<Index>(j), x.data());
  }
  return shadow;
}

std::vector<Index> all_of(const std::vector<Named>& columns) {
  std::vector<Index> out(columns.size());
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

long double product(const Vector& x, const Vector& v) {
  long double sum = 0.0L;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<long double>(x[i]) * v[i];
  return sum;
}
long double length(const Vector& x) { return std::sqrt(product(x, x)); }

// No tolerance here: the radius is a promise that has its roundings in it.
void check_promise(const Shadow& shadow, const std::vector<Named>& columns, const Vector& v) {
  const Quantised q = quantise(v);
  const std::vector<Index> all = all_of(columns);
  const Index count = static_cast<Index>(all.size());
  Vector seen(count), seen_finely(count);
  shadow.products(q, all.data(), count, seen.data());
  if (shadow.has_fine()) shadow.fine_products(q, all.data(), count, seen_finely.data());
  for (Index j = 0; j < count; ++j) {
    const check::Note note("column " + columns[j].name);
    const long double truth = product(columns[j].values, v);
    CHECK_AT_MOST(std::fabs(truth - seen[j]), shadow.radius(q, j));
    if (!shadow.has_fine()) continue;
    CHECK_AT_MOST(std::fabs(truth - seen_finely[j]), shadow.fine_radius(q, j));
  }
}

// What the first eight bits lose of every column. A product with a unit vector shows one entry of what they
// know, up to a few roundings.
std::vector<Vector> lost_by_look(const Shadow& shadow, const std::vector<Named>& columns) {
  const std::vector<Index> all = all_of(columns);
  const Index n = static_cast<Index>(columns[0].values.size()), d = static_cast<Index>(all.size());
  std::vector<Vector> lost(d, Vector(n));
  Vector unit(n, 0.0), known(d);
  for (Index i = 0; i < n; ++i) {
    unit[i] = 1.0;
    shadow.products(quantise(unit), all.data(), d, known.data());
    for (Index j = 0; j < d; ++j) lost[j][i] = columns[j].values[i] - known[j];
    unit[i] = 0.0;
  }
  return lost;
}
// And what all the bits lose of column j.
Vector lost_by_all(const Shadow& shadow, const Vector& x, Index j) {
  Vector lost = x;
  const double minus = -1.0;
  shadow.accumulate(&j, &minus, 1, lost.data());
  return lost;
}

// From one row to more than one block of 4096; from 4096 rows on there are fine bits.
constexpr Index kSizes[] = {1, 2, 7, 33, 64, 100, 1000, 4095, 4096, 9001};

template <class T>
void check_random_residuals(std::uint64_t seed) {
  Random random(seed);
  for (const Index n : kSizes) {
    const check::Note note(std::to_string(8 * sizeof(T)) + " bits, " + std::to_string(n) + " rows");
    const std::vector<Named> columns = hard_columns<T>(random, n);
    const Shadow shadow = shade<T>(columns);
    CHECK(shadow.has_fine() == (n >= 4096));
    for (const Named& r : residuals(random, n)) {
      const check::Note which("residual " + r.name);
      check_promise(shadow, columns, r.values);
    }
  }
}

// The worst residual for a column is what its shadow has lost of it: the bound is then met almost exactly,
// and one that is a hundredth too small is found out.
template <class T>
void check_worst_residuals(std::uint64_t seed) {
  Random random(seed);
  for (const Index n : {33, 1000, 4200}) {
    const check::Note note(std::to_string(8 * sizeof(T)) + " bits, " + std::to_string(n) + " rows");
    const std::vector<Named> columns = hard_columns<T>(random, n);
    const Shadow shadow = shade<T>(columns);
    const std::vector<Vector> by_look = lost_by_look(shadow, columns);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const check::Note which("what is lost of " + columns[j].name);
      const Vector by_all = lost_by_all(shadow, columns[j].values, static_cast<Index>(j));
      for (const Vector& lost : {by_look[j], by_all}) {
        // At its own size its square would leave the range of doubles.
        check_promise(shadow, columns, length(lost) > 0.0L ? scaled_to(lost, 1.0) : lost);
      }
    }
  }
}
}  // namespace

TEST("shadow: products with random residuals") {
  check_random_residuals<double>(1);
  check_random_residuals<float>(2);
}

TEST("shadow: products with the worst residuals") {
  check_worst_residuals<double>(3);
  check_worst_residuals<float>(4);
}

// A bound that is never wrong because it is infinite would pass the tests above.
TEST("shadow: the bounds are useful") {
  Random random(5);
  for (const Index n : {100, 1000, 5000}) {
    const check::Note note(std::to_string(n) + " rows");
    const std::vector<Named> columns = hard_columns<double>(random, n);
    const Shadow shadow = shade<double>(columns);
    const Vector v = random.normals(n);
    const Quantised q = quantise(v);
    const auto relative = [&](Index j, double radius) {
      return radius / (length(columns[j].values) * length(v));
    };
    for (const Index j : {Index{0}, Index{7}, Index{8}, Index{9}, Index{10}}) {
      const check::Note which("column " + columns[j].name);
      // Of normal numbers the largest of some thousands is below 5 deviations: a step is 10 / 254 of one, its
      // error that over 12^(1/2), 0.0114. The 16 bits of v add 1e-4.
      CHECK_AT_MOST(relative(j, shadow.radius(q, j)), 0.0125);
      // The fine bits divide the step by 254; what the 16 bits of v lose, 5 / 32767 / 12^(1/2), stays.
      if (shadow.has_fine()) CHECK_AT_MOST(relative(j, shadow.fine_radius(q, j)), 1.5e-4);
    }
  }
}

// A column's product must not depend on which others are asked for, nor on their order.
TEST("shadow: a look does not depend on the neighbours") {
  Random random(6);
  for (const Index n : {100, 4200}) {
    const std::vector<Named> columns = hard_columns<double>(random, n);
    const Shadow shadow = shade<double>(columns);
    const Quantised q = quantise(random.normals(n));
    const Index d = static_cast<Index>(columns.size());
    const std::vector<Index> all = all_of(columns);
    Vector whole(d), part(2 * d);
    shadow.products(q, all.data(), d, whole.data());
    for (Index count = 1; count <= d; ++count) {
      std::vector<Index> some;
      for (Index k = 0; k < count; ++k) some.push_back(random.below(d));
      shadow.products(q, some.data(), count, part.data());
      for (Index k = 0; k < count; ++k) CHECK(part[k] == whole[some[k]]);
    }
  }
}

TEST("shadow: accumulated columns are known to what error_bound says") {
  Random random(7);
  for (const Index n : kSizes) {
    const check::Note note(std::to_string(n) + " rows");
    const std::vector<Named> columns = hard_columns<double>(random, n);
    const Shadow shadow = shade<double>(columns);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const check::Note which("column " + columns[j].name);
      const Index column = static_cast<Index>(j);
      const double one = 1.0;
      Vector known(n, 0.0);
      shadow.accumulate(&column, &one, 1, known.data());
      long double miss2 = 0.0L;
      for (Index i = 0; i < n; ++i) {
        const long double miss = static_cast<long double>(columns[j].values[i]) - known[i];
        miss2 += miss * miss;
      }
      // As many roundings as Design::subtract_in_shadow counts for one column.
      CHECK_AT_MOST(std::sqrt(miss2), shadow.error_bound(column, 8.0 * (1.0 + 4.0)));
    }
  }
}

TEST("shadow: sums of several accumulated columns") {
  Random random(8);
  for (const Index n : {50, 1000, 4200}) {
    const check::Note note(std::to_string(n) + " rows");
    const std::vector<Named> columns = hard_columns<double>(random, n);
    const Shadow shadow = shade<double>(columns);
    for (Index count = 1; count <= 9; ++count) {
      std::vector<Index> some;
      Vector coef;
      for (Index k = 0; k < count; ++k) {
        some.push_back(random.below(static_cast<Index>(columns.size())));
        // Comparable parts: the largest column would hide the errors of the others.
        coef.push_back(random.normal() /
                       static_cast<double>(length(columns[some[k]].values) + 1e-200L));
      }
      const Vector start = random.normals(n);
      Vector known = start;
      shadow.accumulate(some.data(), coef.data(), count, known.data());
      const double roundings = 8.0 * (static_cast<double>(count) + 4.0);
      double room = roundings * kEps * static_cast<double>(length(start));
      for (Index k = 0; k < count; ++k)
        room += std::abs(coef[k]) * shadow.error_bound(some[k], roundings);
      long double miss2 = 0.0L;
      for (Index i = 0; i < n; ++i) {
        long double truth = start[i];
        for (Index k = 0; k < count; ++k) {
          truth += static_cast<long double>(coef[k]) * columns[some[k]].values[i];
        }
        miss2 += (truth - known[i]) * (truth - known[i]);
      }
      CHECK_AT_MOST(std::sqrt(miss2), room);
    }
  }
}

// Of constant columns the shadow knows everything, so that only the roundings of the sum are left, and they
// are many.
TEST("shadow: roundings of long sums") {
  Random random(10);
  const Index n = 40, count = 3000;
  const std::vector<Named> columns = {{"one", Vector(n, 0.1)}, {"two", Vector(n, 0.7)}};
  const Shadow shadow = shade<double>(columns);
  const double roundings = 8.0 * (static_cast<double>(count) + 4.0);
  std::vector<Index> cols;
  Vector coef, known(n, 0.0);
  long double truth = 0.0L;
  double room = 0.0;
  for (Index k = 0; k < count; ++k) {
    cols.push_back(random.below(2));
    coef.push_back(random.uniform());
    truth += static_cast<long double>(coef[k]) * columns[cols[k]].values[0];
    room += coef[k] * shadow.error_bound(cols[k], roundings);
  }
  shadow.accumulate(cols.data(), coef.data(), count, known.data());
  const long double miss = std::fabs(truth - known[0]) * std::sqrt(static_cast<long double>(n));
  CHECK_AT_MOST(miss, room);
}

TEST("quantise: a vector in 16 bits") {
  Random random(9);
  for (const Index n : kSizes) {
    const check::Note note(std::to_string(n) + " rows");
    for (const Named& v : residuals(random, n)) {
      const check::Note which("vector " + v.name);
      const Quantised q = quantise(v.values);
      long double miss2 = 0.0L, sum = 0.0L, size = 0.0L;
      for (Index i = 0; i < n; ++i) {
        const long double miss = v.values[i] - static_cast<long double>(q.unit) * q.q[i];
        miss2 += miss * miss;
        sum += v.values[i];
        size += std::fabs(v.values[i]);
      }
      CHECK_AT_MOST(length(v.values), q.norm);
      CHECK_AT_MOST(std::sqrt(miss2), q.per_size);
      CHECK_AT_MOST(std::fabs(q.sum - sum), q.per_offset);
      // n additions, one after the other.
      CHECK_CLOSE(q.sum, sum, kEps * static_cast<double>(n) * size);
      CHECK(q.q.size() % 64 == 0);
      for (std::size_t i = n; i < q.q.size(); ++i) CHECK(q.q[i] == 0);
    }
  }
}

// One over a number below 1e-308 is infinite, so there is nothing to scale by.
TEST("quantise: a vector too small to be scaled") {
  const Quantised q = quantise(Vector(70, 1e-310));
  CHECK(q.unit == 0.0);
  for (const std::int16_t step : q.q) CHECK(step == 0);
}
