// Exponentials of many numbers: a part of simd_kernels.inl, included in its namespace.

typedef std::uint64_t VecU64 __attribute__((vector_size(64)));
typedef std::int64_t VecI64 __attribute__((vector_size(64)));

inline Vec vec(double x) { return x + Vec{}; }

// 2^k for |k| < 1023
inline Vec power_of_two(VecI64 k) { return (Vec)((VecU64)(k + 1023) << 52); }

// e^x within two units in the last place: x = k ln 2 + r, |r| <= ln(2)/2, and 14 terms of the series of e^r, of
// which the first one left out is below 5e-18. Below the range of double precision 0, above it infinity.
inline Vec exp_of(Vec x) {
  constexpr double kUp = 6755399441055744.0;  // 1.5 * 2^52: a sum with it is rounded to an integer
  constexpr double kHigh = 6.93147180369123816490e-01, kLow = 1.90821492927058770002e-10;  // ln 2
  constexpr double kTerms[] = {1.0 / 6227020800.0,
                               1.0 / 479001600.0,
                               1.0 / 39916800.0,
                               1.0 / 3628800.0,
                               1.0 / 362880.0,
                               1.0 / 40320.0,
                               1.0 / 5040.0,
                               1.0 / 720.0,
                               1.0 / 120.0,
                               1.0 / 24.0,
                               1.0 / 6.0,
                               0.5,
                               1.0,
                               1.0};
  x = x < vec(-750.0) ? vec(-750.0) : x;
  x = x > vec(710.0) ? vec(710.0) : x;
  const Vec up = x * vec(1.44269504088896338700) + vec(kUp), k = up - vec(kUp);
  const Vec r = (x - k * vec(kHigh)) - k * vec(kLow);
  Vec sum{};
  for (const double term : kTerms) sum = sum * r + vec(term);
  // In two halves, so that results below the smallest normal number are rounded once.
  const VecI64 whole = (VecI64)((VecU64)up - (VecU64)vec(kUp)), half = whole >> 1;
  return sum * power_of_two(half) * power_of_two((VecI64)((VecU64)whole - (VecU64)half));
}

// ln(1 + e) for 0 <= e <= 1: with f = e/(2 + e) <= 1/3 it is 2 (f + f^3/3 + f^5/5 + ...).
inline Vec log_of_one_and(Vec e) {
  const Vec f = e / (vec(2.0) + e), square = f * f;
  Vec sum{};
  for (int k = 16; k >= 0; --k) sum = sum * square + vec(1.0 / (2 * k + 1));
  return vec(2.0) * f * sum;
}

// Body on vectors; what is left over at the end of n numbers is copied to a whole one.
template <class Body>
void by_lanes(const double* x, Index n, const Body& body) {
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) body(load(x + i), i, kLanes);
  if (i == n) return;
  double rest[kLanes] = {};
  std::copy(x + i, x + n, rest);
  body(load(rest), i, n - i);
}

inline void store_some(double* p, Vec v, Index count) {
  if (count == kLanes) return store(p, v);
  for (Index q = 0; q < count; ++q) p[q] = v[q];
}

void exponentials(const double* x, Index n, double* out) {
  by_lanes(x, n, [&](Vec at, Index i, Index count) { store_some(out + i, exp_of(at), count); });
}

void decays(const double* x, Index n, double* e, double* log_rest) {
  by_lanes(x, n, [&](Vec at, Index i, Index count) {
    const Vec value = exp_of(at < Vec{} ? at : -at);
    store_some(e + i, value, count);
    store_some(log_rest + i, log_of_one_and(value), count);
  });
}
