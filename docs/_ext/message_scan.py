"""Read every error and warning of the library from its source.

The page of messages is made from this, so that it cannot fall behind the code; a test checks that
no ``raise`` or ``warn`` is missed and that every message names a remedy.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

_WARN = {"warn", "warn_explicit"}

_FORGED = "part of another message: remove the checkpoint to start again."
_OF_FOLD = "part of the message is what was wrong with the statistics, and its remedy."
#: Remedies of messages that are too short to carry one.
REMEDIES = {
    "n_active must be between": "choose n_active between 0 and n_features.",
    "prox_center must hold": "pass one finite number per column of X, or None for zeros.",
    "rule must be 'corrected', 'printed' or 'published'": "use rule='corrected'.",
    "penalty <name>: slope(<where>": "return a finite number for every size and strength.",
    "penalty <name>: value(<where>": "return a finite number for every size and strength.",
    "no list of features": _FORGED,
    "a path that this run does not have": _FORGED,
    "chunk <number> of the rows": "part of the message is what was wrong with that chunk.",
    "fold <k>: <error>": _OF_FOLD,
    "fold <k> cannot be scored": _OF_FOLD,
    "all folds but <k> cannot be fitted": _OF_FOLD,
}
#: What is only ever seen inside another message, which names the remedy.
INSIDE = {
    "data.leaves": "internal: never reaches a user.",
    "data.sparse_checks": "part of another message: X is a broken sparse matrix.",
    "tables.archives": "part of another message, which names the file.",
    "tables.parquet_table": "part of another message, which names the file.",
    "tables.problems": "each problem names its remedy.",
    "tables.survey": "the message goes on with the remedy.",
    "tables.kinds": "the message goes on with the remedy.",
    "tables.row_table": "the message goes on with the remedy.",
    "cli.options": "part of another message, which names the option.",
    "selection.fold_runs": _FORGED,
    "estimators.plain": "keep the model as it is.",
    "files.checkpoint": _FORGED,
    "files.checks": "the model file is damaged: save the model again.",
    "files.codec": "the model file is damaged: save the model again.",
    "files.loading": "the model file is damaged: save the model again.",
    "files.model_file": "the model file is damaged: copy the file again or save the model again.",
    "penalties.builtin": "internal: never reaches a user.",
    "data.validation": "part of another message of this table.",
}
#: Which part of the library a module belongs to, for the headings of the page.
TOPICS = [
    (
        "Data and arguments",
        r"data|inspect|solve|losses|estimators\.(regressor|classifier)|paths|datasets|converters",
    ),
    ("Penalties, your own included", r"penalties"),
    ("Choosing alpha and shape", r"selection"),
    ("Model files", r"files|_files"),
    ("Command line", r"cli|tables|estimators\.table_model|estimators\.pipeline"),
    ("Report and plots", r"report|plots"),
    ("The paper's algorithms", r"reference"),
]


@dataclass(frozen=True)
class Message:
    """One error or warning: its class, its text with <placeholders>, and where it is made."""

    kind: str
    text: str
    module: str
    line: int

    @property
    def parts(self) -> tuple[str, str]:
        """What is wrong, and what to do about it."""
        for start, remedy in REMEDIES.items():
            if self.text.startswith(start):
                return self.text, remedy
        marked = re.search(r"\s*Remedy:\s*", self.text)
        if marked:
            return self.text[: marked.start()].rstrip(" ."), self.text[marked.end() :]
        for mark in ("; ", ". ", ": "):
            if mark in self.text:
                problem, remedy = self.text.split(mark, 1)
                if len(remedy) > 8:
                    return problem, remedy
        return self.text, INSIDE.get(self.module, "")

    @property
    def topic(self) -> str:
        """The part of the library it belongs to."""
        found = (title for title, modules in TOPICS if re.match(modules, self.module))
        return next(found, "Other")


def scan(package: Path) -> list[Message]:
    """Return the messages of a package, in order of topic, module and line."""
    found = []
    for file in sorted(package.rglob("*.py")):
        module = file.relative_to(package).with_suffix("").as_posix().replace("/", ".")
        module = module.removesuffix(".__init__")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        constants = _constants(tree)
        for node in ast.walk(tree):
            message = _message(node, constants)
            if message is not None:
                found.append(Message(message[0], _tidy(message[1]), module, node.lineno))
    order = [title for title, _ in TOPICS] + ["Other"]
    return sorted(found, key=lambda m: (order.index(m.topic), m.module, m.line))


def _constants(tree: ast.Module) -> dict[str, str]:
    """Return the module's string constants, which messages may refer to."""
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _message(node: ast.AST, constants: dict[str, str]) -> tuple[str, str] | None:
    """Return (class, text) when the node raises or warns with a message of its own."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        text = _text(node.exc.args[0], constants) if node.exc.args else ""
        return (_name(node.exc.func), text) if text else None
    if isinstance(node, ast.Call) and _name(node.func) == "TableProblem" and node.args:
        # A part of the one message about a table.
        return ("TableError", _text(node.args[0], constants))
    if isinstance(node, ast.Call) and _name(node.func) in _WARN and node.args:
        category = node.args[1] if len(node.args) > 1 else None
        for keyword in node.keywords:
            category = keyword.value if keyword.arg == "category" else category
        text = _text(node.args[0], constants)
        return (_name(category) if category is not None else "UserWarning", text) if text else None
    return None


def _name(node: ast.AST | None) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call) and _name(node.func) == "type":
        return "the original error"
    return ""


def _text(node: ast.AST, constants: dict[str, str]) -> str:  # noqa: PLR0911 - one case for each kind of node
    """Return a string expression with its variable parts as <expressions>."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, constants) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        if isinstance(node.value, ast.Name) and node.value.id in constants:
            return constants[node.value.id]
        return f"<{_placeholder(node.value)}>"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left, constants) + _text(node.right, constants)
    if isinstance(node, ast.Name):
        return constants.get(node.id, f"<{node.id}>")
    return f"<{_placeholder(node)}>" if isinstance(node, ast.Attribute | ast.IfExp) else ""


def _placeholder(node: ast.AST) -> str:
    """Return a short word for a variable part: the last name in it."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    names = [n.attr if isinstance(n, ast.Attribute) else n.id for n in ast.walk(node)
             if isinstance(n, ast.Name | ast.Attribute)]  # fmt: skip
    plain = [name for name in names if name not in {"self", "len", "str", "int", "float", "type"}]
    return plain[0].strip("_") if plain else "..."


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
