"""The directive ``message-table``: every error and warning of the library with its remedy."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from message_scan import Message, scan

PACKAGE = Path(__file__).parents[2] / "src" / "sparsieve"


class MessageTable(Directive):
    """One table per topic."""

    def run(self) -> list[nodes.Node]:
        """Return a section per topic, each with its table."""
        out: list[nodes.Node] = []
        for topic, messages in groupby(scan(PACKAGE), key=lambda m: m.topic):
            section = nodes.section(ids=[nodes.make_id(topic)])
            section += nodes.title("", topic)
            section += _table(list(messages))
            out.append(section)
        return out


def _table(messages: list[Message]) -> nodes.table:
    table = nodes.table(classes=["messages"])
    group = nodes.tgroup(cols=3)
    table += group
    for width in (16, 44, 40):
        group += nodes.colspec(colwidth=width)
    head = nodes.thead()
    head += _row(["class", "message", "remedy"], plain=True)
    body = nodes.tbody()
    for message in messages:
        problem, remedy = message.parts
        body += _row([message.kind, problem, remedy])
    group += [head, body]
    return table


def _row(cells: list[str], plain: bool = False) -> nodes.row:
    row = nodes.row()
    for k, text in enumerate(cells):
        content: Any = nodes.Text(text)
        if k == 0 and not plain:
            content = nodes.literal("", text)
        entry = nodes.entry()
        entry += nodes.paragraph("", "", content)
        row += entry
    return row


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("message-table", MessageTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
