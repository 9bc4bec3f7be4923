"""``python -m benchmarks.paper.publish DIR``: put report and figures of a run into the docs.

Every number of docs/paper.md about the experiments comes from there.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from .report import CAPTIONS

PUBLISHED = Path(__file__).parents[2] / "docs" / "figures" / "paper"


def publish(run: Path, docs: Path = PUBLISHED) -> list[str]:
    """Copy report.md and the PNG figures; drop figures of earlier runs. Return what was copied."""
    names = ["report.md", *(f"{name}.png" for name in CAPTIONS if (run / f"{name}.png").exists())]
    for old in docs.glob("*.png"):
        old.unlink()
    docs.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copyfile(run / name, docs / name)
    return names


if __name__ == "__main__":
    print(*publish(Path(sys.argv[1])), sep="\n")
