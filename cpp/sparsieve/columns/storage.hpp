// Columns as the user stored them. A storage owns no data and copies none: it reads the caller's arrays.
// Every function returns how many bytes of X it read, so that passes over X are counted where they
// happen. Virtual calls are per batch of columns, never per coordinate of a loop.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "sparsieve/columns/epoch.hpp"
#include "sparsieve/columns/shadow.hpp"

namespace sparsieve {

using Bytes = std::uint64_t;

// Mean and second moments of one column under sample weights omega:
//   mean = sum omega x / sum omega,  centred = sum omega (x - mean)^2,  raw = sum omega x^2,
// and, of sparse columns, size = sum |x| (otherwise 0). Without centring the mean is taken as 0.
struct ColumnMoments {
  double mean, centred, raw, size;
};

// What a storage computes of each column while it is in cache: the moments and, if wanted, more.
struct ColumnPass {
  const double* omega;
  double total;  // sum omega
  bool centre;
  Shadow* shadow = nullptr;   // its columns are filled
  const double* v = nullptr;  // products[k] = x' v of column first + k
  double* products = nullptr;
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
  // Rows from first to before last of some columns: out[k * stride + i] is row first + i of cols[k].
  virtual Bytes rows(const Index* cols, Index count, Index first, Index last, double* out,
                     Index stride) const = 0;
  // Whether most entries are not stored, so that a column is cheaper than its expansion.
  virtual bool sparse() const = 0;
  // y += coef omega x_j, elementwise
  virtual Bytes accumulate_weighted(Index j, double coef, const double* omega, double* y) const = 0;
  virtual Bytes descend(Epoch& epoch, EpochInputs& inputs) const = 0;
  // The 8-bit shadow; null where none helps. The first caller builds it and pays: `read` grows by the bytes
  // of X that were read for it.
  const Shadow* shadow(int threads, Bytes& read) const;
  // The same for a caller that reads every column anyway: new_shadow makes an empty one (null where none
  // helps or one exists already), `measure` fills its columns, keep_shadow makes it the storage's own.
  std::unique_ptr<Shadow> new_shadow() const;
  void keep_shadow(std::unique_ptr<Shadow> shadow) const;
  // Fill column j of a shadow; only where sparse() is false.
  virtual void fill(Shadow& shadow, Index j) const = 0;
  // Read columns first, ..., last - 1, each once; moments[k] is that of column first + k.
  virtual Bytes measure(Index first, Index last, const ColumnPass& pass,
                        ColumnMoments* moments) const = 0;
  // Whether column j has an entry other than zero in a row of positive weight.
  virtual Bytes has_nonzero(Index j, const double* omega, bool& out) const = 0;
  // Whether two rows of positive weight differ in column j: exact, whatever the size of the entries.
  Bytes varies(Index j, const double* omega, bool& out) const;

  // Below this number of columns per thread, sharing them among threads costs more than it saves.
  Index columns_per_thread() const;

 private:
  Index n_, d_;
  mutable std::mutex shadow_lock_;
  mutable std::unique_ptr<Shadow> shadow_;
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
  Bytes rows(const Index* cols, Index count, Index first, Index last, double* out,
             Index stride) const override;
  Bytes accumulate_weighted(Index j, double coef, const double* omega, double* y) const override;
  Bytes descend(Epoch& epoch, EpochInputs& inputs) const override;
  Bytes measure(Index first, Index last, const ColumnPass& pass,
                ColumnMoments* moments) const override;
  Bytes has_nonzero(Index j, const double* omega, bool& out) const override;
  void fill(Shadow& shadow, Index j) const override { shadow.fill(j, column(j)); }

 private:
  ColumnMoments moments(Index j, const ColumnPass& pass) const;
  ColumnMoments moments_by_blocks(Index j, const ColumnPass& pass, double* product) const;
  const T* column(Index j) const { return data_ + j * ld_; }
  Bytes column_bytes() const { return sizeof(T) * Bytes(n()); }
  const T* data_;
  Index ld_;
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
  Bytes rows(const Index* cols, Index count, Index first, Index last, double* out,
             Index stride) const override;
  Bytes accumulate_weighted(Index j, double coef, const double* omega, double* y) const override;
  Bytes descend(Epoch& epoch, EpochInputs& inputs) const override;
  Bytes measure(Index first, Index last, const ColumnPass& pass,
                ColumnMoments* moments) const override;
  Bytes has_nonzero(Index j, const double* omega, bool& out) const override;
  void fill(Shadow&, Index) const override {}

 private:
  Bytes entry_bytes(Index first, Index last) const {
    return (sizeof(T) + sizeof(I)) * Bytes(starts_[last] - starts_[first]);
  }
  ColumnMoments moments(Index j, const ColumnPass& pass) const;
  double dot(Index j, const double* v) const;
  void axpy(Index j, double a, double* y) const;
  const T* data_;
  const I* rows_;
  const I* starts_;
};

}  // namespace sparsieve
