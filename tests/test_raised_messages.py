"""The record that a run of all the tests ends with counts what was raised, and nothing else."""

import importlib
import sys
import textwrap
from types import SimpleNamespace

import pytest
from raised_messages import Record, judge, ran_everything

SOURCE = """
import warnings


def raised(now):
    if now:
        raise ValueError(
            f"raised with {now}; remedy"
        )
    raise TypeError("not raised; remedy") from None


def warned(now):
    if now:
        warnings.warn("warned; remedy", stacklevel=2)
    else:
        warnings.warn("not warned; remedy", UserWarning)
"""


@pytest.fixture
def record(tmp_path, monkeypatch):
    for file in ("loud/__init__.py", "loud/inner/__init__.py", "loud/inner/deep.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(textwrap.dedent(SOURCE))
    monkeypatch.syspath_prepend(tmp_path)
    record = Record("loud")
    monkeypatch.setattr(sys, "meta_path", [record, *sys.meta_path])
    yield record
    for name in ("loud", "loud.inner", "loud.inner.deep"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("module", "where"),
    [("loud", "__init__"), ("loud.inner", "inner"), ("loud.inner.deep", "inner.deep")],
)
def test_what_was_raised_is_recorded(record, module, where):
    loud = importlib.import_module(module)
    assert len(record.left_out()) == len(record.messages) == 12
    with pytest.raises(ValueError, match="raised with 1; remedy"):
        loud.raised(1)
    with pytest.warns(UserWarning, match="warned; remedy"):
        loud.warned(1)
    silent = [message.text for message in record.left_out() if message.module == where]
    assert silent == ["not raised; remedy", "not warned; remedy"]
    assert len(record.left_out()) == 10


def run_of(chosen, status=pytest.ExitCode.OK, **changes):
    """Stand for a session that ran these tests."""
    sources = pytest.Config.ArgsSource
    options = {"keyword": "", "markexpr": "not slow", "collectonly": False, "deselect": None}
    options |= {"ignore": None, "ignore_glob": None, "unraised": False} | changes
    config = SimpleNamespace(
        option=SimpleNamespace(**options),
        ArgsSource=sources,
        args_source=sources.ARGS if chosen else sources.TESTPATHS,
    )
    return SimpleNamespace(config=config, exitstatus=status)


def test_only_a_run_of_all_the_tests_is_judged(record, capsys):
    whole, part, listed = run_of(False), run_of(True), run_of(True, unraised=True)
    assert ran_everything(whole.config)
    assert not ran_everything(run_of(False, keyword="path").config)
    failed = run_of(False, status=pytest.ExitCode.TESTS_FAILED)
    for session in (part, failed):
        judge(record, session)
    assert capsys.readouterr().out == ""
    judge(record, listed)
    assert listed.exitstatus == pytest.ExitCode.OK
    judge(record, whole)
    assert whole.exitstatus == pytest.ExitCode.TESTS_FAILED
    assert "0 of 12 messages were raised" in capsys.readouterr().out


def test_a_run_that_raised_everything_passes(record, capsys):
    record.raised = {(message.module, message.line) for message in record.messages}
    session = run_of(False)
    judge(record, session)
    assert session.exitstatus == pytest.ExitCode.OK
    assert "12 of 12 messages were raised" in capsys.readouterr().out
