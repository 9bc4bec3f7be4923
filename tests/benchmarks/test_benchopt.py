"""The files for benchopt: our solver reaches the minimum of the objective there."""

import importlib.util
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "benchopt"


def load(file, monkeypatch):
    """Load a file of the benchmark with empty base classes, so that benchopt is not needed."""
    names = ("BaseObjective", "BaseSolver", "BaseDataset")
    fake = types.SimpleNamespace(**{name: type(name, (), {}) for name in names})
    monkeypatch.setitem(sys.modules, "benchopt", fake)
    spec = importlib.util.spec_from_file_location(f"benchopt_{file.stem}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("reg", [0.5, 0.01])
@pytest.mark.parametrize("shape", [(60, 100), (100, 30)])
def test_the_solver_reaches_the_minimum(monkeypatch, reg, shape):
    dataset = load(FOLDER / "datasets" / "simulated.py", monkeypatch).Dataset()
    dataset.n_samples, dataset.n_features, dataset.rho = *shape, 0.5
    objective = load(FOLDER / "objective.py", monkeypatch).Objective()
    objective.reg = reg
    objective.set_data(**dataset.get_data())
    results = {}
    for name in ("sparsieve", "scikit_learn"):
        solver = load(FOLDER / "solvers" / f"{name}.py", monkeypatch).Solver()
        solver.set_objective(**objective.get_objective())
        solver.run(1e-10)
        results[name] = objective.evaluate_result(**solver.get_result())
    ours, theirs = results["sparsieve"], results["scikit_learn"]
    # A violation of 1e-10 of the slope leaves less than that of the objective.
    assert 0.0 <= ours["duality_gap"] + 1e-12 * ours["value"] < 1e-9 * ours["value"]
    assert ours["value"] <= theirs["value"] * (1.0 + 1e-12)


def test_a_solver_that_was_not_run_answers_zero(monkeypatch):
    solver = load(FOLDER / "solvers" / "sparsieve.py", monkeypatch).Solver()
    solver.set_objective(np.eye(3), np.ones(3), 0.1, fit_intercept=True)
    np.testing.assert_array_equal(solver.get_result()["beta"], np.zeros(4))
    solver.run(1e38)  # what benchopt begins with
    assert solver.get_result()["beta"].shape == (4,)


@pytest.mark.slow
def test_benchopt_runs_it(tmp_path):
    pytest.importorskip("benchopt", reason="needs benchopt: see benchmarks/README.md")
    output = tmp_path / "result.parquet"
    run = [sys.executable, "-m", "benchopt", "run", str(FOLDER), "-s", "sparsieve", "-n", "3"]
    run += ["-r", "1", "--no-plot", "--no-display", "--no-cache", "--output", str(output)]
    done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "sparsieve" in done.stdout
    assert output.exists()
