// Problems for the tests: a random matrix in every storage, with weights and centring, and the same numbers
// for naive sums. What the tests ask of `storage` and `design` when they set a problem up goes through
// here, so that little changes when those do.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sparsieve/columns/design.hpp"
#include "sparsieve/columns/storage.hpp"

namespace problems {

using check::Index;
using check::Matrix;
using check::Random;
using sparsieve::Design;
using sparsieve::ShadowUse;
using sparsieve::Storage;
using sparsieve::Weighted;

constexpr double kEps = std::numeric_limits<double>::epsilon();

enum class Kind { kDouble, kFloat, kSparse, kSparseFloat, kSparseLong, kSparseFloatLong };
constexpr Kind kEveryKind[] = {Kind::kDouble,      Kind::kFloat,      Kind::kSparse,
                               Kind::kSparseFloat, Kind::kSparseLong, Kind::kSparseFloatLong};

inline bool is_sparse(Kind kind) { return kind != Kind::kDouble && kind != Kind::kFloat; }
inline bool is_float(Kind kind) {
  return kind == Kind::kFloat || kind == Kind::kSparseFloat || kind == Kind::kSparseFloatLong;
}
inline std::string name(Kind kind) {
  constexpr const char* names[] = {
      "dense",          "dense float32",       "sparse",
      "sparse float32", "sparse, 64-bit rows", "sparse float32, 64-bit rows"};
  return names[static_cast<int>(kind)];
}

// --------------------------------------------------------------------------------- storing

// A storage only reads arrays; here they live as long as it does. Between the columns of a dense one lie
// numbers that spoil every sum they get into.
template <class T>
std::shared_ptr<const Storage> store_dense(const Matrix& x) {
  const Index n = x.rows, d = x.columns, ld = n + 3;
  struct Owner {
    std::vector<T> data;
    sparsieve::Dense<T> storage;
    Owner(std::vector<T> values, Index n, Index d, Index ld)
        : data(std::move(values)), storage(data.data(), n, d, ld) {}
  };
  std::vector<T> data(ld * d, std::numeric_limits<T>::quiet_NaN());
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < n; ++i) data[j * ld + i] = static_cast<T>(x.at(i, j));
  }
  auto owner = std::make_shared<Owner>(std::move(data), n, d, ld);
  return {owner, &owner->storage};
}

template <class T, class I>
std::shared_ptr<const Storage> store_sparse(const Matrix& x) {
  struct Owner {
    std::vector<T> data;
    std::vector<I> rows, starts;
    sparsieve::Csc<T, I> storage;
    Owner(std::vector<T> d, std::vector<I> r, std::vector<I> s, Index n, Index columns)
        : data(std::move(d)),
          rows(std::move(r)),
          starts(std::move(s)),
          storage(data.data(), rows.data(), starts.data(), n, columns) {}
  };
  std::vector<T> data;
  std::vector<I> rows, starts{0};
  for (Index j = 0; j < x.columns; ++j) {
    for (Index i = 0; i < x.rows; ++i) {
      if (x.at(i, j) == 0.0) continue;
      data.push_back(static_cast<T>(x.at(i, j)));
      rows.push_back(static_cast<I>(i));
    }
    starts.push_back(static_cast<I>(data.size()));
  }
  auto owner = std::make_shared<Owner>(std::move(data), std::move(rows), std::move(starts), x.rows,
                                       x.columns);
  return {owner, &owner->storage};
}

inline std::shared_ptr<const Storage> store(const Matrix& x, Kind kind) {
  switch (kind) {
    case Kind::kDouble:
      return store_dense<double>(x);
    case Kind::kFloat:
      return store_dense<float>(x);
    case Kind::kSparse:
      return store_sparse<double, std::int32_t>(x);
    case Kind::kSparseFloat:
      return store_sparse<float, std::int32_t>(x);
    case Kind::kSparseLong:
      return store_sparse<double, std::int64_t>(x);
    case Kind::kSparseFloatLong:
      return store_sparse<float, std::int64_t>(x);
  }
  return nullptr;
}

// The numbers as they are stored: the tests compare arithmetic, not the rounding of the data.
inline Matrix as_stored(Matrix x, Kind kind) {
  if (is_float(kind)) {
    for (double& v : x.values) v = static_cast<double>(static_cast<float>(v));
  }
  return x;
}

// --------------------------------------------------------------------------------- weights

enum class Weights { kEven, kUneven, kSomeZero };
constexpr Weights kEveryWeights[] = {Weights::kEven, Weights::kUneven, Weights::kSomeZero};

inline std::string name(Weights weights) {
  constexpr const char* names[] = {"even", "uneven", "some zero"};
  return names[static_cast<int>(weights)];
}

inline std::vector<double> make_weights(Random& random, Index n, Weights weights) {
  std::vector<double> omega(n, 1.0 / static_cast<double>(n));
  for (double& o : omega) {
    if (weights != Weights::kEven) o *= std::pow(10.0, random.between(-2.0, 1.0));
    if (weights == Weights::kSomeZero && random.chance(0.3)) o = 0.0;
  }
  return omega;
}

// ------------------------------------------------------------------------------- the problem

