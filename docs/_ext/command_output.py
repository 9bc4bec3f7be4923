"""The directive ``command``: run the real command line while the pages are built.

All commands of a build share one folder, which starts out with data of scikit-learn:
``diabetes.csv`` and ``new.csv``, ``tumours.csv`` and ``new-tumours.csv``. A command that fails
breaks the build unless the option ``fails`` says that it should.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from sklearn.datasets import load_breast_cancer, load_diabetes
from sphinx.util.docutils import SphinxDirective

_SESSION = tempfile.TemporaryDirectory(prefix="session")


def session() -> Path:
    """Return the folder of the commands, with its tables."""
    folder = Path(_SESSION.name)
    if not (folder / "diabetes.csv").exists():
        data = load_diabetes(scaled=False)
        table = np.column_stack([data.data, data.target])
        head = ",".join([*data.feature_names, "progression"])
        for name, rows in (("diabetes.csv", table[:400]), ("new.csv", table[400:])):
            np.savetxt(folder / name, rows, fmt="%g", delimiter=",", header=head, comments="")
        _write_tumours(folder)
    return folder


def _write_tumours(folder: Path) -> None:
    """Write the tumours of scikit-learn with their diagnosis in words."""
    data = load_breast_cancer()
    rows = [
        ",".join([*(f"{value:g}" for value in row), str(data.target_names[label])])
        for row, label in zip(data.data, data.target, strict=True)
    ]
    head = ",".join([*data.feature_names, "diagnosis"])
    for name, part in (("tumours.csv", rows[:450]), ("new-tumours.csv", rows[450:])):
        (folder / name).write_text("\n".join([head, *part, ""]), encoding="utf-8")


def run(command: str) -> subprocess.CompletedProcess[str]:
    """Run ``sparsieve ...`` in the folder of the session, as a user would."""
    words = shlex.split(command)
    if words[0] != "sparsieve":
        raise ValueError(f"only sparsieve is run, not {words[0]!r}; write a console block instead.")
    return subprocess.run(
        [sys.executable, "-m", "sparsieve", *words[1:]],
        cwd=session(),
        env={**os.environ, "COLUMNS": "90", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


class Command(SphinxDirective):
    """Show a command and what it printed."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"fails": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Run the command and return a console block."""
        done = run(self.arguments[0])
        if (done.returncode != 0) != ("fails" in self.options):
            raise self.error(f"{self.arguments[0]} ended with {done.returncode}: {done.stdout}")
        text = f"$ {self.arguments[0]}\n{done.stdout}".rstrip()
        block = nodes.literal_block(text, text)
        block["language"] = "console"
        return [block]


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command", Command)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
