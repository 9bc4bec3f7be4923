"""What a report shows, read from whatever the library hands out.

A *track* is one path as the page draws it: alphas, sparse coefficients and what is known about each
point. Paths, surfaces and fitted estimators are all turned into a list of tracks here, so that the
rest of the report never asks what it was given.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .._words import class_names, ends_in_words, terms_in_words
from ..data.terms import PLAIN
from ..data.types import Floats
from ..inspect.convexity import convex_region, global_lower_bounds
from ..inspect.scales import has_unit_columns
from ..losses import BuiltInLoss, predicts_amounts
from ..solve.path_data import PathData, nearest_alpha
from ..solve.problem import SQUARED
from .classes import assessment_at, known_loss, loss_in_code
from .curves import Curve, curves_of, known, penalty_words, rule_of

__all__ = ["Choice", "Story", "Track", "read_story", "unit_columns"]

# How well the point of some number fits labels or counts, None where that is not known.
Assessed = Callable[[int], dict[str, Any] | None]
Points = list[tuple[NDArray[np.int64], Floats]]

_LARGEST_EIGENPROBLEM = 300
# Told in words, and only where they are not the defaults.
_TERMS = ("standardize", "l1_ratio", "ridge", "bounds")


@dataclass(frozen=True)
class Track:
    """One path: arrays over alphas, and the non-zero coefficients of each point."""

    penalty: str
    shape: str
    code: str
    convex_penalty: bool
    alphas: Floats
    points: Points
    columns: dict[str, list[Any]]
    n_features: int
    names: NDArray[Any] | None
    curve: int | None = None
    ended: str = "complete"
    tol_relative_to: str = "alpha"
    terms: str = ""
    loss: BuiltInLoss = SQUARED
    positive: str = ""  # the class whose linear predictor is positive
    assessed: Assessed | None = None


@dataclass(frozen=True)
class Choice:
    """A point that was chosen: on which track, which of its alphas, and by which rule."""

    track: int
    alpha: int
    rule: str


@dataclass(frozen=True)
class Story:
    """Everything a report tells: tracks, the points it opens at, how they were chosen and made.

    The page opens at the first choice; a track has at most one. ``quantity`` says that the
    responses are amounts, so that predictions and residuals can be drawn, and no labels or counts.
    """

    tracks: list[Track]
    choices: list[Choice] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    curves: list[Curve] = field(default_factory=list)
    code: str = ""
    n_rows: int | None = None
    quantity: bool = False


def read_story(obj: Any, alpha: Any = None, rule: str | None = None) -> Story:
    """Turn a Path, several paths, a surface or a fitted estimator into a Story.

    ``alpha``, one number or one per path, and ``rule`` replace the choice that ``obj`` knows of.
    """
    story = _read(obj)
    if alpha is None:
        return story
    return replace(story, choices=_choices(story.tracks, alpha, rule or "by hand"))


def _choices(tracks: list[Track], alpha: Any, rule: str) -> list[Choice]:
    wanted = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
    if wanted.ndim != 1 or wanted.size not in (1, len(tracks)) or not np.all(wanted > 0.0):
        raise ValueError(
            f"alpha={alpha!r} does not say where to open {len(tracks)} path(s); pass one alpha > 0 "
            "for all of them, or one for each."
        )
    return [
        Choice(t, nearest_alpha(track.alphas, value), rule)
        for t, (track, value) in enumerate(
            zip(tracks, np.broadcast_to(wanted, len(tracks)), strict=True)
        )
    ]


def _read(obj: Any) -> Story:
    if isinstance(obj, PathData):
        return replace(Story([track_of(obj)]), n_rows=_rows_of(obj))
    if isinstance(obj, Mapping):
        named = [_renamed(track_of(_checked(path)), str(label)) for label, path in obj.items()]
        return _several(named)
    if hasattr(obj, "get_params") and hasattr(obj, "fit"):
        classifies = hasattr(obj, "classes_")
        story = _story_of_classes(obj) if classifies else _story_of_estimator(obj)
        quantity = not classifies and predicts_amounts(known_loss(obj))
        fitted = obj.estimators_[0] if classifies else obj
        return replace(story, n_rows=getattr(fitted, "n_samples_", None), quantity=quantity)
    paths = getattr(obj, "paths", obj)
    if isinstance(paths, Iterable) and not isinstance(paths, str | bytes | np.ndarray):
        return _several([track_of(_checked(path)) for path in _flat(paths)])
    return _several([track_of(_checked(obj))])


def _rows_of(path: PathData) -> int | None:
    return None if path.problem is None else int(path.problem.n_samples)


def _several(tracks: list[Track]) -> Story:
    if not tracks:
        raise ValueError("there is no path to report on: pass at least one Path.")
    sizes = sorted({track.n_features for track in tracks})
    if len(sizes) > 1:
        raise ValueError(
            f"the paths have {' and '.join(map(str, sizes))} features; a report compares paths on "
            "the same columns: write one report per data set."
        )
    return Story(tracks)


def _flat(paths: Any) -> Iterable[Any]:
    for path in paths:
        if isinstance(path, list | tuple):
            yield from _flat(path)
        else:
            yield path


def _checked(path: Any) -> PathData:
    if not isinstance(path, PathData):
        raise TypeError(
            f"a report is made from a Path, several paths, a surface or a fitted estimator, not "
            f"from {type(path).__name__}; pass the result of sparse_path, or a fitted model."
        )
    return path


def _renamed(track: Track, label: str) -> Track:
    return replace(track, penalty=label, shape="")


def track_of(path: PathData) -> Track:
    """Read one Path."""
    name, shape, code, convex = penalty_words(path.penalty)
    points = path.points
    columns: dict[str, list[Any]] = {
        "intercept": [point.intercept for point in points],
        "objective": [point.objective for point in points],
        "kkt": [point.kkt for point in points],
        "dual_gap": [point.dual_gap for point in points],
        "n_iter": [point.n_iter for point in points],
        "status": [point.status.lower() for point in points],
        "start": [point.start for point in points],
        "minimum": [point.minimum for point in points],
        "convex": [bool(point.convex) for point in points],
        "region": _region(path),
        "above": _above(path),
        "passes": [point.passes for point in points],
        "r2": [point.r2 for point in points],
        "by_bound": [point.settled_by_bound for point in points],
        "by_shadow": [point.settled_by_shadow for point in points],
        "by_reading": [point.settled_by_reading for point in points],
    }
    return Track(
        penalty=name,
        shape=shape,
        code=code,
        convex_penalty=convex,
        alphas=np.asarray(path.alphas, dtype=np.float64),
        points=[(point.columns, point.values) for point in points],
        columns=columns,
        n_features=int(path.coefs.shape[0]),
        names=path.feature_names,
        ended=path.ended,
        tol_relative_to=path.tol_relative_to,
        terms=_terms_in_code(path.problem) + loss_in_code(path),
        loss=path.loss,
        assessed=partial(assessment_at, path),
    )


def _terms_in_code(problem: Any) -> str:
    """Return the arguments that ask for units, ridge and bounds of a problem, if it is known."""
    if problem is None:
        return ""
    terms = problem.terms
    code = ", standardize=True" if terms.standardize else ""
    for name, default in (("l1_ratio", 1.0), ("ridge", 0.0)):
        value = getattr(terms, name)
        code += "" if value == default else f", {name}={value!r}"
    if terms.positive:
        return f"{code}, positive=True"
    return f"{code}, bounds=bounds" if terms.bounded else code  # numbers that only the caller has


def _region(path: PathData) -> list[bool]:
    """Return where the objective is convex on the support, whatever the coefficients.

    That takes the eigenvalues of one matrix per alpha: where they would keep a reader waiting, the
    weaker answer at the solutions stands in.
    """
    small = int(path.support_size.max(initial=0)) <= _LARGEST_EIGENPROBLEM
    return [bool(fine) for fine in (convex_region(path) if small else path.convex)]


def unit_columns(obj: Any) -> bool:
    """Tell whether obj was computed on columns of standard deviation 1, as far as it knows."""
    if isinstance(obj, PathData):
        return obj.problem is not None and has_unit_columns(_as_given(obj.problem), obj.penalty)
    if isinstance(obj, Mapping):
        return any(map(unit_columns, obj.values()))
    if hasattr(obj, "get_params") and hasattr(obj, "fit"):
        return any(getattr(m, "_unit_columns", False) for m in getattr(obj, "estimators_", [obj]))
    return any(map(unit_columns, _flat(getattr(obj, "paths", obj))))


def _as_given(problem: Any) -> Any:
    """Return the problem without its ridge, bounds and units, on the columns as the user has them.

    Coefficients are always those of these columns.
    """
    plain = copy.copy(problem)
    plain.terms = PLAIN
    return plain


def _above(path: PathData) -> list[float | None]:
    """Return by how much, at most, each point is above the global minimum; None: not known."""
    bounds = global_lower_bounds(path.problem, path.points, path.penalty)
    return [
        None if bound is None else max(point.objective - bound, 0.0)
        for point, bound in zip(path.points, bounds, strict=True)
    ]


def _story_of_estimator(model: Any) -> Story:
    """Read a fitted estimator: its path or paths when it kept them, else its one point."""
    check_is_fitted(model)
    params = model.get_params(deep=False)
    settings = {
        key: value
        for key, value in params.items()
        if isinstance(value, bool | int | float | str) and key not in _TERMS
    } | terms_in_words(params)
    settings |= ends_in_words(model)
    path = getattr(model, "path_", None)
    if not isinstance(path, PathData):
        return replace(_story_of_point(model), settings=settings, code=_code(model))
    curves = curves_of(model)
    own = next((k for k, curve in enumerate(curves) if curve.chosen is not None), None)
    at = nearest_alpha(path.alphas, model.alpha_)
    track = replace(track_of(path), curve=own, assessed=_of_model(model, at))
    if track.columns["above"][at] is None:  # a path without data may know less than the certificate
        track.columns["above"][at] = _above_of(model.certificate_)
    return Story([track], [Choice(0, at, rule_of(model))], settings, curves, _code(model))


def _of_model(model: Any, at: int) -> Assessed:
    """Return what a model knows of its fit, which is that of the chosen alpha."""
    known = getattr(model, "assessment_", None)
    return lambda k: known if k == at else None


def _story_of_classes(model: Any) -> Story:
    """Read a fitted classifier: one track for two classes, beyond these one for each."""
    check_is_fitted(model)
    labels = model.classes_.tolist()
    parts = [_story_of_estimator(each) for each in model.estimators_]
    tracks: list[Track] = []
    choices: list[Choice] = []
    curves: list[Curve] = []
    for name, part in zip(class_names(labels), parts, strict=True):
        (track,) = part.tracks
        curve = None if track.curve is None else track.curve + len(curves)
        track = replace(track, curve=curve, positive=name)
        if len(parts) > 1:
            words = f"{track.penalty} ({track.shape})" if track.shape else track.penalty
            track = replace(track, penalty=name, shape=words)
        choices += [replace(choice, track=len(tracks)) for choice in part.choices]
        tracks.append(track)
        curves += part.curves
    words = ", ".join(map(str, labels))
    more = {"classes": words if len(labels) == 2 else f"{words}: a model for each against the rest"}
    return Story(tracks, choices, parts[0].settings | more, curves, _code(model))


def _code(model: Any) -> str:
    """Return Python that makes the model again."""
    if isinstance(getattr(model, "start", None), str):
        text = model.__repr__(N_CHAR_MAX=100_000)
    else:  # coefficients that only the caller has
        named = clone(model).set_params(start="start")
        text = named.__repr__(N_CHAR_MAX=100_000).replace("start='start'", "start=start")
    return f"from sparsieve import *\n\nmodel = {text}\nmodel.fit(X, y)  # the same data"


def _story_of_point(model: Any) -> Story:
    """Read an estimator fitted at one alpha."""
    certificate = model.certificate_
    name, shape, code, convex = penalty_words(_penalty_of(model))
    support = np.flatnonzero(model.coef_)
    columns: dict[str, list[Any]] = {
        "intercept": [float(model.intercept_)],
        "objective": [certificate.objective],
        "kkt": [certificate.kkt],
        "dual_gap": [certificate.dual_gap],
        "n_iter": [certificate.n_iter],
        "status": [certificate.reason],
        "start": [certificate.start],
        "minimum": [certificate.minimum],
        "convex": [bool(certificate.strict_minimum)],
        "region": [bool(certificate.strict_minimum)],
        "above": [_above_of(certificate)],
        "passes": [certificate.passes],
        "r2": [None],
        "by_bound": [None],
        "by_shadow": [None],
        "by_reading": [None],
    }
    track = Track(
        penalty=name,
        shape=shape,
        code=code,
        convex_penalty=convex,
        alphas=np.array([certificate.alpha]),
        points=[(support, model.coef_[support])],
        columns=columns,
        n_features=int(model.n_features_in_),
        names=getattr(model, "feature_names_in_", None),
        loss=known_loss(model),
        assessed=_of_model(model, 0),
    )
    return Story([track], [Choice(0, 0, "given")])


def _above_of(certificate: Any) -> float | None:
    bound = certificate.lower_bound
    return None if bound is None else max(certificate.objective - bound, 0.0)


def _penalty_of(model: Any) -> Any:
    return known(getattr(model, "penalty_", model.penalty))
