"""Builds for other machines say what they lack; the builds themselves are `make cross`."""

import pytest
from ci import cross


def test_a_missing_compiler_or_emulator_is_named_with_its_remedy(monkeypatch, capsys):
    monkeypatch.setattr(cross.shutil, "which", lambda name: None)
    assert cross.main(["arm", "windows"]) == 1
    told = capsys.readouterr().out
    assert "aarch64-linux-gnu-g++ is missing: apt-get install g++-aarch64-linux-gnu" in told
    assert "x86_64-w64-mingw32-g++-posix is missing: apt-get install" in told
    monkeypatch.setattr(cross.shutil, "which", lambda name: None if "qemu" in name else name)
    assert cross.main(["big-endian"]) == 1
    assert "qemu-s390x is missing" in capsys.readouterr().out


def test_a_build_that_fails_is_told_and_others_go_on(monkeypatch, capsys):
    def build(target):
        if target.name == "arm":
            raise cross.subprocess.CalledProcessError(3, ["/usr/bin/cmake", "--build"])

    monkeypatch.setattr(cross, "missing", lambda target: "")
    monkeypatch.setattr(cross, "build", build)
    assert cross.main(["arm", "windows"]) == 1
    told = capsys.readouterr().out
    assert "failed: cmake ended with 3" in told
    assert "windows      built, not run" in told
    assert cross.main(["big-endian"]) == 0
    assert "built, tests run" in capsys.readouterr().out


def test_unknown_names_are_refused(capsys):
    assert cross.main(["amiga"]) == 2
    assert "choose from arm, big-endian, windows" in capsys.readouterr().out


@pytest.mark.parametrize("target", cross.TARGETS, ids=lambda target: target.name)
def test_every_target_says_what_to_install(target):
    assert target.remedy.startswith(("apt-get install", "pip install"))
    assert any("CMAKE_SYSTEM_PROCESSOR" in setting for setting in target.settings)
