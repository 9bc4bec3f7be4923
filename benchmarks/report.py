"""Markdown tables and plots of a result file: everything, and the short form for the docs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.adapters import NAMES, OURS, OWN, PREVIOUS
from benchmarks.judge import PENALTIES
from benchmarks.page import put
from benchmarks.problems import PROBLEMS

Record = dict[str, Any]
_GROUPS = {"L1": ("l1",), "non-convex": ("mcp", "scad", "logsum")}
_WORDS = {OURS: "ours", PREVIOUS: 'ours with start="previous"'}
_DEAR = 4.0  # a start that costs more than this is named
_LEVEL = 1e-4  # mean objectives that differ by less, relatively, are level


def write(results: Path, *, docs: bool = False) -> list[Path]:
    """Write ``<results>.md`` and one plot per thread setting and variant; return the files.

    With docs, the short form replaces the section ``solvers`` of the page of results, too.
    """
    document = json.loads(results.read_text())
    text = results.with_suffix(".md")
    text.write_text(markdown(document))
    written = [text, *_plots(_arranged(document["records"]), results)]
    return [*written, put("solvers", compact(document))] if docs else written


# ---------------------------------------------------------------- tables


def markdown(document: Record) -> str:
    """Return the whole report."""
    meta, records = document["meta"], _arranged(document["records"])
    parts = ["# Benchmark\n", _about(meta), _searched(records)]
    for threads, variant in _pages(records):
        page = [r for r in records if r["threads"] == threads and r["variant"] == variant]
        parts.append(f"\n## {threads} thread{'s' * (threads > 1)}, {variant} columns\n")
        for level in _values(page, "level"):
            chosen = [r for r in page if r["level"] == level]
            parts += [_times(chosen, level), _summary(chosen), _never(chosen)]
        parts += [_minima(page), _costs(page)]
    return "\n".join(part for part in parts if part)


def _about(meta: Record) -> str:
    levels = ", ".join(f"{name} = {value:g}" for name, value in meta.get("levels", {}).items())
    lines = [
        f"Commit {meta.get('commit', '?')}, {meta.get('date', '?')}, {meta.get('machine', '?')}.",
        f"Accuracy (largest violation on the path over max_j |x_j'y|/n, by the judge): {levels}.",
        "Every solver runs at the loosest tolerance that reaches it; best of interleaved rounds.",
    ]
    lines += [f"Note: {note}" for note in meta.get("notes", [])]
    lines += [f"Absent: {name} ({why})." for name, why in meta.get("absent", {}).items()]
    return "\n".join(lines) + "\n"


def _searched(records: list[Record]) -> str:
    """Say what was not measured as the rest was: settled before, or timed by the search alone."""
    lines = []
    for run in _values((r for r in records if "settled" in r), "settled"):
        chosen = [r for r in records if r.get("settled") == run]
        tried = sum(r["status"] == "ok" for r in chosen)
        lines.append(
            f"Settled in the earlier run {run}: {tried} tolerances of peers, run and judged again "
            f"here without a new search, and {len(chosen) - tried} times `never`, not tried again "
            "here; both are marked `earlier`."
        )
    done = [r for r in records if r["status"] == "ok"]
    kept = sum(r.get("rounds", 1) == 0 for r in done)
    if kept:
        lines.append(f"{kept} of {len(done)} times are those of the search, without rounds.")
    return "\n".join(lines) + "\n" if lines else ""


def _times(records: list[Record], level: str) -> str:
    peers = _peers(records)
    ours = [name for name in (OURS, PREVIOUS) if name in peers] or [OURS]
    rows = []
    for problem, penalty in _cells(records):
        cell = {r["peer"]: r for r in _of(records, problem, penalty)}
        times = [_time(cell.get(peer)) for peer in peers]
        rows.append([problem, penalty, *times, *(_ratio(cell.values(), who) for who in ours)])
    ratios = [f"fastest peer / {_WORDS[who]}" for who in ours]
    return f"### {level}: seconds\n\n" + _table(["problem", "penalty", *peers, *ratios], rows)


def _time(record: Record | None) -> str:
    if record is None:
        return ""
    if record["status"] != "ok":
        return ("never" if record.get("violation") is not None else "fails") + _mark(record)
    return _number(record["seconds"])


def _mark(record: Record) -> str:
    return " (earlier)" if "settled" in record else ""


def speedup(cell: Iterable[Record], clock: str = "seconds", who: str = OURS) -> float | None:
    """Return the time of the fastest peer over one of ours; None where either is missing."""
    done = {r["peer"]: r[clock] for r in cell if r["status"] == "ok"}
    ours = {name: done.pop(name, None) for name in (OURS, PREVIOUS)}[who]
    return min(done.values()) / ours if done and ours else None


def _ratio(cell: Iterable[Record], who: str) -> str:
    ratio = speedup(cell, who=who)
    return "" if ratio is None else f"{ratio:.2f}"


def _summary(records: list[Record]) -> str:
    lines = []
    for title in _GROUPS:
        chosen = _in_group(records, title)
        cells = [_of(chosen, *cell) for cell in _cells(chosen)]
        for who, clock in product((OURS, PREVIOUS), ("seconds", "cpu")):
            known = [ratio for cell in cells if (ratio := speedup(cell, clock, who)) is not None]
            if known:
                lines.append(
                    f"{title}, {clock}: fastest peer / {_WORDS[who]} {geometric_mean(known):.2f} "
                    f"in geometric mean, at least {min(known):.2f}, over {len(known)} cells that "
                    "both solved.\n"
                )
        lines += _cost_of_start(title, cells)
        lines += _outside_the_mean(title, cells)
    return "\n".join(lines)


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers."""
    return math.exp(sum(map(math.log, values)) / len(values))


