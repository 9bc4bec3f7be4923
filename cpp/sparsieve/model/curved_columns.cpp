#include "sparsieve/model/curved_columns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {

class FullColumns final : public CurvedColumns {
 public:
  explicit FullColumns(const Design& design) : design_(&design), n_(design.n()) {}
  void append(Index j) override {
    std::vector<double> x(n_, 0.0);
    const double minus = -1.0;
    design_->subtract(&j, &minus, 1, x);
    values_.insert(values_.end(), x.begin(), x.end());
    slots_.push_back(size_++);
  }
  void keep(const std::vector<Index>& slots) override {
    for (std::size_t a = 0; a < slots.size(); ++a) {
      const Index from = slots[a], to = static_cast<Index>(a);
      if (from != to) std::copy_n(values_.begin() + from * n_, n_, values_.begin() + to * n_);
    }
    size_ = static_cast<Index>(slots.size());
    values_.resize(size_ * n_);
    slots_.resize(size_);
  }
  void correlate(const std::vector<double>& v, double, double* c) const override {
    const Dense<double> columns = all();
    parallel_for(size_, design_->threads(), columns.columns_per_thread(),
                 [&](Index first, Index last) {
                   columns.dots(v.data(), slots_.data() + first, last - first, c + first);
                 });
  }
  void predict(const std::vector<double>& w, std::vector<double>& out) const override {
    std::vector<Index> used;
    std::vector<double> coef;
    for (Index s = 0; s < size_; ++s) {
      if (w[s] == 0.0) continue;
      used.push_back(s);
      coef.push_back(w[s]);
    }
    if (used.empty()) return;
    all().accumulate(used.data(), coef.data(), static_cast<Index>(used.size()), out.data(),
                     design_->threads());
  }
  void products(const std::vector<double>& weights, double total, bool centre, Index first,
                Index count, Index m, double* out, double* cross) const override {
    std::vector<double> buffer(static_cast<std::size_t>(count) * n_);
    std::vector<const double*> v(count);
    for (Index k = 0; k < count; ++k) {
      const double* x = values_.data() + (first + k) * n_;
      double* u = buffer.data() + k * n_;
      for (Index i = 0; i < n_; ++i) u[i] = weights[i] * x[i];
      cross[k] = centre ? std::accumulate(u, u + n_, 0.0) : 0.0;
      // x'W x_b - (x'W1)(x_b'W1)/T = (Wx - W (x'W1)/T)'x_b
      const double mean = centre ? cross[k] / total : 0.0;
      for (Index i = 0; i < n_ && mean != 0.0; ++i) u[i] -= weights[i] * mean;
      v[k] = u;
    }
    const Dense<double> columns = all();
    const Index per_thread = columns.columns_per_thread() / count + 1;
    parallel_for(m, design_->threads(), per_thread, [&](Index from, Index to) {
      columns.dots_many(v.data(), count, slots_.data() + from, to - from, out + from, m);
    });
  }
  Index batch() const override { return 16; }
  double cost_of_product() const override {
    return static_cast<double>(size_) * static_cast<double>(n_);
  }
  // Products of columns that are in cache are cheaper than those of a vector with columns that are not.
  double cost_of_gram() const override {
    return 0.25 * 0.5 * static_cast<double>(size_) * cost_of_product();
  }

 private:
  Dense<double> all() const { return {values_.data(), n_, size_, n_}; }
  const Design* design_;
  Index n_;
  std::vector<double> values_;  // one column after the other
  std::vector<Index> slots_;    // 0, 1, 2, ...
};

