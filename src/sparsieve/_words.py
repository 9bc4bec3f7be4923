"""Words and tables for people."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = [
    "Summarised",
    "Summary",
    "class_names",
    "describe",
    "ends_in_words",
    "paragraph",
    "terms_in_words",
    "text_table",
]

_REASONS = {
    "rising": "by rising errors",
    "max_support": "by max_support",
    "max_deviance": "by max_deviance",
    "max_time": "by max_time",
}


class Summary(str):
    """A headline and a table: text, which a notebook shows as a table.

    Attributes
    ----------
    page : str
        The same as HTML.
    """

    page: str

    @classmethod
    def of(
        cls,
        headline: str,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        lines: Sequence[str] = (),
    ) -> Summary:
        """Make a summary; ``lines`` follow the headline, a table without rows is left out."""
        parts = [headline, *lines, *([text_table(head, rows)] if rows else [])]
        made = cls("\n".join(parts))
        first = f"<p><strong>{html.escape(headline)}</strong></p>"
        more = "".join(paragraph(line) for line in lines)
        made.page = first + more + (_html_table(head, rows) if rows else "")
        return made

    @classmethod
    def joined(cls, parts: Sequence[Summary]) -> Summary:
        """Put several summaries below each other."""
        made = cls("\n\n".join(parts))
        made.page = "".join(part.page for part in parts)
        return made

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.page


def paragraph(text: str) -> str:
    """Return text as a paragraph of HTML."""
    return f"<p>{html.escape(text)}</p>"


def _html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        styled = (
            f'<{tag} style="text-align:{"left" if k == 0 else "right"}">{html.escape(cell)}</{tag}>'
            for k, cell in enumerate(cells)
        )
        return f"<tr>{''.join(styled)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>"


class Summarised:
    """Prints as its summary; where there is room for a line only, as the first line of it."""

    def summary(self) -> Summary:
        """Return a headline and a table."""
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary().splitlines()[0]}>"

    def _repr_html_(self) -> str:
        return self.summary().page


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


def class_names(labels: Sequence[Any]) -> list[str]:
    """Return what the linear predictor of each model of a classifier is positive for."""
    if len(labels) == 2:
        return [str(labels[1])]
    return [f"{label} against the rest" for label in labels]


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
            listed = "one of " + ", ".join(f"{each:g}" for each in value)
            chosen = params.get(f"{name}_")  # after a fit
            words[name] = listed if chosen is None else f"{chosen:g}, {listed}"
        elif value != default:
            words[name] = f"{value:g}" if isinstance(value, int | float) else str(value)
    bounds, positive = params.get("bounds"), params.get("positive") is True
    if bounds is not None or positive:
        words["bounds"] = _bounds_in_words(bounds, positive)
    return words


def ends_in_words(model: Any) -> dict[str, str]:
    """Return in words which paths behind a choice ended early, and why; nothing if none did."""
    words = {}
    ended = [str(word) for word in np.ravel(getattr(model, "ended_", []))]
    early = [word for word in ended if word != "complete"]
    if early:
        each = (f"{early.count(word)} {_REASONS.get(word, word)}" for word in sorted(set(early)))
        words["ended early"] = f"{len(early)} of {len(ended)} paths: {', '.join(each)}"
    last = getattr(getattr(model, "path_", None), "ended", "complete")
    if last != "complete" and hasattr(model, "mse_path_"):  # after the paths of the folds
        words["path on all rows"] = f"ended by {last}"
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