def _cost_of_start(title: str, cells: list[list[Record]]) -> list[str]:
    """Say what the default start costs beside walking down, in processor seconds."""
    ratios = {}
    for cell in cells:
        done = {r["peer"]: r["cpu"] for r in cell if r["status"] == "ok"}
        if OURS in done and PREVIOUS in done:
            name = f"{cell[0]['problem']} {cell[0]['penalty']}"
            ratios[name] = done[OURS] / done[PREVIOUS]
    if not ratios:
        return []
    worst = sorted(ratios, key=lambda name: -ratios[name])
    named = ", ".join(f"{name} {ratios[name]:.1f}" for name in worst if ratios[name] > _DEAR)
    return [
        f"{title}, cpu: ours / {_WORDS[PREVIOUS]} {geometric_mean(list(ratios.values())):.2f} in "
        f"geometric mean, at most {ratios[worst[0]]:.2f} ({worst[0]}), over {len(ratios)} cells"
        f"{'; above ' * bool(named)}{f'{_DEAR:g}: ' * bool(named)}{named}.\n"
    ]


def _outside_the_mean(title: str, cells: list[list[Record]]) -> list[str]:
    """Name the cells a mean of ratios cannot count, above all those that we lose by failing."""
    solved = [{r["peer"] for r in cell if r["status"] == "ok"} for cell in cells]
    tried = [{r["peer"] for r in cell} for cell in cells]
    names = [f"{cell[0]['problem']} {cell[0]['penalty']}" for cell in cells]
    pairs = list(zip(names, solved, tried, strict=True))
    lost = [name for name, done, asked in pairs if OURS in asked - done and done - OWN]
    alone = [name for name, done, asked in pairs if OURS in done <= OWN and asked - OWN]
    lines = []
    if lost:
        lines.append(f"{title}, not in the mean, lost: only peers solved {', '.join(lost)}.\n")
    if alone:
        lines.append(f"{title}, not in the mean, won: only ours solved {', '.join(alone)}.\n")
    return lines


def _never(records: list[Record]) -> str:
    lines = []
    for record in records:
        if record["status"] == "never":
            violation = record.get("violation")
            best = "" if violation is None else f" (best violation {violation:.1e})"
            cell = f"{record['peer']}, {record['problem']}, {record['penalty']}"
            before = f" (earlier: {record['settled']})" if "settled" in record else ""
            lines.append(f"- {cell}: {record['reason']}{best}{before}")
    return "Never reached:\n\n" + "\n".join(lines) + "\n" if lines else ""


