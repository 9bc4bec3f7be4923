// Solves with a lower triangle: a part of simd_kernels.inl, included in its namespace.

// Where the group of eight columns begins whose first is column b (see TriangleKernels).
inline const double* group_of(const Triangle& l, Index b) {
  return l.entries + b * l.height - b * (b - 8) / 2;
}

// The group's own columns: x[0..8), where everything before has been taken away from it.
inline void forward_group(const double* c, Index ld, const double* inverse, double* x, Vec a[8]) {
  Vec t = load(x);
  for (Index q = 0; q < kLanes; ++q) {
    const double v = t[q] * inverse[q];
    a[q] = v + Vec{};
    t -= a[q] * load(c + q * ld);  // zeros above the diagonal: what is known stays out of it
    x[q] = v;
  }
}

void triangle_forward(const Triangle& l, double* vectors, Index count, Index stride) {
  const Index k = l.size, whole = k / kLanes * kLanes;
  for (Index b = 0; b < whole; b += kLanes) {
    const double* c = group_of(l, b);
    const Index ld = l.height - b, below = k - b;
    for (double* x = vectors + b; x != vectors + b + count * stride; x += stride) {
      Vec a[kLanes];
      forward_group(c, ld, l.inverse + b, x, a);
      Index i = kLanes;
      for (; i + kLanes <= below; i += kLanes) {
        Vec even = load(x + i), odd{};
        for (Index q = 0; q < kLanes; q += 2) {
          even -= a[q] * load(c + q * ld + i);
          odd += a[q + 1] * load(c + (q + 1) * ld + i);
        }
        store(x + i, even - odd);
      }
      for (; i < below; ++i) {
        for (Index q = 0; q < kLanes; ++q) x[i] -= x[q] * c[q * ld + i];
      }
    }
  }
  const double* c = group_of(l, whole);
  const Index ld = l.height - whole;
  for (double* x = vectors + whole; x != vectors + whole + count * stride; x += stride) {
    for (Index q = 0; q < k - whole; ++q) {
      x[q] *= l.inverse[whole + q];
      for (Index i = q + 1; i < k - whole; ++i) x[i] -= x[q] * c[q * ld + i];
    }
  }
}

// x[0..count) of the group's own columns, where everything after has been taken away from it.
inline void backward_group(const double* c, Index ld, const double* inverse, double* x,
                           Index count) {
  for (Index q = count - 1; q >= 0; --q) {
    x[q] *= inverse[q];
    for (Index p = 0; p < q; ++p) x[p] -= c[p * ld + q] * x[q];
  }
}

void triangle_backward(const Triangle& l, double* vector) {
  const Index k = l.size, whole = k / kLanes * kLanes;
  backward_group(group_of(l, whole), l.height - whole, l.inverse + whole, vector + whole,
                 k - whole);
  for (Index b = whole - kLanes; b >= 0; b -= kLanes) {
    const double* c = group_of(l, b);
    const Index ld = l.height - b, below = k - b;
    double* x = vector + b;
    Vec s[kLanes] = {};
    Index i = kLanes;
    for (; i + kLanes <= below; i += kLanes) {
      const Vec v = load(x + i);
      for (Index q = 0; q < kLanes; ++q) s[q] += v * load(c + q * ld + i);
    }
    for (Index q = 0; q < kLanes; ++q) x[q] -= sum(s[q]);
    for (; i < below; ++i) {
      for (Index q = 0; q < kLanes; ++q) x[q] -= c[q * ld + i] * x[i];
    }
    backward_group(c, ld, l.inverse + b, x, kLanes);
  }
}
