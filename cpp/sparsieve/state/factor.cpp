#include "sparsieve/state/factor.hpp"

#include <algorithm>
#include <cmath>

#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
// Relative size below which a pivot is rounding noise of the Gram matrix. Where a factor is a proof, a refusal
// is the safe side.
constexpr double kPivotFloor = 1e-13;
// Threads wait for each other after so many columns, and share a solve only if it has so many products: waiting
// takes about a dozen microseconds.
constexpr Index kPanel = 256;
constexpr Index kShared = 1 << 15;
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
  if (k <= height_) return;
  Factor bigger;
  bigger.height_ = (k + k / 8 + 16) / 8 * 8;
  bigger.l_.resize(static_cast<std::size_t>(bigger.height_) * (bigger.height_ + 8) / 2);
  for (Index j = 0; j < k_; ++j) std::copy(column(j) + j, column(j) + k_, bigger.column(j) + j);
  l_.swap(bigger.l_);
  height_ = bigger.height_;
}

bool Factor::append(std::vector<double> rows, Index count, int threads) {
  const Index k = k_, width = k + count;
  reserve(width);
  forward(rows.data(), count, width, threads);
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
    inverse_.push_back(1.0 / v[k + b]);
  }
  k_ = width;
  return sound;
}

bool Factor::append(const double* a, double diagonal) {
  std::vector<double> row(a, a + k_);
  row.push_back(diagonal);
  return append(std::move(row), 1, 1);
}

void Factor::remove(Index i, int threads) {
  parallel_for(i, threads, kShared / (k_ - i) + 1, [&](Index first, Index last) {
    for (Index j = first; j < last; ++j) {
      double* l = column(j);
      std::copy(l + i + 1, l + k_, l + i);
    }
  });
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
    inverse_[i + j] = 1.0 / radius;
    kernels<double>().rotate(c, s, old + j + 1, x.data() + j + 1, fresh + j + 1, rest - j - 1);
  }
  inverse_.pop_back();
  --k_;
}

double Factor::smallest_pivot(const std::vector<double>& diagonal) const {
  double smallest = 1.0;
  for (Index j = 0; j < k_; ++j) {
    smallest = std::min(smallest, column(j)[j] * column(j)[j] / diagonal[j]);
  }
  return smallest;
}

// Whether threads share solves with so many vectors: column by column otherwise, in the same order of sums.
bool Factor::shares(Index count, int threads) const {
  return threads > 1 && k_ > kPanel && count * k_ * k_ >= kGrain;
}

// Panel after panel: the block on its diagonal, then the rows below it, which threads share.
void Factor::forward(double* vectors, Index count, Index stride, int threads) const {
  const Triangle l = triangle();
  const auto& kernels = triangle_kernels();
  const Index panel = shares(count, threads) ? kPanel : k_;
  for (Index first = 0; first < k_; first += panel) {
    const Index last = std::min(k_, first + panel);
    parallel_for(count, threads, kShared / (panel * panel / 2 + 1) + 1, [&](Index a, Index b) {
      kernels.forward(l, first, last, vectors + a * stride, b - a, stride);
    });
    if (last == k_) return;  // the last group need not be whole
    const Index groups = (k_ - last + 7) / 8, grain = kShared / (8 * panel * count) + 1;
    const auto rows = [&](Index a, Index b) {
      const Index from = last + 8 * a, to = std::min(k_, last + 8 * b);
      kernels.below(l, first, last, from, to, vectors, count, stride);
    };
    // One piece for each: columns are far apart, and long runs of their rows are read faster.
    parallel_for(groups, threads, grain, rows, 1);
  }
}

// The same backwards; threads share the columns of a panel.
void Factor::solve(const double* b, double* x, int threads) const {
  if (x != b) std::copy(b, b + k_, x);
  forward(x, 1, k_, threads);
  const Triangle l = triangle();
  const auto& kernels = triangle_kernels();
  const bool shared = shares(1, threads);
  for (Index first = (k_ - 1) / kPanel * kPanel; k_ > 0 && first >= 0; first -= kPanel) {
    const Index last = std::min(k_, first + kPanel), below = k_ - last;
    if (shared && below > 0) {
      parallel_for(kPanel / 8, threads, kShared / (8 * below) + 1, [&](Index a, Index b) {
        kernels.beside(l, first + 8 * a, first + 8 * b, last, k_, x);
      });
    }
    kernels.backward(l, first, last, shared ? last : k_, x);
  }
}

}  // namespace sparsieve
