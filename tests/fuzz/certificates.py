"""Random small problems: every word of their certificates is judged in extended precision.

Column means up to 1e15, sample weights over 300 orders of magnitude, integers and ties, alpha at
alpha_max or one unit in the last place below, coefficients at the knots of capped l1, SCAD and MCP.
``python -m tests.fuzz.certificates --first SEED --problems 1`` reproduces a failure.

What counts as a failure:

wrong
    The judge finds a violation above ``certificate.kkt``, an objective below ``lower_bound`` or
    another one than ``objective``. The library includes its own rounding in kkt and in the gap, so
    that the allowance is that of the judge alone: columns and response are taken about one of
    their entries, which ``numpy.longdouble`` (u = 2^-64) does with one rounding, and a sum of m
    terms is off by (m + 4) u times the sum of their sizes; slopes and values of the penalty come in
    double precision, with 16 eps of the slope at zero and of the value. Objective and intercept are
    no bounds: they may be off by what rounding does to a residual in double precision, and the
    intercept by a unit in its last place.
refuted
    ``strict_minimum``, but somewhere within a millionth of the coefficients (or where the violation
    may move them) F lies below its tangent, by more than the rounding of the penalty's values.
alarm
    kkt above 1e-4 although the judge finds less than tol / 10, where no mean is larger than 1e10
    times the spread around it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse

import sparsieve as sv

LONG = np.longdouble
UNIT = LONG(2.0) ** -64
EPS = np.finfo(float).eps
ALARM, FAR = 1e-4, 1e10
# Counts are printed after so many problems, for runs that are ended early.
REPORTED = 10_000


class Kinked:
    """A user's capped l1: two formulas, and a kink that nobody is told of."""

    def value(self, abs_w, alpha):
        return alpha * np.minimum(abs_w, 1.0)

    def slope(self, abs_w, alpha):
        return alpha * (abs_w < 1.0)


class Drawn(NamedTuple):
    """One problem: data and what is asked of them."""

    X: object
    y: np.ndarray
    weight: np.ndarray | None
    penalty: object
    alpha: float
    options: dict

    def dense(self):
        return np.asarray(self.X.toarray() if sparse.issparse(self.X) else self.X, dtype=float)


def draw_column(g, n):
    """Draw one column: integers or normal, about zero or far from it."""
    kind = g.integers(0, 6)
    if kind < 2:
        x = g.integers(-2, 3, n).astype(float)
    elif kind == 2:
        x = g.choice([-1.0, 1.0], n)
    else:
        x = g.standard_normal(n) * 10.0 ** g.choice([0, 0, 0, -3, 4])
    if g.random() < 0.4:
        x = x + np.round(10.0 ** g.uniform(0, 15)) * g.choice([-1.0, 1.0])
    return x


def draw_X(g, n, d):
    """Draw columns, some of them equal or nearly so; some matrices are sparse or single."""
    X = np.column_stack([draw_column(g, n) for _ in range(d)])
    for j in range(1, d):
        kind = g.integers(0, 12)
        if kind == 0:
            X[:, j] = X[:, g.integers(0, j)]
        elif kind == 1:
            X[:, j] = X[:, j - 1] + 10.0 ** g.uniform(-12, -1) * g.standard_normal(n)
        elif kind == 2:
            X[:, j] = X[0, j]
    if g.random() < 0.1:
        X = X.astype(np.float32)
    X = np.asfortranarray(X)
    return sparse.csc_array(X) if g.random() < 0.2 else X


def draw_weights(g, n):
    """Draw sample weights: mostly none, else of one size, over 300 orders, or huge."""
    kind = g.integers(0, 10)
    if kind == 0:
        weight = 10.0 ** g.uniform(-300, 0, n)
    elif kind == 1:
        weight = 10.0 ** g.choice([-300, -31, -16, 0], n)
    elif kind == 2:
        weight = np.full(n, 1e308) * g.uniform(0.1, 1, n)
    elif kind == 3:
        weight = g.integers(0, 3, n).astype(float)
    else:
        return None
    weight[g.integers(0, n)] = np.max(weight) if np.max(weight) > 0 else 1.0
    return weight


def draw_penalty(g):
    """Draw a penalty; shapes are often numbers at which sums of dyadic numbers end exactly."""
    wide = float(g.choice([0.5, 1.0, 2.0, 10.0 ** g.uniform(-1, 1)]))
    kinds = [sv.L1(), sv.L1(), sv.MCP(1.0 + wide), sv.SCAD(2.0 + wide), sv.CappedL1(wide)]
    kinds += [sv.LogSum(wide), sv.Lq(0.5, 0.1 * wide), Kinked()]
    return kinds[g.integers(0, len(kinds))]


