// The methods of [RGS19] with the log-sum penalty, compiled: the same steps, tests and counts as
// `sparsieve.reference`, one lambda per call. For the experiments only; the package does not use it.
// What each step is for is said in `src/sparsieve/reference`, module by module in the same order.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <numeric>
#include <vector>

using Vector = std::vector<double>;
using Index = std::vector<int>;
using Mask = std::vector<char>;

// Both structures have a twin of the same layout in __init__.py.
struct Settings {
  double theta, lam, alpha, tol, inner_tol, zero_below, seconds;
  std::int64_t method, rule, gap_every, screen_every, refresh_every, max_iter, max_epochs;
  std::int64_t screen_inside, propagate, check_every, monotone, unit_step;
};

struct Outcome {
  double objective, violation, correlations, products;
  std::int64_t n_outer, visits, updates, out_of_time;
  std::int64_t gap_before, propagation, gap_inside;
};

enum Method { kMm, kNcvxcd, kGist };
enum Rule { kCorrected, kPrinted, kPublished };

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct OutOfTime {};

class Clock {
 public:
  explicit Clock(double seconds) : end_(std::clock() + seconds * CLOCKS_PER_SEC) {}
  void check() const {
    if (static_cast<double>(std::clock()) > end_) throw OutOfTime{};
  }

 private:
  double end_;
};

// Eight sums, so that the compiler may use vectors without changing any result.
double inner(const double* a, const double* b, std::size_t n) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
  double total = 0.0;
  for (; i < n; ++i) total += a[i] * b[i];
  for (double sum : sums) total += sum;
  return total;
}

double inner(const Vector& a, const Vector& b) { return inner(a.data(), b.data(), a.size()); }

}  // namespace

// X by columns: dense where `rows` is null, else compressed columns.
struct Design {
  std::int64_t n, d;
  const double* values;
  const std::int32_t* rows;
  const std::int64_t* ends;
  Vector norms2;

  double dot(int j, const Vector& r) const {
    if (!rows) return inner(values + j * n, r.data(), static_cast<std::size_t>(n));
    double sum = 0.0;
    for (std::int64_t k = ends[j]; k < ends[j + 1]; ++k) sum += values[k] * r[rows[k]];
    return sum;
  }

  void add(int j, double step, Vector& r) const {
    if (rows) {
      for (std::int64_t k = ends[j]; k < ends[j + 1]; ++k) r[rows[k]] += step * values[k];
      return;
    }
    const double* column = values + j * n;
    for (std::int64_t i = 0; i < n; ++i) r[i] += step * column[i];
  }

  void measure_columns() {
    norms2.resize(d);
    for (int j = 0; j < d; ++j) {
      const std::int64_t begin = rows ? ends[j] : j * n, end = rows ? ends[j + 1] : (j + 1) * n;
      norms2[j] = inner(values + begin, values + begin, static_cast<std::size_t>(end - begin));
    }
  }
};

namespace {

struct Point {
  Vector s, v, c, c_error;
  double primal = 0.0, dual = 0.0, gap_error = 0.0;
  double gap() const { return std::max(primal - dual, 0.0); }
};

struct PwlResult {
  Vector w, r;
  Mask zero;
};

double over_prox(double square, double prox) {
  if (square == 0.0) return 0.0;
  return prox > 0.0 ? square / prox : kInfinity;
}

class Twin {
 public:
  Twin(const Design& X, const double* y, const Settings& settings, Outcome& out)
      : X_(X), y_(y, y + X.n), set_(settings), out_(out), prox_(1.0 / settings.alpha),
        clock_(settings.seconds) {}

  void solve(double* w) {
    Vector start(w, w + X_.d);
    if (set_.method == kMm) majorize_minimize(start);
    if (set_.method == kNcvxcd) coordinate_descent(start);
    if (set_.method == kGist) gist(start);
    std::copy(start.begin(), start.end(), w);
  }

 private:
  // problem.py
  double slope(double t) const { return set_.lam / (set_.theta + t); }

  double share(const Vector& w) const {
    return static_cast<double>(X_.d - std::count(w.begin(), w.end(), 0.0)) / X_.d;
  }

  Vector residual(const Vector& w) {
    Vector r = y_;
    for (int j = 0; j < X_.d; ++j)
      if (w[j] != 0.0) X_.add(j, -w[j], r);
    return r;
  }

  double objective(const Vector& r, const Vector& w) const {
    double penalty = 0.0;
    for (double t : w) penalty += set_.lam * std::log1p(std::abs(t) / set_.theta);
    return 0.5 * inner(r, r) + penalty;
  }

