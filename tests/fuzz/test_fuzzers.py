"""The fuzzers themselves: they run, they find what is planted, and a reproducer stands alone."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import sparsieve as sv
from sparsieve.inspect import certificate

from . import __main__ as command
from . import (
    api,
    calls,
    certificates,
    extremes,
    global_minima,
    losses,
    options,
    parser_checks,
    parsers,
    paths,
    pwl,
    reproducers,
    strengths,
    tall,
    worker,
)


def few_or_many(few, many):
    """Run a test on the first few seeds, and as a slow one on many."""
    return pytest.mark.parametrize("seeds", [few, pytest.param(many, marks=pytest.mark.slow)])


@few_or_many(400, 2000)
@pytest.mark.parametrize("target", parsers.TARGETS)
def test_the_first_inputs_of_every_parser_are_answered(target, seeds):
    # A book takes fifty times as long.
    for seed in range(seeds // 10 if target == "excel" else seeds):
        assert parser_checks.complaints_of(target, parsers.make(target, seed)) == [], seed


@pytest.mark.parametrize("target", parsers.TARGETS)
def test_what_parsers_begin_with_is_accepted_or_refused_in_words(target):
    for data in parsers.corpus(target):
        assert parser_checks.complaints_of(target, parsers.wrap(target, data)) == []


@pytest.mark.parametrize("seed", [0, 1, 2, 3, pytest.param(5019, marks=pytest.mark.slow)])
def test_large_supports_are_certified_as_they_are(seed):
    # 5019: a direction from a singular factor was not finite, and a user's penalty asked about it.
    assert paths.check(seed, large=True)[0] == []


@few_or_many(15, 60)
@pytest.mark.parametrize(
    "module", [pwl, paths, extremes, strengths, global_minima, certificates, options, losses, tall]
)
def test_the_first_problems_of_every_solver_fuzzer_are_solved(module, seeds):
    for seed in range(seeds):
        assert module.complaints_of(seed) == [], seed


def test_a_row_of_a_tiny_weight_may_be_all_there_is_to_explain():
    """Found once: weights over 200 orders, where norms say nothing of single products."""
    assert certificates.complaints_of(6507) == []


def test_bounds_of_extended_precision_are_as_tight_as_they_are_derived():
    """Found once: twice the roundings that there are, and a long residual raised an alarm."""
    assert certificates.complaints_of(192675) == []


def test_a_kink_beside_a_coefficient_is_seen_however_close():
    """The kink of a user's capped l1 lay within a millionth of the coefficient."""
    assert certificates.complaints_of(205596) == []


def test_what_rounding_takes_when_a_response_is_moved_is_not_lost():
    """Found once: 2.1 + 0.1 is rounded, and where nothing else is left that is all of kkt."""
    assert certificates.complaints_of(28621) == []


def test_a_free_column_that_hardly_varies_is_no_excuse():
    """Found once: a lasso's gap says little of unpenalised features with next to no curvature."""
    assert strengths.check(127796, Counter()) == []


def test_a_third_of_the_small_problems_has_a_global_minimum_to_refute():
    seen = Counter()
    for seed in range(60, 100):
        assert global_minima.check(seed, seen) == [], seed
    assert seen["claimed"] >= 14


def test_a_false_claim_of_a_global_minimum_is_found(monkeypatch):
    claimed = next(
        s for s in range(20) if global_minima.check(s, seen := Counter()) or seen["claimed"]
    )
    bound = certificate.global_lower_bound
    monkeypatch.setattr(
        certificate, "global_lower_bound", lambda *args: bound(*args) * (1.0 + 1e-6)
    )
    assert global_minima.complaints_of(claimed)


def found_by_the_judge(problem, model, **words):
    """Return the kinds of failure that a certificate with other words has."""
    model.certificate_ = replace(model.certificate_, **words)
    return [kind for kind, _ in certificates.words_about(problem, model, 0)]


def test_false_words_of_a_certificate_are_found():
    # Capped l1 with its kink at the coefficient 1, where 0.95 is better.
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    options = {"fit_intercept": False, "positive": False, "tol": 1e-6, "minimum": "stationary"}
    problem = certificates.Drawn(X, y, None, sv.CappedL1(1.0), 0.1, options)
    model = sv.SparseRegressor(problem.penalty, problem.alpha, **options).fit(X, y)
    right = model.certificate_
    assert found_by_the_judge(problem, model) == []
    assert found_by_the_judge(problem, model, kkt=1e-3) == ["wrong", "alarm"]  # beyond tol, too
    model.coef_ = np.array([1.0])
    assert found_by_the_judge(problem, model, kkt=1e-7, strict_minimum=True, objective=0.1) == [
        "refuted"
    ]
    model.coef_ = np.array([0.8])
    words = {"kkt": 1e-7, "strict_minimum": False, "objective": right.objective}
    assert found_by_the_judge(problem, model, **words) == ["wrong", "wrong"]  # kkt and objective


