"""What is run: every (problem, penalty, tolerance, method) of each experiment, in three sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sparsieve import shape_grid
from sparsieve.penalties import Penalty

from .problems import Problem

LOG_SUMS = (("logsum", 0.01), ("logsum", 0.1), ("logsum", 1.0))
OTHERS = (("mcp", 3.0), ("scad", 3.7))
ENGINE = "engine"
PAPER_METHODS = ("ncvxCD", "GIST", "MM-genuine", "MM-screen")
TRACE = "who-screens"  # the panel whose records keep every outer iteration
TRACE_LAMBDAS = 7  # two per decade
PANELS = {
    "toy": ("figure1-small", "figure1-large", "others"),
    "gain": ("figure2-features", "figure2-noise", "figure2-tolerance", TRACE),
    "leukemia": ("figure3-leukemia",),
    "newsgroup": ("figure3-newsgroup",),
}
EXPERIMENTS = tuple(PANELS)


@dataclass(frozen=True)
class Task:
    """One regularisation path: one problem, one penalty, one tolerance, one method."""

    panel: str
    problem: Problem
    penalty: str  # "logsum", "mcp" or "scad"
    shape: float
    n_lambdas: int
    tol: float
    method: str
    cap: float  # processor seconds after which the path is broken off

    def cell(self) -> str:
        """Return the name of what methods are compared on: all but the method."""
        shape = f"{self.penalty}({self.shape:g})"
        return "|".join(
            [self.panel, self.problem.key(), shape, f"N{self.n_lambdas}", f"tol{self.tol:g}"]
        )

    def key(self) -> str:
        """Return a unique name, by which an interrupted run finds what it has."""
        return f"{self.cell()}|{self.method}"

    def make_penalty(self) -> Penalty:
        """Return the penalty in the paper's scale."""
        return shape_grid(self.penalty, [self.shape])[0]


@dataclass(frozen=True)
class Panel:
    """One panel of a figure: how its problems are made and how far they are solved."""

    tolerances: tuple[float, ...]
    cap: float  # processor seconds after which a path is broken off
    n: int = 0
    features: tuple[int, ...] = ()
    noises: tuple[float, ...] = (2.0,)
    seeds: int = 1
    ends_only: bool = False  # whether all seeds but the first have the outermost tolerances alone

    def problems(self, name: str, n_seeds: int | None) -> Iterator[Problem]:
        """Yield the problems, all of one seed before the next."""
        if name.startswith("figure3-"):
            yield Problem(name.removeprefix("figure3-"))
            return
        repeats = n_seeds if n_seeds and name not in ONE_SEED else self.seeds
        for seed in range(repeats):
            for d in self.features:
                for noise in self.noises:
                    yield Problem("toy", self.n, d, noise, seed)


ONE_SEED = ("figure1-large", TRACE)  # too large to repeat; traces are not averaged


@dataclass(frozen=True)
class Profile:
    """How large a run is."""

    name: str
    minutes: float  # after which no further path is begun
    n_toy: int  # lambdas of the toy problems
    n_real: int  # lambdas of the real data sets
    panels: dict[str, Panel]

    def n_lambdas(self, panel: str) -> int:
        """Return the number of grid points of a panel."""
        if panel == TRACE:
            return TRACE_LAMBDAS
        return self.n_real if panel.startswith("figure3-") else self.n_toy