  double look(const Vector& r, const Vector& w, Vector& correlations) {
    double worst = 0.0;
    correlations.resize(X_.d);
    for (int j = 0; j < X_.d; ++j) {
      const double c = correlations[j] = X_.dot(j, r);
      const double t = std::abs(w[j]) < set_.zero_below ? 0.0 : w[j];
      const double r_slope = slope(std::abs(t));
      const double here = t == 0.0 ? std::max(std::abs(c) - r_slope, 0.0)
                                   : std::abs(c - std::copysign(r_slope, t));
      worst = std::max(worst, here);
    }
    out_.correlations += 1.0;
    return worst;
  }

  // screening.py: vectors over the coordinates in `kept`
  Point dual_point(const Vector& r, const Vector& w, const Vector& correlations, const Index& kept,
                   const Vector& center, const Vector& weights) const {
    const std::size_t size = kept.size();
    Point p;
    p.c.resize(size), p.v.resize(size), p.c_error.resize(size);
    double limit = kInfinity, shift2 = 0.0, shift_center = 0.0, moved2 = 0.0, l1 = 0.0, reach = 0.0;
    std::int64_t support = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const int j = kept[i];
      const double shift = prox_ * (w[j] - center[j]);
      p.v[i] = shift;
      p.c[i] = correlations[i] - shift;
      if (weights[j] > 0.0 && p.c[i] != 0.0) limit = std::min(limit, weights[j] / std::abs(p.c[i]));
      shift2 += shift * shift;
      shift_center += shift * center[j];
      moved2 += (w[j] - center[j]) * (w[j] - center[j]);
      l1 += weights[j] * std::abs(w[j]);
      reach += std::sqrt(X_.norms2[j]) * std::abs(w[j]);
      support += w[j] != 0.0;
    }
    const double r2 = inner(r, r), ry = inner(r, y_);
    double kappa = std::min(1.0, limit);
    if (set_.rule == kCorrected) {
      const double curvature = r2 + over_prox(shift2, prox_);
      kappa = std::clamp(curvature > 0.0 ? (ry - shift_center) / curvature : 1.0, -limit, limit);
    }
    p.s = r;
    for (double& value : p.s) value *= kappa;
    for (std::size_t i = 0; i < size; ++i) p.v[i] *= kappa, p.c[i] *= kappa;
    p.primal = 0.5 * r2 + 0.5 * prox_ * moved2 + l1;
    p.dual = kappa * (ry - shift_center) -
             0.5 * kappa * kappa * (r2 + over_prox(shift2, prox_));
    const double unit = static_cast<double>(X_.n + support + 8) *
                        std::numeric_limits<double>::epsilon();
    const double norm_y = std::sqrt(inner(y_, y_)), norm_r = std::sqrt(r2);
    reach += norm_y + norm_r;
    for (std::size_t i = 0; i < size; ++i) {
      const int j = kept[i];
      const double moved = prox_ * (std::abs(w[j]) + std::abs(center[j]));
      p.c_error[i] = unit * (std::sqrt(X_.norms2[j]) * reach + moved + weights[j]);
    }
    p.gap_error = unit * (reach * (norm_r + std::abs(kappa) * norm_y) + l1 + std::abs(p.dual));
    return p;
  }

  double gap_score(const Point& p, std::size_t i, int j) const {
    if (set_.rule != kCorrected)
      return std::abs(p.c[i]) + std::sqrt(2.0 * p.gap()) * (std::sqrt(X_.norms2[j]) + prox_);
    const double root = std::sqrt(2.0 * (p.gap() + p.gap_error));
    return std::abs(p.c[i]) + root * std::sqrt(X_.norms2[j] + prox_) + p.c_error[i];
  }

  // All d scores before an inner problem: exact where `point` is the reference itself.
  Mask screened(const Point& reference, const Point& point, const Point& last, bool exact,
                const Vector& weights) const {
    Mask zero(X_.d);
    const Point& origin = set_.rule == kPublished ? last : reference;
    double step2 = 0.0;
    for (std::int64_t i = 0; !exact && i < X_.n; ++i)
      step2 += (point.s[i] - origin.s[i]) * (point.s[i] - origin.s[i]);
    const double a = std::sqrt(step2);
    const double root_2b = exact ? 0.0 : std::sqrt(2.0 * std::abs(point.gap() - origin.gap()));
    const double root = std::sqrt(2.0 * (point.gap() + point.gap_error));
    for (int j = 0; j < X_.d; ++j) {
      const double norm = std::sqrt(X_.norms2[j]);
      double score = 0.0;
      if (exact) {
        score = gap_score(point, j, j);
      } else if (set_.rule != kCorrected) {
        score = gap_score(reference, j, j) + norm * (a + root_2b) +
                std::abs(point.v[j] - origin.v[j]) + prox_ * root_2b;
      } else {
        score = std::abs(reference.c[j]) + norm * a + std::abs(point.v[j] - reference.v[j]) +
                root * std::sqrt(X_.norms2[j] + prox_) + reference.c_error[j] + point.c_error[j];
      }
      zero[j] = score < weights[j];
    }
    return zero;
  }

