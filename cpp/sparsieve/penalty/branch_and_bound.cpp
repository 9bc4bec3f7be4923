#include "sparsieve/penalty/branch_and_bound.hpp"

#include <limits>
#include <sstream>
#include <stdexcept>

namespace sparsieve {

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int kParts = 8;  // of an interval that is split
// Pieces of one coordinate, for the sake of memory. The bound of a piece that is given up counts, so that a
// threshold is never too large.
constexpr Index kMostPieces = 1 << 18;
// What is promised in the header, relative to z^2/(2h) and to the threshold: far above the rounding of either.
constexpr double kMinimumGap = 1e-12;
constexpr double kThresholdGap = 1e-9;
constexpr double kStep = 1e-6;  // see check_concave
// How exact a minimiser is, relative: the minimum is then exact to the square of that.
constexpr double kExact = 1e-11;

// r at a point, less r(0).
struct Knot {
  double t, value, slope;
};

struct Piece {
  Index i;  // of the coordinate
  Knot left, right;
};

struct Point {
  Index i;
  double t;
};

// The best knot of a coordinate, those beside it, and the lowest bound of a piece that was given up.
struct Found {
  Knot before, best, after;
  double score = kInf, bound = kInf;
  Index pieces = 0;
};

// Of a concave r it lies between the slopes at both ends; the difference of two rounded values need not.
double chord_slope(const Piece& p) {
  const double chord = (p.right.value - p.left.value) / (p.right.t - p.left.t);
  return std::max(std::min(chord, p.left.slope), p.right.slope);
}

void check_concave(const Piece& p, double alpha) {
  const double step = p.right.t - p.left.t, rise = p.right.value - p.left.value;
  // What a user's two formulas may differ by: as in the check at first use, penalties/checks.py, whose
  // smallest step is kStep. Below it the rounding of a formula such as log(1 + t) is all there is to see.
  const double slack = 1e-6 * p.left.slope * std::max(step, kStep) +
                       1e-14 * (std::fabs(p.left.value) + std::fabs(p.right.value));
  if (rise <= p.left.slope * step + slack && rise >= p.right.slope * step - slack) return;
  std::ostringstream text;
  text << "penalty is not concave between t=" << p.left.t << " and t=" << p.right.t
       << " (alpha=" << alpha
       << "), or its slope is not the derivative of its value: minimum='coordinatewise' and 'swap' "
          "need a concave one; use minimum='stationary'";
  throw std::invalid_argument(text.str());
}

// phi, and a lower bound of it on a piece.
struct Minimum {
  static double slope_at(const Coordinate& c, const Knot& k) { return c.h * k.t - c.z + k.slope; }
  static double score(const Coordinate& c, const Knot& k) {
    return k.t * (0.5 * c.h * k.t - c.z) + k.value;
  }
  static double bound(const Coordinate& c, const Piece& p) {
    // The slope of r lies between those at the two ends: phi may be seen to rise or to fall.
    if (c.h * p.left.t - c.z + p.right.slope >= 0.0) return score(c, p.left);
    if (c.h * p.right.t - c.z + p.left.slope <= 0.0) return score(c, p.right);
    const double chord = chord_slope(p);
    const double t = std::clamp((c.z - chord) / c.h, p.left.t, p.right.t);
    return score(c, {t, p.left.value + chord * (t - p.left.t), chord});
  }
  static double room(const Coordinate& c, double) { return kMinimumGap * 0.5 * c.z * (c.z / c.h); }
};

// h t/2 + r(t)/t, which tends to slope(0), and a lower bound of it on a piece.
struct Threshold {
  static double score(const Coordinate& c, const Knot& k) {
    return k.t == 0.0 ? k.slope : 0.5 * c.h * k.t + k.value / k.t;
  }
  static double bound(const Coordinate& c, const Piece& p) {
    const double chord = chord_slope(p);
    if (p.left.t == 0.0) return chord;
    const double at_zero = std::max(p.left.value - chord * p.left.t, 0.0);
    const double t = std::clamp(std::sqrt(2.0 * at_zero / c.h), p.left.t, p.right.t);
    return 0.5 * c.h * t + (p.left.value + chord * (t - p.left.t)) / t;
  }
  static double room(const Coordinate&, double best) { return kThresholdGap * best; }
};

class Search {
 public:
  Search(const Curve& curve, const std::vector<Coordinate>& of) : curve_(curve), of_(of) {
    std::vector<Point> zeros;
    for (Index i = 0; i < size(); ++i) zeros.push_back({i, 0.0});
    for (const Knot& k : knots(zeros, false))
      at_zero_.push_back({0.0, 0.0, k.slope}), offset_.push_back(k.value);
  }
  const std::vector<Knot>& at_zero() const { return at_zero_; }
  template <class Goal>
  std::vector<Found> run(const std::vector<double>& ends) const;
  // Moves the best points to the root of phi's slope beside them.
  void polish(std::vector<Found>& found) const;