def draw(seed):
    """Return the problem of a seed."""
    g = np.random.default_rng([seed, 20])
    n, d = int(g.integers(2, 13)), int(g.integers(1, 7))
    X, weight, penalty = draw_X(g, n, d), draw_weights(g, n), draw_penalty(g)
    options = {
        "fit_intercept": bool(g.random() < 0.7),
        "positive": bool(g.random() < 0.1),
        "tol": float(g.choice([1e-6, 1e-6, 1e-4, 1e-9])),
        "minimum": "stationary" if isinstance(penalty, Kinked) or g.random() < 0.5 else "swap",
    }
    problem = Drawn(X, np.zeros(n), weight, penalty, 1.0, options)
    centred, _, omega = judge_data(problem)
    with np.errstate(all="ignore"):
        size = np.sqrt(omega @ centred**2).astype(float)
    w = g.choice([-2.0, -1.0, 0.0, 0.0, 1.0, 2.0], d)
    signal = (centred @ w).astype(float) if g.random() < 0.5 else centred[:, 0].astype(float)
    y = signal + g.choice([0.0, 0.1, 1.0]) * (
        g.integers(-1, 2, n) if g.random() < 0.5 else g.standard_normal(n)
    )
    if g.random() < 0.3:
        y = y + np.round(10.0 ** g.uniform(0, 15))
    problem = problem._replace(y=y)
    _, target, _ = judge_data(problem)
    correlations = (omega * target) @ centred
    largest = float(np.max(correlations if options["positive"] else np.abs(correlations)))
    level = float(np.asarray(penalty.slope(np.zeros(1), np.ones(1)))[0])
    share = g.choice([1.0, 0.5, 0.25, 10.0 ** g.uniform(-4, 0)])
    alpha = largest * share / level
    if g.random() < 0.3:
        alpha = float(g.choice([0.5, 0.25, 0.125, 0.1])) * float(np.max(size, initial=0.0)) or 1.0
    if share == 1.0 and g.random() < 0.3:
        alpha = float(np.nextafter(alpha, 0.0))
    usable = np.isfinite(alpha) and alpha > 1e-140
    return problem._replace(alpha=alpha if usable else 1.0)


def about_entry(x, omega):
    """Return what is left of columns minus one of their entries each, the one nearest the mean."""
    x = np.asarray(x, dtype=LONG)
    heaviest = int(np.argmax(omega))
    near = x - x[heaviest]
    mean = omega @ near
    nearest = np.argmin(np.where(omega[:, None] > 0, np.abs(near - mean), np.inf), axis=0)
    return x - x[nearest, np.arange(x.shape[1])]


def judge_data(problem):
    """Return columns and response as the judge sees them, and the weights, that sum to 1."""
    n = len(problem.y)
    weight = np.ones(n) if problem.weight is None else problem.weight
    omega = np.asarray(weight, dtype=LONG)
    omega = omega / np.sum(omega)
    X, y = problem.dense(), problem.y[:, None]
    if not problem.options["fit_intercept"]:
        return np.asarray(X, dtype=LONG), np.asarray(problem.y, dtype=LONG), omega
    X, y = about_entry(X, omega), about_entry(y, omega)
    for _ in range(2):  # the second mean is what rounding left of the first
        X, y = X - omega @ X, y - omega @ y
    return X, y[:, 0], omega


