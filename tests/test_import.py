"""Importing sparsieve brings in itself and what scikit-learn's linear models bring in, no more."""

import json
import subprocess
import sys

# Whatever compiles at run time, and modules that are slow to import.
COMPILERS = {"numba", "llvmlite", "cffi", "pythran", "torch", "jax", "setuptools", "distutils"}
UNWELCOME = COMPILERS | {"pandas", "polars", "matplotlib", "dask", "tqdm", "IPython", "hypothesis"}


def modules_after(statement):
    """Return the names of the modules loaded by a statement in a fresh interpreter."""
    code = f"import sys, json\n{statement}\njson.dump(sorted(sys.modules), sys.stdout)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_import_adds_only_ourselves_and_scikit_learn():
    theirs, ours = modules_after("import sklearn.linear_model"), modules_after("import sparsieve")
    added = {name.partition(".")[0] for name in ours - theirs}
    assert "sparsieve" in added
    assert not added & UNWELCOME
    third_party = added - set(sys.stdlib_module_names) - {"sparsieve"}
    # parts of the three runtime dependencies that the linear models do not load themselves
    assert third_party <= {"sklearn", "scipy", "numpy", "joblib", "threadpoolctl"}


def test_nothing_is_compiled_at_run_time():
    """First fits load no compiler either (pandas, yes: scikit-learn's validation asks for it)."""
    loaded = modules_after("""
import sparsieve as sv
X, y, _ = sv.datasets.make_toy(20, 10, 2, 0.1, random_state=0)
sv.sparse_path(X, y, "mcp", alphas=5)
sv.SparseRegressor("logsum").fit(X, y).predict(X)
sv.proximal_weighted_lasso(X, y, [1.0] * 10)
""")
    assert not {name.partition(".")[0] for name in loaded} & COMPILERS
