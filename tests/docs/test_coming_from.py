"""Every pair of calls on the page "Coming from" is run: the other package solves the same problem.

Packages that are not installed are skipped, by name.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from problems import toy
from tolerances import SKGLM

import sparsieve as sv
from sparsieve import converters

PAGE = (Path(__file__).parents[2] / "docs" / "coming_from.md").read_text(encoding="utf-8")
# R's packages stop by the change of coefficients; asked for 1e-14 of its square, and printed with
# ten digits.
R_PACKAGES = 1e-5


def problem() -> tuple[Any, Any, Any]:
    X, y, _ = toy(n_samples=80, n_features=30, n_active=4, noise=0.3, seed=0)
    return X * np.linspace(0.5, 3.0, 30), y + 1.0, np.linspace(0.5, 1.5, 30)


def responses() -> dict[str, Any]:
    """Return what the page calls z, k and o: labels, counts, an offset."""
    X, y, _ = problem()
    rng = np.random.default_rng(1)
    counts = rng.poisson(np.exp(0.1 * X[:, 0] + 0.3)).astype(float)
    labels = np.where(y > np.median(y), 1.0, -1.0) * np.where(rng.random(80) < 0.1, -1.0, 1.0)
    return {"z": labels, "k": counts, "o": 0.3 * rng.normal(size=80)}


def response_of(call: str) -> Any:
    """Return the response that a call of ours is for."""
    if call.startswith("SparseClassifier"):
        return responses()["z"]
    return responses()["k"] if "poisson" in call or "Binomial" in call else problem()[1]


def rows(section: str) -> list[tuple[str, str]]:
    """Return the pairs of calls that stand beside each other in the table of a package."""
    part = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| `")]
    pairs = [(cell[0].strip("`"), cell[1].strip("`")) for cell in cells if len(cell) == 2]
    known = ("SparseRegressor(", "SparseClassifier(", "from_glmnet(")
    return [(one, other) for one, other in pairs if other.startswith(known) and one.endswith(")")]


def ours(call: str) -> Any:
    X, y, f = problem()
    scope = {**vars(converters), "np": np, "y": y, "f": f, "SparseRegressor": sv.SparseRegressor}
    scope |= {name: getattr(sv, name) for name in ("MCP", "SCAD", "Huber", "NegativeBinomial")}
    scope |= {"SparseClassifier": sv.SparseClassifier, "n": len(y)}
    call, _, fit = call.partition(".fit(")
    offset = {"offset": responses()["o"]} if "offset" in fit else {}
    model = eval(call, scope)
    return model.set_params(tol=1e-10).fit(X, response_of(call), **offset)


def coefficients(model: Any) -> Any:
    """Return the coefficients of an estimator, or of a pipeline with a scaler, in units of X."""
    if not hasattr(model, "steps"):
        return model.coef_
    return model[-1].coef_ / model[0].scale_


@pytest.mark.parametrize(("theirs", "call"), rows("scikit-learn"))
def test_scikit_learn(theirs: str, call: str) -> None:
    X, y = problem()[0], response_of(call)
    scope: dict[str, Any] = {}
    for module in ("linear_model", "pipeline", "preprocessing"):
        scope |= vars(importlib.import_module(f"sklearn.{module}"))
    model = eval(theirs.removesuffix(".fit(X, y)"), scope)
    (model[-1] if hasattr(model, "steps") else model).set_params(tol=1e-12, max_iter=200_000)
    np.testing.assert_allclose(
        np.ravel(coefficients(model.fit(X, y))), np.ravel(ours(call).coef_), atol=SKGLM
    )


@pytest.mark.filterwarnings("ignore")  # numba and skglm warn about themselves
@pytest.mark.parametrize(("theirs", "call"), [*rows("skglm"), ("weighted MCP", "")])
def test_skglm(theirs: str, call: str) -> None:
    skglm = pytest.importorskip("skglm", reason="skglm is not installed")
    X, y, f = problem()
    scope = {**vars(skglm.datafits), **vars(skglm.penalties), **vars(skglm), "f": f}
    if call:
        scope |= {"ProxNewton": skglm.solvers.ProxNewton}
        model, coef = eval(theirs, scope), np.ravel(ours(call).coef_)
    else:
        model = skglm.MCPRegression(alpha=0.1, gamma=3, weights=f)
        root = np.sqrt(f)
        coef = sv.SparseRegressor(sv.MCP(3.0), alpha=0.1, weights=root, standardize=False)
        coef = coef.set_params(tol=1e-10).fit(X / root, y).coef_ / root
    y = response_of(call)
    if type(getattr(model, "solver", None)).__name__ == "ProxNewton":
        model.solver = skglm.solvers.ProxNewton(tol=1e-10)
    elif hasattr(model, "solver"):
        model.solver = skglm.solvers.AndersonCD(tol=1e-10, max_iter=1000)
    else:
        model.set_params(tol=1e-10)
    np.testing.assert_allclose(np.ravel(model.fit(X, y).coef_), coef, atol=SKGLM)


def r_coefficients(package: str, call: str, folder: Path) -> Any:
    """Run one call in R and return intercept and coefficients."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    asked = {"glmnet": ", thresh = 1e-14)", "ncvreg": ", eps = 1e-10, max.iter = 1e6)"}[package]
    for name, values in [*zip("Xyf", problem(), strict=True), *responses().items()]:
        np.savetxt(folder / f"{name}.txt", values, fmt="%.17g")
    script = f"""
        if (!requireNamespace("{package}", quietly = TRUE)) quit(status = 77)
        library({package})
        if ("{package}" == "glmnet") glmnet.control(epsnr = 1e-14)
        X <- as.matrix(read.table("X.txt")); y <- scan("y.txt"); f <- scan("f.txt")
        z <- scan("z.txt"); k <- scan("k.txt"); o <- scan("o.txt")
        model <- {call[:-1] + asked}
        cat(sprintf("%.10e\\n", as.vector(as.matrix(coef(model)))), file = "coef.txt")
    """
    (folder / "run.R").write_text(script, encoding="utf-8")
    done = subprocess.run(["Rscript", "run.R"], cwd=folder, capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(f"R has no package {package}")
    assert done.returncode == 0, done.stderr
    return np.loadtxt(folder / "coef.txt")


@pytest.mark.parametrize(
    ("package", "theirs", "call"),
    [(package, *pair) for package in ("ncvreg", "glmnet") for pair in rows(package)],
)
def test_r(package: str, theirs: str, call: str, tmp_path: Path) -> None:
    model = ours(call)
    found = r_coefficients(package, theirs, tmp_path)
    expected = [*np.ravel(model.intercept_), *np.ravel(model.coef_)]
    np.testing.assert_allclose(found, expected, atol=R_PACKAGES)


def test_every_package_has_lines_to_run() -> None:
    counts = {name: len(rows(name)) for name in ("scikit-learn", "skglm", "ncvreg", "glmnet")}
    assert counts["scikit-learn"] >= 4, counts
    assert counts["skglm"] >= 5, counts
    assert counts["ncvreg"] >= 4, counts
    assert counts["glmnet"] >= 6, counts