class Judge:
    """What extended precision says of one point."""

    def __init__(self, problem, w):
        self.problem, self.w = problem, np.asarray(w, dtype=LONG)
        self.X, self.y, self.omega = judge_data(problem)
        self.support = np.flatnonzero(w)
        self.r = self.residual(self.w)
        self.c = (self.omega * self.r) @ self.X
        terms = UNIT * (sum(self.X.shape) + 8)
        reach = np.abs(self.y) + np.abs(self.X) @ np.abs(self.w)
        self.error = 2 * terms * ((self.omega * reach) @ np.abs(self.X))
        self.fit_error = 2 * terms * (self.omega @ (np.abs(self.r) * reach + reach**2 * terms))
        self.level = self.slope(np.zeros(1))[0]

    def residual(self, w):
        """Return y - Xw, centred where the columns are."""
        r = self.y - self.X @ w
        return r - self.omega @ r if self.problem.options["fit_intercept"] else r

    def slope(self, t):
        """Return the penalty's slope."""
        alpha = np.full(len(t), self.problem.alpha)
        return np.asarray(self.problem.penalty.slope(np.asarray(t, dtype=float), alpha), dtype=LONG)

    def value(self, w):
        """Return the penalty's value of each coefficient."""
        t = np.abs(np.asarray(w, dtype=float))
        alpha = np.full(len(t), self.problem.alpha)
        return np.asarray(self.problem.penalty.value(t, alpha), dtype=LONG)

    def objective(self, w):
        """Return F(w)."""
        r = self.residual(np.asarray(w, dtype=LONG))
        return (self.omega @ r**2) / 2 + np.sum(self.value(w))

    def gradient(self):
        """Return c - slope sign for every coefficient."""
        return self.c - self.slope(np.abs(self.w)) * np.sign(self.w)

    def violation(self, sign=-1):
        """Return the largest violation over the slope at zero, less or with the judge's error."""
        outward = self.c if self.problem.options["positive"] else np.abs(self.c)
        zero = np.maximum(outward - self.level, 0)
        apart = np.where(self.w == 0, zero, np.abs(self.gradient()))
        allowed = self.error + 16 * EPS * self.level
        return float(np.max(np.maximum(apart + sign * allowed, 0)) / self.level)

    def far(self):
        """Return the largest mean over spread of a column that varies, or of the response."""
        x = np.asarray(np.column_stack([self.problem.dense(), self.problem.y]), dtype=LONG)
        centred = about_entry(x, self.omega)
        spread = np.sqrt(self.omega @ (centred - self.omega @ centred) ** 2)
        mean = np.abs(self.omega @ x)
        varies = np.any(centred[self.omega > 0] != 0, axis=0)
        return float(np.max(mean[varies] / spread[varies], initial=0.0))

    def intercept_off(self, b):
        """Return how far an intercept is from the best one, in units in its last place."""
        k = int(np.argmax(self.omega))
        x, y = self.problem.dense(), self.problem.y
        exact = Fraction(float(y[k])) - Fraction(float(b))
        for j in self.support:
            exact -= Fraction(float(x[k, j])) * Fraction(float(self.w[j]))
        # The residual at row k is what the given intercept leaves; the centred one is exact.
        off = abs(float(exact) - float(self.r[k]))
        return off / float(np.spacing(abs(float(b))) + 2 * self.reach())

    def reach(self):
        """Return what rounding may do to the engine's residual, in the norm of the weights.

        One rounding of each of k + 4 terms, of columns and a response that the engine moves near
        zero where their mean is more than 1000 times their spread.
        """
        x = np.asarray(np.column_stack([self.problem.dense(), self.problem.y]), dtype=LONG)
        sizes = np.sqrt(self.omega @ x**2)
        if self.problem.options["fit_intercept"]:
            spread = np.sqrt(self.omega @ np.column_stack([self.X, self.y]) ** 2)
            sizes = np.minimum(sizes, 1000 * spread)
        return EPS * (len(self.support) + 4) * (sizes[-1] + sizes[:-1] @ np.abs(self.w))


def steps(judge, violation, g):
    """Yield small steps of the support: along coordinates, eigenvectors, and at random."""
    S = judge.support
    size = np.abs(judge.w[S])
    A = judge.X[:, S]
    gram = (judge.omega[:, None] * A).T @ A
    curvature = np.diag(gram)
    box = LONG(9e-7) * size + 4 * violation * judge.level / np.where(curvature > 0, curvature, 1)
    box = np.where(curvature > 0, box, LONG(9e-7) * size)
    for k in range(len(S)):
        for share in (1.0, -1.0, 0.1, -0.1):
            step = np.zeros(len(S), dtype=LONG)
            step[k] = share * box[k]
            yield step
    scale = np.sqrt(np.where(curvature > 0, curvature, 1))
    unit = (gram / np.outer(scale, scale)).astype(float)
    flattest = np.linalg.eigh(unit)[1][:, 0] / scale
    with np.errstate(all="ignore"):
        length = np.min(np.where(flattest != 0, box / np.abs(flattest), np.inf))
    for direction in (flattest * length, box * g.choice([-1.0, 1.0], len(S))):
        yield np.asarray(direction, dtype=LONG)
        yield -np.asarray(direction, dtype=LONG)


def refutation(judge, violation, g):
    """Return by how much F lies below its tangent near a point called a strict minimum, or 0."""
    S = judge.support
    if not len(S):
        return 0.0
    w, pull = judge.w[S], judge.gradient()[S]
    before = judge.value(w)
    for step in steps(judge, violation, g):
        there = np.asarray((w + step).astype(float), dtype=LONG)
        step = there - w
        if judge.problem.options["positive"] and np.any(there < 0):
            continue
        after = judge.value(there)
        moved = judge.X[:, S] @ step
        change = (judge.omega @ moved**2) / 2 - judge.c[S] @ step + np.sum(after - before)
        noise = 16 * EPS * np.sum(after + before) + judge.error[S] @ np.abs(step)
        below = -np.abs(pull) @ np.abs(step) - noise
        if change < below:
            return float((below - change) / max(float(np.sum(before)), 1e-300))
    return 0.0


