// A design: stored columns seen through sample weights, centred when an intercept is fitted, and in units of
// their standard deviations when asked for. Solvers see only this: they never learn how X is stored,
// weighted, centred or scaled.
//
// A design is measured when it is made and never changes after that, so that several fits may share it. Two
// things are added later: the shadow, when it pays for the first time, and the count of bytes read.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sparsieve/columns/leaf_products.hpp"
#include "sparsieve/columns/moments.hpp"
#include "sparsieve/columns/sample_weights.hpp"
#include "sparsieve/columns/shifted.hpp"
#include "sparsieve/columns/storage.hpp"

namespace sparsieve {

enum class ShadowUse {
  kNever,
  kLazy,  // built when as many bytes of X were read as building it costs
  kAtFirst,  // built while the columns are measured (unless they are short): for callers that will read
             // the columns often
};

// Bytes read so far. The counts are atomic because threads share a design.
struct Reads {
  std::atomic<Bytes> columns{0};  // of X itself
  std::atomic<Bytes> shadow{0};
  Bytes total() const { return columns + shadow; }
};

// What is known of columns that stand for others, beside themselves.
struct StandIn {
  double uncertainty = 0.0;  // see Design::uncertainty
  std::vector<double>
      deviations;  // the others' standard deviations; empty: they are those of the columns
};

class Design {
 public:
  // Measures the columns in one pass over X. With a residual r given, its correlations with every column
  // come from the same pass.
  Design(std::shared_ptr<const Storage> storage, SampleWeights weights, int threads = 1,
         ShadowUse shadow_use = ShadowUse::kLazy, const Weighted* r = nullptr,
         std::vector<double>* correlations = nullptr, Scaling scaling = Scaling::kAsStored,
         StandIn stands_for = {});
  Design(const Design&) = delete;
  Design& operator=(const Design&) = delete;

  Index n() const { return storage_->n(); }
  Index d() const { return storage_->d(); }
  const SampleWeights& weights() const { return weights_; }
  const std::vector<double>& omega() const { return weights_.omega(); }
  double total() const { return weights_.total(); }
  bool centred() const { return weights_.centred(); }
  void weigh(const std::vector<double>& r, Weighted& out) const { weights_.weigh(r, out); }
  int threads() const { return threads_; }
  Index columns_per_thread() const { return storage_->columns_per_thread(); }
  // Whether every entry is stored, so that a copy of some columns takes no more memory than they do.
  bool stored_in_full() const { return !storage_->sparse(); }

  // What is known of the columns, see Moments.
  const Moments& moments() const { return moments_; }
  double mean(Index j) const { return moments_.means[j]; }
  // What a stored column is multiplied by. A coefficient w_j of the solver is factor(j) w_j for the user.
  double factor(Index j) const { return moments_.factors.empty() ? 1.0 : moments_.factors[j]; }
  // What the columns were moved by before that: the user's column has the mean mean(j) + shift(j).
  double shift(Index j) const { return shifted_ == nullptr ? 0.0 : shifted_->shift(j); }
  double norm2(Index j) const { return moments_.norms2[j]; }
  double norm(Index j) const { return moments_.norms[j]; }
  double rounding(Index j) const { return moments_.roundings[j]; }
  // The columns and the response may stand for others, whose products they have up to this much, relative to
  // both norms before centring. 0: they are what was observed.
  double uncertainty() const { return stands_for_.uncertainty; }
  const std::vector<Index>& too_small() const { return moments_.too_small; }
  const std::vector<Index>& too_large() const { return moments_.too_large; }
  // The norm before centring: sqrt(norm2 + sum_i omega_i mean^2), with the mean in the column's units.
  double raw_norm(Index j) const {
    const double offset = factor(j) * mean(j);
    return std::sqrt(norm2(j) + total() * offset * offset);
  }
  // A bound of the norms of the columns that are too small, 0 if there are none.
  double ignored_norm() const { return too_small().empty() ? 0.0 : std::sqrt(kTinySquare); }

  // ---- products and sums of columns
  // out[k] = x_{cols[k]}' Omega r. Returns the bytes of X that were read.
  Bytes correlate(const Weighted& r, const Index* cols, Index count, double* out) const;
  // The same of several residuals with every column, which is read once for all: out[a][j].
  void correlate_many(const std::vector<Weighted>& r, const std::vector<double*>& out) const;
  // r -= sum_k coef[k] x_{cols[k]}
  void subtract(const Index* cols, const double* coef, Index count, std::vector<double>& r) const;
  // The same for one column and r in its weighted form, up to a multiple of omega that is orthogonal to
  // every centred column (so that only stored entries are touched); norm2 is not kept current.
  void subtract_weighted(Index j, double coef, Weighted& r) const;
  // The rows and values of a column's entries that are not zero, times its factor: x_j is these minus
  // factor(j) mean(j).
  void entries(Index j, std::vector<std::int32_t>& rows, std::vector<double>& values) const;
  // One epoch of coordinate descent that keeps r current in the same sense.
  void descend(Epoch& epoch, Weighted& r) const;
  // out[a * m + b] = x_{fresh[a]}' Omega x_{cols[b]}, b < m, where the last nf of cols are the fresh
  // ones (of their block only b >= a). Every dense column is read once. With r given, its correlations
  // with the fresh columns come from the same reading.
  void gram(const Index* cols, Index m, Index nf, double* out, const std::vector<double>* r,
            double* correlations) const;

