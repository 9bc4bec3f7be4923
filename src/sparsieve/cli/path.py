"""``sparsieve path``."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from .. import Path, sparse_path
from .._words import describe
from ..data.types import Floats
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
    names = np.array(design.schema.design_names, dtype=object)
    scale = None
    paths = []
    for penalty in options["penalty"]:
        with step(f"path of {describe(penalty)}"):
            path = sparse_path(
                design.X,
                design.y,
                penalty,
                alphas=options["alphas"],
                **limits(options),
                fit_intercept=not options["no_intercept"],
                **terms(options, design.schema),
                tol=options["tol"],
                max_iter=options["max_iter"],
                start=options["start"],
                minimum=options["minimum"],
                progress=shows_progress(),
            )
        if options["standardize"] and path.problem is not None:
            scale = path.problem.scales
        paths.append(replace(path, feature_names=names, problem=None))
    title = f"{design.schema.target} ({FilePath(table).name})"
    written = write_all(
        {
            "coefficients": (options["output"], lambda file: write_text(file, _table(paths))),
            "report": (options["report"], lambda file: _write_report(file, title, scale, paths)),
        }
    )
    for path in paths:
        _show(path)
    written.tell()
    return Exit.OK if all(path.converged.all() for path in paths) else Exit.NOT_CONVERGED


def _write_report(file: FilePath, title: str, scale: Floats | None, paths: list[Path]) -> None:
    # Here, because most who ask for paths want no report.
    from ..report import render

    page = render(paths, title=title, reproduce=command_line(), scale=scale)
    write_text(file, page)


def _show(path: Path) -> None:
    end = "" if path.ended == "complete" else f", ended by {path.ended}"
    violation = f"largest violation {path.kkt.max():.2g}"
    say(f"{describe(path.penalty)}: {len(path)} alphas{end}, {violation}")
    say(f"  {'alpha':>12}  {'features':>8}  {'R2':>7}  {'violation':>9}  start")
    for k in np.unique(np.linspace(0, len(path) - 1, _LINES).round().astype(int)):
        r2 = round(path.r2[k], 4) + 0.0  # no -0.0000
        say(
            f"  {path.alphas[k]:>12.6g}  {path.support_size[k]:>8}  {r2:>7.4f}  "
            f"{path.kkt[k]:>9.2g}  {path.start[k]}"
        )


def _table(paths: list[Path]) -> str:
    """Return the non-zero coefficients as CSV, one line each, the intercept first."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["penalty", "alpha", "feature", "coefficient"])
    for path in paths:
        names: Any = path.feature_names
        for point in path.points:
            head = [describe(path.penalty), repr(point.alpha)]
            rows.writerow([*head, "(intercept)", repr(point.intercept)])
            for j, value in zip(point.columns, point.values.tolist(), strict=True):
                rows.writerow([*head, spreadsheet_text(str(names[j])), repr(value)])
    return text.getvalue()
