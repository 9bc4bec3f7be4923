"""Random problems of losses beyond squares, judged by formulas that share nothing with the engine.

Logistic, Poisson, negative binomial, Huber and a user's own loss with every penalty, offsets,
weights of samples and features, bounds, ridges, units, storages and starts. Extremes are among
them: one class, counts of a million, offsets of 50, samples without weight. What has converged must
be stationary and have the objective that it says; its duality gap must cover what descent on its
surrogate finds; what is called strictly convex must be; and a direction that is said to separate
must do so. ``python -m tests.fuzz.losses --first SEED --problems 1`` reproduces a failure.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from tests.fuzz.options import make_penalty
from tests.fuzz.seeds import run_seeds

from sparsieve import _core
from sparsieve.data.core_columns import core_columns
from sparsieve.penalties.coordinate import core_penalty

EPS = float(np.finfo(np.float64).eps)
TOL = 1e-6
KINDS = ("logistic", "poisson", "negative_binomial", "huber", "user")
# Steps of proximal descent by which the surrogate is lowered.
STEPS = 60
TOTAL: Counter[str] = Counter()


class PseudoHuber:
    """A user's loss: sqrt(1 + r^2) - 1."""

    minimum = 0.0

    def value(self, eta, y):
        """Return the loss of each row."""
        return (y - eta) ** 2 / (1.0 + np.hypot(1.0, y - eta))

    def gradient(self, eta, y):
        """Return its derivative."""
        return (eta - y) / np.hypot(1.0, y - eta)

    def curvature(self, eta, y):
        """Return its second derivative."""
        return np.hypot(1.0, y - eta) ** -3.0


class Case(NamedTuple):
    X: Any
    y: Any
    kind: str
    shape: float
    penalty: Any
    omega: Any
    offset: Any
    weights: Any
    lower: Any
    upper: Any
    l1_ratio: float
    ridge: float
    standardise: bool
    intercept: bool
    start: str
    alphas: Any
    solver: Any

    @property
    def dense(self):
        """X as the judge reads it."""
        full = self.X.toarray() if sparse.issparse(self.X) else self.X
        return np.asarray(full, dtype=np.longdouble)


# ------------------------------------------------------------------------------------- problems


def make_X(g, n, d):
    """Make columns of several scales and means, some alike, constant or mostly zero."""
    X = g.standard_normal((n, d)) * 10.0 ** g.uniform(-1, 1, d)
    for j in range(d):
        kind = g.integers(0, 10)
        if kind == 0:
            X[:, j] += 10.0 ** g.uniform(0, 2)
        elif kind == 1 and j:
            X[:, j] = X[:, g.integers(0, j)] * g.choice([-1.0, 1.0])
        elif kind == 2 and g.random() < 0.3:
            X[:, j] = g.standard_normal()
        elif kind == 3:
            X[:, j] *= g.random(n) < 0.3
    storage = g.integers(0, 4)
    if storage == 3:
        return sparse.csc_array(X * (g.random((n, d)) < 0.4))
    return np.asfortranarray(X, dtype=np.float32 if storage == 2 else np.float64)


def make_y(g, kind, eta, shape):
    """Draw a response of a true predictor; sometimes an extreme one."""
    n = eta.size
    extreme = g.integers(0, 12)
    eta = np.clip(eta, -30, 12)
    if kind == "logistic":
        if extreme == 0:
            return np.full(n, float(g.integers(0, 2)))
        if extreme == 1:
            return g.random(n)
        return (g.random(n) < 1 / (1 + np.exp(-eta))).astype(float)
    if kind in ("huber", "user"):
        return eta + g.standard_t(1.5, n) * (100.0 if extreme == 0 else 1.0)
    if extreme == 0:
        return np.zeros(n)
    if extreme == 1:
        return g.poisson(1e6 * np.exp(0.1 * np.clip(eta, -5, 5))).astype(float)
    mean = np.exp(np.clip(eta, -30, 5))
    if kind == "negative_binomial":
        mean = mean * g.gamma(shape, 1 / shape, n)
    return g.poisson(mean) * (0.5 if extreme == 2 else 1.0)


