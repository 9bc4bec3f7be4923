"""Fill the page: template, style, scripts and data into one file."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import os
import platform
import re
from datetime import UTC, datetime
from importlib import metadata, resources
from pathlib import Path as FilePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._files import atomic_writer
from ..solve.problem import DEFAULT_MINIMUM, MINIMA
from .classes import heading_of
from .encode import BUDGET, check_not_scaled_twice, encode_story, safe_json
from .fits import encode_fit, read_rows
from .tracks import Story, Track, read_story, unit_columns

__all__ = ["Report", "render", "save", "write_html"]

_SCRIPTS = ("data.js", "charts.js", "classes.js", "fits.js", "views.js", "app.js")
# A notebook keeps every output it shows, so reports inside one are smaller.
_INLINE_BUDGET = 600_000
_INLINE_HEIGHT = 900


class Report(str):
    """The HTML of a report: a string, shown as a live page when a notebook displays it."""

    __slots__ = ()

    def __repr__(self) -> str:
        found = re.search(r"<title>(.*?)</title>", self, re.DOTALL)
        title = html.unescape(found[1].strip()) if found else "report"
        return f"<Report {title!r}: {len(self):,} characters of HTML; str() is the page>"

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that notebook and page leave each other be."""
        return (
            f'<iframe srcdoc="{html.escape(self, quote=True)}" '
            f'style="width:100%;height:{_INLINE_HEIGHT}px;border:0" title="sparsieve report" '
            'sandbox="allow-scripts allow-downloads allow-modals"></iframe>'
        )


def write_html(  # noqa: PLR0913 - the options of a public function, by keyword
    obj: Any,
    file: str | os.PathLike[str],
    *,
    title: str | None = None,
    reproduce: str | None = None,
    notes: str | None = None,
    settings: dict[str, Any] | None = None,
    scale: ArrayLike | None = None,
    alpha: ArrayLike | None = None,
    rule: str | None = None,
    data: tuple[Any, ArrayLike] | None = None,
) -> FilePath:
    """Write a self-contained interactive report.

    Parameters
    ----------
    obj : Path, several paths, a surface, or a fitted estimator
        What to report on. A dict gives each path a name of its own.
    file : str or path-like
        Where to write; the folder must exist.
    title : str, default=None
        Heading of the page.
    reproduce : str, default=None
        Command or code that makes this result; None writes the Python call that belongs to ``obj``.
    notes : str, default=None
        A paragraph shown under the heading, for instance where the data comes from.
    settings : dict, default=None
        More rows for the table of settings.
    scale : array-like of shape (n_features,), default=None
        Standard deviations of the columns that the coefficients belong to. When given, features are
        drawn and ranked by the effect of one standard deviation, and the table has both that and
        the coefficient. Coefficients of standardised columns are such effects already: for them a
        scale other than 1 is refused.
    alpha : float or array-like of shape (n_paths,), default=None
        Where the page opens, and what it marks: the nearest alpha of each path. None opens at the
        alpha that an estimator was fitted at or chose, and paths where a dozen features are in.
    rule : str, default=None
        How ``alpha`` was chosen, in words for the reader, for instance "lowest BIC".
    data : (X, y), default=None
        With a fitted model of amounts (squares or Huber's loss): rows on which predictions are
        drawn against observations, with the residuals. Of a model of standardised columns, features
        are then also drawn and ranked by the effect of one standard deviation, unless ``scale`` is
        given.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> import os, tempfile
    >>> import sparsieve as sv
    >>> from sparsieve.report import write_html
    >>> X, y, w = sv.datasets.make_toy(50, 100, 5, noise=0.5, random_state=0)
    >>> path = sv.sparse_path(X, y, "mcp", alphas=20, eps=0.05)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_html(path, os.path.join(folder, "report.html"), title="Toy")
    ...     file.stat().st_size < 5_000_000
    True
    """
    options = _PageOptions(title, reproduce, notes, settings, scale, alpha, rule, data)
    return save(_fill(obj, options, BUDGET), file)


def save(page: str, file: str | os.PathLike[str]) -> FilePath:
    """Write a page in one step and return where."""
    with atomic_writer(file) as stream:
        stream.write(page.encode("utf-8"))
    return FilePath(file)


def render(  # noqa: PLR0913 - the options of a public function, by keyword
    obj: Any,
    *,
    title: str | None = None,
    reproduce: str | None = None,
    notes: str | None = None,
    settings: dict[str, Any] | None = None,
    scale: ArrayLike | None = None,
    alpha: ArrayLike | None = None,
    rule: str | None = None,
    data: tuple[Any, ArrayLike] | None = None,
    inline: bool = False,
) -> Report:
    """Return the report as a string; ``inline`` keeps it small enough for a notebook's output.

    The other parameters are those of :func:`write_html`.
    """
    options = _PageOptions(title, reproduce, notes, settings, scale, alpha, rule, data)
    return _fill(obj, options, _INLINE_BUDGET if inline else BUDGET)


