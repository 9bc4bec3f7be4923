"""How many tests of others pass, and how many do not for which reason."""

from __future__ import annotations

from collections import Counter

from .modules import CLASSES, entries


class Counts:
    """A plugin of pytest that ends its summary with one line per package."""

    def __init__(self):
        self.kinds = {}
        self.numbers = {}

    def pytest_collection_modifyitems(self, items):
        for item in items:
            package = getattr(item.module, "PACKAGE", None)
            if package is not None:
                named = [entry.kind for entry in entries(package) if entry.covers(item.name)]
                self.kinds[item.nodeid] = package, (named or ["skipped"])[0]

    def pytest_runtest_logreport(self, report):
        if report.nodeid not in self.kinds or (report.when != "call" and report.passed):
            return
        package, kind = self.kinds[report.nodeid]
        outcome = kind if hasattr(report, "wasxfail") else report.outcome
        self.numbers.setdefault(package, Counter())[outcome] += 1

    def pytest_terminal_summary(self, terminalreporter):
        for package, number in self.numbers.items():
            kinds = ("passed", "failed", *CLASSES, "skipped")
            counts = ", ".join(f"{number[kind]} {kind}" for kind in kinds)
            terminalreporter.write_line(f"tests of {package}: {counts}")
