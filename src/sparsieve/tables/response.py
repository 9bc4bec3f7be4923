"""What a target is taken for: numbers, counts or labels, and the loss that goes with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.types import Floats
from ..losses import BuiltInLoss, resolve_loss
from ..losses.resolve import built_in_name
from .table import TableError, TableProblem, listing

__all__ = ["Response", "check_folds", "problem_of_response", "response_of"]

# More different texts than this, or one for every other row, name things and are no labels.
_MOST_LABELS = 100
_FEW_LABELS = 20
# Fewer different numbers than this may as well be labels, so they are never taken for counts.
_LEAST_COUNTS = 4
# Counts fall off: the largest one is so much rarer than the most frequent one. Labels that are
# numbers, and scores, are mostly spread more evenly.
_FALL = 4


@dataclass(frozen=True)
class Response:
    """What the target of a table was taken for.

    Attributes
    ----------
    kind : {"numbers", "counts", "shares", "labels"}
        Shares are numbers from 0 to 1 with a logistic loss.
    loss : loss
        What it is fitted with.
    values : ndarray of shape (n_rows,)
        Numbers, or a label for each row: text or numbers as the table has them.
    words : str
        What to tell the user: the kind, the loss, and how to ask for another one.
    """

    kind: str
    loss: BuiltInLoss
    values: NDArray[Any]
    words: str

    @property
    def labels(self) -> list[Any]:
        """The different labels, sorted; none for numbers."""
        return np.unique(self.values).tolist() if self.kind == "labels" else []


def response_of(y: Floats, texts: list[str] | None, target: str, loss: Any = None) -> Response:
    """Return what a target is taken for; :func:`problem_of_response` has found nothing wrong.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Numbers, or positions in ``texts``.
    texts : list of str or None
        The different texts, if the target holds text.
    target : str
        Its name.
    loss : str, loss or None
        What the user asked for; None decides by the numbers.

    Notes
    -----
    Text is labels, and so are two different numbers. Whole numbers are counts where 0 and 1 occur,
    one of them most often, and the largest number is rare; all other numbers are numbers.
    """
    asked = None if loss is None else resolve_loss(loss)
    named = f"target {target!r} taken for"
    if texts is not None:
        return _of_labels(np.asarray(texts, dtype=np.str_)[y.astype(np.int64)], named, asked)
    numbers = _Numbers.of(y)
    if asked is None:
        return _guessed(y, numbers, named)
    if not asked.labels:
        kind = "counts" if asked.log_link else "numbers"
        units = ""
        if "delta" in asked.get_params():
            units = f" (in the units of the target, whose standard deviation is {np.std(y):.3g})"
        return Response(kind, asked, y, f"{named} {kind}: {_named(asked)}{units}")
    if numbers.shares:
        return Response("shares", asked, y, f"{named} shares of successes: {_named(asked)}")
    return _of_labels(numbers.plain(y), named, asked)


@dataclass(frozen=True)
class _Numbers:
    """Facts of the numbers of a target."""

    different: int
    whole: bool
    least: float
    largest: float

    @classmethod
    def of(cls, y: Floats) -> _Numbers:
        return cls(
            np.unique(y).size, bool(np.all(y == np.round(y))), float(y.min()), float(y.max())
        )

    @property
    def few(self) -> bool:
        """Whether they may be labels."""
        return self.different == 2 or (self.whole and self.different <= _FEW_LABELS)

    @property
    def shares(self) -> bool:
        """Whether they are parts of a whole, and not two labels."""
        return self.different > 2 and self.least >= 0.0 and self.largest <= 1.0

    def plain(self, y: Floats) -> NDArray[Any]:
        """Return the numbers as people write labels."""
        return y.astype(np.int64) if self.whole else y


def _guessed(y: Floats, numbers: _Numbers, named: str) -> Response:
    """Return what numbers are taken for when nobody said."""
    if numbers.different == 2:
        labels = _of_labels(numbers.plain(y), named, None)
        return replace(labels, words=f"{labels.words}; `loss='squared'` takes them for numbers")
    squared = resolve_loss("squared")
    if not numbers.whole or numbers.least < 0.0:
        return Response("numbers", squared, y, f"{named} numbers: {_named(squared)}")
    if _looks_counted(y):
        counts = resolve_loss("poisson")
        words = (
            f"{named} counts (whole numbers from 0 to {numbers.largest:g}, {_most(y)} the most "
            f"frequent): {_named(counts)}; `loss='squared'` takes them for numbers"
        )
        return Response("counts", counts, y, words)
    instead = "`loss='poisson'` if they count something"
    if numbers.few:
        instead += f", `loss='logistic'` if these {numbers.different} numbers are labels"
    return Response("numbers", squared, y, f"{named} numbers: {_named(squared)}; {instead}")


def _named(loss: BuiltInLoss) -> str:
    name = built_in_name(loss)
    if name is None:
        return f"the loss {loss.label}"
    settings = "".join(f", {key}={value:g}" for key, value in loss.get_params().items())
    return f"{name.replace('_', ' ')} loss{settings}"


def _of_labels(values: NDArray[Any], named: str, asked: BuiltInLoss | None) -> Response:
    labels, counts = np.unique(values, return_counts=True)
    loss = resolve_loss("logistic") if asked is None else asked
    if labels.size == 2:
        rows = " and ".join(
            f"{label!r} ({count} rows)"
            for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
        )
        words = (
            f"{named} two labels, {rows}: {_named(loss)}, probabilities of {labels.tolist()[1]!r}"
        )
    else:
        words = (
            f"{named} {labels.size} labels, {listing([str(label) for label in labels.tolist()])}: "
            f"{_named(loss)}, a model for each label against the rest"
        )
    return Response("labels", loss, values, words)


def _most(y: Floats) -> str:
    different, counts = np.unique(y, return_counts=True)
    return f"{different[np.argmax(counts)]:g}"


def _looks_counted(y: Floats) -> bool:
    """Tell whether whole numbers >= 0 look like counts: most are small, large ones are rare."""
    different, counts = np.unique(y, return_counts=True)
    return bool(
        different.size >= _LEAST_COUNTS
        and np.all(different[:2] == [0.0, 1.0])
        and np.argmax(counts) < 2
        and _FALL * counts[-1] <= counts.max()
    )


def problem_of_response(
    y: Floats, texts: list[str] | None, target: str, loss: Any
) -> TableProblem | None:
    """Return why a target cannot be fitted, or not with the loss that was asked for."""
    known = y[np.isfinite(y)]
    asked = None if loss is None else resolve_loss(loss)
    if texts is not None:
        return _problem_of_text(texts, known.size, target, asked)
    if asked is None or built_in_name(asked) is None:
        return None
    said, numbers = f"`loss={asked.name!r}`", _Numbers.of(known)
    if asked.log_link and numbers.least < 0.0:
        return TableProblem(
            f"the target {target!r} is negative in {int(np.sum(known < 0.0))} of {y.size} rows "
            f"(the least is {numbers.least:g}), and {said} is for counts; correct them, or use "
            "`loss='squared'` or `loss='huber'` for numbers of both signs."
        )
    if asked.labels and not (numbers.shares or numbers.few):
        return TableProblem(
            f"the target {target!r} has {numbers.different} different numbers from "
            f"{numbers.least:g} to {numbers.largest:g}, and {said} is for labels (or shares from 0 "
            "to 1); use `loss='squared'` for numbers, `loss='poisson'` for counts."
        )
    return None


def _problem_of_text(
    texts: list[str], n_rows: int, target: str, asked: BuiltInLoss | None
) -> TableProblem | None:
    if asked is not None and built_in_name(asked) is not None and not asked.labels:
        return TableProblem(
            f"the target {target!r} holds text, for instance {texts[0]!r}, and "
            f"`loss={asked.name!r}` is for numbers; use `loss='logistic'` for labels, or choose "
            "another `target=...`."
        )
    if len(texts) > _MOST_LABELS or (len(texts) > _FEW_LABELS and 2 * len(texts) > n_rows):
        return TableProblem(
            f"the target {target!r} holds {len(texts)} different texts in {n_rows} rows, which "
            "name rows rather than classes; choose another `target=...`."
        )
    return None


def check_folds(source: str, response: Response, folds: int, remedy: str) -> None:
    """Refuse labels that are too rare for a cross-validation.

    ``remedy`` says how to do with fewer folds, with the place of their number as ``{most}``.
    """
    if response.kind != "labels":
        return
    labels, counts = np.unique(response.values, return_counts=True)
    rare = int(np.argmin(counts))
    if counts[rare] < folds:
        raise TableError(
            f"{source}: the label {labels.tolist()[rare]!r} has {counts[rare]} of "
            f"{response.values.size} rows, too few for {folds} folds; leave these rows out, give "
            f"them another label, or {remedy.format(most=counts[rare])}."
        )
