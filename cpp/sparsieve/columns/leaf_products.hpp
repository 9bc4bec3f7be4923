// Products of many columns over a leaf: some rows, packed so that they stay in a cache. Sums over several leaves
// are kept in tiles, half the matrix.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "sparsieve/simd/simd.hpp"

namespace sparsieve {

// Columns are packed in groups of kSide, whose rows lie side by side. Leaves are short so that groups stay in a
// cache, and so that sums over them round little.
constexpr Index kSide = 8, kLeafRows = 128;

// Columns of a leaf in whole pairs of groups, with room for one more.
constexpr Index leaf_width(Index m) { return (m + 2 * kSide) / (2 * kSide) * (2 * kSide); }

// Where the sums are: tile (a, b) has those of pair a of groups and of group b, which is not before the pair.
class Tiles {
 public:
  explicit Tiles(Index width) : groups_(width / kSide) {}
  Index size() const { return groups_ * (groups_ / 2 + 1) / 2 * kTile; }
  Index start(Index a, Index b) const { return (a * (groups_ - a - 1) + b) * kTile; }
  // Where the product of columns j <= k is.
  Index place(Index j, Index k) const {
    return start(j / (2 * kSide), k / kSide) + k % kSide * 2 * kSide + j % (2 * kSide);
  }

 private:
  static constexpr Index kTile = 2 * kSide * kSide;
  Index groups_;
};

// Where a packed leaf has row i of column k at + kSide * i. The leaf has room for `rows`.
inline double* packed_column(double* leaf, Index k, Index rows) {
  return leaf + k / kSide * kSide * rows + k % kSide;
}

// A table in leaves of `rows` rows.
struct Leaves {
  Index n, rows, columns;
  Index count() const { return (n + rows - 1) / rows; }
  // Rows from first to before last of a leaf.
  Index first(Index leaf) const { return leaf * rows; }
  Index last(Index leaf) const { return std::min(n, (leaf + 1) * rows); }
  Index width() const { return leaf_width(columns); }
  // Leaves are added up in groups, one after the other inside a group: threads share the groups, and the order
  // of the sums is the same for any number of threads.
  Index groups() const {
    constexpr Index kLeast = 16;  // leaves that are worth sums of their own
    return std::min<Index>(columns > 512 ? 4 : 8, (count() + kLeast - 1) / kLeast);
  }
};

// Packs all columns of a leaf, and one more, into what it is given; it has zeros where nothing is packed.
using PackLeaf = std::function<void(Index leaf, double* packed)>;

// sums[tiles.place(j, k)] = sum over all rows of the products of columns j <= k as they are packed: a sum goes
// through the rows of a leaf, then through the leaves of a group, then through the groups. False, and nothing is
// known, when `stop` says so on the way.
bool sum_leaves(const Leaves& leaves, int threads, const PackLeaf& pack,
                const std::function<bool()>& stop, std::vector<double>& sums);

}  // namespace sparsieve