  // pwl.py
  Index kept_of(const Mask& zero, const Vector& w) const {
    Index kept;
    for (int j = 0; j < X_.d; ++j)
      if ((!zero[j] || w[j] != 0.0) && X_.norms2[j] + prox_ > 0.0) kept.push_back(j);
    return kept;
  }

  void drop(const Mask& zero, Vector& w, Vector& r) {
    bool any = false;
    for (int j = 0; j < X_.d; ++j)
      if (zero[j] && w[j] != 0.0) w[j] = 0.0, any = true;
    if (!any) return;
    out_.products += share(w);
    r = residual(w);
  }

  void descend(Vector& w, Vector& r, const Index& kept, const Vector& center,
               const Vector& weights) {
    for (int j : kept) {
      const double old = w[j], curvature = X_.norms2[j];
      const double t = X_.dot(j, r) + curvature * old + prox_ * center[j];
      double value = 0.0;
      if (t > weights[j]) value = (t - weights[j]) / (curvature + prox_);
      if (t < -weights[j]) value = (t + weights[j]) / (curvature + prox_);
      if (value == old) continue;
      X_.add(j, old - value, r);
      w[j] = value;
      ++out_.updates;
    }
    out_.visits += static_cast<std::int64_t>(kept.size());
  }

  Point restricted_point(const Vector& r, const Vector& w, const Index& kept, const Vector& center,
                         const Vector& weights) {
    Vector correlations(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) correlations[i] = X_.dot(kept[i], r);
    out_.correlations += static_cast<double>(kept.size()) / X_.d;
    return dual_point(r, w, correlations, kept, center, weights);
  }

  std::int64_t to_next_gap(std::int64_t epochs) const {
    std::int64_t sweeps = std::min(set_.max_epochs - epochs, set_.gap_every - epochs % set_.gap_every);
    if (set_.screen_inside) sweeps = std::min(sweeps, set_.screen_every - epochs % set_.screen_every);
    return sweeps;
  }

  PwlResult pwl(Vector w, Vector r, Mask zero, const Vector& center, const Vector& weights) {
    const bool literal = set_.rule != kCorrected;
    if (literal) drop(zero, w, r);
    for (std::int64_t epochs = 0;;) {
      Index kept = kept_of(zero, w);
      for (std::int64_t left = to_next_gap(epochs); left > 0; --left, ++epochs)
        descend(w, r, kept, center, weights);
      clock_.check();
      r = residual(w);
      out_.products += share(w);
      Point point = restricted_point(r, w, kept, center, weights);
      if (set_.screen_inside && epochs % set_.screen_every == 0) {
        bool dropped = false;
        for (std::size_t i = 0; i < kept.size(); ++i) {
          const int j = kept[i];
          zero[j] = zero[j] || gap_score(point, i, j) < weights[j];
          dropped = dropped || (zero[j] && w[j] != 0.0);
        }
        if (literal && dropped) {
          drop(zero, w, r);
          kept = kept_of(zero, w);
          point = restricted_point(r, w, kept, center, weights);
        }
      }
      if (point.gap() <= set_.inner_tol || epochs >= set_.max_epochs) return {w, r, zero};
    }
  }

  // mm.py
  void majorize_minimize(Vector& w) {
    Index all(X_.d);
    std::iota(all.begin(), all.end(), 0);
    Vector r = residual(w), correlations, weights(X_.d);
    Point reference, last;
    for (std::int64_t k = 0;; ++k) {
      out_.violation = look(r, w, correlations);
      out_.n_outer = k;
      if (out_.violation <= set_.tol || k == set_.max_iter) break;
      for (int j = 0; j < X_.d; ++j) weights[j] = slope(std::abs(w[j]));
      Mask zero(X_.d, 0);
      const bool exact = k % set_.refresh_every == 0;
      if (set_.propagate) {
        Point point = dual_point(r, w, correlations, all, w, weights);
        if (exact) reference = point;
        zero = screened(reference, point, last, exact, weights);
        last = std::move(point);
      }
      const std::int64_t before = std::count(zero.begin(), zero.end(), 1);
      (exact ? out_.gap_before : out_.propagation) += before;
      PwlResult solved = pwl(w, r, std::move(zero), w, weights);
      out_.gap_inside += std::count(solved.zero.begin(), solved.zero.end(), 1) - before;
      w = std::move(solved.w);
      r = std::move(solved.r);
    }
    out_.objective = objective(r, w);
  }

