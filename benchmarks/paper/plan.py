"""What is run: every (problem, penalty, tolerance, arm, method), in three sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sparsieve import shape_grid
from sparsieve.penalties import Penalty

from .arms import BETWEEN, CODE, CODE_THETAS, TEXT, Arm
from .problems import Problem

LOG_SUMS = (("logsum", 0.01), ("logsum", 0.1), ("logsum", 1.0))
OTHERS = (("mcp", 3.0), ("scad", 3.7))
ENGINE = "engine"  # with its default settings
BEST = "engine best"  # start="best", minimum="swap"
ENGINES = (ENGINE, BEST)
NUMPY, TWIN = "NumPy", "compiled"
PAPER_METHODS = ("ncvxCD", "GIST", "MM-genuine", "MM-screen")
TRACE = "who-screens"  # the panel whose records keep every outer iteration
TRACE_LAMBDAS = 7  # two per decade
WHY = "why"  # one difference between text and program at a time
PANELS = {
    "toy": ("figure1-small", "figure1-large", "others"),
    "gain": ("figure2-features", "figure2-noise", "figure2-tolerance", TRACE),
    "why": (WHY,),
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
    arm: str = TEXT.name
    language: str = NUMPY

    def cell(self) -> str:
        """Return the name of what methods are compared on: all but the method."""
        shape = f"{self.penalty}({self.shape:g})"
        size = [f"N{self.n_lambdas}", f"tol{self.tol:g}"]
        return "|".join([self.panel, self.problem.key(), shape, *size, self.arm, self.language])

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
    cap: float  # processor seconds after which a path in NumPy is broken off
    twin_cap: float  # the same for the compiled twin
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
    numpy_panels: tuple[str, ...]  # what is run in NumPy where there is a compiled twin too
    without_best: tuple[str, ...] = ()  # where start="best", minimum="swap" takes too long

    def n_lambdas(self, panel: str) -> int:
        """Return the number of grid points of a panel."""
        if panel == TRACE:
            return TRACE_LAMBDAS
        if panel == WHY:  # eight arms, in NumPy
            return self.n_real
        return self.n_real if panel.startswith("figure3-") else self.n_toy


ALL = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
FULL = Profile(
    "full",
    minutes=600.0,
    n_toy=50,
    n_real=20,
    panels={
        "figure1-small": Panel(ALL, 15.0, 60.0, 50, (100,), seeds=3, ends_only=True),
        "figure1-large": Panel((1e-3, 1e-6), 15.0, 3600.0, 500, (5000,)),
        "others": Panel((1e-3, 1e-8), 8.0, 60.0, 50, (100,), seeds=2),
        "figure2-features": Panel((1e-4,), 3.0, 600.0, 100, (100, 500, 1000, 5000), seeds=2),
        "figure2-noise": Panel((1e-4,), 3.0, 600.0, 100, (1000,), (0.01, 0.1, 1.0, 2.0), seeds=2),
        "figure2-tolerance": Panel(
            (1e-4, 1e-6, 1e-8), 8.0, 600.0, 500, (500, 1000, 5000), (0.01,), seeds=2
        ),
        TRACE: Panel((1e-6,), 15.0, 60.0, 100, (1000,), (0.01, 2.0)),
        WHY: Panel((1e-3,), 300.0, 300.0, 50, (100,), (0.01, 2.0)),
        "figure3-leukemia": Panel((1e-3, 1e-5), 12.0, 3600.0),
        "figure3-newsgroup": Panel((1e-3, 1e-5), 12.0, 3600.0),
    },
    numpy_panels=tuple(name for names in PANELS.values() for name in names),
)
QUICK = Profile(
    "quick",
    minutes=4.0,
    n_toy=15,
    n_real=6,
    panels={
        "figure1-small": Panel((1e-3, 1e-6), 0.4, 2.0, 50, (100,)),
        "figure1-large": Panel((1e-3,), 0.5, 1.0, 200, (1000,)),
        "others": Panel((1e-3, 1e-6), 0.4, 1.0, 50, (100,)),
        "figure2-features": Panel((1e-4,), 0.3, 1.0, 100, (100, 500)),
        "figure2-noise": Panel((1e-4,), 0.3, 1.0, 100, (200,), (0.01, 1.0)),
        "figure2-tolerance": Panel((1e-4, 1e-8), 0.3, 1.0, 200, (500, 1000), (0.01,)),
        TRACE: Panel((1e-6,), 1.0, 1.0, 100, (200,), (0.01, 1.0)),
        WHY: Panel((1e-3,), 0.3, 1.0, 50, (100,), (0.01, 2.0)),
        "figure3-leukemia": Panel((1e-3,), 0.5, 1.0),
        "figure3-newsgroup": Panel((1e-3,), 0.5, 1.0),
    },
    numpy_panels=("figure1-small",),
    without_best=("figure3-newsgroup",),
)
TINY = Profile(
    "tiny",
    minutes=2.0,
    n_toy=3,
    n_real=3,
    panels={
        "figure1-small": Panel((1e-1, 1e-2), 0.5, 0.5, 12, (8,)),
        "figure1-large": Panel((1e-2,), 0.5, 0.5, 16, (20,)),
        "others": Panel((1e-2, 1e-3), 0.5, 0.5, 15, (12,)),
        "figure2-features": Panel((1e-4,), 0.5, 0.5, 15, (12, 20)),
        "figure2-noise": Panel((1e-4,), 0.5, 0.5, 15, (12,), (0.01, 1.0)),
        "figure2-tolerance": Panel((1e-4,), 0.5, 0.5, 16, (12, 20), (0.01,)),
        TRACE: Panel((1e-6,), 0.5, 0.5, 15, (12,), (0.1, 1.0)),
        WHY: Panel((1e-2,), 0.5, 0.5, 12, (8,)),
        "figure3-leukemia": Panel((1e-2,), 0.5, 0.5),
        "figure3-newsgroup": Panel((1e-2,), 0.5, 0.5),
    },
    numpy_panels=("figure1-small",),
)
PROFILES = {profile.name: profile for profile in (FULL, QUICK, TINY)}


def plan(
    experiment: str, profile: Profile, n_seeds: int | None = None, compiled: bool = True
) -> list[Task]:
    """Return the tasks of one experiment, the engine last in each cell.

    Without the compiled twin everything is run in NumPy.
    """
    return [
        Task(
            name, problem, penalty, shape, profile.n_lambdas(name), tol, method,
            panel.twin_cap if language == TWIN else panel.cap, arm.name, language,
        )
        for name in PANELS[experiment]
        for panel in [profile.panels[name]]
        for arm, language in _arms(name, profile, compiled)
        for problem in panel.problems(name, n_seeds)
        if language == TWIN or problem.seed == 0 or name in NUMPY_REPEATS
        for tol in _tolerances(panel, problem)
        for penalty, shape in _penalties(name, arm)
        for method in _methods(name, problem, tol in _ends(panel), arm)
        + _engines(name, profile, arm, language)
    ]  # fmt: skip


# Panels that are run in NumPy alone, and so with all their seeds.
NUMPY_REPEATS = ("others", TRACE, WHY)


def _arms(panel: str, profile: Profile, compiled: bool) -> list[tuple[Arm, str]]:
    """Return the arms of a panel, each with who runs it."""
    if panel in ("others", TRACE):
        return [(TEXT, NUMPY)]
    if panel == WHY:
        return [(arm, NUMPY) for arm in (TEXT, *BETWEEN, CODE)]
    languages = [TWIN] if compiled else []
    if panel in profile.numpy_panels or not compiled:
        languages.append(NUMPY)
    return [(arm, language) for language in languages for arm in (TEXT, CODE)]


def _ends(panel: Panel) -> tuple[float, ...]:
    """Return the loosest and the strictest tolerance."""
    return tuple(dict.fromkeys((panel.tolerances[0], panel.tolerances[-1])))


def _tolerances(panel: Panel, problem: Problem) -> tuple[float, ...]:
    """Return the tolerances a problem is solved to."""
    return _ends(panel) if panel.ends_only and problem.seed > 0 else panel.tolerances


def _penalties(panel: str, arm: Arm) -> tuple[tuple[str, float], ...]:
    """Return the penalties of a panel: the paper's, but for what goes beyond it."""
    if arm.code_grid:
        return tuple(("logsum", theta) for theta in CODE_THETAS)
    return {"others": OTHERS, TRACE: (LOG_SUMS[1], *OTHERS)}.get(panel, LOG_SUMS)