 private:
  struct Bracket {
    Index i;
    double low, high, slope_low, slope_high;
    int steps = 0;
    bool was_left = false;
    double split() const;
    void take(double t, double slope);
    bool done() const { return !(high - low > kExact * high); }
  };
  Index size() const { return static_cast<Index>(of_.size()); }
  std::vector<Knot> knots(const std::vector<Point>& at, bool less_zero = true) const;
  std::vector<Piece> split(const std::vector<Piece>& open) const;
  template <class Goal>
  void improve(const std::vector<Piece>& pieces, std::vector<Found>& found) const;
  template <class Goal>
  std::vector<Piece> keep(const std::vector<Piece>& pieces, std::vector<Found>& found) const;
  std::vector<Bracket> brackets(const std::vector<Found>& found) const;

  const Curve& curve_;
  const std::vector<Coordinate>& of_;
  std::vector<Knot> at_zero_;
  std::vector<double> offset_;
};

std::vector<Knot> Search::knots(const std::vector<Point>& at, bool less_zero) const {
  const std::size_t k = at.size();
  if (k == 0) return {};
  std::vector<double> t(k), alpha(k), value(k), slope(k);
  for (std::size_t p = 0; p < k; ++p) {
    t[p] = at[p].t;
    alpha[p] = of_[at[p].i].alpha;
  }
  curve_(t.data(), alpha.data(), static_cast<Index>(k), value.data(), slope.data());
  std::vector<Knot> out(k);
  for (std::size_t p = 0; p < k; ++p) {
    out[p] = {t[p], value[p] - (less_zero ? offset_[at[p].i] : 0.0), slope[p]};
  }
  return out;
}

std::vector<Piece> Search::split(const std::vector<Piece>& open) const {
  std::vector<Point> points;
  for (const Piece& piece : open) {
    const double step = (piece.right.t - piece.left.t) / kParts;
    for (int part = 1; part < kParts; ++part) {
      points.push_back({piece.i, piece.left.t + part * step});
    }
  }
  const std::vector<Knot> inner = knots(points);
  std::vector<Piece> out;
  auto next = inner.begin();
  for (const Piece& piece : open) {
    Knot left = piece.left;
    for (int part = 1; part <= kParts; ++part) {
      const Knot right = part < kParts ? *next++ : piece.right;
      out.push_back({piece.i, left, right});
      check_concave(out.back(), of_[piece.i].alpha);
      left = right;
    }
  }
  return out;
}

template <class Goal>
void Search::improve(const std::vector<Piece>& pieces, std::vector<Found>& found) const {
  for (const Piece& piece : pieces) {
    Found& f = found[piece.i];
    for (const Knot& knot : {piece.left, piece.right}) {
      const double score = Goal::score(of_[piece.i], knot);
      if (!(score < f.score)) continue;
      f.score = score;
      f.before = f.best = f.after = knot;
    }
  }
  for (const Piece& piece : pieces) {
    Found& f = found[piece.i];
    if (piece.left.t == f.best.t) f.after = piece.right;
    if (piece.right.t == f.best.t) f.before = piece.left;
  }
}

template <class Goal>
std::vector<Piece> Search::keep(const std::vector<Piece>& pieces, std::vector<Found>& found) const {
  std::vector<Piece> open;
  for (Found& f : found) f.pieces = 0;
  for (const Piece& piece : pieces) {
    Found& f = found[piece.i];
    const Coordinate& c = of_[piece.i];
    const double bound = Goal::bound(c, piece);
    const bool narrow = !(piece.right.t - piece.left.t > 64.0 * kEps * piece.right.t);
    if (narrow || bound >= f.score - Goal::room(c, f.score) || f.pieces == kMostPieces) {
      f.bound = std::min(f.bound, bound);
    } else {
      ++f.pieces;
      open.push_back(piece);
    }
  }
  return open;
}

template <class Goal>
std::vector<Found> Search::run(const std::vector<double>& ends) const {
  std::vector<Point> points;
  for (Index i = 0; i < size(); ++i) points.push_back({i, ends[i]});
  const std::vector<Knot> last = knots(points);
  std::vector<Piece> pieces;
  for (Index i = 0; i < size(); ++i) {
    pieces.push_back({i, at_zero_[i], last[i]});
    check_concave(pieces.back(), of_[i].alpha);
  }
  std::vector<Found> found(size());
  for (;;) {
    improve<Goal>(pieces, found);
    const std::vector<Piece> open = keep<Goal>(pieces, found);
    if (open.empty()) return found;
    pieces = split(open);
  }
}

// The secant, with one end halved when the other one has moved twice (Illinois), and now and then the
// middle, so that the bracket shrinks whatever the rounding.
double Search::Bracket::split() const {
  const double t = high - slope_high * ((high - low) / (slope_high - slope_low));
  return steps % 4 < 3 && t > low && t < high ? t : low + 0.5 * (high - low);
}

void Search::Bracket::take(double t, double slope) {
  const bool left = slope < 0.0;
  if (steps > 0 && left == was_left) (left ? slope_high : slope_low) *= 0.5;
  (left ? low : high) = t;
  (left ? slope_low : slope_high) = slope;
  if (slope == 0.0) low = t;
  was_left = left;
  ++steps;
}

std::vector<Search::Bracket> Search::brackets(const std::vector<Found>& found) const {
  std::vector<Bracket> out;
  for (Index i = 0; i < size(); ++i) {
    const Found& f = found[i];
    const bool ahead = Minimum::slope_at(of_[i], f.best) < 0.0;
    const Knot &low = ahead ? f.best : f.before, &high = ahead ? f.after : f.best;
    Bracket b{i, low.t, high.t, Minimum::slope_at(of_[i], low), Minimum::slope_at(of_[i], high)};
    if (b.slope_low < 0.0 && b.slope_high > 0.0) out.push_back(b);
  }
  return out;
}

void Search::polish(std::vector<Found>& found) const {
  std::vector<Bracket> active = brackets(found), next;
  while (!active.empty()) {
    std::vector<Point> points;
    for (const Bracket& b : active) points.push_back({b.i, b.split()});
    const std::vector<Knot> at = knots(points);
    next.clear();
    for (std::size_t p = 0; p < at.size(); ++p) {
      Bracket& b = active[p];
      Found& f = found[b.i];
      const Coordinate& c = of_[b.i];
      b.take(at[p].t, Minimum::slope_at(c, at[p]));
      // Near the minimum phi only tells points apart down to its rounding.
      const double score = Minimum::score(c, at[p]), noise = 4.0 * kEps * c.z * at[p].t;
      if (!b.done()) {
        next.push_back(b);
      } else if (score <= f.score + noise) {
        f.best = at[p];
        f.score = score;
      }
    }
    active.swap(next);
  }
}

}  // namespace

