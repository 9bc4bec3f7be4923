// Exponentials of many numbers beside those of the standard library.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "sparsieve/simd/simd.hpp"

using namespace sparsieve;

namespace {
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kInf = std::numeric_limits<double>::infinity();
// Two roundings of the series and one of the library's own, in units of the last place.
constexpr double kUnits = 4.0;

// Numbers of every size, 7 modulo 8 of them, so that some are left over at the end.
std::vector<double> arguments() {
  std::vector<double> out{0.0, -0.0, 1e-300, -1e-300, 1e-17, 709.7, -708.3, -744.0, 36.0};
  for (int k = 0; out.size() < 4007; ++k) out.push_back(-700.0 + 0.35 * k + 1e-3 * (k % 7));
  return out;
}
}  // namespace

TEST("simd: exponentials are those of the standard library") {
  const std::vector<double> x = arguments();
  const Index n = static_cast<Index>(x.size());
  std::vector<double> out(n);
  exponential_kernels().exp(x.data(), n, out.data());
  for (Index i = 0; i < n; ++i) {
    const double exact = std::exp(x[i]);
    const double tiny = std::numeric_limits<double>::denorm_min();
    CHECK_AT_MOST(std::abs(out[i] - exact), kUnits * kEps * exact + 2.0 * tiny);
  }
}

TEST("simd: beyond the range of double precision an exponential is zero or infinite") {
  const std::vector<double> x{-1e4, -kInf, 710.5, 1e4, kInf, std::nan("")};
  std::vector<double> out(x.size());
  exponential_kernels().exp(x.data(), 6, out.data());
  CHECK(out[0] == 0.0 && out[1] == 0.0);
  CHECK(out[2] == kInf && out[3] == kInf && out[4] == kInf);
  CHECK(std::isnan(out[5]));
}

TEST("simd: decays and their logarithms are those of the standard library") {
  const std::vector<double> x = arguments();
  const Index n = static_cast<Index>(x.size());
  std::vector<double> e(n), rest(n);
  exponential_kernels().decay(x.data(), n, e.data(), rest.data());
  for (Index i = 0; i < n; ++i) {
    const double exact = std::exp(-std::abs(x[i]));
    const double tiny = std::numeric_limits<double>::denorm_min();
    CHECK_AT_MOST(std::abs(e[i] - exact), kUnits * kEps * exact + 2.0 * tiny);
    // The logarithm moves by no more than its argument does.
    const double log = std::log1p(exact);
    CHECK_AT_MOST(std::abs(rest[i] - log), 2.0 * kUnits * kEps * log + 2.0 * tiny);
  }
}