def _minima(records: list[Record]) -> str:
    """Say who ends in the lower local minima: equal accuracy is not an equal objective.

    At the strictest level, cell by cell, our mean objective against the lowest of the peers'.
    """
    tight = [r for r in records if r["level"] == _values(records, "level")[-1]]
    differences = {}
    for problem, penalty in _cells(tight):
        cell = _of(tight, problem, penalty)
        found = {r["peer"]: r["objective"] for r in cell if r["status"] == "ok"}
        ours, _ = found.pop(OURS, None), found.pop(PREVIOUS, None)
        if penalty.split("(")[0] != "l1" and ours is not None and found:
            lowest = min(found, key=lambda peer: found[peer])
            differences[f"{problem} {penalty} ({lowest})"] = ours / found[lowest] - 1.0
    if not differences:
        return ""
    lower = sum(d < -_LEVEL for d in differences.values())
    higher = sorted((d, cell) for cell, d in differences.items() if d > _LEVEL)
    named = ", ".join(f"{cell} {100 * d:.2f} %" for d, cell in reversed(higher))
    return (
        f"Local minima, {tight[0]['level']}, non-convex: against the lowest mean objective of any "
        f"peer ours is lower in {lower} cells, level (within {100 * _LEVEL:g} %) in "
        f"{len(differences) - lower - len(higher)}, higher in {len(higher)}"
        f"{': ' * bool(higher)}{named}.\n"
    )


def _costs(records: list[Record]) -> str:
    """Return everything besides the time, at the strictest level of each cell."""
    levels = _values(records, "level")
    rows = []
    for record in records:
        if record["status"] == "ok" and record["level"] == levels[-1]:
            cold, passes = record.get("cold"), record.get("passes")
            rows.append(
                [
                    record["problem"],
                    record["penalty"],
                    f"{record['peer']} {record['version']}",
                    f"{record['tol']:.1e}{_mark(record)}",
                    f"{record['violation']:.1e}",
                    f"{record['objective']:.8g}",
                    str(record["support"]),
                    _number(record["cpu"]),
                    "" if cold is None else _number(cold),
                    f"{record['peak'] / 1e6:.1f}",
                    "" if passes is None else f"{passes:.3f}",
                ]
            )
    head = [
        "problem",
        "penalty",
        "solver",
        "tolerance",
        "violation",
        "mean objective",
        "largest support",
        "CPU (s)",
    ]
    head += ["cold start (s)", "peak beyond X (MB)", "passes per alpha"]
    return f"### {levels[-1]}: everything else\n\n" + _table(head, rows) if rows else ""


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _number(value: float) -> str:
    return f"{value:.3g}" if value >= 1e-3 else f"{value:.1e}"


# ---------------------------------------------------------------- the short form


def compact(document: Record) -> str:
    """Return ours beside the fastest peer, cell by cell, the cells that we lose by name."""
    meta, records = document["meta"], _arranged(document["records"])
    pages = {
        f"{threads} thread{'s' * (threads > 1)}, {variant} columns": [
            r for r in records if r["threads"] == threads and r["variant"] == variant
        ]
        for threads, variant in _pages(records)
    }
    first, *others = pages
    parts = ["# Solvers\n", _about(meta), _settled(records), _beside(first, pages[first])]
    if others:
        parts.append(_ratios_elsewhere({title: pages[title] for title in others}))
    parts += [_means(pages), _lost(pages), *_lower_elsewhere(pages)]
    return "\n".join(part for part in parts if part)


def _settled(records: list[Record]) -> str:
    """Say in one line each what was not searched for, or not timed, as the rest was."""
    earlier = [r for r in records if "settled" in r]
    done = [r for r in records if r["status"] == "ok"]
    kept = sum(r.get("rounds", 1) == 0 for r in done)
    lines = []
    if earlier:
        tried = sum(r["status"] == "ok" for r in earlier)
        lines.append(
            f"Searches of earlier runs settled {tried} tolerances of peers, judged again here, and "
            f"{len(earlier) - tried} times that a peer does not get there, not tried again here."
        )
    if kept:
        lines.append(f"{kept} of {len(done)} times are those of the search, without rounds.")
    return "\n".join(lines) + "\n" if lines else ""


