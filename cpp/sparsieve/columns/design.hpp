// A design: stored columns seen through sample weights and, when an intercept is fitted, centred.
// Solvers see only this: they never learn how X is stored, weighted or centred.
#pragma once

#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "sparsieve/columns/storage.hpp"

namespace sparsieve {

// A residual as the columns see it: v = Omega r with its sum (for the centring) and the norms.
struct Weighted {
  std::vector<double> v;
  double sum = 0.0;    // sum_i v_i
  double norm2 = 0.0;  // r' Omega r
};

enum class ShadowUse {
  kNever,
  kLazy,     // built once as much was read as building it costs
  kAtFirst,  // built while the columns are measured (unless they are short), for whoever will read
             // them often
};

class Design {
 public:
  // omega: n non-negative sample weights (Omega). centre: columns are x_j - mean_j.
  Design(std::shared_ptr<const Storage> storage, std::vector<double> omega, bool centre,
         int threads = 1, ShadowUse shadow_use = ShadowUse::kLazy);

  // Means and norms of the columns, in one pass over X; whatever else is asked needs them. With a
  // residual given, its correlations with every column come from the same pass.
  void measure(const Weighted* r = nullptr, std::vector<double>* correlations = nullptr);

  Index n() const { return storage_->n(); }
  Index d() const { return storage_->d(); }
  const std::vector<double>& omega() const { return omega_; }
  double total() const { return total_; }  // of omega
  bool centred() const { return centred_; }
  int threads() const { return threads_; }
  double mean(Index j) const { return centred_ ? means_[j] : 0.0; }
  // ||x_j||^2 under Omega, after centring; exactly 0 for a column that is constant (or zero).
  double norm2(Index j) const { return norms2_[j]; }
  double norm(Index j) const { return norms_[j]; }
  // The norm before centring.
  double raw_norm(Index j) const { return std::sqrt(norms2_[j] + total_ * mean(j) * mean(j)); }
  // Columns whose squares leave the range of doubles. Small ones count as zero; there is no computing
  // with large ones, among which are those with an entry that is not finite.
  const std::vector<Index>& too_small() const { return too_small_; }
  const std::vector<Index>& too_large() const { return too_large_; }
  // A bound of the norms of the small ones, 0 if there are none.
  double ignored_norm() const { return too_small_.empty() ? 0.0 : std::sqrt(kTinySquare); }
  // A bound of the rounding error of one correlation, per unit of the residual's norm.
  double rounding(Index j) const { return rounding_[j]; }
  // Both for all columns.
  const double* norms() const { return norms_.data(); }
  const double* roundings() const { return rounding_.data(); }
  // sum_i |x_ij| of all columns before centring, rounded up; null unless they are sparse.
  const double* sizes() const { return sizes_.empty() ? nullptr : sizes_.data(); }

  // Centre the response in place and return the weighted mean that was removed (0 without centring).
  double centre_response(std::vector<double>& y) const;
  void weigh(const std::vector<double>& r, Weighted& out) const;
  // out[k] = x_{cols[k]}' Omega r
  void correlate(const Weighted& r, const Index* cols, Index count, double* out) const;
  // The 8-bit shadow, built by the first who asks; null where none helps.
  const Shadow* shadow() const;
  // The same from the shadow, for q = quantise(r.v): up to shadow()->radius(q, cols[k]). One thread only.
  void look(const Weighted& r, const Quantised& q, const Index* cols, Index count,
            double* out) const;
  // The same with its finer bits, up to shadow()->fine_radius(q, cols[k]); it must have them.
  void look_finely(const Weighted& r, const Quantised& q, const Index* cols, Index count,
                   double* out) const;
  bool has_shadow() const { return shadow_ != nullptr; }
  bool has_fine_shadow() const { return has_shadow() && shadow_.load()->has_fine(); }
  // r -= sum_k coef[k] x_{cols[k]}, roughly: from the shadow, which must be there. Returns how far that may
  // be from the truth, in the norm of Omega.
  double subtract_in_shadow(const Index* cols, const double* coef, Index count,
                            std::vector<double>& r) const;
  // Whether reading `bytes` of X again would be dearer than building and using the shadow.
  bool shadow_pays(Bytes bytes) const;
  // How many columns are worth a thread that reads them.
  Index grain() const;
  // r -= sum_k coef[k] x_{cols[k]}
  void subtract(const Index* cols, const double* coef, Index count, std::vector<double>& r) const;
  // The same for one column and r in its weighted form, up to a multiple of omega that no correlation
  // sees (so that the cost is that of the stored entries); norm2 is not kept current.
  void subtract_weighted(Index j, double coef, Weighted& r) const;
  // One epoch of coordinate descent that keeps r current in the same sense.
  void descend(Epoch& epoch, Weighted& r) const;
  // out[a * m + b] = x_{fresh[a]}' Omega x_{cols[b]}, b < m, where the last nf of cols are the fresh
  // ones (of their block only b >= a). Every dense column is read once. With r given, its correlations
  // with the fresh columns come from the same reading.
  void gram(const Index* cols, Index m, Index nf, double* out, const std::vector<double>* r,
            double* correlations) const;

  // Bytes of X read so far through this design, and the size of X.
  Bytes bytes_read() const { return read_.load(); }
  Bytes bytes() const { return storage_->bytes(); }

 private:
  void centre(const Weighted& r, const Index* cols, Index first, Index last,
              double* products) const;
  // Squares of norms outside these bounds are out of range; a little inside those of doubles.
  static constexpr double kTinySquare = 1e-304, kHugeSquare = 1e304;
  bool shadow_helps() const;
  void gram_of_fresh(const std::vector<const double*>& v, double* out, Index stride) const;
  std::shared_ptr<const Storage> storage_;
  std::vector<double> omega_;
  bool centred_;
  bool even_;  // all weights are equal
  double total_;
  bool expands_;  // a Gram matrix may divide by the weights, and had better
  std::vector<double> means_, norms2_, norms_, rounding_, sizes_;
  std::vector<Index> too_small_, too_large_;
  int threads_;
  ShadowUse shadow_use_;
  mutable std::atomic<Bytes> read_{0};
  mutable std::atomic<const Shadow*> shadow_{nullptr};
};

}  // namespace sparsieve
