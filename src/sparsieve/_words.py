"""Words and tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Summarised", "describe", "terms_in_words", "text_table"]


class Summarised:
    """Prints as its summary; where there is room for a line only, as the first line of it."""

    def summary(self) -> str:
        """Return a headline and a table."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary().splitlines()[0]}>"


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows under a head, the first column flush left, the others flush right."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def describe(penalty: Any) -> str:
    """Return a short name with every parameter, for tables and legends."""
    parameters = penalty.get_params() if hasattr(penalty, "get_params") else {}
    inside = ", ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in parameters.items()
    )
    return f"{type(penalty).__name__}({inside})"


def terms_in_words(params: Mapping[str, Any]) -> dict[str, str]:
    """Return an estimator's units, ridge and bounds in words, as far as they are not the defaults.

    Parameters
    ----------
    params : mapping
        Parameters of an estimator; files of older ones lack some.
    """
    words = {}
    if params.get("standardize") is True:
        words["columns"] = "standardised for the fit"
    for name, default in (("l1_ratio", 1.0), ("ridge", 0.0)):
        value = params.get(name, default)
        several = hasattr(value, "__iter__") and not isinstance(value, str)
        if several:
            words[name] = "one of " + ", ".join(f"{each:g}" for each in value)
        elif value != default:
            words[name] = f"{value:g}" if isinstance(value, int | float) else str(value)
    bounds, positive = params.get("bounds"), params.get("positive") is True
    if bounds is not None or positive:
        words["bounds"] = _bounds_in_words(bounds, positive)
    return words


def _bounds_in_words(bounds: Any, positive: bool) -> str:
    try:
        lower, upper = (None, None) if bounds is None else bounds
    except (TypeError, ValueError):  # known only as text
        return str(bounds)

    def side(value: Any, none: str) -> str:
        if value is None:
            return none
        return f"{value:g}" if isinstance(value, int | float) else "one number per column"

    if positive and (lower is None or (isinstance(lower, int | float) and lower < 0)):
        lower = 0
    return f"{side(lower, '-inf')} to {side(upper, 'inf')}"
