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


def rows(section: str) -> list[tuple[str, str]]:
    """Return the pairs of calls that stand beside each other in the table of a package."""
    part = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| `")]
    pairs = [(cell[0].strip("`"), cell[1].strip("`")) for cell in cells if len(cell) == 2]
    known = ("SparseRegressor(", "from_glmnet(")
    return [(one, other) for one, other in pairs if other.startswith(known) and one.endswith(")")]


def ours(call: str) -> Any:
    X, y, f = problem()
    scope = {**vars(converters), "np": np, "y": y, "f": f, "SparseRegressor": sv.SparseRegressor}
    scope |= {"MCP": sv.MCP, "SCAD": sv.SCAD}
    model = eval(call.removesuffix(".fit(X, y)"), scope)
    return model.set_params(tol=1e-10).fit(X, y)


def coefficients(model: Any) -> Any:
    """Return the coefficients of an estimator, or of a pipeline with a scaler, in units of X."""
    if not hasattr(model, "steps"):
        return model.coef_
    return model[-1].coef_ / model[0].scale_


@pytest.mark.parametrize(("theirs", "call"), rows("scikit-learn"))
def test_scikit_learn(theirs: str, call: str) -> None:
    X, y, _ = problem()
    scope: dict[str, Any] = {}
    for module in ("linear_model", "pipeline", "preprocessing"):
        scope |= vars(importlib.import_module(f"sklearn.{module}"))
    model = eval(theirs.removesuffix(".fit(X, y)"), scope)
    (model[-1] if hasattr(model, "steps") else model).set_params(tol=1e-12)
    np.testing.assert_allclose(coefficients(model.fit(X, y)), ours(call).coef_, atol=SKGLM)


@pytest.mark.filterwarnings("ignore")  # numba and skglm warn about themselves
@pytest.mark.parametrize(("theirs", "call"), [*rows("skglm"), ("weighted MCP", "")])
def test_skglm(theirs: str, call: str) -> None:
    skglm = pytest.importorskip("skglm", reason="skglm is not installed")
    X, y, f = problem()
    scope = {**vars(skglm.datafits), **vars(skglm.penalties), **vars(skglm), "f": f}
    if call:
        model, coef = eval(theirs, scope), ours(call).coef_
    else:
        model = skglm.MCPRegression(alpha=0.1, gamma=3, weights=f)
        root = np.sqrt(f)
        coef = sv.SparseRegressor(sv.MCP(3.0), alpha=0.1, weights=root, standardize=False)
        coef = coef.set_params(tol=1e-10).fit(X / root, y).coef_ / root
    if hasattr(model, "solver"):
        model.solver = skglm.solvers.AndersonCD(tol=1e-10)
    else:
        model.set_params(tol=1e-10)
    np.testing.assert_allclose(model.fit(X, y).coef_, coef, atol=SKGLM)


def r_coefficients(package: str, call: str, folder: Path) -> Any:
    """Run one call in R and return intercept and coefficients."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    asked = {"glmnet": ", thresh = 1e-14)", "ncvreg": ", eps = 1e-10, max.iter = 1e6)"}[package]
    for name, values in zip("Xyf", problem(), strict=True):
        np.savetxt(folder / f"{name}.txt", values, fmt="%.17g")
    script = f"""
        if (!requireNamespace("{package}", quietly = TRUE)) quit(status = 77)
        library({package})
        X <- as.matrix(read.table("X.txt")); y <- scan("y.txt"); f <- scan("f.txt")
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
    np.testing.assert_allclose(found, [model.intercept_, *model.coef_], atol=R_PACKAGES)


def test_every_package_has_lines_to_run() -> None:
    counts = {name: len(rows(name)) for name in ("scikit-learn", "skglm", "ncvreg", "glmnet")}
    assert counts["scikit-learn"] >= 4, counts
    assert counts["skglm"] >= 5, counts
    assert counts["ncvreg"] >= 4, counts
    assert counts["glmnet"] >= 6, counts
