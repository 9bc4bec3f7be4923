"""The directive ``benchmark-results``: tables and plots of the newest benchmark run, if any.

Looked for in ``benchmarks/results`` (a run on this machine) and then in ``docs/benchmark_results``
(a run that was kept). Without either the page says how to make one.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

DOCS = Path(__file__).parents[1]
PLACES = (DOCS.parent / "benchmarks" / "results", DOCS / "benchmark_results")
COPIES = DOCS / "_generated"
_NONE = "No results are at hand in this build; `make bench-quick` makes some in a few minutes."


def newest_run() -> Path | None:
    """Return the newest table of a run (not of the study of starts) in the first place with one."""
    for place in PLACES:
        runs = [file for file in place.glob("*.md") if not file.name.startswith("starts")]
        tables = sorted(runs, key=lambda file: file.stat().st_mtime)
        if tables:
            return tables[-1]
    return None


class BenchmarkResults(SphinxDirective):
    """Insert the newest run."""

    def run(self) -> list[nodes.Node]:
        """Return the tables as they were written, with headings made bold, and the plots."""
        table = newest_run()
        if table is None:
            lines = [_NONE]
        else:
            lines = [_without_headings(line) for line in table.read_text("utf-8").splitlines()]
            lines += self._plots(table)
        box = nodes.container()
        self.state.nested_parse(StringList(lines, source="benchmarks"), self.content_offset, box)
        return box.children

    def _plots(self, table: Path) -> list[str]:
        COPIES.mkdir(exist_ok=True)
        lines = []
        for plot in sorted(table.parent.glob(f"{table.stem}*.png")):
            shutil.copy(plot, COPIES / plot.name)
            lines += ["", f"![Times of all solvers](/_generated/{plot.name})"]
        return lines


def _without_headings(line: str) -> str:
    return f"**{line.lstrip('# ')}**" if line.startswith("#") else line


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("benchmark-results", BenchmarkResults)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
