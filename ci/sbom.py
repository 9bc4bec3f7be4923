"""A software bill of materials of what a user installs: run-time dependencies only.

``python -m ci.sbom VENV FILE`` makes a clean environment with the versions of VENV, lets
cyclonedx-py describe it, and prints the table of licences.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import requires, version
from pathlib import Path

from packaging.requirements import Requirement


def closure(names: list[str]) -> dict[str, str]:
    """Return the installed versions of the named packages and all they need."""
    found: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = version(name)
        for line in requires(name) or []:
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                waiting.append(needed.name.lower())
    return dict(sorted(found.items()))


def main() -> None:
    """Write the bill and print the licences."""
    tools, target = Path(sys.argv[1]) / "bin", Path(sys.argv[2])
    with open("pyproject.toml", "rb") as stream:
        project = tomllib.load(stream)["project"]
    names = [Requirement(line).name.lower() for line in project["dependencies"]]
    pins = [f"{name}=={number}" for name, number in closure(names).items()]
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        python = str(Path(folder) / "bin" / "python")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        subprocess.run([tools / "uv", "pip", "install", "-q", "-p", python, *pins], check=True)
        command = [tools / "cyclonedx-py", "environment", "--pyproject", "pyproject.toml"]
        command += ["--output-reproducible", "--of", "JSON", "-o", target, python]
        subprocess.run(command, check=True)
    for part in sorted(json.loads(target.read_text())["components"], key=lambda c: c["name"]):
        licences = [entry.get("expression") or _name(entry) for entry in part.get("licenses", [])]
        print(f"{part['name']:20s} {part['version']:12s} {'; '.join(licences) or 'not stated'}")


def _name(entry: dict[str, dict[str, str]]) -> str:
    return entry["license"].get("id") or entry["license"]["name"].splitlines()[0]


if __name__ == "__main__":
    main()