def lowered(judge, epochs=8):
    """Return the objective after coordinate descent from the point, for l1."""
    problem, w = judge.problem, judge.w.copy()
    curvature = judge.omega @ judge.X**2
    r = judge.r.copy()
    for _ in range(epochs):
        for j in np.flatnonzero(curvature > 0):
            pull = (judge.omega * r) @ judge.X[:, j] + curvature[j] * w[j]
            if problem.options["positive"]:
                pull = max(pull, LONG(0))
            fresh = np.sign(pull) * max(abs(pull) - judge.level, LONG(0)) / curvature[j]
            if fresh != w[j]:
                r -= judge.X[:, j] * (fresh - w[j])
                w[j] = fresh
    return judge.objective(w)


def words_about(problem, model, seed):
    """Return what is wrong with a fitted model's certificate: pairs of a kind and a text."""
    said = model.certificate_
    if not (np.all(np.isfinite(model.coef_)) and np.isfinite(model.intercept_)):
        return [("wrong", "not finite")]
    judge = Judge(problem, model.coef_)
    found, wrong = judge.violation(), []
    if found > said.kkt:
        wrong.append(("wrong", f"kkt {said.kkt:.3g}, the judge finds {found:.3g}"))
    if said.converged and not said.kkt <= said.tol:
        wrong.append(("wrong", f"converged with kkt {said.kkt:.3g}, tol {said.tol:g}"))
    if problem.options["fit_intercept"]:
        off = judge.intercept_off(model.intercept_)
        if off > 1.0:
            wrong.append(("wrong", f"intercept {model.intercept_!r} is off by {off:.3g} units"))
    here = judge.objective(judge.w)
    noise = judge.fit_error + 16 * EPS * np.sum(judge.value(judge.w))
    if said.lower_bound is not None:
        best = min(here, lowered(judge)) if isinstance(problem.penalty, sv.L1) else here
        if best < LONG(said.lower_bound) - noise:
            text = f"objective {float(best)!r} below the bound {said.lower_bound!r}"
            wrong.append(("wrong", text))
    off, norm = judge.reach(), np.sqrt(judge.omega @ judge.r**2)
    noise += (2 * norm + off) * off
    # Below the range of normal doubles each term of the objective is rounded to a multiple of this.
    noise += sum(judge.X.shape) * LONG(np.finfo(float).smallest_subnormal)
    if said.converged and abs(here - LONG(said.objective)) > 1e-9 * here + noise:
        wrong.append(("wrong", f"objective {said.objective!r}, the judge has {float(here)!r}"))
    if said.strict_minimum:
        fall = refutation(judge, found, np.random.default_rng(seed))
        if fall > 0:
            wrong.append(("refuted", f"strict minimum, but F falls by {fall:.3g} of its penalty"))
    most = judge.violation(sign=1)
    if said.kkt > ALARM and most < problem.options["tol"] / 10 and judge.far() <= FAR:
        wrong.append(("alarm", f"kkt {said.kkt:.3g}, the judge finds {most:.3g} at the most"))
    return wrong


def check(seed, seen):
    """Return what is wrong with the certificate of one seed; count what was claimed."""
    problem = draw(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sv.SparseRegressor(problem.penalty, problem.alpha, **problem.options)
        try:
            model.fit(problem.X, problem.y, sample_weight=problem.weight)
        except ValueError as error:
            seen["refused"] += 1
            return [] if "power of ten" in str(error) else [("wrong", f"refused: {error}")]
        with np.errstate(all="ignore"):
            wrong = words_about(problem, model, seed)
    said = model.certificate_
    seen["certified" if said.converged else "not certified"] += 1
    seen["strict"] += said.strict_minimum and said.support_size > 0
    seen["bounded"] += said.lower_bound is not None
    return wrong


def complaints_of(seed):
    """Return what is wrong with the certificate of one seed."""
    return [f"{kind}: {text}" for kind, text in check(seed, Counter())]


def main() -> int:
    """Run, print failures and counts; 1 if there were failures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    seen: Counter[str] = Counter()
    kinds: Counter[str] = Counter(wrong=0, refuted=0, alarm=0)
    begun, done = time.perf_counter(), 0
    while done < args.problems:
        seed = args.first + done
        for kind, text in check(seed, seen):
            kinds[kind] += 1
            print(f"seed {seed}, {kind}: {text}", flush=True)
        done += 1
        if done % REPORTED == 0 or done == args.problems:
            spent = time.perf_counter() - begun
            print(
                f"{done} problems from seed {args.first}: {dict(kinds)}; {dict(seen)}; "
                f"{spent:.0f} s; go on with --first {seed + 1}",
                flush=True,
            )
    return int(kinds.total() > 0)


if __name__ == "__main__":
    raise SystemExit(main())
