#include "sparsieve/loss/loss.hpp"

#include <utility>

namespace sparsieve {

SquaredLoss::SquaredLoss(const Design& design, std::vector<double> z, double response_size)
    : design_(&design), z_(std::move(z)), response_size_(response_size) {
  Weighted weighted;
  design.weigh(z_, weighted);
  null_deviance_ = weighted.norm2;
}

}  // namespace sparsieve
