"""Build the wheel twice, from folders of different names and at different times, and compare.

``python -m ci.reproducible`` needs the tools of ci/build.in in the running environment's index; the
exit code is 1 if a byte differs, and the members that differ are named.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SOURCES = ("src", "cpp", "pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE")
# 2024-01-01, unless the caller fixes another moment.
EPOCH = os.environ.get("SOURCE_DATE_EPOCH", "1704067200")


def build(folder: Path) -> Path:
    """Copy the sources into the folder and build a wheel there."""
    source = folder / "source"
    source.mkdir(parents=True)
    for name in SOURCES:
        origin = Path(name)
        if origin.is_dir():
            skip = shutil.ignore_patterns("__pycache__")
            shutil.copytree(origin, source / name, ignore=skip, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(origin, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-cache-dir"]
    command += ["-w", str(folder), str(source)]
    subprocess.run(command, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH})
    (wheel,) = folder.glob("*.whl")
    return wheel


def contents(wheel: Path) -> dict[str, tuple[str, tuple[int, ...], int]]:
    """Return digest, date and permissions of each member."""
    with zipfile.ZipFile(wheel) as file:
        return {
            info.filename: (
                hashlib.sha256(file.read(info)).hexdigest(),
                info.date_time,
                info.external_attr,
            )
            for info in file.infolist()
        }


def main() -> None:
    """Compare two builds."""
    with tempfile.TemporaryDirectory() as folder:
        first = build(Path(folder) / "one")
        second = build(Path(folder) / "another place")
        digests = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in (first, second)]
        one, other = contents(first), contents(second)
        differ = sorted(name for name in one | other if one.get(name) != other.get(name))
    print(f"{first.name}\n{digests[0]}\n{digests[1]}")
    for name in differ:
        print(f"differs: {name}")
    if digests[0] != digests[1]:
        raise SystemExit("the two wheels are not the same")
    print("the same, byte for byte")


if __name__ == "__main__":
    main()