def make_terms(g, n, d):
    """Draw everything beside X, y, loss and penalty."""
    pi = None
    if g.random() < 0.4:
        pi = g.choice([0.0, 0.5, 1.0, 2.0, np.inf], d, p=[0.1, 0.3, 0.3, 0.2, 0.1])
    lower = upper = None
    if g.random() < 0.25:
        lower = g.choice([-np.inf, -0.3, 0.0], d)
        upper = np.where(g.random(d) < 0.5, np.inf, 0.4)
    omega = np.full(n, 1.0 / n)
    if g.random() < 0.4:
        omega = g.exponential(1.0, n) * (g.random(n) < 0.8)
        omega = omega / omega.sum() if omega.sum() > 0 else np.full(n, 1.0 / n)
    offset = None
    if g.random() < 0.4:
        offset = g.standard_normal(n) * (1.0 if g.random() < 0.7 else 10.0)
        if g.random() < 0.2:
            offset[g.integers(0, n)] = g.choice([-50.0, 50.0])
    return {
        "omega": omega,
        "offset": offset,
        "weights": pi,
        "lower": lower,
        "upper": upper,
        "l1_ratio": float(g.choice([1.0, 1.0, 0.5])),
        "ridge": float(g.choice([0.0, 0.0, 0.01])),
        "standardise": bool(g.random() < 0.5),
        "intercept": bool(g.random() < 0.7),
        "start": str(g.choice(["previous", "previous", "lasso", "given"])),
    }


def handle(kind, shape):
    """Return the engine's loss."""
    if kind == "user":
        return _core.Loss.user(PseudoHuber())
    return getattr(_core.Loss, kind)(*([shape] if kind in ("negative_binomial", "huber") else []))


def make_case(seed):
    """Draw a problem and its solver."""
    g = np.random.default_rng([seed, 24])
    n, d = int(g.integers(4, 40)), int(g.integers(1, 30))
    X = make_X(g, n, d)
    full = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    kind, shape = str(g.choice(KINDS)), float(10.0 ** g.uniform(-1, 1))
    w = g.standard_normal(d) * (g.random(d) < 0.3)
    spread = np.where(full.std(axis=0) > 0, full.std(axis=0), 1.0)
    eta = (full - full.mean(axis=0)) / spread @ w + g.standard_normal()
    y = make_y(g, kind, eta, shape)
    penalty, terms = make_penalty(g), make_terms(g, n, d)
    design = _core.Design(
        core_columns(X), terms["omega"], terms["intercept"], 1, True, True, terms["standardise"]
    )
    solver = _core.solver(
        design,
        y,
        core_penalty(penalty),
        terms["weights"],
        0.0,
        terms["l1_ratio"],
        terms["ridge"],
        terms["lower"],
        terms["upper"],
        loss=handle(kind, shape),
        offset=terms["offset"],
    )
    largest = np.abs(solver.null_correlations).max(initial=0.0)
    slope = float(penalty.slope(np.zeros(1), np.ones(1))[0])
    alphas = (largest or 1.0) / slope / terms["l1_ratio"] * np.geomspace(1.1, 0.02, 6)
    return Case(X, y, kind, shape, penalty, **terms, alphas=alphas, solver=solver)


def solve(case):
    """Follow the alphas; return the points."""
    d = case.X.shape[1]
    start = {
        "previous": _core.Start(),
        "lasso": _core.Start.lasso(0.5, 3e-3),
        "given": _core.Start.given(np.array([d - 1]), np.array([0.1])),
    }[case.start]
    points = []
    case.solver.follow(
        list(case.alphas),
        [TOL] * len(case.alphas),
        10_000,
        [start],
        lambda point: points.append(point) and False,
    )
    return points


# -------------------------------------------------------------------------------------- the judge


