"""Which errors and warnings of the table does a run of the tests raise?

The library is imported through a loader that puts a mark before each ``raise`` and ``warn`` that
has a message, which costs nothing. A run of all the tests fails if it leaves out a message of the
table; ``pytest --unraised tests/cli`` lists what a part of the tests leaves out. What happens in a
process that a test starts is not seen.
"""

import ast
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "_ext"))
from message_scan import scan


class Marker(ast.NodeTransformer):
    """Puts ``__raised__(line)`` before the statement that holds each of the lines."""

    def __init__(self, lines):
        self.lines = lines

    def visit_statement(self, node):
        held = [line for line in self.lines if node.lineno <= line <= node.end_lineno]
        if not held:
            return node
        call = ast.Call(ast.Name("__raised__", ast.Load()), [ast.Constant(held[0])], [])
        return [ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node)), node]

    visit_Raise = visit_Expr = visit_Return = visit_statement  # noqa: N815  # the names ast calls


class Loader(SourceFileLoader):
    """Compiles with the marks, and always: compiled files have none."""

    def __init__(self, fullname, path, record):
        super().__init__(fullname, path)
        self.record = record
        inside = fullname.partition(".")[2]
        is_package = Path(path).name == "__init__.py"
        self.where = inside or "__init__" if is_package else inside

    def get_code(self, fullname):
        tree = ast.parse(Path(self.path).read_text(encoding="utf-8"))
        marked = Marker(self.record.lines(self.where)).visit(tree)
        return compile(marked, self.path, "exec", dont_inherit=True)

    def exec_module(self, module):
        module.__raised__ = lambda line: self.record.raised.add((self.where, line))
        super().exec_module(module)


class Record:
    """Finds the modules of one package, and keeps which of its messages were raised."""

    def __init__(self, name):
        self.name = name
        self.package = Path(PathFinder.find_spec(name).origin).parent
        self.messages = scan(self.package)
        self.raised = set()

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] != self.name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = Loader(fullname, spec.origin, self)
        return spec

    def lines(self, module):
        return [message.line for message in self.messages if message.module == module]

    def left_out(self):
        """Return the messages that were not raised."""
        return [m for m in self.messages if (m.module, m.line) not in self.raised]


def ran_everything(config):
    """Tell whether no test was chosen or left out, but for the slow ones."""
    option = config.option
    chosen = option.keyword or option.markexpr not in ("", "not slow") or option.collectonly
    chosen = chosen or option.deselect or option.ignore or option.ignore_glob
    chosen = chosen or getattr(option, "lf", False) or getattr(option, "numprocesses", None)
    return config.args_source == config.ArgsSource.TESTPATHS and not chosen


def judge(record, session):
    """Report the messages left out; fail the run if it was complete and all else is well."""
    everything = session.exitstatus == pytest.ExitCode.OK and ran_everything(session.config)
    if not everything and not session.config.option.unraised:
        return
    silent = record.left_out()
    print(f"\n{len(record.messages) - len(silent)} of {len(record.messages)} messages were raised")
    for message in silent:
        print(f"{message.module}:{message.line} {message.kind}: {message.text[:90]}")
    if silent and everything:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
