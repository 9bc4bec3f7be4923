// Walks of residuals, and questions to the screen about them.
//
// Random columns would hardly notice a bound that is too small: they move by a small part of what the
// bound allows. So the walks take steps that use it up, along a column or a single row, and most thresholds
// lie just below or just above the true correlation.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "check.hpp"
#include "problems.hpp"
#include "sparsieve/screen/screen.hpp"

namespace walks {

using problems::Design;
using problems::Index;
using problems::Problem;
using problems::Random;
using problems::Weighted;
using sparsieve::Query;
using Vector = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();

// r + t x_j, x_j as the solvers see it: column j then moves by all that its norm allows.
inline void step_along(const Problem& problem, Index j, double t, Vector& r) {
  for (Index i = 0; i < problem.n(); ++i) r[i] += static_cast<double>(t * problem.entry(i, j));
}

// A walk of residuals as a solver makes it, and as none does.
class Walk {
 public:
  Walk(const Problem& problem, Random& random)
      : problem_(problem), random_(random), now_(random.normals(problem.n())) {
    past_.push_back(now_);
  }
  const Vector& now() const { return now_; }
  const Vector& next() {
    const Index n = problem_.n();
    const double size = std::pow(10.0, random_.between(-6.0, 0.5));
    switch (random_.below(10)) {
      case 0:  // a jump
        now_ = random_.normals(n);
        break;
      case 1:  // back to where it was, or nearly
        now_ = past_[random_.below(static_cast<Index>(past_.size()))];
        now_[random_.below(n)] += random_.chance(0.5) ? 0.0 : size;
        break;
      case 2:  // the same direction
        scale(random_.between(-1.5, 1.5));
        break;
      case 3:  // one row
        now_[random_.below(n)] += size * random_.sign();
        break;
      case 4:  // all rows by the same size: one row against the others, or signs by chance
        step_by_signs(size);
        break;
      case 5:  // a mixture of two old ones
        mix_of_past();
        break;
      case 6:  // in all directions
        for (double& v : now_) v += size * random_.normal();
        break;
      default:  // along some columns, as solvers do
        step_along_some(size);
    }
    past_.push_back(now_);
    return now_;
  }