def _engines(panel: str, profile: Profile, arm: Arm, language: str) -> list[str]:
    """Return how the engine is run in a cell; last with its defaults, which completes a cell."""
    if panel == TRACE:
        return []
    best = arm is TEXT and language == TWIN and panel not in profile.without_best
    return [BEST, ENGINE] if best else [ENGINE]


def _methods(panel: str, problem: Problem, at_an_end: bool, arm: Arm) -> list[str]:
    """Return the methods of the paper in a cell.

    MM without screening, left out by the paper as too slow, the printed rule on the toy problem,
    and exact scores are run on the first seed of the text only.
    """
    if panel == TRACE:
        return ["MM-screen"]
    if panel == WHY:
        return ["ncvxCD", "MM-genuine", "MM-screen"]
    methods = [*PAPER_METHODS]
    if _compares_propagation_only(panel, problem):
        methods = ["MM-genuine", "MM-screen"]
    if arm is TEXT and problem.seed == 0:
        if panel == "figure2-noise" or (panel == "figure1-small" and at_an_end):
            methods.append("MM")
        if panel.startswith("figure2-"):
            methods.append("MM-exact")
        if panel == "figure1-small" and at_an_end:
            methods += ["MM-genuine printed", "MM-screen printed"]
        if panel.startswith("figure3-"):
            methods.append("MM-screen printed")
    return methods


def _compares_propagation_only(panel: str, problem: Problem) -> bool:
    """Return whether MM-genuine and MM-screen alone are run, as in the paper.

    At low noise ncvxCD and GIST are run too: the paper does not show them there, and it is where
    MM-screen does best.
    """
    noisy = panel.startswith("figure2-") and problem.noise > 0.01
    return noisy or panel == "figure3-newsgroup"