def rows(case, eta):
    """Return value, minus derivative and curvature of each row, in extended precision."""
    y, shape = np.asarray(case.y, dtype=np.longdouble), np.longdouble(case.shape)
    if case.kind == "poisson":
        mean = np.exp(eta)
        return mean - y * eta, y - mean, mean
    if case.kind == "huber":
        r = y - eta
        inside = np.abs(r) <= shape
        value = np.where(inside, r * r / 2, shape * (np.abs(r) - shape / 2))
        return value, np.clip(r, -shape, shape), inside.astype(np.longdouble)
    if case.kind == "user":
        root = np.sqrt(1 + (y - eta) ** 2)
        return root - 1, (y - eta) / root, root**-3
    u = eta - np.log(shape) if case.kind == "negative_binomial" else eta
    ups, downs = (y, shape) if case.kind == "negative_binomial" else (y, 1 - y)
    tail = np.log1p(np.exp(-np.abs(u)))
    value = ups * (np.maximum(-u, 0) + tail) + downs * (np.maximum(u, 0) + tail)
    if case.kind == "negative_binomial":
        value = value + shape * np.log(shape)
    m, other = np.exp(-np.maximum(-u, 0) - tail), np.exp(-np.maximum(u, 0) - tail)
    return value, ups * other - downs * m, (ups + downs) * m * other


class Judged:
    """A point, its objective and its violations."""

    def __init__(self, case, point):
        self.case, self.point = case, point
        X, d = case.dense, case.X.shape[1]
        self.w = np.zeros(d, dtype=np.longdouble)
        self.w[point.columns] = point.values
        self.omega = np.asarray(case.omega, dtype=np.longdouble)
        self.on = case.omega > 0
        base = 0 if case.offset is None else np.asarray(case.offset, dtype=np.longdouble)
        self.eta = base + point.intercept + X @ self.w
        value, residual, curvature = rows(case, self.eta)
        self.value = np.where(self.on, self.omega * value, 0)
        self.v = np.where(self.on, self.omega * residual, 0)
        self.h = np.where(self.on, self.omega * curvature, 0)
        mean = self.omega @ X / self.omega.sum()
        centred = X - mean
        spread = np.sqrt(self.omega @ centred**2 / self.omega.sum())
        tiny = spread <= 1e-9 * np.abs(mean)
        self.scale = np.where(tiny, 1, spread) if case.standardise else np.ones(d)
        self.Z = (centred if case.intercept else X) / self.scale
        # The intercept is a sum of products with the means.
        self.size = np.abs(base) + abs(point.intercept) + np.abs(X) @ np.abs(self.w)
        self.size = self.size + np.abs(mean) @ np.abs(self.w)
        pi = np.ones(d) if case.weights is None else case.weights
        self.out = np.isinf(pi)
        self.pi = np.where(self.out, 0.0, pi)
        self.ridges = np.where(
            self.out, 0.0, point.alpha * (1 - case.l1_ratio) * self.pi + case.ridge
        )
        self.t = np.asarray(np.abs(self.w) * self.scale, dtype=np.float64)
        self.strength = point.alpha * case.l1_ratio * self.pi

    def penalised(self, method, t):
        """Return the penalty's value or slope; nothing where there is no weight."""
        free = self.strength == 0
        level = np.where(free, 1.0, self.strength)
        return np.where(free, 0.0, getattr(self.case.penalty, method)(t, level))

    @property
    def unit(self):
        """The slope at zero of a feature of weight 1."""
        level = np.array([self.point.alpha * self.case.l1_ratio])
        return float(self.case.penalty.slope(np.zeros(1), level)[0])

    def objective(self):
        """Return the objective and the size of its terms."""
        r = self.penalised("value", self.t).sum() + (self.ridges * self.t**2).sum() / 2
        return self.value.sum() + r, np.abs(self.value).sum() + r

    def correlations(self):
        """Return correlations with the pull of the ridge, and what rounding may do to them."""
        X = self.case.dense
        c = X.T @ self.v / self.scale - self.ridges * self.w * self.scale
        terms = np.count_nonzero(self.w) + 8
        moved = np.abs(self.v) + terms * self.h * (1 + self.size)
        return c, 16 * EPS * (np.abs(X).T @ moved / self.scale)

    def bounds(self):
        """Return the bounds in the units of the columns."""
        d = self.w.size
        lower = np.full(d, -np.inf) if self.case.lower is None else self.case.lower
        upper = np.full(d, np.inf) if self.case.upper is None else self.case.upper
        return lower, upper

    def violations(self):
        """Return by how much each coordinate is not stationary, and the room of rounding."""
        c, room = self.correlations()
        slope, zero = self.penalised("slope", self.t), self.penalised("slope", 0 * self.t)
        lower, upper = self.bounds()
        w = np.asarray(self.w, dtype=np.float64)
        right = c - np.where(w >= 0, np.where(w == 0, zero, slope), -slope)
        left = -c - np.where(w <= 0, np.where(w == 0, zero, slope), -slope)
        right = np.where(w < upper, right, -np.inf)
        left = np.where(w > lower, left, -np.inf)
        worst = np.maximum(np.maximum(right, left), 0)
        # Where a slope is all there is of a violation, it has its own rounding.
        return np.where(self.out, 0, worst), room + 4 * EPS * slope

    def hessian(self):
        """Return the Hessian on the support, the intercept eliminated."""
        S = np.flatnonzero(self.w)
        Z = self.Z[:, S]
        if self.case.intercept:
            Z = Z - self.h @ Z / self.h.sum()
        step = 1e-6 * self.t[S]
        high, low = self.t.copy(), self.t.copy()
        high[S] += step
        low[S] -= step
        bend = (self.penalised("slope", high) - self.penalised("slope", low))[S] / (2 * step)
        return np.asarray(Z.T @ (self.h[:, None] * Z), dtype=np.float64), bend + self.ridges[S]