 private:
  void scale(double by) {
    for (double& v : now_) v *= by;
  }
  void step_by_signs(double size) {
    const Index lonely = random_.below(problem_.n());
    const bool chance = random_.chance(0.3);
    for (Index i = 0; i < problem_.n(); ++i) {
      now_[i] += size * (chance ? random_.sign() : i == lonely ? 1.0 : -1.0);
    }
  }
  void mix_of_past() {
    const Index count = static_cast<Index>(past_.size());
    const Vector &a = past_[random_.below(count)], &b = past_[random_.below(count)];
    const double s = random_.between(-1.0, 2.0);
    for (Index i = 0; i < problem_.n(); ++i) now_[i] = s * a[i] + (1.0 - s) * b[i];
  }
  void step_along_some(double size) {
    for (Index left = 1 + random_.below(3); left > 0; --left) {
      const Index j = random_.below(problem_.d());
      const double norm = static_cast<double>(problem_.raw_norm(j));
      if (norm > 0.0) step_along(problem_, j, size * random_.sign() / norm, now_);
    }
  }
  const Problem& problem_;
  Random& random_;
  Vector now_;
  std::vector<Vector> past_;
};

// ------------------------------------------------------------------------------ questions

// A query and what it refers to.
struct Question {
  Vector r, threshold, known;
  Weighted weighted;
  double slack = 0.0, known_error = 0.0, error = 0.0;
  bool complete = false, rough = false;
  std::vector<signed char> sides;  // see Query
  std::vector<Index> slot, columns;
  Index excluded = 0;
  Query query() const {
    return {r,     weighted,    threshold, slack,    sides, columns,
            known, known_error, excluded,  complete, rough, error};
  }
};

// The truth about a residual.
struct Truth {
  std::vector<long double> correlation;
  long double norm = 0.0L;
  Truth(const Problem& problem, const Vector& r) : norm(problem.norm(r)) {
    for (Index j = 0; j < problem.d(); ++j) correlation.push_back(problem.correlation(j, r));
  }
  double size(Index j) const { return static_cast<double>(std::fabs(correlation[j])); }
};

// A size that correlations often have.
inline double typical(const Truth& truth, Random& random) {
  const Index d = static_cast<Index>(truth.correlation.size());
  double largest = 0.0;
  for (int k = 0; k < 8; ++k) largest = std::max(largest, truth.size(random.below(d)));
  return largest;
}

// Thresholds that are all large (everything is settled by bounds), or one for all, or close to the truth.
inline Vector make_thresholds(const Truth& truth, Random& random) {
  const double level = typical(truth, random) * random.between(0.3, 3.0);
  const double share_near = random.chance(0.3) ? 0.0 : random.uniform();
  const double margin = std::pow(10.0, random.between(-9.0, -1.0));
  const bool quiet = random.chance(0.3);
  Vector out;
  for (std::size_t j = 0; j < truth.correlation.size(); ++j) {
    const double c = truth.size(static_cast<Index>(j));
    double threshold = quiet ? std::max(level, c * (1.0 + margin)) : level;
    if (random.chance(share_near)) threshold = c * (1.0 + margin * random.sign());
    if (!quiet && random.chance(0.01)) threshold = 0.0;
    if (random.chance(0.02)) threshold = kInf;
    out.push_back(threshold);
  }
  return out;
}

// Some columns are looked after elsewhere. What is known of them is as wrong as its bound allows, so that
// the screen must count that bound when they are left to it later.
inline void choose_known(const Problem& problem, const Design& design, const Truth& truth,
                         Random& random, Question& q) {
  const Index d = problem.d();
  q.slot.assign(d, -1);
  q.known_error = random.chance(0.5) ? 0.0 : 1e-4 * typical(truth, random);
  for (Index j = 0; j < d; ++j) {
    q.known_error = std::max(q.known_error, design.rounding(j) * std::sqrt(q.weighted.norm2));
  }
  for (const Index j : random.some(random.below(d / 4 + 1), d)) {
    if (design.norm2(j) == 0.0 || std::isinf(q.threshold[j])) continue;
    q.slot[j] = static_cast<Index>(q.columns.size());
    q.columns.push_back(j);
    const double off = 0.999 * q.known_error * random.sign();
    q.known.push_back(static_cast<double>(truth.correlation[j]) + off);
  }
}

inline Question make_question(const Problem& problem, const Design& design, const Vector& r,
                              const Truth& truth, Random& random) {
  Question q;
  q.r = r;
  q.weighted = problems::weigh(design, r);
  q.threshold = make_thresholds(truth, random);
  q.slack = random.chance(0.5) ? 0.0 : 1e-3 * random.uniform() * typical(truth, random);
  if (random.chance(0.5)) {
    for (std::size_t j = 0; j < q.threshold.size(); ++j) {
      q.sides.push_back(static_cast<signed char>(random.below(3) - 1));
    }
  }
  q.complete = random.chance(0.5);
  choose_known(problem, design, truth, random, q);
  for (Index j = 0; j < problem.d(); ++j) {
    q.excluded += q.slot[j] < 0 && (design.norm2(j) == 0.0 || std::isinf(q.threshold[j]));
  }
  return q;
}

// Whether the question is about column j: not known, not constant, not excluded.
inline bool asked_about(const Design& design, const Question& q, Index j) {
  return q.slot[j] < 0 && design.norm2(j) > 0.0 && !std::isinf(q.threshold[j]);
}

// Make a question rough: its residual is `error` away from the true one, all of it along one column.
// Thresholds are above the truth by so much that there may be a proof; but sometimes that column violates its
// own, and the rough residual, which brings it nearer to zero, does not show it.
inline void make_rough(const Problem& problem, const Design& design, const Truth& truth,
                       Random& random, Question& q) {
  q.rough = true;
  q.complete = false;
  q.error = std::pow(10.0, random.between(-5.0, -1.0)) * static_cast<double>(truth.norm);
  const double more = 2.0 * q.error + random.between(0.0, 0.2) * static_cast<double>(truth.norm);
  for (Index j = 0; j < problem.d(); ++j) {
    q.threshold[j] = std::max(q.threshold[j], truth.size(j)) + more * design.norm(j);
  }
  const Index j = random.below(problem.d());
  if (!asked_about(design, q, j)) return;
  const double moved = std::min(0.999 * q.error * design.norm(j), truth.size(j));
  const double toward_zero = truth.correlation[j] > 0.0L ? -1.0 : 1.0;
  step_along(problem, j, toward_zero * moved / design.norm2(j), q.r);
  if (random.chance(0.5)) q.threshold[j] = truth.size(j) - random.uniform() * moved;
  if (random.chance(0.2)) q.error = 0.0;  // then nothing is to be proven
}

}  // namespace walks