ALL = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
FULL = Profile(
    "full",
    minutes=55.0,
    n_toy=50,
    n_real=20,
    panels={
        "figure1-small": Panel(ALL, 15.0, 50, (100,), seeds=3, ends_only=True),
        "figure1-large": Panel((1e-3, 1e-6), 15.0, 500, (5000,)),
        "others": Panel((1e-3, 1e-8), 8.0, 50, (100,), seeds=2),
        "figure2-features": Panel((1e-4,), 3.0, 100, (100, 500, 1000, 5000), seeds=2),
        "figure2-noise": Panel((1e-4,), 3.0, 100, (1000,), (0.01, 0.1, 1.0, 2.0), seeds=2),
        "figure2-tolerance": Panel(
            (1e-4, 1e-6, 1e-8), 8.0, 500, (500, 1000, 5000), (0.01,), seeds=2
        ),
        TRACE: Panel((1e-6,), 15.0, 100, (1000,), (0.01, 2.0)),
        "figure3-leukemia": Panel((1e-3, 1e-5), 12.0),
        "figure3-newsgroup": Panel((1e-3, 1e-5), 12.0),
    },
)
QUICK = Profile(
    "quick",
    minutes=4.0,
    n_toy=15,
    n_real=6,
    panels={
        "figure1-small": Panel((1e-3, 1e-6), 0.6, 50, (100,), seeds=2),
        "figure1-large": Panel((1e-3,), 1.0, 200, (1000,)),
        "others": Panel((1e-3, 1e-6), 0.6, 50, (100,)),
        "figure2-features": Panel((1e-4,), 0.4, 100, (100, 500)),
        "figure2-noise": Panel((1e-4,), 0.4, 100, (200,), (0.01, 1.0)),
        "figure2-tolerance": Panel((1e-4, 1e-8), 0.6, 200, (500, 1000), (0.01,)),
        TRACE: Panel((1e-6,), 1.0, 100, (200,), (0.01, 1.0)),
        "figure3-leukemia": Panel((1e-3,), 1.0),
        "figure3-newsgroup": Panel((1e-3,), 1.0),
    },
)
TINY = Profile(
    "tiny",
    minutes=2.0,
    n_toy=3,
    n_real=3,
    panels={
        "figure1-small": Panel((1e-2, 1e-3), 0.5, 15, (12,)),
        "figure1-large": Panel((1e-2,), 0.5, 16, (20,)),
        "others": Panel((1e-2, 1e-3), 0.5, 15, (12,)),
        "figure2-features": Panel((1e-4,), 0.5, 15, (12, 20)),
        "figure2-noise": Panel((1e-4,), 0.5, 15, (12,), (0.1, 1.0)),
        "figure2-tolerance": Panel((1e-4,), 0.5, 16, (12, 20), (0.01,)),
        TRACE: Panel((1e-6,), 0.5, 15, (12,), (0.1, 1.0)),
        "figure3-leukemia": Panel((1e-2,), 0.5),
        "figure3-newsgroup": Panel((1e-2,), 0.5),
    },
)
PROFILES = {profile.name: profile for profile in (FULL, QUICK, TINY)}


def plan(experiment: str, profile: Profile, n_seeds: int | None = None) -> list[Task]:
    """Return the tasks of one experiment, the engine last in each cell."""
    return [
        Task(name, problem, penalty, shape, profile.n_lambdas(name), tol, method, panel.cap)
        for name in PANELS[experiment]
        for panel in [profile.panels[name]]
        for problem in panel.problems(name, n_seeds)
        for tol in _tolerances(panel, problem)
        for penalty, shape in _penalties(name)
        for method in _methods(name, problem, tol in _ends(panel))
    ]


def _ends(panel: Panel) -> tuple[float, ...]:
    """Return the loosest and the strictest tolerance."""
    return tuple(dict.fromkeys((panel.tolerances[0], panel.tolerances[-1])))


def _tolerances(panel: Panel, problem: Problem) -> tuple[float, ...]:
    """Return the tolerances a problem is solved to."""
    return _ends(panel) if panel.ends_only and problem.seed > 0 else panel.tolerances


def _penalties(panel: str) -> tuple[tuple[str, float], ...]:
    """Return the penalties of a panel: the paper's, but for what goes beyond it."""
    return {"others": OTHERS, TRACE: (LOG_SUMS[1], *OTHERS)}.get(panel, LOG_SUMS)


def _methods(panel: str, problem: Problem, at_an_end: bool) -> tuple[str, ...]:
    """Return the methods of a cell.

    MM without screening, left out by the paper as too slow, the printed rule on the toy problem,
    and exact scores are run on the first seed only.
    """
    first = problem.seed == 0
    if panel == TRACE:
        return ("MM-screen",)
    methods = [*PAPER_METHODS]
    if panel.startswith("figure2-") or panel == "figure3-newsgroup":
        methods = ["MM-genuine", "MM-screen"]
    if first and (panel == "figure2-noise" or (panel == "figure1-small" and at_an_end)):
        methods.append("MM")
    if first and panel.startswith("figure2-"):
        methods.append("MM-exact")
    if first and panel == "figure1-small" and at_an_end:
        methods.append("MM-genuine printed")
    if panel.startswith("figure3-") or "MM-genuine printed" in methods:
        methods.append("MM-screen printed")
    return (*methods, ENGINE)
