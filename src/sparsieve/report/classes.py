"""What a report shows of losses other than squares: words, and how well labels or counts fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inspect.assessment import assess
from ..losses import BuiltInLoss, is_squared, resolve_loss
from ..losses.resolve import built_in_name
from ..solve.path_data import PathData
from ..solve.points import Fits

__all__ = [
    "assessment_at",
    "encode_classes",
    "error_in_words",
    "heading_of",
    "known_loss",
    "loss_in_code",
]

# Where nothing was chosen a page opens where so many features are in; `openingAlpha` in app.js.
_DOZEN = 12


def assessment_at(path: PathData, k: int) -> dict[str, Any] | None:
    """Return how well the point of number k fits the rows of its fit, if the path knows them."""
    problem, point = path.problem, path.points[k]
    if problem is None or problem.squared or np.isnan(point.intercept):
        return None
    data = problem.data
    eta = problem.predictions(Fits.of([point]))[:, 0]
    return assess(problem.loss, eta, data.y, data.omega(), "in sample", data.offset)


def encode_classes(track: Any, choices: list[Any], number: int) -> dict[str, Any]:
    """Return the words of a track's loss, and its assessment where the page opens."""
    loss: BuiltInLoss = track.loss
    at = next((choice.alpha for choice in choices if choice.track == number), None)
    if at is None:
        sizes = [values.size for _, values in track.points]
        at = next((k for k, size in enumerate(sizes) if size >= _DOZEN), len(sizes) - 1)
    found = None if track.assessed is None else track.assessed(at)
    return {
        "loss": None if is_squared(loss) else _words(loss),
        "residual": _residual(loss),
        "explained": "variance" if is_squared(loss) else "deviance",
        "positive": track.positive,
        "assessment": None if found is None else {**_short(found), "at": at},
    }


def _short(found: dict[str, Any]) -> dict[str, Any]:
    """Return arrays as lists, with as many digits as a chart shows."""

    def plain(value: Any) -> Any:
        return [float(f"{v:.5g}") for v in value] if isinstance(value, np.ndarray) else value

    return {_camel(name): plain(value) for name, value in found.items()}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _words(loss: BuiltInLoss) -> str:
    name = built_in_name(loss)
    if name is None:
        return loss.label
    settings = ", ".join(f"{key} = {value:g}" for key, value in loss.get_params().items())
    return name.replace("_", " ") + (f" ({settings})" if settings else "")


def _residual(loss: BuiltInLoss) -> str:
    """Return what the residual of a row is."""
    if getattr(loss, "labels", False):  # of a user's own, a file has only the text
        return "its label (0 or 1) minus its probability"
    return {
        "poisson": "its count minus its mean",
        "negative_binomial": "its count minus its mean, divided by 1 + mean / theta",
        "huber": "its response minus its prediction, at most delta in size",
    }.get(str(built_in_name(loss)), "minus the slope of the loss")


def error_in_words(model: Any) -> str:
    """Return what the folds of a cross-validation measure unless told otherwise."""
    return "mean squared error" if is_squared(known_loss(model)) else "mean deviance"


def known_loss(model: Any) -> Any:
    """Return the loss of a model; of a user's own, a loaded one has only its ``text``."""
    loss = getattr(model, "loss", "squared")
    return loss if hasattr(loss, "text") else resolve_loss(loss)


def heading_of(story: Any) -> str:
    """Return the heading of a page that was given none."""
    loss = story.tracks[0].loss
    if is_squared(loss):
        return "Sparse regression path"
    if getattr(loss, "labels", False):
        return "Sparse classification"
    counts = " of counts" if getattr(loss, "log_link", False) else ""
    return f"Sparse regression{counts} with the loss {_words(loss)}"


def loss_in_code(path: PathData) -> str:
    """Return the arguments that ask for loss and offset of a path, unless they are the default."""
    code = ""
    if not is_squared(path.loss):
        own = built_in_name(path.loss) is None
        code += ", loss=loss" if own else f", loss=sv.{path.loss!r}"
    with_offset = path.problem is not None and path.problem.data.offset is not None
    return f"{code}, offset=offset" if with_offset else code
