// Columns that lie far from zero compared with how much they vary, minus one of their own entries.
//
// With an intercept a column may be moved by any number. A difference of two doubles is rounded once,
// relative to the difference itself, so that x - x_k keeps every digit in which the entries differ, while
// products with x as it is stored would lose as many digits as mean over spread has. Only these columns
// are copied; every other is read in place.
#pragma once

#include <memory>
#include <vector>

#include "sparsieve/columns/sample_weights.hpp"
#include "sparsieve/columns/storage.hpp"

namespace sparsieve {

class Shifted final : public Storage {
 public:
  // `columns` in increasing order, with the weighted means of all columns.
  Shifted(std::shared_ptr<const Storage> base, std::vector<Index> columns,
          const SampleWeights& weights, const std::vector<double>& means);
  // What was taken from each entry of column j.
  double shift(Index j) const { return place_[j] < 0 ? 0.0 : shifts_[place_[j]]; }
  // What rounding took from its entries when they were moved; null if nothing.
  const double* lost(Index j) const {
    return place_[j] < 0 || lost_[place_[j]].empty() ? nullptr : lost_[place_[j]].data();
  }

  Bytes bytes() const override { return base_->bytes(); }
  bool sparse() const override { return base_->sparse(); }
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
  void fill(Shadow& shadow, Index j) const override;

 private:
  bool moved(Index j) const { return place_[j] >= 0; }

  std::shared_ptr<const Storage> base_;
  std::vector<Index> place_;    // of a column among the moved ones, -1 elsewhere
  std::vector<double> shifts_;  // per moved column
  std::vector<double> values_;
  std::vector<std::vector<double>> lost_;  // per moved column; most are empty
  Dense<double> own_;                      // the moved columns
};

}  // namespace sparsieve
