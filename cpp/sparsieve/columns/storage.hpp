// Columns as the user stored them. A storage owns no data and copies none: it reads the caller's
// arrays and reports how many bytes it read, so that passes over X are counted where they happen.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "sparsieve/columns/epoch.hpp"
#include "sparsieve/columns/shadow.hpp"

namespace sparsieve {

using Bytes = std::uint64_t;

// A sum with what its roundings lost: exact up to its own last rounding, and zeros change nothing, so that
// the weights of a full column add up to the total.
struct LongSum {
  double sum = 0.0, lost = 0.0;
  void add(double x) {
    const double next = sum + x, got = next - sum;
    lost += (sum - (next - got)) + (x - got);
    sum = next;
  }
  double value() const { return sum + lost; }
};

// Mean and centred second moment of one column under sample weights omega:
//   mean = sum omega x / sum omega,  centred = sum omega (x - mean)^2,  raw = sum omega x^2,
// and, of sparse columns, size = sum |x| (otherwise 0).
struct Moments {
  double mean, centred, raw, size;
};

class Storage {
 public:
  Storage(Index n, Index d) : n_(n), d_(d) {}
  virtual ~Storage() = default;
  Index n() const { return n_; }
  Index d() const { return d_; }

  // Size of X in bytes: what one pass costs.
  virtual Bytes bytes() const = 0;
  // out[k] = x_{cols[k]}' v
  virtual Bytes dots(const double* v, const Index* cols, Index count, double* out) const = 0;
  // out[a * stride + k] = v_a' x_{cols[k]}
  virtual Bytes dots_many(const double* const* v, Index nv, const Index* cols, Index count,
                          double* out, Index stride) const = 0;
  // y += sum_k coef[k] x_{cols[k]}
  virtual Bytes accumulate(const Index* cols, const double* coef, Index count, double* y,
                           int threads) const = 0;
  // Whether most entries are not stored, so that a column is cheaper than its expansion.
  virtual bool sparse() const = 0;
  // y += coef omega x_j, elementwise
  virtual Bytes accumulate_weighted(Index j, double coef, const double* omega, double* y) const = 0;
  virtual Bytes descend(Epoch& epoch, Terrain& terrain) const = 0;
  // The 8-bit shadow, built by the first who asks (who pays for reading X); null where none helps.
  virtual const Shadow* shadow(int threads, Bytes& read) const {
    static_cast<void>(threads);
    static_cast<void>(read);
    return nullptr;
  }
  // The same for somebody who visits every column anyway: start one (null where none helps or one is
  // there already), shade each column while it is in cache, hand it in.
  virtual std::unique_ptr<Shadow> start_shadow() const { return nullptr; }
  virtual void shade(Index j, Shadow& shadow) const {
    static_cast<void>(j);
    static_cast<void>(shadow);
  }
  virtual void hand_in(std::unique_ptr<Shadow> shadow) const { static_cast<void>(shadow); }
  // Moments of column j; `total` = sum omega. With centre = false the mean is taken as 0.
  virtual Bytes moments(Index j, const double* omega, double total, bool centre,
                        Moments& out) const = 0;
  // Whether column j has an entry other than zero in a row of positive weight.
  virtual Bytes any(Index j, const double* omega, bool& out) const = 0;

 private:
  Index n_, d_;
};

// Dense, column-major, leading dimension ld >= n.
template <class T>
class Dense final : public Storage {
 public:
  Dense(const T* data, Index n, Index d, Index ld) : Storage(n, d), data_(data), ld_(ld) {}
  Bytes bytes() const override { return sizeof(T) * Bytes(n()) * Bytes(d()); }
  bool sparse() const override { return false; }
  Bytes dots(const double* v, const Index* cols, Index count, double* out) const override;
  Bytes dots_many(const double* const* v, Index nv, const Index* cols, Index count, double* out,
                  Index stride) const override;
  Bytes accumulate(const Index* cols, const double* coef, Index count, double* y,
                   int threads) const override;
  Bytes accumulate_weighted(Index j, double coef, const double* omega, double* y) const override;
  Bytes descend(Epoch& epoch, Terrain& terrain) const override;
  Bytes moments(Index j, const double* omega, double total, bool centre,
                Moments& out) const override;
  Bytes any(Index j, const double* omega, bool& out) const override;
  const Shadow* shadow(int threads, Bytes& read) const override;
  std::unique_ptr<Shadow> start_shadow() const override;
  void shade(Index j, Shadow& shadow) const override;
  void hand_in(std::unique_ptr<Shadow> shadow) const override;

 private:
  const T* column(Index j) const { return data_ + j * ld_; }
  Bytes column_bytes() const { return sizeof(T) * Bytes(n()); }
  const T* data_;
  Index ld_;
  mutable std::mutex shadow_lock_;
  mutable std::unique_ptr<Shadow> shadow_;
};

// Compressed sparse columns with sorted, unique row indices of type I.
template <class T, class I>
class Csc final : public Storage {
 public:
  Csc(const T* data, const I* rows, const I* starts, Index n, Index d)
      : Storage(n, d), data_(data), rows_(rows), starts_(starts) {}
  Bytes bytes() const override { return entry_bytes(0, d()); }
  bool sparse() const override { return true; }
  Bytes dots(const double* v, const Index* cols, Index count, double* out) const override;
  Bytes dots_many(const double* const* v, Index nv, const Index* cols, Index count, double* out,
                  Index stride) const override;
  Bytes accumulate(const Index* cols, const double* coef, Index count, double* y,
                   int threads) const override;
  Bytes accumulate_weighted(Index j, double coef, const double* omega, double* y) const override;
  Bytes descend(Epoch& epoch, Terrain& terrain) const override;
  Bytes moments(Index j, const double* omega, double total, bool centre,
                Moments& out) const override;
  Bytes any(Index j, const double* omega, bool& out) const override;

 private:
  Bytes entry_bytes(Index first, Index last) const {
    return (sizeof(T) + sizeof(I)) * Bytes(starts_[last] - starts_[first]);
  }
  double dot(Index j, const double* v) const;
  void axpy(Index j, double a, double* y) const;
  const T* data_;
  const I* rows_;
  const I* starts_;
};

}  // namespace sparsieve
