// Conjugate gradients: against a naive solve, and where the curvature turns negative.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sparsieve/inner/conjugate_gradients.hpp"

namespace {
using check::Index;
using check::Matrix;
using check::Random;
using Vector = std::vector<double>;
using Long = std::vector<long double>;

constexpr double kEps = std::numeric_limits<double>::epsilon();

// A system with a diagonal preconditioner M that follows M p and M x by recurrence, as GramNewton does.
struct System {
  const Matrix& h;
  Vector m;
  Vector mp, mx;
  int multiplications = 0;

  bool multiply(const Vector& p, Vector& hp, double& php) {
    ++multiplications;
    for (std::size_t i = 0; i < p.size(); ++i) {
      // The recurrence is for the direction that is asked about.
      CHECK_CLOSE(mp[i], m[i] * p[i], 1e-12 * (1.0 + std::fabs(mp[i])));
      hp[i] = 0.0;
      for (std::size_t j = 0; j < p.size(); ++j) hp[i] += h.at(i, j) * p[j];
      php += p[i] * hp[i];
    }
    return php > 0.0;
  }
  void precondition(const Vector& rho, Vector& z) const {
    for (std::size_t i = 0; i < rho.size(); ++i) z[i] = rho[i] / m[i];
  }
  void moved(double a) {
    for (std::size_t i = 0; i < mx.size(); ++i) mx[i] += a * mp[i];
  }
  void turned(const Vector& rho, double beta) {
    for (std::size_t i = 0; i < mp.size(); ++i) mp[i] = rho[i] + beta * mp[i];
  }
};

System make_system(const Matrix& h, const Vector& m, const Vector& g) {
  return {h, m, g, Vector(g.size(), 0.0)};
}

int solve(System& system, const Vector& g, double goal, int most, Vector& x) {
  Vector z(g.size());
  system.precondition(g, z);
  return sparsieve::conjugate_gradients(system, g, z, goal, most, x);
}

// I + Z'Z / k: its eigenvalues are between 1 and about 5.
Matrix easy(Random& random, Index k) {
  const Matrix z = random.normal_matrix(k, k);
  Matrix h(k, k);
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) {
      double sum = 0.0;
      for (Index t = 0; t < k; ++t) sum += z.at(t, i) * z.at(t, j);
      h.at(i, j) = sum / static_cast<double>(k) + (i == j ? 1.0 : 0.0);
    }
  }
  return h;
}

// Gauss elimination as in a textbook, with pivots.
Long naive_solve(const Matrix& h, const Vector& g) {
  const Index k = h.rows;
  std::vector<Long> rows(k, Long(k + 1));
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) rows[i][j] = h.at(i, j);
    rows[i][k] = g[i];
  }
  for (Index i = 0; i < k; ++i) {
    Index pivot = i;
    for (Index t = i; t < k; ++t) {
      if (std::fabs(rows[t][i]) > std::fabs(rows[pivot][i])) pivot = t;
    }
    std::swap(rows[i], rows[pivot]);
    for (Index t = i + 1; t < k; ++t) {
      const long double share = rows[t][i] / rows[i][i];
      for (Index j = i; j <= k; ++j) rows[t][j] -= share * rows[i][j];
    }
  }
  Long x(k);
  for (Index i = k - 1; i >= 0; --i) {
    x[i] = rows[i][k];
    for (Index j = i + 1; j < k; ++j) x[i] -= rows[i][j] * x[j];
    x[i] /= rows[i][i];
  }
  return x;
}

// 1/2 x'Hx - g'x
long double value(const Matrix& h, const Vector& g, const Vector& x) {
  long double sum = 0.0L;
  for (Index i = 0; i < h.rows; ++i) {
    for (Index j = 0; j < h.rows; ++j) sum += 0.5L * x[i] * h.at(i, j) * x[j];
    sum -= static_cast<long double>(g[i]) * x[i];
  }
  return sum;
}
}  // namespace

