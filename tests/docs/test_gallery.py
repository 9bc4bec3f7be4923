"""The examples of the gallery run, with the data that come with the dependencies."""

from __future__ import annotations

import runpy
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
