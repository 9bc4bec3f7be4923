"""Model-selection curves: what cross-validation or a criterion said about every alpha."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.types import Floats
from ..inspect.choice import choice_of
from ..penalties import is_convex, resolve_penalty
from ..penalties.resolve import built_in_name
from .classes import error_in_words

__all__ = ["Curve", "curves_of", "known", "penalty_words", "rule_of"]


@dataclass(frozen=True)
class Curve:
    """The score of one penalty at each of its alphas.

    ``error`` is the standard error of ``mean`` (None without folds), ``support`` the mean number of
    features; ``best`` and ``one_se`` are positions among the alphas, ``chosen`` too, and None for a
    penalty that was not chosen. ``higher`` tells whether larger scores are better.
    """

    name: str
    label: str
    alphas: Floats
    mean: Floats
    error: Floats | None
    support: Floats
    n_folds: int
    best: int
    one_se: int | None
    chosen: int | None
    higher: bool


def known(penalty: Any) -> Any:
    """Return the penalty that a model has; of a user's own, a loaded one has only its ``text``."""
    return penalty if hasattr(penalty, "text") else resolve_penalty(penalty)


def penalty_words(penalty: Any) -> tuple[str, str, str, bool]:
    """Return name, shape, Python expression and whether it is a convex one of the library."""
    if hasattr(penalty, "text"):
        return str(penalty.text), "", repr(penalty.text), False
    name = type(penalty).__name__
    if hasattr(penalty, "get_params"):
        parameters = penalty.get_params(deep=False)
    else:
        parameters = {key: v for key, v in vars(penalty).items() if not key.startswith("_")}
    shape = ", ".join(f"{key} = {_short(value)}" for key, value in parameters.items())
    code = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
    home = "sv." if built_in_name(penalty) else ""
    # Of a user's convex penalty the page gives the bound of every point (`above`), no more.
    return name, shape, f"{home}{name}({code})", bool(home) and is_convex(penalty)


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def rule_of(model: Any) -> str:
    """Return the rule a model was chosen by, in words."""
    if hasattr(model, "criterion_"):
        return f"lowest {str(model.criterion).upper()}"
    return {"1se": "one standard error"}.get(getattr(model, "rule", ""), "best mean score")


def curves_of(model: Any) -> list[Curve]:
    """Return one curve per penalty of a fitted estimator that chose alpha; else none."""
    if hasattr(model, "cv_results_") and hasattr(model, "mse_path_"):
        return _of_folds(model)
    if hasattr(model, "criterion_"):
        return _of_criterion(model)
    return []


def _of_folds(model: Any) -> list[Curve]:
    table, grids = model.cv_results_, np.atleast_2d(model.alphas_)
    shape = grids.shape
    higher = model.scoring is not None
    sign = 1.0 if higher else -1.0
    score = table["mean_test_score"].reshape(shape)
    error = table["se_test_score"].reshape(shape)
    support = table["mean_support_size"].reshape(shape)
    choice, chosen = choice_of(model), _chosen(model, shape[1])
    label = error_in_words(model) if not higher else _named(model.scoring)
    curves = []
    for row in range(shape[0]):
        curves.append(
            Curve(
                name=_label(table["penalty"][row * shape[1]]),
                label=label,
                alphas=grids[row],
                mean=sign * score[row],
                error=error[row],
                support=support[row],
                n_folds=int(np.atleast_2d(model.mse_path_).shape[-1]),
                best=int(choice.best[row]),
                one_se=None if choice.one_se is None else int(choice.one_se[row]),
                chosen=chosen.get(row),
                higher=higher,
            )
        )
    return curves


def _of_criterion(model: Any) -> list[Curve]:
    grids, values = np.atleast_2d(model.alphas_), np.atleast_2d(model.criterion_)
    support = np.atleast_2d(model.degrees_of_freedom_)
    given = model.penalty if isinstance(model.penalty, list | tuple) else [model.penalty]
    names = [_label(known(penalty)) for penalty in given]
    choice, chosen = choice_of(model), _chosen(model, grids.shape[1])
    return [
        Curve(
            name=names[k],
            label=str(model.criterion).upper(),
            alphas=grids[k],
            mean=values[k],
            error=None,
            support=support[k].astype(np.float64),
            n_folds=0,
            best=int(choice.best[k]),
            one_se=None,
            chosen=chosen.get(k),
            higher=False,
        )
        for k in range(len(names))
    ]


def _chosen(model: Any, n_alphas: int) -> dict[int, int]:
    """Return the row of the chosen penalty with the place of its alpha, as the model stored it."""
    if not hasattr(model, "best_index_"):  # files of a time when only folds had one
        choice = choice_of(model)
        return {choice.row: choice.at()}
    row, at = divmod(int(model.best_index_), n_alphas)
    return {row: at}


def _named(scoring: Any) -> str:
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")


def _label(penalty: Any) -> str:
    name, shape, _, _ = penalty_words(penalty)
    return f"{name} ({shape})" if shape else name
