"""Only the command line talks of its options: other rooms name arguments, which it translates."""

import ast
import re
from pathlib import Path

import pytest

import sparsieve
from sparsieve.cli.app import app
from sparsieve.cli.console import ARGUMENTS, as_options

PACKAGE = Path(sparsieve.__file__).parent
ROOMS = [file for file in sorted(PACKAGE.rglob("*.py")) if "cli" not in file.parts]


def strings(file):
    """Yield line and text of every string of a file; of f-strings the parts between fields."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def test_no_room_below_the_command_line_names_an_option():
    assert len(ROOMS) > 50
    found = [
        f"{file.relative_to(PACKAGE)}:{line}: {text}"
        for file in ROOMS
        for line, text in strings(file)
        if re.search(r"--[A-Za-z]|command line", text)
    ]
    assert found == []


def test_every_argument_that_messages_name_is_an_option():
    named = {
        name
        for file in ROOMS
        for _, text in strings(file)
        for name in re.findall(r"(?<!`)`(\w+)=", text)
    }
    assert named == ARGUMENTS
    options = {
        option
        for command in app.commands.values()
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    for name in ARGUMENTS:
        assert {as_options(f"`{name}=...`"), as_options(f"`{name}=False`")} & options, name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("add `format=...` with one of csv.", "add --format with one of csv."),
        ("add `encoding='latin-1'`.", "add --encoding latin-1."),
        ("`one_hot=True` encodes", "--one-hot encodes"),
        ("add names, or `header=False`", "add names, or --no-header"),
        ("use `drop=['price in euro']` or `missing=('?',)`", "use --drop 'price in euro' or "
         "--missing '?'"),
        ("`drop=['a', 'b']`", "--drop a --drop b"),
        ("the column `city='Rome'` and `drop=['a`b']`",) * 2,
        ("see `sparsieve fit --help`.",) * 2,
    ],
)  # fmt: skip
def test_arguments_are_written_as_options(text, said):
    assert as_options(text) == said