def _beside(title: str, records: list[Record]) -> str:
    """Return one row per cell: our seconds, the fastest peer's, and their ratio, at each level."""
    levels, who = _values(records, "level"), _own(records)
    head = ["problem", "penalty"]
    for level in levels:
        head += [*(f"{level}: {_WORDS[name]}" for name in who), "fastest peer"]
        head += [f"ratio to {_WORDS[name]}" if len(who) > 1 else "ratio" for name in who]
    rows = []
    for problem, penalty in _cells(records):
        row = [problem, penalty]
        for level in levels:
            cell = [r for r in _of(records, problem, penalty) if r["level"] == level]
            done = {r["peer"]: r["seconds"] for r in cell if r["status"] == "ok"}
            peer = _fastest(done)
            row += [_number(done[name]) if name in done else "never" for name in who]
            row += [f"{_number(done[peer])} ({peer})" if peer else "-"]
            row += [_ratio(cell, name) or "-" for name in who]
        rows.append(row)
    told = 'Seconds by the clock; "-" where no peer gets there within its limit.'
    return f"## {title.capitalize()}\n\n{told}\n\n" + _table(head, rows)


def _ratios_elsewhere(pages: dict[str, list[Record]]) -> str:
    """Return the ratios of the other pages, side by side, each with the fastest peer's name."""
    levels = {title: _values(records, "level") for title, records in pages.items()}
    head = ["problem", "penalty"]
    head += [f"{title}: {level}" for title in pages for level in levels[title]]
    rows = []
    for problem, penalty in _cells([r for records in pages.values() for r in records]):
        row = [problem, penalty]
        for title, records in pages.items():
            for level in levels[title]:
                cell = [r for r in _of(records, problem, penalty) if r["level"] == level]
                peer = _fastest({r["peer"]: r["seconds"] for r in cell if r["status"] == "ok"})
                ratio = _ratio(cell, OURS)
                row.append(f"{ratio} ({peer})" if ratio else "-" if not peer else "lost")
        rows.append(row)
    told = (
        'Fastest peer / ours, by the clock; "-" where no peer gets there, "lost" where ours fails.'
    )
    return f"## The other settings\n\n{told}\n\n" + _table(head, rows)


def _own(records: list[Record]) -> list[str]:
    return [name for name in (OURS, PREVIOUS) if name in _values(records, "peer")] or [OURS]


def _fastest(done: dict[str, float]) -> str:
    """Return the name of the fastest peer, or nothing."""
    peers = [name for name in done if name not in OWN]
    return min(peers, key=lambda name: done[name]) if peers else ""


def _means(pages: dict[str, list[Record]]) -> str:
    """Return mean and least ratio by page, level, penalties and clock, with how many cells."""
    clocks = {"seconds": "by the clock", "cpu": "processor"}
    kinds = [(group, clock) for group in _GROUPS for clock in clocks]
    rows = []
    for title, records in pages.items():
        for level, who in product(_values(records, "level"), _own(records)):
            row = [title, level, _WORDS[who]]
            for group, clock in kinds:
                chosen = [r for r in _in_group(records, group) if r["level"] == level]
                cells = (_of(chosen, *cell) for cell in _cells(chosen))
                known = [x for cell in cells if (x := speedup(cell, clock, who)) is not None]
                row.append(_mean_and_least(known))
            rows.append(row)
    head = ["", "accuracy", "ours is", *(f"{group}, {clocks[clock]}" for group, clock in kinds)]
    return (
        "## In the mean\n\nFastest peer / ours: geometric mean, the least, and in brackets the "
        "number of cells, which both solved.\n\n" + _table(head, rows)
    )


def _mean_and_least(ratios: list[float]) -> str:
    if not ratios:
        return "-"
    return f"{geometric_mean(ratios):.2f}, {min(ratios):.2f} ({len(ratios)})"


def _lost(pages: dict[str, list[Record]]) -> str:
    """Name the cells in which a peer is faster, or which only peers solved."""
    slower, unsolved = [], []
    for title, records in pages.items():
        for level in _values(records, "level"):
            chosen = [r for r in records if r["level"] == level]
            for cell in (_of(chosen, *name) for name in _cells(chosen)):
                name = f"{cell[0]['problem']} {cell[0]['penalty']} ({title}, {level})"
                tried = {r["peer"] for r in cell}
                done = {r["peer"] for r in cell if r["status"] == "ok"}
                if OURS in tried - done and done - OWN:
                    unsolved.append(name)
                for who in _own(cell):
                    ratio = speedup(cell, who=who)
                    if ratio is not None and ratio < 1.0:
                        slower.append(f"{name}: {_WORDS[who]} {ratio:.2f}")
    return (
        f"Slower than the fastest peer: {'; '.join(slower) or 'none'}.\n"
        f"Solved by peers only: {'; '.join(unsolved) or 'none'}.\n"
    )


