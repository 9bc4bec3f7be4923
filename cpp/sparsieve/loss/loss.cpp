#include "sparsieve/loss/loss.hpp"

#include <cmath>
#include <utility>

namespace sparsieve {

Response::Response(const SampleWeights& weights, std::vector<double> y) : z(std::move(y)) {
  const Index n = static_cast<Index>(z.size());
  shift = weights.move_response(z, lost);
  uncentred = z;
  size = std::sqrt(weighted_dot(weights.omega().data(), z.data(), z.data(), n));
  mean = weights.centre_response(z);
}

SquaredLoss::SquaredLoss(const Design& design, Response response)
    : design_(&design), response_(std::move(response)) {
  Weighted weighted;
  design.weigh(response_.z, weighted);
  null_deviance_ = weighted.norm2;
}

}  // namespace sparsieve
