"""Lasso, MCP and log-sum on the diabetes data with all interactions: what, how sure, how fast.

Run it with ``make demo``. The data ship with scikit-learn: 442 patients, 10 measurements. These are
standardised, and multiplied with each other: 64 features ("bmi bp" is large where both are above
the mean or both below). The square of sex is left out: sex has two values, so it would only repeat
it.
"""

from dataclasses import replace
from time import perf_counter

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import sparsieve as sv
from sparsieve import sparse_path  # imported now, not while the clock runs


def load():
    """Return the standardised design, response and feature names."""
    data = load_diabetes()
    expand = PolynomialFeatures(degree=2, include_bias=False)
    products = expand.fit_transform(StandardScaler().fit_transform(data.data))
    names = expand.get_feature_names_out(data.feature_names)
    X = np.asfortranarray(StandardScaler().fit_transform(products[:, names != "sex^2"]))
    y = (data.target - data.target.mean()) / data.target.std()
    return X, y, names[names != "sex^2"]


def bic(path, X, y):
    """Return n log(RSS / n) + log(n) * (number of features selected), for every alpha."""
    residuals = y[:, None] - path.intercepts - X @ path.coefs
    return len(y) * np.log(np.mean(residuals**2, axis=0)) + np.log(len(y)) * path.support_size


def left_out(penalty, X, y, splits=20):
    """Return the mean R2 on a quarter of the patients, of fits on the others at the best BIC."""
    rng = np.random.default_rng(0)
    scores = []
    for _ in range(splits):
        order = rng.permutation(len(y))
        test, train = order[: len(y) // 4], order[len(y) // 4 :]
        path = sparse_path(X[train], y[train], penalty)
        best = int(np.argmin(bic(path, X[train], y[train])))
        residual = y[test] - path.predict(X[test], alpha=path.alphas[best])
        scores.append(1.0 - np.mean(residual**2) / np.var(y[test]))
    return np.mean(scores)


def report(penalty, X, y, names):
    """Fit a path and print what was selected at the best BIC, and the proof that it is right."""
    start = perf_counter()
    path = sparse_path(X, y, penalty)
    seconds = perf_counter() - start

    criterion = bic(path, X, y)
    best = int(np.argmin(criterion))
    alpha, intercept = path.alphas[best], path.intercepts[best]
    coef = path.coef_at(alpha)
    judged = sv.kkt_violation(X, y, coef, intercept, penalty=penalty, alpha=alpha)

    shape = ", ".join(f"{name}={value:g}" for name, value in penalty.get_params().items())
    print(f"\n{type(penalty).__name__}({shape}): {len(path)} alphas", end=" ")
    print(f"from {path.alphas[0]:.4g} to {path.alphas[-1]:.4g}")
    print(f"  best BIC {criterion[best]:.2f} at alpha = {alpha:.4g}, features selected:")
    for j in np.argsort(-np.abs(coef))[: path.support_size[best]]:
        print(f"    {names[j]:10s} {coef[j]:+.4f}")
    print(f"  certificate there: violation {path.kkt[best]:.1e} of the penalty's slope at zero,")
    print(f"    {judged:.1e} as recomputed from the coefficients alone;")
    print(f"    duality gap of the last surrogate {max(path.dual_gap[best], 0.0):.1e};")
    print(f"    objective {path.objective[best]:.8f}, {kind(path, best)}")
    print(f"  all alphas: {path.converged.sum()} of {len(path)} converged,", end=" ")
    print(f"largest violation {path.kkt.max():.1e}")
    passes = path.passes.sum()
    print(f"  R2 on patients left out: {left_out(penalty, X, y):.3f}, the mean of 20 splits")
    print(f"  time {1e3 * seconds:.1f} ms, {passes:.1f} passes over the data,", end=" ")
    print(f"{passes / len(path):.2f} per alpha")
    return replace(path, feature_names=names), alpha


def kind(path, k):
    """Say what the second-order test found."""
    if isinstance(path.penalty, sv.L1):
        return "the global minimum up to the gap: the lasso is convex"
    return "a strict local minimum on its support" if path.convex[k] else "a critical point"


def main():
    """Run the demonstration."""
    X, y, names = load()
    print(f"diabetes with all interactions: {X.shape[0]} samples, {X.shape[1]} features")
    penalties = (sv.L1(), sv.MCP(gamma=3.0), sv.LogSum(theta=0.1))
    paths, alphas = zip(*[report(penalty, X, y, names) for penalty in penalties], strict=True)
    title = "Diabetes with all interactions"
    file = sv.report.write_html(
        paths, "demo.report.html", title=title, alpha=alphas, rule="best BIC"
    )
    print(f"\nopen {file} in a browser: paths, features and certificates, interactively,")
    print(f"starting where the BIC is best (lasso, alpha = {alphas[0]:.4g})")


if __name__ == "__main__":
    main()
