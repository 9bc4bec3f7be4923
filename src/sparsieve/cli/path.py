"""``sparsieve path``."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, NamedTuple

import numpy as np

from .. import Path, sparse_path
from .._words import class_names, describe
from ..data.types import Floats
from ..losses import is_squared
from ..tables.columns import Design
from ..tables.table import ReadOptions
from .console import Exit, say, shows_progress, step
from .data import load_design
from .fit import command_line
from .options import check_one_ratio, limits, terms
from .outputs import check_outputs, spreadsheet_text, write_all, write_text

__all__ = ["path_command"]

_LINES = 12


def path_command(table: str, reading: ReadOptions, options: dict[str, Any]) -> Exit:
    """Compute one path per penalty."""
    check_one_ratio(options, "a path")
    outputs = {"coefficients": options["output"], "report": options["report"]}
    check_outputs(outputs, [table], options["force"])
    design = load_design(table, reading, options)
    paths: list[Named] = []
    scale = None
    for name, y in _responses(design):
        for penalty in options["penalty"]:
            with step(f"path of {describe(penalty)}{f', {name}' if name else ''}"):
                path, scale = _path(design, y, penalty, options)
            paths.append(Named(name, path))
    title = f"{design.schema.target} ({FilePath(table).name})"
    written = write_all(
        {
            "coefficients": (options["output"], lambda file: write_text(file, _table(paths))),
            "report": (options["report"], lambda file: _write_report(file, title, scale, paths)),
        }
    )
    for name, path in paths:
        if name:
            say(name)
        _show(path)
    written.tell()
    done = all(path.converged.all() for _, path in paths)
    return Exit.OK if done else Exit.NOT_CONVERGED


class Named(NamedTuple):
    """A path, and the class that it is for."""

    name: str
    path: Path


def _responses(design: Design) -> list[tuple[str, Floats]]:
    """Return the response, or one of zeros and ones for each class against the rest."""
    if design.response.kind != "labels":
        return [("", design.y)]
    labels = design.response.labels
    of = labels[-1:] if len(labels) == 2 else labels
    return [
        (name, (design.y == label).astype(np.float64))
        for name, label in zip(class_names(labels), of, strict=True)
    ]


def _path(
    design: Design, y: Floats, penalty: Any, options: dict[str, Any]
) -> tuple[Path, Floats | None]:
    """Return a path, and the scales of its columns if they were standardised."""
    path = sparse_path(
        design.X,
        y,
        penalty,
        alphas=options["alphas"],
        **limits(options),
        fit_intercept=not options["no_intercept"],
        **terms(options, design.schema),
        tol=options["tol"],
        max_iter=options["max_iter"],
        start=options["start"],
        minimum=options["minimum"],
        loss=design.response.loss,
        offset=design.offset,
        progress=shows_progress(),
    )
    names = np.array(design.schema.design_names, dtype=object)
    # The report shows how well other losses fit, which takes the data.
    problem = None if is_squared(path.loss) else path.problem
    scale = None
    if options["standardize"] and path.problem is not None:
        scale = path.problem.scales
    return replace(path, feature_names=names, problem=problem), scale


def _write_report(file: FilePath, title: str, scale: Floats | None, paths: list[Named]) -> None:
    # Here, because most who ask for paths want no report.
    from ..report import render

    shown: Any = [path for _, path in paths]
    if any(name for name, _ in paths):
        shown = {f"{name}: {describe(path.penalty)}": path for name, path in paths}
    page = render(shown, title=title, reproduce=command_line(), scale=scale)
    write_text(file, page)


def _show(path: Path) -> None:
    end = "" if path.ended == "complete" else f", ended by {path.ended}"
    violation = f"largest violation {path.kkt.max():.2g}"
    say(f"{describe(path.penalty)}: {len(path)} alphas{end}, {violation}")
    explained = "R2" if is_squared(path.loss) else "D2"
    say(f"  {'alpha':>12}  {'features':>8}  {explained:>7}  {'violation':>9}  start")
    for k in np.unique(np.linspace(0, len(path) - 1, _LINES).round().astype(int)):
        r2 = round(path.r2[k], 4) + 0.0  # no -0.0000
        say(
            f"  {path.alphas[k]:>12.6g}  {path.support_size[k]:>8}  {r2:>7.4f}  "
            f"{path.kkt[k]:>9.2g}  {path.start[k]}"
        )


def _table(paths: list[Named]) -> str:
    """Return the non-zero coefficients as CSV, one line each, the intercept first."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    several = len({name for name, _ in paths}) > 1
    rows.writerow([*["class"] * several, "penalty", "alpha", "feature", "coefficient"])
    for name, path in paths:
        names: Any = path.feature_names
        for point in path.points:
            of_class = [spreadsheet_text(name)] * several
            head = [*of_class, describe(path.penalty), repr(point.alpha)]
            rows.writerow([*head, "(intercept)", repr(point.intercept)])
            for j, value in zip(point.columns, point.values.tolist(), strict=True):
                rows.writerow([*head, spreadsheet_text(str(names[j])), repr(value)])
    return text.getvalue()