def test_a_lower_bound_that_is_none_is_found():
    problem = next(
        p for p in map(certificates.draw, range(50)) if isinstance(p.penalty, sv.L1) and p.alpha < 1
    )
    model = sv.SparseRegressor(problem.penalty, problem.alpha, **problem.options)
    model.fit(problem.X, problem.y, sample_weight=problem.weight)
    higher = model.certificate_.objective * (1.0 + 1e-12)
    assert found_by_the_judge(problem, model) == []
    assert found_by_the_judge(problem, model, lower_bound=higher) == ["wrong"]


def test_a_judge_that_is_told_of_another_ridge_complains(monkeypatch):
    """Else the fuzzer of options would not see whether these reach the problem."""
    monkeypatch.setattr(options, "JUDGED", tuple(n for n in options.JUDGED if n != "ridge"))
    assert any(options.complaints_of(seed) for seed in range(20))


def test_calls_of_the_public_functions_end_well():
    done, failures = calls.search(0, 300, np.inf)
    assert done >= 300
    assert failures == []


def test_a_call_that_fails_by_accident_is_a_complaint():
    call = {
        "function": "sparse_path",
        "X": ("dense", "float64", "F", [[1.0], [2.0]]),
        "y": [1.0, 2.0],
        "sample_weight": None,
        "options": {"no_such_option": 1},
    }
    assert "by accident" in api.complaints_of(call)[0]


def test_inputs_depend_on_the_seed_alone():
    for target in parsers.TARGETS:
        first = [parsers.make(target, seed) for seed in range(20)]
        assert first == [parsers.make(target, seed) for seed in range(20)]
        assert len(set(first)) > 15


def test_a_run_of_so_many_inputs_shares_them_among_the_parsers(tmp_path):
    """As ``python -m tests.fuzz parsers --inputs N`` does, without a limit on its time."""
    run = [sys.executable, "-m", "tests.fuzz", "csc", "svmlight", "csc", "--inputs", "301"]
    run += ["--first", "77", "--folder", str(tmp_path)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "302 inputs (302 of them parsed), 0 failures" in done.stdout
    assert done.stdout.count("next --first 228") == 2
    assert command.named(["parsers", "csv"]) == list(parsers.TARGETS)


@pytest.mark.parametrize(
    ("target", "case"),
    [
        ("paths", 3),
        ("csv", b"\0a,b\n1,2\n"),
        *(
            pytest.param(target, 3, marks=pytest.mark.slow)
            for target in (
                *("pwl", "extremes", "strengths", "global_minima"),
                *("certificates", "options"),
            )
        ),
        pytest.param("csc", b"", marks=pytest.mark.slow),
    ],
)
def test_a_reproducer_runs_by_itself(tmp_path, target, case):
    file = reproducers.write(tmp_path, target, case, ["a complaint\nof two lines"])
    run = [sys.executable, file.name]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "of two lines" in file.read_text()


def test_failures_crashes_and_hangs_are_told_apart(tmp_path):
    folder = tmp_path / "found"
    state = worker.State(tmp_path / "state", "w+")
    worker.run_seeds("csv", 5, 3, np.inf, state, folder)
    assert list(state.cells[:3]) == [3, 0, 7]
    for code, words in [("raise SystemExit(3)", "exit code 3"), ("os.kill(os.getpid(), 9)", "SIG")]:
        process = subprocess.Popen([sys.executable, "-c", f"import os; {code}"])
        assert words in command.watch(process, state)
    command.report_death("csv", 5, "killed by SIGSEGV", folder)
    assert "killed by SIGSEGV" in (folder / "csv-0000.py").read_text()


def test_a_planted_fault_is_found_and_written_down(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(parser_checks.CHECKS, "csv", lambda data: ["planted"] if data else [])
    state = worker.State(tmp_path / "state", "w+")
    worker.run_seeds("csv", 0, 100, np.inf, state, tmp_path)
    assert state.cells[1] == worker.ENOUGH
    assert len(list(tmp_path.glob("csv-*.py"))) == worker.ENOUGH
    assert "planted" in capsys.readouterr().out
