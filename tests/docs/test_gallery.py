"""The examples of the gallery run, with the data that come with the dependencies."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"


@pytest.mark.slow
@pytest.mark.parametrize("script", sorted(GALLERY.glob("plot_*.py")), ids=lambda s: s.stem)
def test_example_runs_without_any_data_folder(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib")
    matplotlib.use("agg")
    monkeypatch.delenv("SPARSIEVE_DATA", raising=False)
    runpy.run_path(str(script))
    import matplotlib.pyplot as plt

    assert plt.get_fignums()
    plt.close("all")


ABSENT = """
import runpy, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"pandas", "matplotlib", "tqdm", "polars", "click", "pyarrow"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def test_demo_needs_nothing_optional_and_leaves_a_report(tmp_path: Path) -> None:
    script = str(GALLERY.parent / "demo.py")
    done = subprocess.run(
        [sys.executable, "-c", ABSENT, script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "certificate" in done.stdout
    assert (tmp_path / "demo.report.html").stat().st_size > 10_000