  // The same for all of some columns at once, row by row: X is read once, whatever their number.
  // out[a * m + b] for b >= a. False, and nothing is known, when `stop` says so on the way.
  bool whole_gram(const Index* cols, Index m, double* out, const std::vector<double>* r,
                  double* correlations, const std::function<bool()>& stop) const;
  // Whether that pays: columns are stored in full, and there are several.
  bool whole_gram_pays(Index m) const;

  // ---- the same in extended precision: pairs of doubles, some twenty times slower
  // r = y + lost - sum_k coef[k] x_{cols[k]}, minus its weighted mean where columns are centred, rounded once.
  // `lost` may be empty.
  void exact_residual(const std::vector<double>& y, const std::vector<double>& lost,
                      const Index* cols, const double* coef, Index count,
                      std::vector<double>& r) const;
  // out[k] = x_{cols[k]}' Omega r, off by at most errors[k] from that of the residual before it was rounded.
  void exact_correlations(const Weighted& r, const Index* cols, Index count, double* out,
                          double* errors) const;

  // ---- the shadow: fewer bits of every column, with known errors
  // Null where none helps. The first caller builds it.
  const Shadow* shadow() const;
  bool has_shadow() const { return shadow_ != nullptr; }
  bool has_fine_shadow() const { return has_shadow() && shadow_.load()->has_fine(); }
  // Whether building and using the shadow costs less than reading `bytes` of X once more.
  bool shadow_pays(Bytes bytes) const;
  // As correlate, with q = quantise(r.v): out[k] is off by at most shadow_radius(q, cols[k]). In the
  // calling thread only, so that threads may share the columns.
  void correlate_in_shadow(const Weighted& r, const Quantised& q, const Index* cols, Index count,
                           double* out) const;
  double shadow_radius(const Quantised& q, Index j) const {
    return factor(j) * shadow_.load()->radius(q, j);
  }
  // With the fine bits, which the shadow must have: off by at most fine_shadow_radius(q, cols[k]).
  void correlate_in_fine_shadow(const Weighted& r, const Quantised& q, const Index* cols,
                                Index count, double* out) const;
  double fine_shadow_radius(const Quantised& q, Index j) const {
    return factor(j) * shadow_.load()->fine_radius(q, j);
  }
  // As subtract, with the columns as the shadow knows them; it must have been built. Returns a bound of the
  // error of r, in the norm of Omega.
  double subtract_in_shadow(const Index* cols, const double* coef, Index count,
                            std::vector<double>& r) const;

  // ---- what was read through this design, and the size of X
  Bytes bytes_read() const { return reads_.total(); }
  Bytes column_bytes_read() const { return reads_.columns; }
  Bytes shadow_bytes_read() const { return reads_.shadow; }
  Bytes bytes() const { return storage_->bytes(); }
  // So many bytes, divided by the size of X.
  double passes(Bytes read) const {
    return static_cast<double>(read) / static_cast<double>(std::max<Bytes>(1, bytes()));
  }
  // Whether any column is not constant (or zero).
  bool usable() const;

 private:
  Moments measured(const Weighted* r, std::vector<double>* correlations);
  void expand(Index j, std::vector<double>& x) const;
  const double* lost(Index j) const { return shifted_ == nullptr ? nullptr : shifted_->lost(j); }
  Moments measure_stored(const Weighted* r, std::vector<double>* correlations);
  bool shadow_helps() const;
  void centre_and_scale(const Weighted& r, const Index* cols, Index first, Index last,
                        double* products) const;
  std::vector<double> as_stored(const Index* cols, const double* coef, Index count) const;
  void pack_leaf(const Index* cols, const Leaves& leaves, Index leaf, const std::vector<double>* r,
                 double* packed) const;
  void gram_of_expanded(const std::vector<const double*>& v, double* out, Index stride) const;

  std::shared_ptr<const Storage> storage_;  // replaced while the columns are measured, never later
  std::shared_ptr<const Shifted> shifted_;  // the same, if some columns had to be moved
  const SampleWeights weights_;
  const Scaling scaling_;
  const int threads_;
  const ShadowUse shadow_use_;
  const bool gram_expands_;  // see gram_of_expanded
  const StandIn stands_for_;
  mutable Reads reads_;
  mutable std::atomic<const Shadow*> shadow_{nullptr};
  const Moments moments_;
};

}  // namespace sparsieve
