// Extrapolation of the epochs over columns. The last few epochs moved w by d_1, ..., d_p and the weighted
// residual by u_i = -Omega X d_i. On w + span(d), within a piece of the penalty, F is the quadratic
//   g'y + 1/2 y'Hy,   H_ij = u_i' Omega^-1 u_j + sum_s (r''_s + ridge) d_is d_js,
//   g_i = u_i' Omega^-1 v + sum_s (r'_s sign(w_s) - the ridge's pull) d_is,   v = Omega (z - Xw),
// known without reading X. Where H is positive definite, go to its minimum. Where it is not, the
// steps of the epochs grow: continue in their direction as long as F falls.
#include <algorithm>
#include <cmath>

#include "sparsieve/inner/column_descent.hpp"
#include "sparsieve/model/model.hpp"

namespace sparsieve {
namespace {
// Where an extrapolation goes; it is taken only if F falls.
// Added to the diagonal of H, relative: steps of late epochs are nearly parallel.
constexpr double kRidge = 1e-9;
// The longest way, in lengths of what the epochs went.
constexpr double kFarthest = 1e3;
}  // namespace

// Make the trail's points the steps between them, in coordinates that are not zero now, with the
// residuals divided by the roots of the weights: products of the steps' images are then plain.
void ColumnDescent::make_steps() {
  const Design& design = *inputs_.design;
  const Index m = state_.size(), n = design.n();
  if (spread_.empty()) {
    for (double omega : design.omega())
      spread_.push_back(omega > 0.0 ? 1.0 / std::sqrt(omega) : 0.0);
  }
  for (Index i = 0; i < stops_; ++i) {
    const bool last = i + 1 == stops_;
    const double* w = last ? at_.w.data() : trail_[i + 1].w.data();
    const Weighted& r = last ? weighted() : trail_[i + 1].residual;
    Weighted& image = trail_[i].residual;
    for (Index k = 0; k < n; ++k) image.v[k] = r.v[k] - image.v[k];
    image.sum = r.sum - image.sum;
    for (Index s = 0; s < m; ++s) {
      double& step = trail_[i].w[s];
      step = w[s] - step;
      if (at_.w[s] != 0.0 || step == 0.0) continue;
      design.subtract_weighted(state_.column(s), -step, image);
      step = 0.0;
    }
    for (Index k = 0; k < n; ++k) image.v[k] *= spread_[k];
  }
}

// Where to go in the span of the steps: y, and whether F is convex there.
bool ColumnDescent::minimise_on_span(std::vector<double>& y) {
  const Index steps = stops_, m = state_.size(), n = inputs_.design->n();
  const double total = inputs_.design->total();
  const Ridge& ridge = inputs_.ridge;
  std::vector<double> here(n), pull(m), bent(m), row(steps);
  for (Index k = 0; k < n; ++k) here[k] = weighted().v[k] * spread_[k];
  for (Index s = 0; s < m; ++s) {
    pull[s] = at_.w[s] == 0.0 ? 0.0 : std::copysign(surrogate_.slope[s], at_.w[s]);
    pull[s] -= ridge.pull(state_.column(s), at_.w[s]);
  }
  Factor factor;
  bool convex = true;
  for (Index i = 0; i < steps && convex; ++i) {
    const Weighted& image = trail_[i].residual;
    const double* step = trail_[i].w.data();
    for (Index s = 0; s < m; ++s) {
      bent[s] = (surrogate_.curvature[s] + ridge.of(state_.column(s))) * step[s];
    }
    for (Index j = 0; j <= i; ++j) {
      const Weighted& other = trail_[j].residual;
      row[j] = dot(image.v.data(), other.v.data(), n) - image.sum * other.sum / total;
      if (j == i) row[j] *= 1.0 + kRidge;
      row[j] += dot(bent.data(), trail_[j].w.data(), m);
    }
    convex = row[i] > 0.0 && factor.append(row.data(), row[i]);
    y[i] = -dot(image.v.data(), here.data(), n) + image.sum * weighted().sum / total -
           dot(pull.data(), step, m);
  }
  if (convex) {
    factor.solve(y.data(), y.data());
  } else {
    std::fill(y.begin(), y.end(), 1.0);
  }
  return convex;
}

// How far to go along `way`, whose image is `image`: twice as far as long as F falls.
double ColumnDescent::farthest(const std::vector<double>& way, const Weighted& image,
                               double start) {
  const Index m = state_.size(), n = inputs_.design->n();
  const double total = inputs_.design->total();
  double linear = -image.sum * weighted().sum / total, quadratic = -image.sum * image.sum / total;
  for (Index k = 0; k < n; ++k) {
    linear += image.v[k] * spread_[k] * weighted().v[k];
    quadratic += image.v[k] * image.v[k];
  }
  for (Index s = 0; s < m && !inputs_.ridge.none(); ++s) {
    linear -= inputs_.ridge.pull(state_.column(s), at_.w[s]) * way[s];
    quadratic += inputs_.ridge.of(state_.column(s)) * way[s] * way[s];
  }
  Surrogate there;
  there.resize(m);
  there.strength = surrogate_.strength;
  const auto change = [&](double t) {
    for (Index s = 0; s < m; ++s) there.t[s] = std::abs(at_.w[s] + t * way[s]);
    there.evaluate(levels_.penalty());
    double penalty = 0.0;
    for (double v : there.value) penalty += v;
    return t * linear + 0.5 * t * t * quadratic + penalty - start;
  };
  double t = 1.0, best = change(t);
  while (t < kFarthest) {
    const double next = change(2.0 * t);
    if (!(next < best)) break;
    best = next;
    t *= 2.0;
  }
  return t;
}

// Coordinates keep their sign or become zero. Undone unless F falls below `now`, of which `penalty` is
// the penalty's part, kept current.
bool ColumnDescent::extrapolate(double now, double& penalty) {
  const Index m = state_.size(), n = inputs_.design->n();
  make_steps();
  std::vector<double> y(stops_), ahead(m, 0.0);
  const bool convex = minimise_on_span(y);
  Weighted image;
  image.v.assign(convex ? 0 : n, 0.0);
  for (Index i = 0; i < stops_; ++i) {
    axpy(y[i], trail_[i].w.data(), ahead.data(), m);
    if (convex) continue;
    axpy(y[i], trail_[i].residual.v.data(), image.v.data(), n);
    image.sum += y[i] * trail_[i].residual.sum;
  }
  for (double x : ahead) {
    if (!std::isfinite(x)) return false;
  }
  const double t = convex ? 1.0 : farthest(ahead, image, penalty);
  for (Index s = 0; s < m; ++s) {
    ahead[s] = at_.w[s] + t * ahead[s];
    if (!(ahead[s] * at_.w[s] > 0.0) && !is_free(s)) ahead[s] = 0.0;
    const Bounds bounds = inputs_.box.of(state_.column(s));
    ahead[s] = std::clamp(ahead[s], bounds.lower, bounds.upper);
  }
  const Weighted here = weighted();
  at_.w.swap(ahead);
  model_of(state_).residual(inputs_, state_);
  const double fresh = evaluate();
  if (smooth() + fresh < now) {
    penalty = fresh;
    return true;
  }
  at_.w.swap(ahead);
  weighted() = here;
  evaluate();
  return false;
}

}  // namespace sparsieve