def _lower_elsewhere(pages: dict[str, list[Record]]) -> list[str]:
    told = {title: _minima(records) for title, records in pages.items()}
    return [f"{title[0].upper()}{title[1:]}. {text}" for title, text in told.items() if text]


# ---------------------------------------------------------------- plots


def _plots(records: list[Record], results: Path) -> list[Path]:
    import matplotlib

    matplotlib.use("Agg")
    files = []
    for threads, variant in _pages(records):
        page = [r for r in records if r["threads"] == threads and r["variant"] == variant]
        files.append(results.with_name(f"{results.stem}-{variant}-{threads}.png"))
        _plot(page, files[-1], f"{variant} columns, threads: {threads}")
    return files


def _plot(records: list[Record], file: Path, title: str) -> None:
    """Draw seconds per problem, one panel per penalty and level, one mark per solver."""
    from matplotlib import pyplot as plt

    penalties, levels = _values(records, "penalty"), _values(records, "level")
    problems, peers = _values(records, "problem"), _peers(records)
    shape = (len(levels), len(penalties))
    size = (3.2 * shape[1] + 1.5, (0.32 * len(problems) + 1.2) * shape[0] + 0.8)
    figure, axes = plt.subplots(*shape, figsize=size, squeeze=False, sharex=True, sharey=True)
    marks = "os^vDP*X<>"
    for (row, level), (column, penalty) in product(enumerate(levels), enumerate(penalties)):
        axis = axes[row][column]
        for k, peer in enumerate(peers):
            points = [
                (r["seconds"], problems.index(r["problem"]))
                for r in records
                if (r["level"], r["penalty"], r["peer"], r["status"])
                == (level, penalty, peer, "ok")
            ]
            ours = peer == OURS
            style = {"s": 55 if ours else 26, "zorder": 3 if ours else 2, "alpha": 0.9}
            xs, ys = zip(*points, strict=True) if points else ((), ())
            axis.scatter(xs, ys, marker=marks[k % len(marks)], label=peer, color=f"C{k}", **style)
        axis.set_xscale("log")
        axis.set_title(f"{penalty}, {level}", fontsize=9)
        axis.set_yticks(range(len(problems)), problems, fontsize=8)
        axis.set_ylim(len(problems) - 0.5, -0.5)
        axis.grid(alpha=0.3)
    for axis in axes[-1]:
        axis.set_xlabel("seconds", fontsize=8)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(len(labels), 9), fontsize=8
    )
    figure.set_layout_engine("constrained")
    figure.suptitle(title, fontsize=10)
    figure.savefig(file, dpi=130)
    plt.close(figure)


# ---------------------------------------------------------------- selections


def _arranged(records: list[Record]) -> list[Record]:
    """Sort cells as the benchmark lists them: a run may have been made in pieces."""
    problems, penalties = list(PROBLEMS), list(PENALTIES)

    def place(record: Record) -> tuple[int, int]:
        kind = record["penalty"].split("(")[0]
        return _place(record["problem"], problems), _place(kind, penalties)

    return sorted(records, key=place)


def _place(name: str, names: list[str]) -> int:
    return names.index(name) if name in names else len(names)


def _peers(records: Iterable[Record]) -> list[str]:
    return sorted(_values(records, "peer"), key=lambda peer: _place(peer, list(NAMES)))


def _values(records: Iterable[Record], field: str) -> list[Any]:
    return list(dict.fromkeys(record[field] for record in records))


def _pages(records: list[Record]) -> list[tuple[int, str]]:
    return list(dict.fromkeys((r["threads"], r["variant"]) for r in records))


def _cells(records: list[Record]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((r["problem"], r["penalty"]) for r in records))


def _in_group(records: Iterable[Record], group: str) -> list[Record]:
    return [r for r in records if r["penalty"].split("(")[0] in _GROUPS[group]]


def _of(records: list[Record], problem: str, penalty: str) -> list[Record]:
    return [r for r in records if r["problem"] == problem and r["penalty"] == penalty]
