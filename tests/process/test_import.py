"""Importing sparsieve brings in itself and what scikit-learn's linear models bring in, no more."""

import json
import subprocess
import sys

import pytest

# Whatever compiles at run time, and modules that are slow to import.
COMPILERS = {"numba", "llvmlite", "cffi", "pythran", "torch", "jax", "setuptools", "distutils"}
UNWELCOME = COMPILERS | {"pandas", "polars", "matplotlib", "dask", "tqdm", "IPython", "hypothesis"}


def modules_after(statement):
    """Return the names of the modules loaded by a statement in a fresh interpreter."""
    code = f"import sys, json\n{statement}\njson.dump(sorted(sys.modules), sys.stdout)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_import_adds_only_ourselves_and_scikit_learn():
    theirs = modules_after("import sklearn.linear_model")
    ours = modules_after("from sparsieve import *")
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


def test_importing_the_package_or_its_commands_waits_for_no_library():
    loaded = modules_after("import sparsieve, sparsieve.cli.app; dir(sparsieve)")
    assert "click" in loaded
    assert not {name.partition(".")[0] for name in loaded} & {
        "numpy",
        "scipy",
        "sklearn",
        "pyarrow",
    }


def test_dir_shows_the_public_names_and_no_internals():
    import sparsieve

    assert [name for name in dir(sparsieve) if not name.startswith("_")] == sorted(
        sparsieve.__all__
    )
    for name in sparsieve.__all__:
        assert getattr(sparsieve, name) is not None


def test_public_functions_are_not_hidden_by_modules_of_the_same_name():
    # A submodule becomes an attribute of its package when something imports it.
    loaded = """
import pkgutil, importlib, sparsieve
for found in pkgutil.walk_packages(sparsieve.__path__, "sparsieve."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
assert all(callable(getattr(sparsieve, name)) for name in set(sparsieve.__all__) - {
    "converters", "datasets", "plots", "reference", "report"})
"""
    assert "sparsieve.estimators.table_model" in modules_after(loaded)


def test_an_unknown_name_is_refused():
    import sparsieve

    with pytest.raises(AttributeError, match="dir\\(sparsieve\\) lists"):
        _ = sparsieve.no_such_thing