def surrogate_fall(judged):
    """Return by how much proximal descent lowers the surrogate of a point."""
    case, w = judged.case, judged.w * judged.scale
    slope = np.where(judged.out, np.inf, judged.penalised("slope", judged.t))
    lower, upper = (bound * judged.scale for bound in judged.bounds())
    Z = judged.Z
    base = judged.eta - Z @ w
    b, best = np.longdouble(0), None

    def value(w, b):
        each = rows(case, base + b + Z @ w)[0]
        l1 = np.where(w == 0, 0, slope * np.abs(w)).sum()
        return np.where(judged.on, judged.omega * each, 0).sum() + l1 + judged.ridges @ w**2 / 2

    first = best = value(w, b)
    steep = judged.h @ (1 + (Z**2).sum(axis=1)) + judged.ridges.max()
    for _ in range(STEPS):
        v = np.where(judged.on, judged.omega * rows(case, base + b + Z @ w)[1], 0)
        if not steep > 0:
            break
        pull = w + (Z.T @ v - judged.ridges * w) / steep
        fresh = np.sign(pull) * np.maximum(np.abs(pull) - slope / steep, 0)
        fresh = np.where(judged.out, 0, np.clip(fresh, lower, upper))
        fresh_b = b + v.sum() / steep if case.intercept else b
        now = value(fresh, fresh_b)
        if now <= best:
            w, b, best = fresh, fresh_b, now
        else:
            steep *= 2
    return first - best


def separation_complaints(judged):
    """Return what is wrong with a direction that is said to separate."""
    case = judged.case
    columns, coef, intercept = judged.point.separation
    d = intercept + case.dense[:, columns] @ np.asarray(coef, dtype=np.longdouble)
    room = EPS * (np.abs(intercept) + np.abs(case.dense[:, columns]) @ np.abs(coef)) * 4
    y, complaints = case.y, []
    downs = case.y < 1 if case.kind == "logistic" else np.ones(y.size, dtype=bool)
    wrong = ((d > room) & downs) | ((d < -room) & (y > 0))
    if np.any(wrong & judged.on) or not np.any((np.abs(d) > room) & judged.on):
        complaints.append("the direction separates nothing")
    if case.kind in ("huber", "user"):
        complaints.append("this loss cannot be separated")
    held = judged.penalised("slope", judged.t)[columns]
    if np.any(held != 0):
        complaints.append("the penalty holds the direction back")
    return complaints