class _PageOptions(NamedTuple):
    """The options of a page, as :func:`write_html` describes them."""

    title: str | None
    reproduce: str | None
    notes: str | None
    settings: dict[str, Any] | None
    scale: ArrayLike | None
    alpha: ArrayLike | None
    rule: str | None
    data: tuple[Any, ArrayLike] | None


def _fill(obj: Any, options: _PageOptions, budget: int) -> Report:
    """Return the page, with at most ``budget`` bytes of points."""
    story = read_story(obj, options.alpha, options.rule)
    if options.scale is not None and unit_columns(obj):
        check_not_scaled_twice(options.scale)
    rows = read_rows(obj, options.data, story.quantity)
    scale = options.scale
    if scale is None and rows is not None:
        scale = rows.spreads
    data = encode_story(story, budget, scale)
    data["fit"] = encode_fit(rows)
    heading = options.title or heading_of(story)
    data["title"] = heading
    data["notes"] = options.notes or ""
    data["reproduce"] = options.reproduce or story.code or _python_call(story)
    settings = {**story.settings, **(options.settings or {})}
    data["settings"] = {key: str(value) for key, value in settings.items()}
    data["made"] = _made()
    script = "\n".join(_resource(name) for name in _SCRIPTS)
    parts = {
        "title": html.escape(heading),
        "summary": html.escape(_summary(story)),
        "style": _resource("report.css"),
        "script": script,
        "script-hash": _hash(script),
        "data": safe_json(data),
    }
    # One pass: a feature named like a placeholder is never looked at again.
    return Report(
        re.sub(r"\{\{([a-z-]+)\}\}", lambda m: parts[m.group(1)], _resource("template.html"))
    )


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")


def _made() -> dict[str, str]:
    """Return when and with what the report was made."""
    made = {"date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
    made |= {name: _version(name) for name in ("sparsieve", "numpy", "scipy", "scikit-learn")}
    made["Python"] = platform.python_version()
    return made


@functools.cache  # reading it takes longer than the rest of a small report
def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # an uninstalled source tree
        return "not installed"


def _summary(story: Story) -> str:
    """Return the one paragraph that a reader without JavaScript gets."""
    lines = []
    for track in story.tracks:
        worst = max(track.columns["kkt"])
        sizes = [values.size for _, values in track.points]
        label = f"{track.penalty} ({track.shape})" if track.shape else track.penalty
        lines.append(
            f"{label}: {len(track.alphas)} alphas from {track.alphas[0]:.6g} to "
            f"{track.alphas[-1]:.6g}, {min(sizes)} to {max(sizes)} of {track.n_features} features "
            f"selected, largest violation of stationarity {worst:.3g} of the slope at zero."
        )
    return " ".join(lines)


def _python_call(story: Story) -> str:
    """Return the Python that recomputes the paths on the same X and y."""
    lines = [
        "import numpy as np",
        "import sparsieve as sv",
        "",
        "# X, y: the same data",
        "paths = [",
    ]
    lines += [
        f"    sv.sparse_path(X, y, {track.code}, alphas={_grid(track.alphas)}{_options_of(track)}),"
        for track in story.tracks
    ]
    return "\n".join([*lines, "]", 'sv.report.write_html(paths, "report.html")'])


def _options_of(track: Track) -> str:
    """Return the arguments that ask for starts, minima and terms of a track, unless by default."""
    strongest = max(track.columns["minimum"], key=MINIMA.index)
    minimum = "" if strongest == DEFAULT_MINIMUM else f", minimum={strongest!r}"
    return _start_of(track) + minimum + track.terms


def _start_of(track: Track) -> str:
    """Return the argument that asks for the starts of a track, unless they are the default."""
    names = set(track.columns["start"])
    if names <= {"lasso", "none"}:
        return ""
    if names == {"given"}:
        return ", start=start"  # coefficients that only the caller has
    return f", start={'previous' if names == {'previous'} else 'best'!r}"


def _grid(alphas: Any) -> str:
    """Return Python for the alphas: their ends when evenly spaced in ratio, else all of them."""
    first, last, count = float(alphas[0]), float(alphas[-1]), len(alphas)
    # A relative 1e-12 is rounding; the alphas themselves decide nothing at that scale.
    if count > 2 and np.allclose(alphas, np.geomspace(first, last, count), rtol=1e-12, atol=0.0):
        return f"np.geomspace({first!r}, {last!r}, {count})"
    return repr([float(alpha) for alpha in alphas])
