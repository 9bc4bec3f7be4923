#include "sparsieve/factor.hpp"

#include <algorithm>
#include <cmath>

namespace sparsieve {
namespace {
// Relative size below which a pivot is rounding noise of the Gram matrix.
constexpr double kPivotFloor = 1e-13;
}  // namespace

// Row by row in blocks of four: the entries of L are dot products of rows of L that are already
// known, sixteen at a time.
bool factorise(double* a, Index k, Index ld, const std::function<bool()>& stop) {
  const Index padded = (k + 3) / 4 * 4;
  std::vector<double> floor(padded, 0.0);
  for (Index i = 0; i < padded; ++i) {
    if (i < k) {
      floor[i] = kPivotFloor * a[i * ld + i];
    } else {  // unit rows, which change nothing
      std::fill(a + i * ld, a + i * ld + i, 0.0);
      a[i * ld + i] = 1.0;
    }
  }
  const auto rows = [&](Index i, const double* out[4]) {
    for (Index q = 0; q < 4; ++q) out[q] = a + (i + q) * ld;
  };
  for (Index i = 0; i < padded; i += 4) {
    if (i % 64 == 0 && stop && stop()) return false;
    for (Index j = 0; j <= i; j += 4) {
      const double *u[4], *v[4];
      double known[16];
      rows(i, u);
      rows(j, v);
      kernels<double>().tile(u, v, j, known);
      for (Index p = 0; p < 4; ++p) {
        double* row = a + (i + p) * ld + j;
        const Index last = i == j ? p : 3;
        for (Index q = 0; q <= last; ++q) {
          double s = row[q] - known[4 * p + q];
          const double* other = a + (j + q) * ld + j;
          for (Index t = 0; t < q; ++t) s -= row[t] * other[t];
          if (i == j && q == p) {
            if (!(s > floor[i + p])) return false;
            row[q] = std::sqrt(s);
          } else {
            row[q] = s / other[q];
          }
        }
      }
    }
  }
  return true;
}

void Factor::reserve(Index k) {
  if (k <= capacity_) return;
  Factor bigger;
  bigger.capacity_ = k + k / 8 + 16;
  bigger.l_.resize(static_cast<std::size_t>(bigger.capacity_) * (bigger.capacity_ + 1) / 2);
  for (Index j = 0; j < k_; ++j) std::copy(column(j) + j, column(j) + k_, bigger.column(j) + j);
  l_.swap(bigger.l_);
  capacity_ = bigger.capacity_;
}

bool Factor::append(const double* a, double diagonal) {
  reserve(k_ + 1);
  std::vector<double> v(a, a + k_);
  forward(v.data());
  const double norm2 = dot(v.data(), v.data(), k_);
  for (Index j = 0; j < k_; ++j) column(j)[k_] = v[j];
  const double pivot2 = diagonal - norm2, floor = kPivotFloor * diagonal;
  column(k_)[k_] = std::sqrt(std::max(pivot2, floor));
  ++k_;
  return pivot2 > floor;
}

void Factor::remove(Index i) {
  for (Index j = 0; j < i; ++j) {
    double* l = column(j);
    std::copy(l + i + 1, l + k_, l + i);
  }
  // What is left of column i (its entries below the diagonal) is a rank-one update of the trailing
  // factor; rotate it into the columns behind, each of which moves one place left.
  std::vector<double> x(column(i) + i + 1, column(i) + k_);
  const Index rest = k_ - i - 1;
  for (Index j = 0; j < rest; ++j) {
    const double* old = column(i + 1 + j) + i + 1;  // rows i+1.. of column i+1+j
    double* fresh = column(i + j) + i;
    const double radius = std::hypot(old[j], x[j]);
    const double c = old[j] / radius, s = x[j] / radius;
    fresh[j] = radius;
    kernels<double>().rotate(c, s, old + j + 1, x.data() + j + 1, fresh + j + 1, rest - j - 1);
  }
  --k_;
}

double Factor::smallest_pivot(const std::vector<double>& diagonal) const {
  double smallest = 1.0;
  for (Index j = 0; j < k_; ++j) {
    smallest = std::min(smallest, column(j)[j] * column(j)[j] / diagonal[j]);
  }
  return smallest;
}

// Four columns at a time: the vector is read and written once for all of them.
void Factor::forward(double* x) const {
  Index j = 0;
  for (; j + 4 <= k_; j += 4) {
    const double* l[4] = {column(j), column(j + 1), column(j + 2), column(j + 3)};
    double negative[4];
    for (Index q = 0; q < 4; ++q) {
      for (Index p = 0; p < q; ++p) x[j + q] -= l[p][j + q] * x[j + p];
      x[j + q] /= l[q][j + q];
      negative[q] = -x[j + q];
    }
    for (const double*& each : l) each += j + 4;
    kernels<double>().axpy4(negative, l, x + j + 4, k_ - j - 4);
  }
  for (; j < k_; ++j) {
    const double* l = column(j);
    x[j] /= l[j];
    axpy(-x[j], l + j + 1, x + j + 1, k_ - j - 1);
  }
}

void Factor::solve(const double* b, double* x) const {
  if (x != b) std::copy(b, b + k_, x);
  forward(x);
  Index j = k_;
  for (; j > k_ / 4 * 4; --j) {
    const double* l = column(j - 1);
    x[j - 1] = (x[j - 1] - dot(l + j, x + j, k_ - j)) / l[j - 1];
  }
  for (j -= 4; j >= 0; j -= 4) {
    const double* l[4];
    double below[4];
    for (Index q = 0; q < 4; ++q) l[q] = column(j + q) + j + 4;
    kernels<double>().dot4(l, x + j + 4, k_ - j - 4, below);
    for (Index q = 3; q >= 0; --q) {
      const double* own = column(j + q);
      double s = x[j + q] - below[q];
      for (Index p = q + 1; p < 4; ++p) s -= own[j + p] * x[j + p];
      x[j + q] = s / own[j + q];
    }
  }
}

}  // namespace sparsieve