def point_complaints(case, point):
    """Return what is wrong with a point."""
    judged = Judged(case, point)
    if point.status is _core.Status.SEPARATED:
        return separation_complaints(judged)
    complaints = []
    violations, room = judged.violations()
    said = point.kkt * judged.unit
    if np.any(violations > said + room):
        worst = float(np.max(violations - room) / judged.unit)
        complaints.append(f"kkt {worst}, says {point.kkt}")
    if point.status is _core.Status.CONVERGED and not point.kkt <= TOL:
        complaints.append(f"converged with kkt {point.kkt}")
    objective, size = judged.objective()
    moved = 16 * EPS * (np.count_nonzero(judged.w) + 8) * (np.abs(judged.v) @ judged.size)
    if not abs(objective - point.objective) <= 1e-12 * size + moved + 1e-300:
        complaints.append(f"objective {objective}, says {point.objective}")
    # Below the range of double precision a residual is zero.
    if case.intercept and not abs(judged.v.sum()) <= 1e-300 + 64 * EPS * (
        np.abs(judged.v).sum() + (point.columns.size + 1) * (judged.h @ (1 + judged.size))
    ):
        complaints.append(f"residuals sum to {judged.v.sum()}")
    return complaints + proof_complaints(judged, size)


def proof_complaints(judged, size):
    """Return what is wrong with gap, bounds and convexity."""
    point, complaints = judged.point, []
    if not point.dual_gap >= 0:
        complaints.append(f"gap {point.dual_gap}")
    fall = surrogate_fall(judged)
    if fall > point.dual_gap + 1e-15 * size:
        complaints.append(f"gap {point.dual_gap}, but the surrogate falls by {fall}")
    lower, upper = judged.bounds()
    w = np.asarray(judged.w, dtype=np.float64)
    if np.any(w < lower) or np.any(w > upper) or np.any(w[judged.out] != 0):
        complaints.append("outside its bounds")
    if point.convex and point.columns.size:
        gram, bend = judged.hessian()
        hessian = gram + np.diag(bend)
        unit = np.sqrt(np.diag(gram) + np.maximum(bend, 0.0))
        # Sums over rows of columns whose means may be large, and the eigenvalues of unit columns.
        noise = 64 * EPS * (1 + np.abs(judged.case.dense).max()) * unit.size
        if np.linalg.eigvalsh(hessian / np.outer(unit, unit))[0] < -noise:
            complaints.append("not convex on the support")
    return complaints


def check(seed):
    """Return what is wrong with the answers to one problem, and counts."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        case = make_case(seed)
        points = solve(case)
        complaints = []
        for k, point in enumerate(points):
            complaints += [f"alpha {k}: {text}" for text in point_complaints(case, point)]
    counts = Counter({f"points, {case.kind}": len(points)})
    for point in points:
        counts[str(point.status).rpartition(".")[2].lower()] += 1
    return complaints, counts


def complaints_of(seed):
    """Return what is wrong with the answer to one problem."""
    return check(seed)[0]


def printed(seed):
    """Return what is wrong, each line with the seed, and count."""
    complaints, counts = check(seed)
    TOTAL.update(counts)
    return [f"seed {seed}: {text}" for text in complaints]


if __name__ == "__main__":
    done = run_seeds(__doc__, printed)
    print(
        f"{done.problems} problems, {done.failures} failures, {done.seconds:.0f} s; {dict(TOTAL)}"
    )
    raise SystemExit(done.failures > 0)
