#include "sparsieve/penalty/levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace sparsieve {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
// Curvatures are rounded down to so many steps per factor of two: a jump's threshold grows with them, and few
// of them are left to be computed.
constexpr double kSteps = 64.0;
}  // namespace

Levels::Levels(const Penalty* penalty, std::vector<double> weights, Index d)
    : penalty_(penalty), weights_(std::move(weights)), strength_(d, 0.0), threshold_(d, kInf) {}

void Levels::set(double alpha, const std::vector<Index>& dependent) {
  const Index d = static_cast<Index>(strength_.size());
  double zero = 0.0, value, slope, curvature;
  penalty_->evaluate(&zero, &alpha, 1, &value, &slope, &curvature);
  alpha_ = alpha;
  slope0_ = slope;
  if (weights_.empty()) {
    std::fill(strength_.begin(), strength_.end(), alpha);
    std::fill(threshold_.begin(), threshold_.end(), slope);
    return;
  }
  std::vector<double> zeros(d, 0.0), values(d), curvatures(d);
  for (Index j = 0; j < d; ++j) {
    strength_[j] = std::isinf(weights_[j]) ? alpha : alpha * weights_[j];
  }
  penalty_->evaluate(zeros.data(), strength_.data(), d, values.data(), threshold_.data(),
                     curvatures.data());
  for (Index j = 0; j < d; ++j) {
    if (std::isinf(weights_[j])) threshold_[j] = kInf;
    if (weights_[j] == 0.0) threshold_[j] = 0.0;
  }
  for (Index j : dependent) threshold_[j] = kInf;
}

Levels Levels::lasso(double fraction) const {
  static const ShapedPenalty<L1Shape> l1{L1Shape{}};
  Levels levels = *this;
  levels.penalty_ = &l1;
  levels.slope0_ *= fraction;
  for (std::size_t j = 0; j < threshold_.size(); ++j) {
    const double level = levels.threshold_[j] *= fraction;
    levels.strength_[j] = std::isinf(level) ? levels.slope0_ : level;
  }
  return levels;
}

CurvatureGroups::CurvatureGroups(const std::vector<double>& h, const std::vector<double>& weights)
    : group_(h.size(), -1) {
  std::map<std::pair<double, double>, Index> places;
  for (std::size_t j = 0; j < h.size(); ++j) {
    const double weight = weights.empty() ? 1.0 : weights[j];
    if (!(h[j] > 0.0) || !(weight > 0.0) || std::isinf(weight)) continue;
    const double step = std::floor(kSteps * std::log2(h[j]));
    const auto [at, fresh] = places.try_emplace({step, weight}, static_cast<Index>(h_.size()));
    group_[j] = at->second;
    if (!fresh) continue;
    // log2 of a double is off by 1e-13 at the most, and exp2 by some eps.
    h_.push_back(std::exp2(step / kSteps) * (1.0 - 1e-12));
    weight_.push_back(weight);
  }
}

std::vector<double> Levels::jump_thresholds(const CurvatureGroups& curvatures) const {
  const std::size_t groups = curvatures.h_.size();
  std::vector<double> strength(groups), level(groups), jump = threshold_;
  for (std::size_t g = 0; g < groups; ++g) strength[g] = alpha_ * curvatures.weight_[g];
  penalty_->jump_thresholds(curvatures.h_.data(), strength.data(), static_cast<Index>(groups),
                            level.data());
  for (std::size_t j = 0; j < jump.size(); ++j) {
    const Index g = curvatures.group_[j];
    // infinite: a feature that never enters
    if (g >= 0 && !std::isinf(jump[j])) jump[j] = std::min(jump[j], level[g]);
  }
  return jump;
}

void Levels::set_unpenalised(const std::vector<Index>& features, double unit) {
  for (Index j : features) threshold_[j] = 0.0;
  slope0_ = unit;
}

}  // namespace sparsieve