// Stored columns with weights and centring, and what the tests compare with: sums in long double, one term
// after the other. Where that has no more bits than double (on some ARM) the errors of these sums are like
// those of the code itself, far below the bounds that the tests allow.
struct Problem {
  Kind kind;
  Matrix x;  // as stored
  std::vector<double> omega;
  bool centre;
  std::shared_ptr<const Storage> storage;
  std::vector<long double> means;  // zeros without centring

  Problem(Kind kind_of_storage, const Matrix& entries, std::vector<double> weights, bool centring)
      : kind(kind_of_storage),
        x(as_stored(entries, kind)),
        omega(std::move(weights)),
        centre(centring),
        storage(store(x, kind)),
        means(x.columns, 0.0L) {
    for (Index j = 0; centre && j < x.columns; ++j) means[j] = weighted_sum(j) / total();
  }
  Index n() const { return x.rows; }
  Index d() const { return x.columns; }
  long double total() const {
    long double sum = 0.0L;
    for (const double o : omega) sum += o;
    return sum;
  }
  long double weighted_sum(Index j) const {
    long double sum = 0.0L;
    for (Index i = 0; i < n(); ++i) sum += static_cast<long double>(omega[i]) * x.at(i, j);
    return sum;
  }
  // Entry i of column j as the solvers see it.
  long double entry(Index i, Index j) const { return x.at(i, j) - means[j]; }
  // x_j' Omega r, x_j centred or not.
  long double correlation(Index j, const std::vector<double>& r) const {
    long double sum = 0.0L;
    for (Index i = 0; i < n(); ++i) sum += omega[i] * entry(i, j) * r[i];
    return sum;
  }
  // x_j' Omega x_k
  long double product(Index j, Index k) const {
    long double sum = 0.0L;
    for (Index i = 0; i < n(); ++i) sum += omega[i] * entry(i, j) * entry(i, k);
    return sum;
  }
  // The norms of column j, as seen and before centring, and of a residual.
  long double norm(Index j) const { return std::sqrt(product(j, j)); }
  long double raw_norm(Index j) const {
    long double sum = 0.0L;
    for (Index i = 0; i < n(); ++i) {
      sum += static_cast<long double>(omega[i]) * x.at(i, j) * x.at(i, j);
    }
    return std::sqrt(sum);
  }
  long double norm(const std::vector<double>& r) const {
    long double sum = 0.0L;
    for (Index i = 0; i < n(); ++i) sum += static_cast<long double>(omega[i]) * r[i] * r[i];
    return std::sqrt(sum);
  }
  std::string text() const {
    return name(kind) + (centre ? ", centred, " : ", ") + std::to_string(n()) + " x " +
           std::to_string(d());
  }
};

// A design of the problem, measured.
inline std::unique_ptr<Design> make_design(const Problem& problem, int threads = 1,
                                           ShadowUse shadow = ShadowUse::kLazy) {
  auto design = std::make_unique<Design>(
      problem.storage, sparsieve::SampleWeights(problem.omega, problem.centre), threads, shadow);
  return design;
}

inline Weighted weigh(const Design& design, const std::vector<double>& r) {
  Weighted out;
  design.weigh(r, out);
  return out;
}

// Columns of many kinds, in turn: of different sizes and means, with one large entry, heavy tails, equal to
// another one or its negative, of one entry only, zero and constant. Of sparse ones most entries are 0.
inline Matrix mixed_columns(Random& random, Index n, Index d, Kind kind) {
  Matrix x(n, d);
  const double share = is_sparse(kind) ? std::max(0.1, 3.0 / static_cast<double>(n)) : 1.0;
  for (Index j = 0; j < d; ++j) {
    const double size = std::pow(10.0, random.between(-2.0, 2.0));
    const Index what = random.below(12);
    const Index other = j > 0 ? random.below(j) : 0;
    const double mean = what == 0 ? 100.0 : what == 1 ? 1.0 : 0.0;
    for (Index i = 0; i < n; ++i) {
      const double u = what == 2 ? random.heavy_tailed() : random.normal();
      x.at(i, j) = random.chance(share) ? size * (u + mean) : 0.0;
      if (what == 3) x.at(i, j) = x.at(i, other);
      if (what == 4) x.at(i, j) = -x.at(i, other);
      if (what == 5) x.at(i, j) = 0.0;
      if (what == 6 && random.chance(0.2)) x.at(i, j) = size;
    }
    if (what == 5) x.at(random.below(n), j) = size;
    if (what == 7) x.at(random.below(n), j) = 1000.0 * size;
    const bool constant = what == 8 && random.chance(0.2), zero = what == 9 && random.chance(0.2);
    for (Index i = 0; i < n && (constant || zero); ++i) x.at(i, j) = zero ? 0.0 : size;
  }
  return x;
}

// Rows without weight are filled with numbers that nobody may see. Finite ones: zero times infinity is
// not a number, and a column with such an entry is reported instead (Design::too_large).
inline void spoil_rows_without_weight(Random& random, Matrix& x, const std::vector<double>& omega) {
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; omega[i] == 0.0 && j < x.columns; ++j) x.at(i, j) = 1e6 * random.normal();
  }
}

}  // namespace problems
