// "Which columns may violate this threshold at this residual?" answered mostly without reading X.
//
// Each column remembers an upper bound u_j >= |x_j' Omega r0| at a reference residual r0. Write a new
// residual as r = a r0 + p with p orthogonal to r0 (in the Omega inner product). Then
//     |x_j' Omega r| <= |a| u_j + ||x_j|| ||p||,
// the propagation rule of [RGS19] used as an optimality check. Only columns whose bound reaches the
// threshold are read.
#pragma once

#include <vector>

#include "sparsieve/design.hpp"

namespace sparsieve {

struct Violator {
  Index column;
  double correlation;
};

class Sieve {
 public:
  explicit Sieve(const Design& design);

  // Read every column at residual r and make it the reference of all.
  void read_all(const std::vector<double>& r, const Weighted& weighted,
                std::vector<double>& correlations);

  // All columns not in `skip` with |x_j' Omega r| > threshold_j + slack (without the modulus when
  // `positive`). Columns with an infinite threshold are never read. `ratio` becomes a proven bound
  // of max |x_j' Omega r| / threshold_j over the columns that are neither skipped nor returned.
  std::vector<Violator> above(const std::vector<double>& r, const Weighted& weighted,
                              const std::vector<double>& threshold, double slack, bool positive,
                              const std::vector<Index>& skip_slot, double& ratio);

  // Largest violation among the columns the last call read but did not return (at most slack).
  double worst_kept() const { return worst_kept_; }
  // How the last call of `above` settled the columns: by bound alone, or by reading.
  Index settled_by_bound() const { return by_bound_; }
  Index settled_by_reading() const { return by_reading_; }

 private:
  static constexpr Index kRing = 8;
  struct Reference {
    std::vector<double> r;
    double norm2 = 0.0;
  };
  // Bound of column j at a residual with the given (shrink, distance) to each reference.
  struct Travel {
    double shrink, distance;
  };
  Travel travel(const std::vector<double>& r, double norm2, const Reference& from) const;
  void adopt(const std::vector<double>& r, double norm2);

  const Design& design_;
  std::vector<Reference> ring_;
  Index newest_ = 0;
  std::vector<double> bound_;
  std::vector<signed char> reference_;  // index into the ring
  Index by_bound_ = 0, by_reading_ = 0;
  double worst_kept_ = 0.0;
  std::vector<Index> look_;
  std::vector<double> seen_;
};

}  // namespace sparsieve
