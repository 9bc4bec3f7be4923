// Kernels of sparse columns: a part of simd_kernels.inl, included in its namespace.

// Gathering the entries of v at rows[0], ..., rows[count - 1], with zeros in the lanes beyond, and
// scattering them back.
#if defined(__AVX512F__)
inline __m512i widen(const std::int32_t* rows, __mmask8 mask) {
  return _mm512_cvtepi32_epi64(_mm256_maskz_loadu_epi32(mask, rows));
}
inline __m512i widen(const std::int64_t* rows, __mmask8 mask) {
  return _mm512_maskz_loadu_epi64(mask, rows);
}
inline __m512d stored(const double* x, __mmask8 mask) { return _mm512_maskz_loadu_pd(mask, x); }
inline __m512d stored(const float* x, __mmask8 mask) {
  return _mm512_maskz_cvtps_pd(mask, _mm256_maskz_loadu_ps(mask, x));
}
inline __mmask8 first_lanes(Index count) { return static_cast<__mmask8>((1u << count) - 1u); }

template <class T, class I>
[[gnu::always_inline]] inline double short_dot(const T* x, const I* rows, Index count,
                                               const double* v) {
  __m512d total = _mm512_setzero_pd();
  for (Index p = 0; p < count; p += kLanes) {
    const __mmask8 mask = first_lanes(std::min(kLanes, count - p));
    const __m512d g =
        _mm512_mask_i64gather_pd(_mm512_setzero_pd(), mask, widen(rows + p, mask), v, 8);
    total = _mm512_fmadd_pd(stored(x + p, mask), g, total);
  }
  return sum((Vec)total);
}

template <class T, class I>
void sparse_axpy(double a, const T* x, const I* rows, Index count, double* y) {
  const __m512d factor = _mm512_set1_pd(a);
  for (Index p = 0; p < count; p += kLanes) {
    const __mmask8 mask = first_lanes(std::min(kLanes, count - p));
    const __m512i at = widen(rows + p, mask);
    const __m512d g = _mm512_mask_i64gather_pd(_mm512_setzero_pd(), mask, at, y, 8);
    _mm512_mask_i64scatter_pd(y, mask, at, _mm512_fmadd_pd(factor, stored(x + p, mask), g), 8);
  }
}
#else
template <class T, class I>
[[gnu::always_inline]] inline double short_dot(const T* x, const I* rows, Index count,
                                               const double* v) {
  Vec total{};
  Index p = 0;
  for (; p + kLanes <= count; p += kLanes) {
    Vec g;
    for (Index k = 0; k < kLanes; ++k) g[k] = v[rows[p + k]];
    total += load(x + p) * g;
  }
  if (p < count) {
    double rest[kLanes] = {}, g[kLanes] = {};
    for (Index k = 0; p + k < count; ++k) {
      rest[k] = static_cast<double>(x[p + k]);
      g[k] = v[rows[p + k]];
    }
    total += load(rest) * load(g);
  }
  return sum(total);
}

template <class T, class I>
void sparse_axpy(double a, const T* x, const I* rows, Index count, double* y) {
  for (Index p = 0; p < count; ++p) y[rows[p]] += a * static_cast<double>(x[p]);
}
#endif

// Long sums in blocks, as those of dense columns: a rounding error grows with the length of a sum.
constexpr Index kBlock = 1024;

template <class T, class I>
[[gnu::noinline]] double long_dot(const T* x, const I* rows, Index count, const double* v) {
  double total = 0.0;
  for (Index p = 0; p < count; p += kBlock) {
    total += short_dot(x + p, rows + p, std::min(kBlock, count - p), v);
  }
  return total;
}

template <class T, class I>
[[gnu::always_inline]] inline double sparse_dot(const T* x, const I* rows, Index count,
                                                const double* v) {
  return count <= kBlock ? short_dot(x, rows, count, v) : long_dot(x, rows, count, v);
}

// Columns lie anywhere in memory: each is prefetched so many columns before it is needed.
constexpr Index kAhead = 6;

template <class T, class I>
void sparse_dots(const T* x, const I* rows, const I* starts, const Index* cols, Index count,
                 const double* v, double* out) {
  for (Index k = 0; k < count; ++k) {
    const Index next = cols[std::min(k + kAhead, count - 1)];
    __builtin_prefetch(x + starts[next]);
    __builtin_prefetch(rows + starts[next]);
    const I first = starts[cols[k]];
    out[k] = sparse_dot(x + first, rows + first, starts[cols[k] + 1] - first, v);
  }
}

// One epoch over sparse columns, see Epoch: columns are so short that a call would cost as much as their
// entries. Short ones are kept in registers between their product and their update.
#if defined(__AVX512F__)
template <class T, class I>
class Visit {
 public:
  Visit(const T* x, const I* rows, Index count, const EpochInputs& inputs)
      : x_(x), rows_(rows), count_(count), v_(inputs.v), weight_(inputs.weight) {}
  Index size() const { return count_; }
  double dot() {
    if (count_ > kHeld * kLanes) return sparse_dot(x_, rows_, count_, v_);
    __m512d total = _mm512_setzero_pd();
    for (Index b = 0; b * kLanes < count_; ++b) {
      const Index p = b * kLanes;
      const __mmask8 mask = first_lanes(std::min(kLanes, count_ - p));
      at_[b] = widen(rows_ + p, mask);
      held_[b] = stored(x_ + p, mask);
      there_[b] = _mm512_mask_i64gather_pd(_mm512_setzero_pd(), mask, at_[b], v_, 8);
      total = _mm512_fmadd_pd(held_[b], there_[b], total);
    }
    return sum((Vec)total);
  }
  void add(double a) {
    if (count_ > kHeld * kLanes) return sparse_axpy(a * weight_, x_, rows_, count_, v_);
    const __m512d factor = _mm512_set1_pd(a * weight_);
    for (Index b = 0; b * kLanes < count_; ++b) {
      const __mmask8 mask = first_lanes(std::min(kLanes, count_ - b * kLanes));
      _mm512_mask_i64scatter_pd(v_, mask, at_[b], _mm512_fmadd_pd(factor, held_[b], there_[b]), 8);
    }
  }

 private:
  static constexpr Index kHeld = 4;
  const T* x_;
  const I* rows_;
  Index count_;
  double* v_;
  double weight_;
  __m512i at_[kHeld];
  __m512d held_[kHeld], there_[kHeld];
};
#else
template <class T, class I>
class Visit {
 public:
  Visit(const T* x, const I* rows, Index count, const EpochInputs& inputs)
      : x_(x), rows_(rows), count_(count), v_(inputs.v), weight_(inputs.weight) {}
  Index size() const { return count_; }
  double dot() const { return sparse_dot(x_, rows_, count_, v_); }
  void add(double a) const { sparse_axpy(a * weight_, x_, rows_, count_, v_); }

 private:
  const T* x_;
  const I* rows_;
  Index count_;
  double* v_;
  double weight_;
};
#endif

template <class T, class I>
void sparse_descend(const T* x, const I* rows, const I* starts, Epoch& epoch, EpochInputs& inputs) {
  Index visited = 0;
  descend_by(epoch, inputs, [&](Index j) {
    const Index next = std::min(visited++ + kAhead, epoch.count - 1);
    __builtin_prefetch(x + starts[epoch.columns[next]]);
    __builtin_prefetch(rows + starts[epoch.columns[next]]);
    const I first = starts[j];
    return Visit<T, I>(x + first, rows + first, starts[j + 1] - first, inputs);
  });
}
