#include "sparsieve/columns/leaf_products.hpp"

#include "sparsieve/memory/pages.hpp"
#include "sparsieve/threads/threads.hpp"

namespace sparsieve {
namespace {
constexpr Index kStrip = 16;
// Products without a look for Ctrl-C.
constexpr Index kProducts = Index{1} << 31;

void add_products(const double* leaf, Index width, Index rows, Index count, double* sums) {
  const auto& kernel = kernels<double>();
  const Tiles tiles(width);
  const Index gap = kSide * rows;
  // Some groups stay in the second-level cache while all pairs before them go by.
  for (Index begin = 0; begin < width / kSide; begin += kStrip) {
    const Index end = std::min(begin + kStrip, width / kSide);
    for (Index a = 0; 2 * a < end; ++a) {
      for (Index b = std::max(begin, 2 * a); b < end; ++b) {
        kernel.outer(leaf + 2 * a * gap, gap, leaf + b * gap, count, sums + tiles.start(a, b));
      }
    }
  }
}
}  // namespace

bool sum_leaves(const Leaves& leaves, int threads, const PackLeaf& pack,
                const std::function<bool()>& stop, std::vector<double>& sums) {
  const Index rows = leaves.rows, width = leaves.width(), groups = leaves.groups();
  const Index size = Tiles(width).size();
  const auto each = make_pages<double>(static_cast<std::size_t>(groups * size));
  std::fill(each.get(), each.get() + groups * size, 0.0);
  // In stages, so that Ctrl-C is looked for between them. Nothing is allocated in a thread.
  const Index in_group = (leaves.count() + groups - 1) / groups;
  const Index stage = std::max<Index>(1, kProducts / (groups * rows * width * width));
  const Index room = width * rows;
  std::vector<double> packed(static_cast<std::size_t>(room * threads_used(groups, threads, 1)));
  for (Index begin = 0; begin < in_group; begin += stage) {
    if (begin > 0 && stop && stop()) return false;
    parallel_for(groups, threads, 1, [&](Index from, Index to, Index thread) {
      double* here = packed.data() + thread * room;
      for (Index g = from; g < to; ++g) {
        const Index end = std::min(in_group, begin + stage);
        const Index last = std::min(leaves.count(), g * in_group + end);
        for (Index leaf = g * in_group + begin; leaf < last; ++leaf) {
          pack(leaf, here);
          add_products(here, width, rows, leaves.last(leaf) - leaves.first(leaf),
                       each.get() + g * size);
        }
      }
    });
  }
  sums.assign(each.get(), each.get() + size);
  for (Index g = 1; g < groups; ++g) axpy(1.0, each.get() + g * size, sums.data(), size);
  return true;
}

}  // namespace sparsieve
