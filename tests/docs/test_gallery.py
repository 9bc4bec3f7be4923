"""The examples of the gallery run, with the data that come with the dependencies."""

from __future__ import annotations

import runpy
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


def test_demo_needs_nothing_optional_and_leaves_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("pandas", "matplotlib", "tqdm", "polars"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it raises ImportError
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(GALLERY.parent / "demo.py"), run_name="__main__")
    assert "certificate" in capsys.readouterr().out
    assert (tmp_path / "demo.report.html").stat().st_size > 10_000
