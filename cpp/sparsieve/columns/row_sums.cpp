#include "sparsieve/columns/row_sums.hpp"

#include <algorithm>
#include <cmath>

#include "sparsieve/columns/compensated_sum.hpp"
#include "sparsieve/columns/leaf_products.hpp"

namespace sparsieve {
namespace {
// The first pivot is the mean of so many rows.
constexpr Index kFirstRows = 4096;
// Sums are computed again about a better pivot while a mean is further off than this share of its variance.
constexpr double kNear = 1e-2;
constexpr int kRounds = 4;
// Sums of squares outside this range have lost digits, or all of them.
constexpr double kSmallest = 1e-290, kLargest = 1e290;

// A table with its response beside it, and a column of ones after that.
class Table {
 public:
  Table(const Storage& x, const double* y, const double* omega)
      : x_(x), y_(y), omega_(omega), leaves_{x.n(), kLeafRows, x.d() + 1}, pivot_(columns()) {
    for (Index j = 0; j < columns(); ++j) pivot_[j] = first_pivot(j);
  }
  Index columns() const { return leaves_.columns; }
  const std::vector<double>& pivot() const { return pivot_; }
  void move_pivot(const std::vector<double>& off) {
    for (Index j = 0; j < columns(); ++j) pivot_[j] += off[j];
  }
  bool sum_up(int threads, const std::function<bool()>& stop) {
    const auto pack = [&](Index leaf, double* packed) { pack_leaf(leaf, packed); };
    return sum_leaves(leaves_, threads, pack, stop, sums_);
  }
  // sum_i omega_i (z_ij - p_j)(z_ik - p_k) for j <= k; the ones are column columns().
  double sum(Index j, Index k) const { return sums_[tiles_.place(j, k)]; }
  // How many terms and factors are rounded in a row at the most, see sum_leaves: three operations and a root of
  // the weight make an entry that is packed.
  double roundings() const {
    const double count = static_cast<double>(leaves_.count());
    const double groups = static_cast<double>(leaves_.groups());
    const double rows = static_cast<double>(std::min(leaves_.n, kLeafRows));
    return rows + std::ceil(count / groups) + groups + 10.0;
  }
  // Whether two rows with a weight differ in a column.
  bool varies(Index j) const;

 private:
  double weight(Index i) const { return omega_ == nullptr ? 1.0 : omega_[i]; }
  void read(Index j, Index first, Index last, double* out) const {
    if (j < x_.d()) {
      x_.rows(&j, 1, first, last, out, last - first);
    } else {
      std::copy(y_ + first, y_ + last, out);
    }
  }
  double first_pivot(Index j) const;
  void pack_leaf(Index leaf, double* packed) const;

  const Storage& x_;
  const double *y_, *omega_;
  const Leaves leaves_;
  const Tiles tiles_{leaves_.width()};
  std::vector<double> pivot_, sums_;
};

// An entry where all of the first rows are equal: of a constant column nothing is left then, to the last bit.
double Table::first_pivot(Index j) const {
  std::vector<double> some(std::min(leaves_.n, kFirstRows));
  read(j, 0, static_cast<Index>(some.size()), some.data());
  double sum = 0.0, total = 0.0, low = 0.0, high = 0.0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const double w = weight(static_cast<Index>(i));
    if (w == 0.0) continue;
    low = total == 0.0 ? some[i] : std::min(low, some[i]);
    high = total == 0.0 ? some[i] : std::max(high, some[i]);
    sum += w * some[i];
    total += w;
  }
  return low == high ? low : sum / total;
}

void Table::pack_leaf(Index leaf, double* packed) const {
  const Index first = leaves_.first(leaf), last = leaves_.last(leaf), count = last - first;
  double root[kLeafRows], stored[kLeafRows];
  for (Index i = 0; i < count; ++i) root[i] = std::sqrt(weight(first + i));
  for (Index j = 0; j < columns(); ++j) {
    read(j, first, last, stored);
    const double p = pivot_[j];
    double* to = packed_column(packed, j, kLeafRows);
    for (Index i = 0; i < count; ++i) to[kSide * i] = root[i] * (stored[i] - p);
  }
  double* ones = packed_column(packed, columns(), kLeafRows);
  for (Index i = 0; i < count; ++i) ones[kSide * i] = root[i];
}

bool Table::varies(Index j) const {
  std::vector<double> all(leaves_.n);
  read(j, 0, leaves_.n, all.data());
  Index seen = -1;
  for (Index i = 0; i < leaves_.n; ++i) {
    if (weight(i) == 0.0) continue;
    if (seen >= 0 && all[i] != all[seen]) return true;
    seen = i;
  }
  return false;
}

// The largest share that is subtracted again.
double largest_share(const std::vector<double>& variances, const std::vector<double>& moved) {
  double share = 0.0;
  for (std::size_t j = 0; j < moved.size(); ++j) {
    if (moved[j] > 0.0) share = std::max(share, variances[j] > 0.0 ? moved[j] / variances[j] : 1.0);
  }
  return share;
}
}  // namespace

RowSums row_sums(const Storage& x, const double* y, const double* omega, int threads,
                 const std::function<bool()>& stop) {
  RowSums out;
  CompensatedSum total;
  for (Index i = 0; i < x.n(); ++i) {
    const double w = omega == nullptr ? 1.0 : omega[i];
    total.add(w);
    out.positive += w > 0.0;
    out.heaviest = std::max(out.heaviest, w);
  }
  out.weight = total.value();
  if (x.sparse() || out.positive == 0) return out;
  Table table(x, y, omega);
  const Index width = table.columns();
  std::vector<double> off(width, 0.0), variances(width), moved(width);
  double share = 0.0;
  for (int round = 0; round < kRounds; ++round) {
    table.move_pivot(off);
    if (!table.sum_up(threads, stop)) return out;
    for (Index j = 0; j < width; ++j) {
      off[j] = table.sum(j, width) / out.weight;
      moved[j] = out.weight * off[j] * off[j];
      variances[j] = std::max(table.sum(j, j) - moved[j], 0.0);
    }
    share = largest_share(variances, moved);
    if (share <= kNear) break;
  }
  for (Index j = 0; j < width; ++j) {
    if (!(variances[j] <= kLargest) || (variances[j] < kSmallest && table.varies(j))) return out;
  }
  out.products.resize(width * width);
  for (Index j = 0; j < width; ++j) {
    CompensatedSum mean;
    mean.add(table.pivot()[j]);
    mean.add(off[j]);
    out.mean.push_back(mean.sum);
    out.mean_low.push_back(mean.lost);
    for (Index k = j; k < width; ++k) {
      const double product = table.sum(j, k) - out.weight * off[j] * off[k];
      out.products[j * width + k] = out.products[k * width + j] = j == k ? variances[j] : product;
    }
  }
  const double rho = table.roundings(), f = std::sqrt(share);
  out.roundings = rho * (1.0 + share) + 2.0 * rho * f * std::sqrt(1.0 + share) + 8.0;
  out.mean_roundings = rho * std::sqrt(1.0 + share);
  out.usable = true;
  return out;
}

}  // namespace sparsieve
