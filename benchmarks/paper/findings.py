"""What a run says about the paper's claims: sentences whose figures all come from its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .plan import ENGINE, PAPER_METHODS
from .summary import Group, Record, Total, end_points, group_of, ratio

Groups = dict[Group, dict[str, list[Total]]]
Pick = Callable[[Group], bool]


def findings(groups: Groups, records: list[Record]) -> str:
    """Return one bullet per question, left out where the run has nothing to say on it."""
    bullets = [
        _propagation(groups),
        _coordinate_descent(groups, records),
        _gist(groups),
        _layers(groups),
        _printed(groups, records),
        _others(groups, records),
        _engine(groups, records),
        _missed(records),
    ]
    return "\n".join(bullet for bullet in bullets if bullet)


def gains(groups: Groups, slow: str, fast: str, unit: str, pick: Pick) -> list[float]:
    """Return the ratio of every picked group in which both methods reached the tolerance."""
    found = []
    for group, methods in groups.items():
        if pick(group):
            count = min(len(methods.get(slow, [])), len(methods.get(fast, [])))
            same = {name: methods[name][:count] for name in (slow, fast) if name in methods}
            value = ratio(same, slow, fast, unit)
            if value is not None:
                found.append(value.mean)
    return found


def span(values: Iterable[float]) -> str:
    """Return the smallest and the largest value, in two digits."""
    values = list(values)
    low, high = (f"{float(f'{end(values):.2g}'):g}" for end in (min, max))
    return low if low == high else f"{low} to {high}"


def everywhere(group: Group) -> bool:
    """Pick every group."""
    return True


def in_panel(*names: str) -> Pick:
    """Return a test whether a group belongs to one of the panels."""
    return lambda group: group[0] in names


def _both(groups: Groups, slow: str, fast: str, pick: Pick) -> str:
    """Return a gain in time and in visits, or nothing."""
    time = gains(groups, slow, fast, "cpu", pick)
    if not time:
        return ""
    return f"{span(time)} in time, {span(gains(groups, slow, fast, 'visits', pick))} in visits"


def _propagation(groups: Groups) -> str:
    places = {
        "noise 2, by number of features": in_panel("figure2-features"),
        "by noise": in_panel("figure2-noise"),
        "leukemia": in_panel("figure3-leukemia"),
        "newsgroups": in_panel("figure3-newsgroup"),
    }
    for tol in sorted({g[2] for g in groups if g[0] == "figure2-tolerance"}, reverse=True):
        places[f"noise 0.01 at {tol:.0e}"] = _low_noise(tol)
    said = [
        f"{place}: {text}"
        for place, pick in places.items()
        if (text := _both(groups, "MM-genuine", "MM-screen", pick))
    ]
    if not said:
        return ""
    return f"* **What propagation gains**, MM-genuine / MM-screen. {'; '.join(said)}."


def _low_noise(tol: float) -> Pick:
    return lambda group: group[0] == "figure2-tolerance" and group[2] == tol


def _ends(records: list[Record], pick: Pick, method: str) -> str:
    """Return how often a method ends lower than MM-screen, in words."""
    ends = end_points([r for r in records if pick(group_of(r))], method, "MM-screen")
    if not ends.count:
        return ""
    lower, level, higher = (
        round(100 * k / ends.count) for k in (ends.lower, ends.level, ends.higher)
    )
    who = "The engine" if method == ENGINE else method
    return (
        f"{who} ends lower than MM-screen at {lower} %, level with it at {level} % and higher "
        f"at {higher} % of {ends.count} grid points"
    )


def _coordinate_descent(groups: Groups, records: list[Record]) -> str:
    pick = in_panel("figure1-small", "figure1-large", "figure3-leukemia")
    text = _both(groups, "ncvxCD", "MM-screen", pick)
    if not text:
        return ""
    time = gains(groups, "ncvxCD", "MM-screen", "cpu", pick)
    visits = gains(groups, "ncvxCD", "MM-screen", "visits", pick)
    return (
        f"* **Against coordinate descent**, ncvxCD / MM-screen, {len(time)} log-sum settings. "
        f"{text}; MM-screen is the faster in {sum(v > 1 for v in time)} of them, by the paper's "
        f"factor of about 5 in {sum(v > 3.75 for v in time)}, and visits fewer coordinates in "
        f"{sum(v > 1 for v in visits)}. {_ends(records, pick, 'ncvxCD')}."
    )


def _gist(groups: Groups) -> str:
    pick = in_panel("figure1-small", "figure1-large", "figure3-leukemia")
    time = gains(groups, "GIST", "MM-screen", "cpu", pick)
    if not time:
        return ""
    columns = gains(groups, "GIST", "MM-screen", "columns", pick)
    return (
        f"* **Against GIST**, GIST / MM-screen. {span(time)} in time, {span(columns)} in column "
        "operations: NumPy does its products at once, and a Python loop those of the others."
    )


def _layers(groups: Groups) -> str:
    inside = _both(groups, "MM", "MM-genuine", everywhere)
    exact = _both(groups, "MM-screen", "MM-exact", everywhere)
    said = [
        f"Screening inside the inner solver alone, MM / MM-genuine: {inside}." if inside else "",
        f"Exact scores before every inner problem in place of propagated ones, "
        f"MM-screen / MM-exact: {exact}."
        if exact
        else "",
    ]
    text = " ".join(sentence for sentence in said if sentence)
    return f"* **The other layers of screening.** {text}" if text else ""


def _printed(groups: Groups, records: list[Record]) -> str:
    toy, real = (
        [
            value
            for name in ("MM-genuine", "MM-screen")
            for value in gains(groups, f"{name} printed", name, "visits", pick)
        ]
        for pick in (
            in_panel("figure1-small"),
            in_panel("figure3-leukemia", "figure3-newsgroup"),
        )
    )
    said = [
        f"{span(values)} on {place}" for values, place in ((toy, "toy"), (real, "real")) if values
    ]
    if not said:
        return ""
    missed = sum(
        not point["converged"]
        for record in records
        if record["method"].endswith("printed")
        for point in record["points"]
    )
    return (
        f"* **The printed and the corrected rule.** Visits of the printed over the corrected one: "
        f"{' and '.join(said)} data. Points the printed rule left unconverged: {missed}."
    )


def _others(groups: Groups, records: list[Record]) -> str:
    said = []
    for penalty, name in (("mcp", "MCP"), ("scad", "SCAD")):

        def pick(group: Group, penalty: str = penalty) -> bool:
            return group[0] == "others" and group[3] == penalty

        text = _both(groups, "ncvxCD", "MM-screen", pick)
        if text:
            said.append(f"{name}: {text}; {_ends(records, pick, 'ncvxCD')}.")
    return f"* **MCP and SCAD**, ncvxCD / MM-screen. {' '.join(said)}" if said else ""


def _over_engine(groups: Groups, unit: str) -> str:
    """Return the cost of each method over the engine's."""
    return ", ".join(
        f"{name} {span(found)}"
        for name in PAPER_METHODS
        if (found := gains(groups, name, ENGINE, unit, everywhere))
    )


def _engine(groups: Groups, records: list[Record]) -> str:
    time, columns = (_over_engine(groups, unit) for unit in ("cpu", "columns"))
    if not time:
        return ""
    logsum = _ends(records, lambda group: group[3] == "logsum", ENGINE)
    return (
        f"* **The compiled engine**, each method over the engine on the same grid points. In "
        f"processor time: {time}; in column operations: {columns}. {logsum}."
    )


def _missed(records: list[Record]) -> str:
    """Say who missed the tolerance, and how often; these points count for no ratio."""
    missed: dict[str, int] = {}
    reached: dict[str, int] = {}
    for record in records:
        name = record["method"]
        points = record["points"]
        reached[name] = reached.get(name, 0) + len(points)
        missed[name] = missed.get(name, 0) + sum(not point["converged"] for point in points)
    said = [f"{name} {k} of {reached[name]}" for name, k in missed.items() if k]
    listed = ", ".join(said) if said else "none"
    return (
        f"* **Points that missed their tolerance**, by the judge: {listed}. A setting in which a "
        "method missed one gives no ratio."
    )
