"""When the size budgets of the C++ code object."""

import pytest
from ci.budgets import EXCEPTIONS, PROJECT, check


def body(lines):
    """Return a body of so many lines, with its braces."""
    return "{" + "\n" * (lines - 1) + "}"


def findings(tmp_path, code, exceptions=None, name="a.cpp"):
    (tmp_path / "cpp" / "deep").mkdir(parents=True)
    (tmp_path / "cpp" / "deep" / name).write_text(code)
    return check(tmp_path, exceptions or {})


@pytest.mark.parametrize("suffix", ["hpp", "cpp", "inl"])
def test_a_long_function_is_found_where_it_begins(tmp_path, suffix):
    code = f"\nvoid f() {body(60)}\nvoid g() {body(61)}\n"
    found = findings(tmp_path, code, name=f"a.{suffix}")
    assert found == [f"cpp/deep/a.{suffix}:62: function g, 61 lines, budget 60"]


def test_a_long_lambda_is_found_beside_its_function(tmp_path):
    assert findings(tmp_path, f"void f() {{\ng([&] {body(61)});\n}}\n") == [
        "cpp/deep/a.cpp:1: function f, 63 lines, budget 60",
        "cpp/deep/a.cpp:2: function f::lambda, 61 lines, budget 60",
    ]


def test_a_large_class_is_found(tmp_path):
    small, large = ("int " + ", ".join(f"a{k}" for k in range(count)) for count in (15, 16))
    code = f"struct A {{ {small}; }};\nstruct B {{ {small};\nstruct C {{ {large}; }}; }};\n"
    assert findings(tmp_path, code) == ["cpp/deep/a.cpp:3: class B::C, 16 data members, budget 15"]


@pytest.mark.parametrize("lines", ["\n" * 501, "\n" * 500 + "//"])
def test_a_long_file_is_found(tmp_path, lines):
    assert findings(tmp_path, lines) == ["cpp/deep/a.cpp:1: file, 501 lines, budget 500"]


@pytest.mark.parametrize("lines", ["\n" * 500, "\n" * 499 + "//"])
def test_a_file_of_500_lines_is_not(tmp_path, lines):
    assert findings(tmp_path, lines) == []


@pytest.mark.parametrize("code", ["\nvoid f() {", "\n}", "\nvoid f(];"])
def test_brackets_that_do_not_match_are_found(tmp_path, code):
    (found,) = findings(tmp_path, code)
    assert found.startswith("cpp/deep/a.cpp:2: bracket ")


def test_an_exception_allows_so_much_and_no_more(tmp_path):
    exceptions = {"cpp/deep/a.cpp: A::f": (70, "a reason"), "cpp/deep/a.cpp": (600, "a reason")}
    long_file = "\n" * 520
    assert findings(tmp_path / "70", f"void A::f() {body(70)}{long_file}", exceptions) == []
    (found,) = findings(tmp_path / "71", f"void A::f() {body(71)}{long_file}", exceptions)
    assert found.endswith(": function A::f, 71 lines, budget 60 (70 by exception)")


def test_an_exception_that_nothing_needs_is_found(tmp_path):
    exceptions = {
        "cpp/deep/a.cpp: A::f": (70, "shorter by now"),
        "cpp/deep/a.cpp": (600, "shorter by now"),
        "cpp/gone.cpp: g": (70, "gone"),
    }
    assert findings(tmp_path, f"void A::f() {body(60)}", exceptions) == [
        "cpp/deep/a.cpp:1: exception for the file, not needed, take it out",
        "cpp/deep/a.cpp:1: exception for A::f, not needed, take it out",
        "cpp/gone.cpp:1: exception for g, not needed, take it out",
    ]


def test_the_code_keeps_its_budgets():
    assert check(PROJECT, EXCEPTIONS) == []
