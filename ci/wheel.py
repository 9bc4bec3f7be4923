"""Do on this machine, without a container, what cibuildwheel does in its own.

``python -m ci.wheel FOLDER`` has cibuildwheel check its settings and name the wheels it would
build, builds one with the same front end and variables, lets auditwheel give it its manylinux tag,
installs that in a fresh environment with nothing but ``test-requires``, and runs ``test-command``.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1].resolve()
TOOLS = Path(sys.executable).parent


def call(*command: str | Path, **options: Any) -> None:
    """Print a command and run it; an error ends the program."""
    print("$", shlex.join(str(word) for word in command), flush=True)
    subprocess.run(command, check=True, **options)


def built(target: Path, variables: dict[str, str]) -> Path:
    """Build a wheel and return it with the tag that auditwheel finds it fit for."""
    raw, ready = target / "built", target / "repaired"
    for folder in (raw, ready):
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.whl"):
            old.unlink()
    environment = os.environ | variables
    call(sys.executable, "-m", "build", "--wheel", "-o", raw, PROJECT, env=environment)
    (wheel,) = raw.glob("*.whl")
    if not sys.platform.startswith("linux"):
        return wheel
    # auditwheel calls patchelf by name.
    path = os.pathsep.join([str(TOOLS), os.environ["PATH"]])
    auditwheel = [sys.executable, "-m", "auditwheel"]
    call(*auditwheel, "show", wheel, env=os.environ | {"PATH": path})
    call(*auditwheel, "repair", "-w", ready, wheel, env=os.environ | {"PATH": path})
    (repaired,) = ready.glob("*.whl")
    return repaired


def tested(wheel: Path, settings: dict[str, Any]) -> None:
    """Run the tests of the settings on the installed wheel, from an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        programs = Path(folder) / "venv" / "bin"
        call(sys.executable, "-m", "venv", programs.parent)
        quiet = ["install", "-q", "--disable-pip-version-check"]
        call(programs / "python", "-m", "pip", *quiet, wheel, *settings["test-requires"])
        empty = Path(folder) / "empty"
        empty.mkdir()
        command = settings["test-command"].format(project=shlex.quote(str(PROJECT)))
        path = os.pathsep.join([str(programs), os.environ["PATH"]])
        call("sh", "-c", command, cwd=empty, env=os.environ | {"PATH": path})


def main() -> None:
    """Check, build, repair, test."""
    target = Path(sys.argv[1])
    with open(PROJECT / "pyproject.toml", "rb") as stream:
        settings = tomllib.load(stream)["tool"]["cibuildwheel"]
    for platform in ("linux", "macos"):
        command = ["-m", "cibuildwheel", "--print-build-identifiers", "--platform", platform]
        call(sys.executable, *command, PROJECT)
    wheel = built(target, settings["environment"])
    tested(wheel, settings)
    print(f"{wheel.name}: built, repaired and tested")


if __name__ == "__main__":
    main()
