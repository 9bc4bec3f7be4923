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
    t -= a[q] * load(c + q * ld);  // zeros above the diagonal: solved entries stay as they are
    x[q] = v;
  }
}

// x[i] -= sum_q a[q] c[q][i] for rows from i to before `to`, counted from the group's first.
inline void forward_rows(const double* c, Index ld, const Vec a[8], Index i, Index to, double* x) {
  for (; i + kLanes <= to; i += kLanes) {
    Vec even = load(x + i), odd{};
    for (Index q = 0; q < kLanes; q += 2) {
      even -= a[q] * load(c + q * ld + i);
      odd += a[q + 1] * load(c + (q + 1) * ld + i);
    }
    store(x + i, even - odd);
  }
  for (; i < to; ++i) {
    for (Index q = 0; q < kLanes; ++q) x[i] -= x[q] * c[q * ld + i];
  }
}

void triangle_forward(const Triangle& l, Index first, Index last, double* vectors, Index count,
                      Index stride) {
  const Index whole = first + (last - first) / kLanes * kLanes;
  for (Index b = first; b < whole; b += kLanes) {
    const double* c = group_of(l, b);
    const Index ld = l.height - b;
    for (double* x = vectors + b; x != vectors + b + count * stride; x += stride) {
      Vec a[kLanes];
      forward_group(c, ld, l.inverse + b, x, a);
      forward_rows(c, ld, a, kLanes, last - b, x);
    }
  }
  const double* c = group_of(l, whole);
  const Index ld = l.height - whole;
  for (double* x = vectors + whole; x != vectors + whole + count * stride; x += stride) {
    for (Index q = 0; q < last - whole; ++q) {
      x[q] *= l.inverse[whole + q];
      for (Index i = q + 1; i < last - whole; ++i) x[i] -= x[q] * c[q * ld + i];
    }
  }
}

void triangle_below(const Triangle& l, Index first, Index last, Index from, Index to,
                    double* vectors, Index count, Index stride) {
  for (Index b = first; b < last; b += kLanes) {
    const double* c = group_of(l, b);
    for (double* x = vectors + b; x != vectors + b + count * stride; x += stride) {
      Vec a[kLanes];
      for (Index q = 0; q < kLanes; ++q) a[q] = x[q] + Vec{};
      forward_rows(c, l.height - b, a, from - b, to - b, x);
    }
  }
}

// x[0..8) -= c' x in rows from i to before `to`, counted from the group's first.
inline void backward_rows(const double* c, Index ld, Index i, Index to, double* x) {
  Vec s[kLanes] = {};
  for (; i + kLanes <= to; i += kLanes) {
    const Vec v = load(x + i);
    for (Index q = 0; q < kLanes; ++q) s[q] += v * load(c + q * ld + i);
  }
  for (Index q = 0; q < kLanes; ++q) x[q] -= sum(s[q]);
  for (; i < to; ++i) {
    for (Index q = 0; q < kLanes; ++q) x[q] -= c[q * ld + i] * x[i];
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

void triangle_backward(const Triangle& l, Index first, Index last, Index to, double* x) {
  const Index whole = first + (last - first) / kLanes * kLanes;
  backward_group(group_of(l, whole), l.height - whole, l.inverse + whole, x + whole, last - whole);
  for (Index b = whole - kLanes; b >= first; b -= kLanes) {
    const double* c = group_of(l, b);
    const Index ld = l.height - b;
    if (to > last) backward_rows(c, ld, last - b, to - b, x + b);
    backward_rows(c, ld, kLanes, last - b, x + b);
    backward_group(c, ld, l.inverse + b, x + b, kLanes);
  }
}

void triangle_beside(const Triangle& l, Index first, Index last, Index from, Index to, double* x) {
  for (Index b = first; b < last; b += kLanes) {
    backward_rows(group_of(l, b), l.height - b, from - b, to - b, x + b);
  }
}
