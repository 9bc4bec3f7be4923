"""The public names of the package with their signatures, one line each.

``python -m tests.public_api`` writes them to ``public_api.txt``, which a test compares with. Types
are left out: mypy checks those, and versions of Python write them in different ways.
"""

import dataclasses
import importlib
import inspect
from pathlib import Path

import numpy as np
from sklearn.base import is_regressor

import sparsieve as sv

RECORDED = Path(__file__).with_name("public_api.txt")
MODULES = ("converters", "datasets", "penalties", "plots", "reference", "report")
#: Whose attributes after ``fit`` are public too.
ESTIMATORS = (
    "SparseRegressor",
    "SparseRegressorCV",
    "SparseRegressorIC",
    "SparseClassifier",
    "SparseClassifierCV",
    "SparseClassifierIC",
)


def signature(function):
    """Return names and defaults of the parameters, as they stand in a definition."""
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name != "self"
    ]
    return str(inspect.Signature(parameters))


def ours(cls):
    """Return a class and those it inherits from, as far as they are the package's."""
    return [base for base in cls.__mro__ if base.__module__.partition(".")[0] == "sparsieve"]


def is_protocol(cls):
    """Tell whether a class only says what others have; nobody makes one."""
    return getattr(cls, "_is_protocol", False)


def members(cls):
    """Yield what users see of a class: parts that the package itself defines."""
    fields = (
        {field.name for field in dataclasses.fields(cls)}
        if dataclasses.is_dataclass(cls)
        else set()
    )
    fields |= set(getattr(cls, "_fields", ()))
    yield from ((name, "") for name in fields if not name.startswith("_"))
    names = {name for base in ours(cls) for name in vars(base) if not name.startswith("_")} - fields
    for name in names:
        value = inspect.getattr_static(cls, name)
        if type(value).__module__.partition(".")[0] == "sklearn":
            continue  # set_fit_request and the like, which scikit-learn puts there
        bound = isinstance(value, classmethod | staticmethod) or inspect.isfunction(value)
        yield name, signature(getattr(cls, name)) if bound else ""


def described(name, value):
    """Yield the lines of one public name."""
    if inspect.isclass(value):
        made = any("__init__" in vars(base) or "__new__" in vars(base) for base in ours(value))
        yield name + (signature(value) if made and not is_protocol(value) else "")
        yield from (f"{name}.{member}{rest}" for member, rest in members(value))
    else:
        yield name + (signature(value) if callable(value) else "")


def fitted():
    """Yield the attributes that estimators have after ``fit``."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 6))
    y = X[:, 0] + 0.1 * rng.standard_normal(40)
    for name in ESTIMATORS:
        model = getattr(sv, name)()
        model.fit(X, y if is_regressor(model) else y > 0.0)
        yield from (f"{name}.{key}" for key in vars(model) if key[-1] == "_" and key[0] != "_")


def public_api():
    """Return all the lines, sorted."""
    lines = set(fitted())
    for name in sv.__all__:
        lines.update(described(name, getattr(sv, name)))
    for module_name in MODULES:
        module = importlib.import_module(f"sparsieve.{module_name}")
        for name in module.__all__:
            value, full = getattr(module, name), f"{module_name}.{name}"
            if name in sv.__all__ and getattr(sv, name) is value:
                lines.add(f"{full} is {name}")
            else:
                lines.update(described(full, value))
    return sorted(lines)


if __name__ == "__main__":
    RECORDED.write_text("\n".join(public_api()) + "\n", encoding="utf-8")
