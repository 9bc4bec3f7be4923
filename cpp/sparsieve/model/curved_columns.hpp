// The working set's own copy of its columns, one per slot, centred and scaled as the design's: X is read once
// for each column that enters.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sparsieve/columns/design.hpp"

namespace sparsieve {

class CurvedColumns {
 public:
  virtual ~CurvedColumns() = default;
  Index size() const { return size_; }
  virtual void append(Index j) = 0;
  // Keep only the given slots, which must increase.
  virtual void keep(const std::vector<Index>& slots) = 0;
  // c_s = x_s'v for all slots; `sum` is that of v.
  virtual void correlate(const std::vector<double>& v, double sum, double* c) const = 0;
  // out += sum_s w_s x_s
  virtual void predict(const std::vector<double>& w, std::vector<double>& out) const = 0;
  // Rows of the Gram matrix under weights W, of total T: for slots first to before first + count
  //   out[k * m + b] = x_{first+k}' W x_b for the first m slots (of several rows up to the diagonal, at least).
  // If `centre`, the means under W are taken from the columns for that, and cross[k] = x_{first+k}' W 1.
  virtual void products(const std::vector<double>& weights, double total, bool centre, Index first,
                        Index count, Index m, double* out, double* cross) const = 0;
  // How many rows are best asked for at once.
  virtual Index batch() const = 0;
  // Multiplications that a product with all columns takes, and the Gram matrix.
  virtual double cost_of_product() const = 0;
  virtual double cost_of_gram() const = 0;

 protected:
  Index size_ = 0;
};

// For columns that are stored in full, and for those of which most entries are zero.
std::unique_ptr<CurvedColumns> copied_columns(const Design& design);

}  // namespace sparsieve
