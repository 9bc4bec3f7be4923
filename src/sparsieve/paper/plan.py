"""What is run: every (problem, penalty, tolerance, method) of each experiment, in three sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..penalties import MCP, SCAD, LogSum, Penalty
from .problems import Problem

EXPERIMENTS = ("toy", "gain", "leukemia", "newsgroup")
LOG_SUMS = (("logsum", 0.01), ("logsum", 0.1), ("logsum", 1.0))
OTHERS = (("mcp", 3.0), ("scad", 3.7))
ENGINE = "engine"
PAPER_METHODS = ("ncvxCD", "GIST", "MM-genuine", "MM-screen")
PRINTED = ("MM-genuine printed", "MM-screen printed")
TRACE = "who-screens"  # the panel whose records keep every outer iteration
TRACE_LAMBDAS = 7  # two per decade
GAIN_METHODS = ("MM-genuine", "MM-screen")
ONCE = "MM"  # without any screening, which the paper left out as too slow: on one seed


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
        kinds = {"logsum": LogSum, "mcp": MCP, "scad": SCAD}
        penalty: Penalty = kinds[self.penalty](self.shape)
        return penalty


@dataclass(frozen=True)
class Profile:
    """How large a run is; the caps break off a path, in processor seconds."""

    name: str
    minutes: float  # after which no further path is begun
    n_seeds: int
    n_toy: int  # lambdas of the toy problems
    n_real: int  # lambdas of the real data sets
    cap: float
    others_cap: float
    large_cap: float
    gain_cap: float
    low_noise_cap: float
    real_cap: float
    gain_seeds: int
    small: tuple[int, int]
    large: tuple[int, int]
    tolerances: tuple[float, ...]
    large_tolerances: tuple[float, ...]
    gain_samples: int
    gain_features: tuple[int, ...]
    gain_noises: tuple[float, ...]
    gain_width: int  # features of the panel over noise
    low_noise_samples: int
    low_noise_features: tuple[int, ...]
    low_noise_tolerances: tuple[float, ...]
    real_tolerances: tuple[float, ...]

    @property
    def ends(self) -> tuple[float, float]:
        """The loosest and the strictest tolerance."""
        return self.tolerances[0], self.tolerances[-1]


FULL = Profile(
    name="full",
    minutes=55.0,
    n_seeds=3,
    n_toy=50,
    n_real=20,
    cap=15.0,
    others_cap=8.0,
    large_cap=15.0,
    gain_cap=3.0,
    low_noise_cap=8.0,
    real_cap=12.0,
    gain_seeds=3,
    small=(50, 100),
    large=(500, 5000),
    tolerances=(1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8),
    large_tolerances=(1e-3, 1e-6),
    gain_samples=100,
    gain_features=(100, 500, 1000, 5000),
    gain_noises=(0.01, 0.1, 1.0, 2.0),
    gain_width=1000,
    low_noise_samples=500,
    low_noise_features=(500, 1000, 5000),
    low_noise_tolerances=(1e-4, 1e-6, 1e-8),
    real_tolerances=(1e-3, 1e-5),
)
QUICK = Profile(
    name="quick",
    minutes=4.5,
    n_seeds=2,
    n_toy=15,
    n_real=6,
    cap=1.0,
    others_cap=1.0,
    large_cap=1.0,
    gain_cap=0.6,
    low_noise_cap=0.6,
    real_cap=1.5,
    gain_seeds=1,
    small=(50, 100),
    large=(200, 1000),
    tolerances=(1e-3, 1e-6),
    large_tolerances=(1e-3,),
    gain_samples=100,
    gain_features=(100, 500),
    gain_noises=(0.01, 1.0),
    gain_width=200,
    low_noise_samples=200,
    low_noise_features=(500, 1000),
    low_noise_tolerances=(1e-4, 1e-8),
    real_tolerances=(1e-3,),
)
TINY = Profile(
    name="tiny",
    minutes=2.0,
    n_seeds=1,
    n_toy=3,
    n_real=3,
    cap=0.5,
    others_cap=0.5,
    large_cap=0.5,
    gain_cap=0.5,
    low_noise_cap=0.5,
    real_cap=0.5,
    gain_seeds=1,
    small=(15, 12),
    large=(16, 20),
    tolerances=(1e-2, 1e-3),
    large_tolerances=(1e-2,),
    gain_samples=15,
    gain_features=(12, 20),
    gain_noises=(0.1, 1.0),
    gain_width=12,
    low_noise_samples=16,
    low_noise_features=(12, 20),
    low_noise_tolerances=(1e-4,),
    real_tolerances=(1e-2,),
)
PROFILES = {profile.name: profile for profile in (FULL, QUICK, TINY)}


def plan(experiment: str, profile: Profile, n_seeds: int | None = None) -> list[Task]:
    """Return the tasks of one experiment, the engine last in each cell."""
    makers = {"toy": _toy, "gain": _gain, "leukemia": _leukemia, "newsgroup": _newsgroup}
    default = profile.gain_seeds if experiment == "gain" else profile.n_seeds
    return list(makers[experiment](profile, n_seeds or default))


def _paths(
    panel: str,
    problem: Problem,
    tol: float,
    methods: tuple[str, ...],
    n_lambdas: int,
    cap: float,
    penalties: tuple[tuple[str, float], ...] = LOG_SUMS,
) -> Iterator[Task]:
    """Yield one task per penalty and method."""
    for penalty, shape in penalties:
        for method in methods:
            yield Task(panel, problem, penalty, shape, n_lambdas, tol, method, cap)


def _toy(profile: Profile, n_seeds: int) -> Iterator[Task]:
    """Figure 1: running time per tolerance on two sizes; then the same for MCP and SCAD."""
    methods = (*PAPER_METHODS, ENGINE)
    for seed in range(n_seeds):
        small = Problem("toy", *profile.small, 2.0, seed)
        # One seed has every tolerance; the others show the spread at both ends, where that one also
        # has MM without screening and the printed rule.
        for tol in profile.tolerances if seed == 0 else profile.ends:
            more = (ONCE, *PRINTED) if seed == 0 and tol in profile.ends else ()
            chosen = (*PAPER_METHODS, *more, ENGINE)
            yield from _paths("figure1-small", small, tol, chosen, profile.n_toy, profile.cap)
    large = Problem("toy", *profile.large, 2.0, 0)
    for tol in profile.large_tolerances:
        yield from _paths("figure1-large", large, tol, methods, profile.n_toy, profile.large_cap)
    for seed in range(n_seeds):
        small = Problem("toy", *profile.small, 2.0, seed)
        for tol in profile.ends:
            cap = profile.others_cap
            yield from _paths("others", small, tol, methods, profile.n_toy, cap, OTHERS)


def _gain(profile: Profile, n_seeds: int) -> Iterator[Task]:
    """Figure 2: MM-screen against MM-genuine over features, noise and tolerance."""
    n_lambdas, cap = profile.n_toy, profile.gain_cap
    for seed in range(n_seeds):
        methods = (*GAIN_METHODS, *(("MM-exact",) if seed == 0 else ()), ENGINE)
        for d in profile.gain_features:
            problem = Problem("toy", profile.gain_samples, d, 2.0, seed)
            yield from _paths("figure2-features", problem, 1e-4, methods, n_lambdas, cap)
        with_mm = (*((ONCE,) if seed == 0 else ()), *methods)
        for noise in profile.gain_noises:
            problem = Problem("toy", profile.gain_samples, profile.gain_width, noise, seed)
            yield from _paths("figure2-noise", problem, 1e-4, with_mm, n_lambdas, cap)
        for tol in profile.low_noise_tolerances:
            for d in profile.low_noise_features:
                problem = Problem("toy", profile.low_noise_samples, d, 0.01, seed)
                panel, longer = "figure2-tolerance", profile.low_noise_cap
                yield from _paths(panel, problem, tol, methods, n_lambdas, longer)
    yield from _trace(profile)


def _trace(profile: Profile) -> Iterator[Task]:
    """Who screens how many coordinates at each outer iteration, for three penalties."""
    penalties, cap = (LOG_SUMS[1], *OTHERS), profile.large_cap
    for noise in (profile.gain_noises[0], profile.gain_noises[-1]):
        problem = Problem("toy", profile.gain_samples, profile.gain_width, noise, 0)
        yield from _paths(TRACE, problem, 1e-6, ("MM-screen",), TRACE_LAMBDAS, cap, penalties)


def _leukemia(profile: Profile, n_seeds: int) -> Iterator[Task]:
    """Figure 3, left."""
    n_lambdas, cap = profile.n_real, profile.real_cap
    for tol in profile.real_tolerances:
        methods = (*PAPER_METHODS, "MM-screen printed", ENGINE)
        problem = Problem("leukemia")
        yield from _paths("figure3-leukemia", problem, tol, methods, n_lambdas, cap)


def _newsgroup(profile: Profile, n_seeds: int) -> Iterator[Task]:
    """Figure 3, right."""
    n_lambdas, cap = profile.n_real, profile.real_cap
    for tol in profile.real_tolerances:
        methods = ("MM-genuine", "MM-screen", "MM-screen printed", ENGINE)
        problem = Problem("newsgroup")
        yield from _paths("figure3-newsgroup", problem, tol, methods, n_lambdas, cap)