  // minimizers.py, log-sum: argmin over t >= 0 of a t^2/2 - c t + lam log(1 + t/theta)
  double minimize(double c, double a) const {
    const double sum = c + a * set_.theta;
    const double root = std::sqrt(std::max(sum * sum - 4.0 * a * set_.lam, 0.0));
    const double t = std::max(c - a * set_.theta + root, 0.0) / (2.0 * a);
    const double cost = (0.5 * a * t - c) * t + set_.lam * std::log1p(t / set_.theta);
    return cost < 0.0 ? t : 0.0;
  }

  // ncvxcd.py
  void coordinate_descent(Vector& w) {
    Vector r = residual(w), correlations;
    for (std::int64_t epochs = 0;;) {
      out_.violation = look(r, w, correlations);
      out_.n_outer = epochs;
      if (out_.violation <= set_.tol || epochs >= set_.max_iter) break;
      const std::int64_t sweeps = std::min(set_.check_every, set_.max_iter - epochs);
      for (std::int64_t sweep = 0; sweep < sweeps; ++sweep, ++epochs) coordinate_sweep(w, r);
      clock_.check();
      r = residual(w);
      out_.products += share(w);
    }
    out_.objective = objective(r, w);
  }

  void coordinate_sweep(Vector& w, Vector& r) {
    for (int j = 0; j < X_.d; ++j) {
      const double old = w[j], a = X_.norms2[j];
      if (a == 0.0) continue;
      const double c = X_.dot(j, r) + a * old;
      const double value = std::copysign(minimize(std::abs(c), a), c);
      ++out_.visits;
      if (value == old) continue;
      X_.add(j, old - value, r);
      w[j] = value;
      ++out_.updates;
    }
  }

  // gist.py
  void gist(Vector& w) {
    Vector r = residual(w), correlations, new_w, new_r;
    Vector recent{objective(r, w)};
    const std::size_t memory = set_.monotone ? 1 : 5;
    double curvature = 1.0;
    for (std::int64_t k = 0;; ++k) {
      out_.violation = look(r, w, correlations);
      out_.n_outer = k;
      if (out_.violation <= set_.tol || k == set_.max_iter) break;
      clock_.check();
      const auto from = recent.end() - std::min(memory, recent.size());
      const double bar = *std::max_element(from, recent.end());
      double value = 0.0;
      if (!line_search(w, correlations, curvature, bar, new_w, new_r, value)) break;
      double move2 = 0.0, fitted2 = 0.0;
      for (int j = 0; j < X_.d; ++j) move2 += (new_w[j] - w[j]) * (new_w[j] - w[j]);
      for (int i = 0; i < X_.n; ++i) fitted2 += (r[i] - new_r[i]) * (r[i] - new_r[i]);
      if (!set_.unit_step) curvature = std::clamp(fitted2 / move2, 1e-20, 1e20);
      w.swap(new_w);
      r.swap(new_r);
      recent.push_back(value);
    }
    out_.objective = objective(r, w);
  }

  bool line_search(const Vector& w, const Vector& correlations, double curvature, double bar,
                   Vector& new_w, Vector& new_r, double& value) {
    const double growth = set_.unit_step ? 1.5 : 2.0, sufficient = set_.unit_step ? 0.1 : 1e-5;
    new_w.resize(X_.d);
    for (; curvature <= 1e20; curvature *= growth) {
      double move2 = 0.0;
      std::int64_t moved = 0;
      for (int j = 0; j < X_.d; ++j) {
        const double pull = correlations[j] + curvature * w[j];
        new_w[j] = std::copysign(minimize(std::abs(pull), curvature), pull);
        move2 += (new_w[j] - w[j]) * (new_w[j] - w[j]);
        moved += new_w[j] != w[j];
      }
      out_.visits += X_.d;
      out_.updates += moved;
      out_.products += share(new_w);
      if (moved == 0) return false;
      new_r = residual(new_w);
      value = objective(new_r, new_w);
      if (value <= bar - 0.5 * sufficient * curvature * move2) return true;
    }
    return false;
  }

  const Design& X_;
  Vector y_;
  const Settings& set_;
  Outcome& out_;
  double prox_;
  Clock clock_;
};

}  // namespace

extern "C" {

// The arrays must outlive the design.
void* twin_design(std::int64_t n, std::int64_t d, const double* values, const std::int32_t* rows,
                  const std::int64_t* ends) {
  auto* design = new Design{n, d, values, rows, ends, {}};
  design->measure_columns();
  return design;
}

void twin_free(void* design) { delete static_cast<Design*>(design); }

// Goes on from w, and leaves the end point there; w is unchanged where time ran out.
void twin_solve(const void* design, const double* y, const Settings* settings, double* w,
                Outcome* outcome) {
  *outcome = {};
  try {
    Twin(*static_cast<const Design*>(design), y, *settings, *outcome).solve(w);
  } catch (const OutOfTime&) {
    outcome->out_of_time = 1;
  }
}
}