Curve curve_of(const Penalty& penalty) {
  return [&penalty](const double* t, const double* alpha, Index k, double* value, double* slope) {
    std::vector<double> curvature(k);
    penalty.evaluate(t, alpha, k, value, slope, curvature.data());
  };
}

std::vector<Best> search_minima(const Curve& curve, const std::vector<Coordinate>& of) {
  const Search search(curve, of);
  std::vector<double> ends;
  for (const Coordinate& c : of) ends.push_back(std::min(c.z / c.h, c.cap));
  std::vector<Found> found = search.run<Minimum>(ends);
  search.polish(found);
  std::vector<Best> out;
  for (const Found& f : found)
    out.push_back(f.score < 0.0 ? Best{f.best.t, f.score} : Best{0.0, 0.0});
  return out;
}

std::vector<double> search_thresholds(const Curve& curve, const std::vector<Coordinate>& of) {
  const Search search(curve, of);
  std::vector<double> ends;
  // Beyond, h t/2 alone is above slope(0).
  for (std::size_t i = 0; i < of.size(); ++i)
    ends.push_back(std::min(2.0 * search.at_zero()[i].slope / of[i].h, of[i].cap));
  std::vector<double> out;
  // Bounds and scores are rounded a few times.
  for (const Found& f : search.run<Threshold>(ends)) {
    out.push_back((1.0 - 16.0 * kEps) * std::min(f.score, f.bound));
  }
  return out;
}

std::vector<double> capped_thresholds(const Penalty& penalty, const std::vector<Coordinate>& of) {
  std::vector<double> out(of.size());
  std::vector<Coordinate> capped;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < of.size(); ++i) {
    penalty.jump_thresholds(&of[i].h, &of[i].alpha, 1, &out[i]);
    if (std::isinf(of[i].cap) || !(of[i].cap > 0.0) || !(of[i].alpha > 0.0)) continue;
    capped.push_back(of[i]);
    which.push_back(i);
  }
  const std::vector<double> found = search_thresholds(curve_of(penalty), capped);
  for (std::size_t k = 0; k < which.size(); ++k) out[which[k]] = std::max(out[which[k]], found[k]);
  return out;
}

}  // namespace sparsieve