TEST("conjugate gradients: solutions of positive definite systems") {
  Random random(61);
  for (const Index k : {1, 2, 3, 7, 20, 41}) {
    for (const bool plain : {true, false}) {
      const check::Note note("size " + std::to_string(k));
      const Matrix h = easy(random, k);
      Vector m(k, 1.0);
      for (Index i = 0; i < k && !plain; ++i) m[i] = h.at(i, i) * random.between(0.5, 2.0);
      const Vector g = random.normals(k);
      System system = make_system(h, m, g);
      Vector x(k, 0.0);
      const double goal = 1e-11;
      // In exact arithmetic k steps are enough; rounding needs a few more.
      const int steps = solve(system, g, goal, 3 * static_cast<int>(k) + 10, x);
      CHECK(steps <= k + 8 && steps == system.multiplications);
      const Long truth = naive_solve(h, g);
      // No eigenvalue is below 1: x is as close as the residual is small, and the residual that is followed
      // by recurrence differs from the true one by some roundings for each step.
      const double root = std::sqrt(static_cast<double>(k));
      const double room = root * (goal + 64.0 * kEps * static_cast<double>(k) * (steps + 1));
      for (Index i = 0; i < k; ++i) {
        CHECK_CLOSE(x[i], truth[i], room);
        CHECK_CLOSE(system.mx[i], m[i] * x[i], 10.0 * room);  // entries of M are below 10
      }
    }
  }
}

TEST("conjugate gradients: ends at its goal or after the steps it may take") {
  Random random(62);
  const Index k = 30;
  const Matrix h = easy(random, k);
  const Vector g = random.normals(k), m(k, 1.0);
  long double before = 0.0L;
  for (int most = 0; most <= 12; ++most) {
    System system = make_system(h, m, g);
    Vector x(k, 0.0);
    CHECK(solve(system, g, 0.0, most, x) == most);
    // Every step lowers what is minimised, by far more than rounding in so few of them.
    const long double now = value(h, g, x);
    CHECK(most == 0 ? now == 0.0L : now < before);
    before = now;
  }
  int last = 0;
  for (const double goal : {1.0, 1e-2, 1e-4, 1e-8}) {
    System system = make_system(h, m, g);
    Vector x(k, 0.0);
    const int steps = solve(system, g, goal, 100, x);
    CHECK(steps > last && steps < 100);
    last = steps;
    for (Index i = 0; i < k; ++i) {
      long double rest = g[i];
      for (Index j = 0; j < k; ++j) rest -= static_cast<long double>(h.at(i, j)) * x[j];
      CHECK_AT_MOST(std::fabs(rest), goal + 64.0 * kEps * static_cast<double>(k * steps));
    }
  }
}

TEST("conjugate gradients: negative curvature at once leaves everything as it was") {
  Random random(63);
  for (int trial = 0; trial < 20; ++trial) {
    const Index k = 10;
    Matrix h = easy(random, k);
    const Vector g = random.normals(k), m(k, 1.0);
    double gg = 0.0, ghg = 0.0;
    for (Index i = 0; i < k; ++i) {
      gg += g[i] * g[i];
      for (Index j = 0; j < k; ++j) ghg += g[i] * h.at(i, j) * g[j];
    }
    // H - t g g' with g'(H - t g g')g = -g'Hg: the first direction, g, is concave.
    const double t = 2.0 * ghg / (gg * gg);
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j < k; ++j) h.at(i, j) -= t * g[i] * g[j];
    }
    System system = make_system(h, m, g);
    Vector x(k, 0.25);
    CHECK(solve(system, g, 1e-10, 50, x) == 0);
    CHECK(system.multiplications == 1);
    CHECK(x == Vector(k, 0.25));
    CHECK(system.mx == Vector(k, 0.0));
  }
}

// Somewhere on the way there is a direction of negative curvature: what was reached before it is kept.
TEST("conjugate gradients: stops where the curvature turns negative") {
  Random random(64);
  int late = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Index k = 12;
    Matrix h = easy(random, k);
    // One negative eigenvalue: a minus sign for a whole row and column would keep H definite, so the
    // diagonal entry goes below what the others can make up for.
    h.at(k - 1, k - 1) -= 20.0;
    Vector g = random.normals(k);
    g[k - 1] *= 1e-2;  // the first directions hardly meet it
    const Vector m(k, 1.0);
    System system = make_system(h, m, g);
    Vector x(k, 0.0);
    const int steps = solve(system, g, 1e-12, 200, x);
    CHECK(steps < 200 && system.multiplications == steps + 1);
    late += steps > 0;
    System again = make_system(h, m, g);
    Vector y(k, 0.0);
    CHECK(solve(again, g, 0.0, steps, y) == steps);
    CHECK(x == y);
    // Every step it took lowered the value; none is taken at once only if the first direction is concave.
    CHECK(steps == 0 ? value(h, g, x) == 0.0L : value(h, g, x) < 0.0L);
  }
  CHECK(late >= 10);
}
