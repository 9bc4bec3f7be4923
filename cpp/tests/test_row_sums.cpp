// Means and centred products of the rows of [X y], with the bounds of their errors.
#include <cmath>
#include <memory>
#include <vector>

#include "check.hpp"
#include "problems.hpp"
#include "sparsieve/columns/row_sums.hpp"

namespace {
using problems::Index;
using problems::kEps;
using problems::Random;
using sparsieve::Dense;
using sparsieve::row_sums;
using sparsieve::RowSums;
using Vector = std::vector<double>;

struct Rows {
  Index n, d;
  Vector x, y, omega;
  const double* weights() const { return omega.empty() ? nullptr : omega.data(); }
  double weight(Index i) const { return omega.empty() ? 1.0 : omega[i]; }
  double entry(Index i, Index j) const { return j < d ? x[j * n + i] : y[i]; }
  RowSums sums(int threads = 1) const {
    return row_sums(Dense<double>(x.data(), n, d, n), y.data(), weights(), threads, {});
  }
};

Rows draw(Random& random, Index n, Index d, double offset, bool weighted) {
  Rows rows{n, d, random.normals(n * d), random.normals(n), {}};
  for (double& x : rows.x) x += offset;
  for (double& y : rows.y) y -= offset;
  if (weighted) rows.omega = problems::make_weights(random, n, problems::kEveryWeights[2]);
  return rows;
}

// Means about the first row, and products, in extended precision.
struct Exact {
  std::vector<long double> mean, products;
  static long double away(const Rows& rows, Index i, Index j) {
    return static_cast<long double>(rows.entry(i, j)) - rows.entry(0, j);
  }
  explicit Exact(const Rows& rows) : mean(rows.d + 1), products((rows.d + 1) * (rows.d + 1)) {
    long double total = 0.0L;
    const Index width = rows.d + 1;
    for (Index i = 0; i < rows.n; ++i) total += rows.weight(i);
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < rows.n; ++i) mean[j] += rows.weight(i) * away(rows, i, j) / total;
    }
    for (Index j = 0; j < width; ++j) {
      for (Index k = 0; k < width; ++k) {
        for (Index i = 0; i < rows.n; ++i)
          products[j * width + k] +=
              rows.weight(i) * (away(rows, i, j) - mean[j]) * (away(rows, i, k) - mean[k]);
      }
    }
  }
};

// Nothing is off by more than what the sums say of themselves.
void check_bounds(const Rows& rows) {
  const RowSums found = rows.sums();
  CHECK(found.usable);
  const Exact exact(rows);
  const Index width = rows.d + 1;
  for (Index j = 0; j < width; ++j) {
    const long double size = std::sqrt(exact.products[j * width + j]);
    const long double moved = static_cast<long double>(found.mean[j]) - rows.entry(0, j);
    const long double off = moved + found.mean_low[j] - exact.mean[j];
    const long double mean_room = found.mean_roundings * kEps / 2.0L * size /
                                  std::sqrt(static_cast<long double>(found.weight));
    CHECK_AT_MOST(std::abs(off), mean_room);
    for (Index k = 0; k < width; ++k) {
      const long double room =
          found.roundings * kEps / 2.0L * size * std::sqrt(exact.products[k * width + k]);
      CHECK_AT_MOST(std::abs(found.products[j * width + k] - exact.products[j * width + k]), room);
    }
  }
}
}  // namespace

TEST("columns: sums of rows are as exact as they say") {
  Random random(31);
  for (const Index n : {2, 100, 129, 5000}) {
    for (const double offset : {0.0, 1e3, 1e9}) {
      for (const bool weighted : {false, true}) {
        const check::Note note(std::to_string(n) + " rows, offset " + std::to_string(offset));
        check_bounds(draw(random, n, 9, offset, weighted));
      }
    }
  }
}

TEST("columns: sums of rows whose means drift") {
  Random random(32);
  Rows rows = draw(random, 9000, 3, 0.0, false);
  for (Index i = 5000; i < rows.n; ++i) rows.x[i] += 1e4;
  for (Index i = 0; i < rows.n; ++i) rows.x[rows.n + i] += static_cast<double>(i);
  check_bounds(rows);
  CHECK(rows.sums().roundings < 300.0);  // about a pivot that follows them
}

TEST("columns: sums of constant columns are zero to the last bit") {
  Random random(33);
  Rows rows = draw(random, 5000, 3, 0.0, true);
  for (Index i = 0; i < rows.n; ++i) rows.x[i] = 0.1;
  const RowSums found = rows.sums();
  CHECK(found.usable && found.mean[0] == 0.1 && found.mean_low[0] == 0.0);
  for (Index k = 0; k < 4; ++k) CHECK(found.products[k] == 0.0);
}

TEST("columns: sums of rows do not depend on the threads") {
  Random random(34);
  const Rows rows = draw(random, 5000, 20, 1.0, true);
  const RowSums one = rows.sums(1), three = rows.sums(3);
  CHECK(one.products == three.products && one.mean == three.mean);
}

TEST("columns: rows whose sums cannot stand for them") {
  Random random(35);
  const Rows sound = draw(random, 300, 3, 0.0, false);
  Rows large = sound, small = sound, weightless = sound;
  large.x[7] = 1e160;
  for (Index i = 0; i < small.n; ++i) small.x[i] *= 1e-160;
  weightless.omega.assign(sound.n, 0.0);
  CHECK(sound.sums().usable);
  CHECK(!large.sums().usable && !small.sums().usable && !weightless.sums().usable);
  const RowSums stopped = row_sums(Dense<double>(sound.x.data(), sound.n, 3, sound.n),
                                   sound.y.data(), nullptr, 1, [] { return true; });
  CHECK(stopped.usable);  // a single stage ends before anybody is asked
}
