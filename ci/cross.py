"""Build the C++ core for other machines, and run its tests where an emulator can.

``python -m ci.cross`` does all targets, ``python -m ci.cross arm windows`` some of them. A target
whose compiler is missing is left out with a message that says what to install, and the exit code
is 1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "cross"


@dataclass(frozen=True)
class Target:
    """A machine: how CMake calls it, what compiles for it, and what runs its programs here."""

    name: str
    what: str
    compiler: tuple[str, ...]
    settings: tuple[str, ...]
    emulator: tuple[str, ...] = ()
    remedy: str = ""


def _linux(name: str, processor: str, what: str) -> Target:
    return Target(
        name,
        what,
        (f"{processor}-linux-gnu-g++",),
        (
            "-DCMAKE_SYSTEM_NAME=Linux",
            f"-DCMAKE_SYSTEM_PROCESSOR={processor}",
            "-DCMAKE_EXE_LINKER_FLAGS=-static",
        ),
        (f"qemu-{processor}",),
        f"apt-get install g++-{processor}-linux-gnu qemu-user",
    )


_ZIG = "pip install ziglang"
TARGETS = (
    _linux("arm", "aarch64", "Linux on ARM, 64 bit"),
    _linux("big-endian", "s390x", "Linux on IBM Z, whose numbers have their largest byte first"),
    Target(
        "windows",
        "Windows, x86-64",
        ("x86_64-w64-mingw32-g++-posix",),
        (
            "-DCMAKE_SYSTEM_NAME=Windows",
            "-DCMAKE_SYSTEM_PROCESSOR=AMD64",
            "-DCMAKE_EXE_LINKER_FLAGS=-static",
        ),
        (),
        "apt-get install g++-mingw-w64-x86-64",
    ),
    Target(
        "macos-arm",
        "macOS on Apple silicon",
        (sys.executable, "-m", "ziglang", "c++", "-target", "aarch64-macos.13.3"),
        ("-DCMAKE_SYSTEM_NAME=Darwin", "-DCMAKE_SYSTEM_PROCESSOR=arm64"),
        (),
        _ZIG,
    ),
    Target(
        "macos-intel",
        "macOS on Intel",
        (sys.executable, "-m", "ziglang", "c++", "-target", "x86_64-macos.13.3"),
        ("-DCMAKE_SYSTEM_NAME=Darwin", "-DCMAKE_SYSTEM_PROCESSOR=x86_64"),
        (),
        _ZIG,
    ),
)


def missing(target: Target) -> str:
    """Return what a target lacks here, in words; nothing if it can be built."""
    program = target.compiler[0]
    if "ziglang" in target.compiler:
        command = [program, "-c", "import ziglang"]
        found = subprocess.run(command, capture_output=True, check=False).returncode == 0
        program = "ziglang"
    else:
        found = shutil.which(program) is not None
    if found and not all(map(shutil.which, target.emulator)):
        program, found = target.emulator[0], False
    return "" if found else f"{program} is missing: {target.remedy}"


def build(target: Target) -> None:
    """Compile core and tests, link them, and run them if there is an emulator."""
    folder = BUILD / target.name
    folder.mkdir(parents=True, exist_ok=True)
    compiler = shutil.which(target.compiler[0]) or target.compiler[0]
    if len(target.compiler) > 1:  # CMake wants one program
        compiler = str(_script(folder, target.compiler))
    settings = [*target.settings, f"-DCMAKE_CXX_COMPILER={compiler}"]
    if target.name.startswith("macos"):
        # Zig has the system's libraries for the linker itself, and CMake asks for Apple's tools.
        settings += ["-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY", "-DCMAKE_OSX_SYSROOT="]
        settings += [f"-DCMAKE_INSTALL_NAME_TOOL={shutil.which('true')}"]
    launcher = shutil.which("ccache")
    if launcher:
        settings.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}")
    options = ["-G", "Ninja", "-DSPARSIEVE_TESTS=ON", "-DSPARSIEVE_PCH=OFF", *settings]
    _run("cmake", "--log-level=NOTICE", "-S", str(ROOT), "-B", str(folder), *options)
    _run("cmake", "--build", str(folder), "--parallel", os.environ.get("CROSS_JOBS", "1"))
    if target.emulator:
        _run(*target.emulator, str(folder / "sparsieve_tests"))


def _script(folder: Path, command: tuple[str, ...]) -> Path:
    """Write a program that is called with one name and calls the command."""
    file = folder / "compiler"
    file.write_text(f'#!/bin/sh\nexec {" ".join(command)} "$@"\n', encoding="utf-8")
    file.chmod(0o755)
    return file


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


def main(names: list[str]) -> int:
    """Build the named targets, or all; return 1 if one is missing or fails."""
    known = {target.name: target for target in TARGETS}
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"there is no target {unknown[0]!r}; choose from {', '.join(known)}")
        return 2
    results = {}
    for name in names or known:
        target = known[name]
        results[name] = missing(target)
        if results[name]:
            continue
        print(f"{target.what}:", flush=True)
        try:
            build(target)
        except subprocess.CalledProcessError as error:
            results[name] = f"failed: {Path(error.cmd[0]).name} ended with {error.returncode}"
        else:
            results[name] = "built, tests run" if target.emulator else "built, not run"
    for name, result in results.items():
        print(f"{name:12} {result}")
    return int(not all(result.startswith("built") for result in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
