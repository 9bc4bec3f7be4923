"""What a run says about the paper's claims: sentences whose figures all come from its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .arms import ARMS, CODE, TEXT
from .plan import ENGINES, NUMPY, TWIN
from .summary import Group, Groups, Record, end_points, group_of, ratio, reached

Pick = Callable[[Group], bool]
ARM_NAMES = {TEXT.name: "As printed", CODE.name: "As published"}
DIRECT = ("figure1-small", "figure1-large", "figure3-leukemia")


def findings(groups: Groups, records: list[Record]) -> str:
    """Return one bullet per arm, language and question, where the run has something to say."""
    parts = []
    for arm, title in ARM_NAMES.items():
        for language in (TWIN, NUMPY):
            chosen = {g: m for g, m in groups.items() if (g.arm, g.language) == (arm, language)}
            own = [r for r in records if group_of(r)[4:] == (arm, language)]
            said = [text for text in _bullets(chosen, own) if text]
            if said:
                parts.append(f"**{title}, {language}.**\n\n" + "\n".join(said))
    return "\n\n".join(parts)


def _bullets(groups: Groups, records: list[Record]) -> list[str]:
    return [
        _propagation(groups),
        _coordinate_descent(groups, records),
        _low_noise_descent(groups, records),
        _gist(groups),
        _layers(groups),
        _printed(groups, records),
        _others(groups, records),
        _missed(records),
    ]


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
    return lambda group: group.panel in names


def at_low_noise(group: Group) -> bool:
    """Pick the settings of figure 2 with noise 0.01."""
    return group.panel.startswith("figure2-") and group.problem.endswith("noise 0.01")


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
    for tol in sorted({g.tol for g in groups if g.panel == "figure2-tolerance"}, reverse=True):
        places[f"noise 0.01 at {tol:.0e}"] = _tolerance(tol)
    said = [
        f"{place}: {text}"
        for place, pick in places.items()
        if (text := _both(groups, "MM-genuine", "MM-screen", pick))
    ]
    if not said:
        return ""
    return f"* **What propagation gains**, MM-genuine / MM-screen. {'; '.join(said)}."


def _tolerance(tol: float) -> Pick:
    return lambda group: group.panel == "figure2-tolerance" and group.tol == tol


def _ends(records: list[Record], pick: Pick, method: str) -> str:
    """Return how often a method ends lower than MM-screen, in words."""
    ends = end_points([r for r in records if pick(group_of(r))], method, "MM-screen")
    if not ends.count:
        return ""
    lower, level, higher = (
        round(100 * k / ends.count) for k in (ends.lower, ends.level, ends.higher)
    )
    return (
        f"{method} ends lower than MM-screen at {lower} %, level with it at {level} % and higher "
        f"at {higher} % of {ends.count} grid points"
    )


def _coordinate_descent(groups: Groups, records: list[Record]) -> str:
    return _against_descent(groups, records, "noise 2 and leukemia", in_panel(*DIRECT))


def _low_noise_descent(groups: Groups, records: list[Record]) -> str:
    return _against_descent(groups, records, "noise 0.01", at_low_noise)


def _against_descent(groups: Groups, records: list[Record], where: str, pick: Pick) -> str:
    text = _both(groups, "ncvxCD", "MM-screen", pick)
    if not text:
        return ""
    time = gains(groups, "ncvxCD", "MM-screen", "cpu", pick)
    visits = gains(groups, "ncvxCD", "MM-screen", "visits", pick)
    return (
        f"* **Against coordinate descent, {where}**, ncvxCD / MM-screen, {len(time)} log-sum "
        f"settings. {text}; MM-screen is the faster in {sum(v > 1 for v in time)} of them, by the "
        f"paper's factor of about 5 in {sum(v > 3.75 for v in time)}, and visits fewer coordinates "
        f"in {sum(v > 1 for v in visits)}. {_ends(records, pick, 'ncvxCD')}."
    )


def _gist(groups: Groups) -> str:
    said = []
    for where, pick in (("noise 2 and leukemia", in_panel(*DIRECT)), ("noise 0.01", at_low_noise)):
        time = gains(groups, "GIST", "MM-screen", "cpu", pick)
        if time:
            columns = gains(groups, "GIST", "MM-screen", "columns", pick)
            said.append(f"{where}: {span(time)} in time, {span(columns)} in column operations")
    return f"* **Against GIST**, GIST / MM-screen. {'; '.join(said)}." if said else ""


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
    points = [p for r in records if r["method"].endswith("printed") for p in r["points"]]
    missed = sum(not point["converged"] for point in points)
    return (
        f"* **The printed rule, literally, and the corrected one.** Visits of the printed over the "
        f"corrected one: {' and '.join(said)} data. Points the printed rule left unconverged: "
        f"{missed} of {len(points)}."
    )


def _others(groups: Groups, records: list[Record]) -> str:
    said = []
    for penalty, name in (("mcp", "MCP"), ("scad", "SCAD")):

        def pick(group: Group, penalty: str = penalty) -> bool:
            return group.panel == "others" and group.penalty == penalty

        text = _both(groups, "ncvxCD", "MM-screen", pick)
        if text:
            said.append(f"{name}: {text}; {_ends(records, pick, 'ncvxCD')}.")
    return f"* **MCP and SCAD**, ncvxCD / MM-screen. {' '.join(said)}" if said else ""


def _missed(records: list[Record]) -> str:
    """Say who missed the tolerance, and how often; these points count for no ratio."""
    missed: dict[str, int] = {}
    counted: dict[str, int] = {}
    for record in records:
        name = record["method"]
        if name in ENGINES:
            continue
        counted[name] = counted.get(name, 0) + len(record["points"])
        here = sum(not reached(record, point) for point in record["points"])
        missed[name] = missed.get(name, 0) + here
    if not counted:
        return ""
    said = [f"{name} {k} of {counted[name]}" for name, k in missed.items() if k]
    listed = ", ".join(said) if said else "none"
    own = any(ARMS[group_of(record).arm].zero_below > 0.0 for record in records)
    judge = "the program's own test" if own else "the judge"
    return (
        f"* **Points that missed their tolerance**, by {judge}: {listed}. A setting in which a "
        "method missed one gives no ratio."
    )
