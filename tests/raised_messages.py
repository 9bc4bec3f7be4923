"""Which errors and warnings of the table does a run of the tests raise?

``coverage run --rcfile=tests/coverage.rc -m pytest ...`` first, then ``python
tests/raised_messages.py``: it lists the messages of the table whose line was never reached. The
exit code is their number, at most 100.
"""

import ast
import sys
from pathlib import Path

import coverage

import sparsieve

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))
from message_scan import scan  # noqa: E402


def statements(file):
    """Return the first line of the statement that holds each line."""
    starts = {}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise | ast.Expr):
            for line in range(node.lineno, node.end_lineno + 1):
                starts.setdefault(line, node.lineno)
    return starts


def main():
    data = coverage.CoverageData(sys.argv[1] if len(sys.argv) > 1 else ".coverage")
    data.read()
    package = Path(sparsieve.__file__).parent
    silent, messages = [], scan(package)
    for message in messages:
        file = package / (message.module.replace(".", "/") + ".py")
        file = file if file.exists() else file.with_suffix("") / "__init__.py"
        line = statements(file)[message.line]
        if line not in (data.lines(str(file)) or []):
            silent.append(f"{message.module}:{line} {message.kind}: {message.text[:90]}")
    print(*silent, sep="\n")
    print(f"{len(messages) - len(silent)} of {len(messages)} messages were raised")
    raise SystemExit(min(len(silent), 100))


if __name__ == "__main__":
    main()
