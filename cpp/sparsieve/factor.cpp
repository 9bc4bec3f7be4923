#include "sparsieve/factor.hpp"

#include <algorithm>
#include <cmath>

#include "sparsieve/threads.hpp"

namespace sparsieve {
namespace {
// Relative size below which a pivot is rounding noise of the Gram matrix.
constexpr double kPivotFloor = 1e-13;
}  // namespace

// Row by row in blocks of four: the entries of L are dot products of rows of L that are already
// known, sixteen at a time.
bool factorise(double* a, Index k, Index ld, const std::vector<double>& noise,
               const std::function<bool()>& stop) {
  const Index padded = (k + 3) / 4 * 4;
  std::vector<double> floor(padded, 0.0);
  for (Index i = 0; i < padded; ++i) {
    if (i < k) {
      floor[i] = std::max(kPivotFloor * a[i * ld + i], noise[i]);
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

bool Factor::append(std::vector<double> rows, Index count, int threads) {
  const Index k = k_, width = k + count;
  reserve(width);
  parallel_for(count, threads, kGrain / (k * k / 2 + 1) + 1, [&](Index first, Index last) {
    forward(rows.data() + first * width, last - first, width);
  });
  for (Index j = 0; j < k; ++j) {
    for (Index b = 0; b < count; ++b) column(j)[k + b] = rows[b * width + j];
  }
  bool sound = true;
  for (Index b = 0; b < count; ++b) {
    double* v = rows.data() + b * width;
    const double floor = kPivotFloor * v[k + b];
    for (Index i = 0; i < b; ++i) {
      const double* other = rows.data() + i * width;
      v[k + i] = (v[k + i] - dot(other, v, k + i)) / other[k + i];
      column(k + i)[k + b] = v[k + i];
    }
    const double pivot2 = v[k + b] - dot(v, v, k + b);
    sound = sound && pivot2 > floor;
    column(k + b)[k + b] = v[k + b] = std::sqrt(std::max(pivot2, floor));
  }
  k_ = width;
  return sound;
}

bool Factor::append(const double* a, double diagonal) {
  std::vector<double> row(a, a + k_);
  row.push_back(diagonal);
  return append(std::move(row), 1, 1);
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

// Four columns at a time: a vector is read and written once for all of them, and they come from memory
// once for all vectors.
void Factor::forward(double* vectors, Index count, Index stride) const {
  Index j = 0;
  for (; j + 4 <= k_; j += 4) {
    const double* l[4] = {column(j), column(j + 1), column(j + 2), column(j + 3)};
    const double* below[4] = {l[0] + j + 4, l[1] + j + 4, l[2] + j + 4, l[3] + j + 4};
    for (double* x = vectors; x != vectors + count * stride; x += stride) {
      double negative[4];
      for (Index q = 0; q < 4; ++q) {
        for (Index p = 0; p < q; ++p) x[j + q] -= l[p][j + q] * x[j + p];
        x[j + q] /= l[q][j + q];
        negative[q] = -x[j + q];
      }
      kernels<double>().axpy4(negative, below, x + j + 4, k_ - j - 4);
    }
  }
  for (; j < k_; ++j) {
    const double* l = column(j);
    for (double* x = vectors; x != vectors + count * stride; x += stride) {
      x[j] /= l[j];
      axpy(-x[j], l + j + 1, x + j + 1, k_ - j - 1);
    }
  }
}

void Factor::solve(const double* b, double* x) const {
  if (x != b) std::copy(b, b + k_, x);
  forward(x, 1, k_);
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