// Entries by column, and again by row: a product of two columns takes the rows that both have. Without
// centring the means are zero.
class SparseColumns final : public CurvedColumns {
 public:
  explicit SparseColumns(const Design& design) : design_(&design), by_row_(design.n()) {}
  void append(Index j) override {
    Column column;
    design_->entries(j, column.rows, column.values);
    column.mean = design_->factor(j) * design_->mean(j);
    columns_.push_back(std::move(column));
    list_rows(size_++);
  }
  void keep(const std::vector<Index>& slots) override {
    for (std::size_t a = 0; a < slots.size(); ++a) {
      if (slots[a] != static_cast<Index>(a)) columns_[a] = std::move(columns_[slots[a]]);
    }
    columns_.resize(slots.size());
    size_ = static_cast<Index>(slots.size());
    for (auto& row : by_row_) row.clear();
    entries_ = 0.0;
    pairs_ = 0.0;
    for (Index s = 0; s < size_; ++s) list_rows(s);
  }
  void correlate(const std::vector<double>& v, double sum, double* c) const override {
    for (Index s = 0; s < size_; ++s) {
      const Column& x = columns_[s];
      c[s] = sparse_kernels<double, std::int32_t>().dot(x.values.data(), x.rows.data(), x.count(),
                                                        v.data()) -
             x.mean * sum;
    }
  }
  void predict(const std::vector<double>& w, std::vector<double>& out) const override {
    double shift = 0.0;
    for (Index s = 0; s < size_; ++s) {
      if (w[s] == 0.0) continue;
      const Column& x = columns_[s];
      sparse_kernels<double, std::int32_t>().axpy(w[s], x.values.data(), x.rows.data(), x.count(),
                                                  out.data());
      shift += w[s] * x.mean;
    }
    for (double& y : out) y -= shift;
  }
  // With p = X'W1 of the stored columns, whatever was taken from them,  x_a' W x_b = S_ab - p_a p_b / T.
  void products(const std::vector<double>& weights, double total, bool centre, Index first,
                Index count, Index m, double* out, double* cross) const override {
    std::vector<double> sums(centre ? std::max(m, first + count) : 0);
    for (Index b = 0; b < static_cast<Index>(sums.size()); ++b) {
      const Column& x = columns_[b];
      sums[b] = sparse_kernels<double, std::int32_t>().dot(x.values.data(), x.rows.data(),
                                                           x.count(), weights.data());
    }
    std::fill(out, out + count * m, 0.0);
    // Row after row reads all entries once and in order; a few columns have fewer rows than there are.
    if (count > 1 && count > size_ / kMostColumns) {
      add_by_row(weights, first, count, m, out);
    } else {
      for (Index k = 0; k < count; ++k) add_by_column(weights, columns_[first + k], m, out + k * m);
    }
    for (Index k = 0; k < count; ++k) {
      const Column& x = columns_[first + k];
      double* row = out + k * m;
      cross[k] = 0.0;
      if (!centre) continue;
      const double own = sums[first + k];
      cross[k] = own - total * x.mean;
      for (Index b = 0; b < m; ++b) row[b] -= own * (sums[b] / total);
    }
  }
  Index batch() const override { return 512; }
  double cost_of_product() const override { return entries_ + static_cast<double>(size_); }
  double cost_of_gram() const override {
    return pairs_ + 0.5 * static_cast<double>(size_) * static_cast<double>(size_);
  }

 private:
  struct Column {
    std::vector<std::int32_t> rows;
    std::vector<double> values;
    double mean = 0.0;
    Index count() const { return static_cast<Index>(rows.size()); }
  };
  struct Entry {
    std::int32_t slot;
    double value;
  };
  static constexpr Index kMostColumns = 4;
  void add_by_column(const std::vector<double>& weights, const Column& x, Index m,
                     double* row) const {
    for (Index p = 0; p < x.count(); ++p) {
      const double by = weights[x.rows[p]] * x.values[p];
      for (const Entry& other : by_row_[x.rows[p]]) {
        if (other.slot >= m) break;
        row[other.slot] += by * other.value;
      }
    }
  }
  void add_by_row(const std::vector<double>& weights, Index first, Index count, Index m,
                  double* out) const {
    for (std::size_t i = 0; i < by_row_.size(); ++i) {
      const auto& row = by_row_[i];
      for (std::size_t a = 0; a < row.size(); ++a) {
        const Index k = row[a].slot - first;
        if (k < 0) continue;
        if (k >= count) break;
        const double by = weights[i] * row[a].value;
        double* to = out + k * m;
        for (std::size_t b = 0; b <= a; ++b) to[row[b].slot] += by * row[b].value;
      }
    }
  }
  // Slots are listed in increasing order.
  void list_rows(Index s) {
    const Column& x = columns_[s];
    for (Index p = 0; p < x.count(); ++p) {
      auto& row = by_row_[x.rows[p]];
      row.push_back({static_cast<std::int32_t>(s), x.values[p]});
      pairs_ += static_cast<double>(row.size());
    }
    entries_ += static_cast<double>(x.count());
  }
  const Design* design_;
  std::vector<Column> columns_;
  std::vector<std::vector<Entry>> by_row_;
  double entries_ = 0.0, pairs_ = 0.0;  // pairs of entries in the same row
};

}  // namespace

std::unique_ptr<CurvedColumns> copied_columns(const Design& design) {
  if (design.stored_in_full()) return std::make_unique<FullColumns>(design);
  return std::make_unique<SparseColumns>(design);
}

}  // namespace sparsieve
