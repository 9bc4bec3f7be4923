#include "sparsieve/loss/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sparsieve/columns/compensated_sum.hpp"

namespace sparsieve {
namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kInf = std::numeric_limits<double>::infinity();
// Steps of the intercept: of two, one at least halves an interval that holds the solution, once there is one.
constexpr int kMostSteps = 200;
// The first step where curvature says nothing; each further one doubles.
constexpr double kStride = 1.0;
// Steps after which they are no longer trusted where the solution has not been passed yet.
constexpr int kTailSteps = 8;
}  // namespace

Rows::Rows(std::shared_ptr<const RowLoss> loss, SampleWeights weights, std::vector<double> y,
           std::vector<double> offset)
    : loss_(std::move(loss)),
      weights_(std::move(weights)),
      y_(std::move(y)),
      offset_(std::move(offset)),
      lowest_(y_.size()) {
  loss_->lowest(y_.data(), n(), lowest_.data());
  bool known = true;
  for (Index i = 0; i < n(); ++i) known = known && (!weighs(i) || std::isfinite(lowest_[i]));
  if (!known) std::fill(lowest_.begin(), lowest_.end(), 0.0);
}

void Rows::evaluate(RowPoint& out) const {
  std::vector<double> value(n());
  out.residual.resize(n());
  out.curvature.resize(n());
  loss_->evaluate(out.eta.data(), y_.data(), n(), value.data(), out.residual.data(),
                  out.curvature.data());
  // Steps near the solution lower the objective by less than a plain sum of many rows loses.
  CompensatedSum above, total;
  out.size = 0.0;
  for (Index i = 0; i < n(); ++i) {
    const double omega = weights_.omega()[i];
    if (omega > 0.0) {
      above.add(omega * (value[i] - lowest_[i]));
      total.add(omega * value[i]);
      out.size += omega * (std::abs(value[i]) + std::abs(lowest_[i]));
    } else {
      out.residual[i] = out.curvature[i] = 0.0;
    }
  }
  out.value = above.value();
  out.sum = total.value();
  weights_.weigh(out.residual, out.weighted);
}

void Rows::start(double intercept, RowPoint& out) const {
  out.intercept = intercept;
  out.eta = offset_.empty() ? std::vector<double>(y_.size(), 0.0) : offset_;
  for (double& x : out.eta) x += intercept;
  evaluate(out);
}

void Rows::move_intercept(RowPoint& at, double by) const {
  at.intercept += by;
  for (double& x : at.eta) x += by;
  evaluate(at);
}

// The sum of the residuals falls as the intercept grows. Newton's method inside an interval that holds the root.
bool Rows::fit_intercept(RowPoint& at, double& drift) const {
  const std::vector<double> up(y_.size(), 1.0), down(y_.size(), -1.0), none(y_.size(), 0.0);
  double low = -kInf, high = kInf, stride = kStride, last = kInf, before = kInf;
  for (int step = 0; step < kMostSteps; ++step) {
    CompensatedSum all;
    double size = 0.0, steep = 0.0, noise = 0.0;
    for (Index i = 0; i < n(); ++i) {
      const double v = at.weighted.v[i], h = weights_.omega()[i] * at.curvature[i];
      all.add(v);
      size += std::abs(v);
      steep += h;
      noise += h > 0.0 ? h * (std::abs(at.eta[i]) + 4.0) : 0.0;
    }
    const double sum = all.value();
    if (std::abs(sum) <= kEps * (2.0 * size + noise)) return true;
    if (step == 0 && std::abs(sum) > 0.99 * size) {
      drift = separating_intercept(up, none, false)     ? 1.0
              : separating_intercept(down, none, false) ? -1.0
                                                        : 0.0;
      if (drift != 0.0) return false;
    }
    (sum > 0.0 ? low : high) = at.intercept;
    double to = at.intercept + sum / steep;
    // In an exponential tail each step of Newton's method is one unit long, however far the solution is.
    const bool open = std::isinf(low) || std::isinf(high);
    const bool tail = open && step >= kTailSteps && std::abs(to - at.intercept) > 0.5;
    if (!open && std::abs(to - at.intercept) > 0.5 * std::abs(before)) {
      to = 0.5 * (low + high);
    } else if (tail || !std::isfinite(to) || !(to > low && to < high) ||
               std::abs(to - at.intercept) > stride) {
      to = at.intercept + std::copysign(stride, sum);
      if (!(to > low && to < high)) to = 0.5 * (low + high);
      stride *= 2.0;
    }
    const double by = before = to - at.intercept;
    // Nothing smaller moves the predictor, or rounding is all that is left.
    const bool still = std::abs(by) <= kEps * std::abs(at.intercept);
    if (still || (std::abs(by) <= 1e-14 && std::abs(sum) >= 0.5 * last)) return true;
    last = std::abs(sum);
    move_intercept(at, by);
  }
  return true;
}

// Rounded by a few units itself, and moved by what the predictor is off times the curvature.
double Rows::residual_error(const RowPoint& at, double error) const {
  double largest = 0.0, own = 0.0;
  for (Index i = 0; i < n(); ++i) {
    if (!weighs(i)) continue;
    const double h = at.curvature[i];
    const double off = 4.0 * kEps * (std::abs(at.residual[i]) + h * (4.0 + std::abs(at.eta[i])));
    largest = std::max(largest, h);
    own += weights_.omega()[i] * off * off;
  }
  return std::sqrt(own) + 2.0 * largest * error;
}

double Rows::dual_loss(const RowPoint& at, double kappa) const {
  std::vector<double> each(n());
  loss_->dual_loss(at.eta.data(), y_.data(), n(), kappa, each.data());
  double sum = 0.0;
  for (Index i = 0; i < n(); ++i) {
    if (weighs(i)) sum += weights_.omega()[i] * each[i];
  }
  return sum;
}

// Rows of which the loss does not rise to one side must not go to the other one; those where it rises to both
// sides must stay where they are.
std::optional<double> Rows::separating_intercept(const std::vector<double>& d,
                                                 const std::vector<double>& error,
                                                 bool free) const {
  double low = -kInf, high = kInf;
  for (Index i = 0; i < n(); ++i) {
    if (!weighs(i)) continue;
    const bool up = loss_->recession(1.0, y_[i]) <= 0.0;
    const bool down = loss_->recession(-1.0, y_[i]) <= 0.0;
    // Twice the error: the sum with the intercept is rounded too.
    if (!down) low = std::max(low, 2.0 * error[i] - d[i]);
    if (!up) high = std::min(high, -d[i] - 2.0 * error[i]);
  }
  if (!(low <= high)) return std::nullopt;
  double intercept = 0.0;
  if (!(low <= 0.0 && high >= 0.0)) {
    if (!free) return std::nullopt;
    intercept = std::isinf(low) ? high : std::isinf(high) ? low : 0.5 * (low + high);
  }
  const double room = 4.0 * kEps * std::abs(intercept);
  for (Index i = 0; i < n(); ++i) {
    if (!weighs(i)) continue;
    const double at = d[i] + intercept, off = 2.0 * error[i] + room;
    const bool rises_up = at + off > 0.0 && loss_->recession(1.0, y_[i]) > 0.0;
    const bool rises_down = at - off < 0.0 && loss_->recession(-1.0, y_[i]) > 0.0;
    if (rises_up || rises_down) return std::nullopt;
  }
  for (Index i = 0; i < n(); ++i) {
    const bool moves = std::abs(d[i] + intercept) > 2.0 * error[i] + room;
    if (weighs(i) && moves) return intercept;
  }
  return std::nullopt;
}

}  // namespace sparsieve
