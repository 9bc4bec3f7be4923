"""What the paper says in figures, and why a rerun may differ."""

from __future__ import annotations

from dataclasses import dataclass

from .summary import Ratio


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper about a ratio of running times, with its range in figures."""

    panel: str
    slow: str
    fast: str
    words: str
    low: float
    high: float

    def verdict(self, measured: Ratio | None) -> str:
        """Say how a measured ratio compares; a quarter either way counts as agreement."""
        if measured is None:
            return "no comparison: not converged"
        if measured.mean < 0.95:
            return "the other way round"
        if measured.mean < 1.05:
            return "no gain"
        if measured.mean < 0.75 * self.low:
            return "smaller"
        return "larger" if measured.mean > 1.25 * self.high else "agrees"


CLAIMS = (
    Claim("figure1-small", "ncvxCD", "MM-screen", "about 5", 5.0, 5.0),
    Claim("figure1-large", "ncvxCD", "MM-screen", "about 5", 5.0, 5.0),
    Claim("figure2-features", "MM-genuine", "MM-screen", "about 1.8", 1.8, 1.8),
    Claim("figure2-noise", "MM-genuine", "MM-screen", "almost constant, most at low noise", 1.8, 4),
    Claim("figure2-tolerance", "MM-genuine", "MM-screen", "about 4, 6.5 at 1e-8", 4.0, 6.5),
    Claim("figure3-leukemia", "ncvxCD", "MM-screen", "3 to 5", 3.0, 5.0),
    Claim("figure3-leukemia", "GIST", "MM-screen", "about 4 at high tolerance", 4.0, 4.0),
    Claim("figure3-newsgroup", "MM-genuine", "MM-screen", "1.3 to 1.8", 1.3, 1.8),
)
WHY_RATIOS = """Where a ratio differs from the paper's, these are the likely reasons.

* **The baseline.** ncvxCD takes one exact step per coordinate and has no inner problem; MM solves a
  weighted lasso to a gap of 1e-4 before each reweighting. The ratio of visits compares the two
  algorithms; the ratio of times also compares how their Python loops are written.
* **Python.** GIST has no loop over coordinates, so NumPy flatters it, as the paper says too: its
  column operations tell more than its seconds.
* **Where propagation gains.** It spares MM the five sweeps over all coordinates that MM-genuine
  makes before its first gap, at every outer iteration. That is much where nearly everything can be
  screened (many more features than samples, little noise, large lambda) and nothing where the
  support fills up. Paths broken off at their cap leave out the small lambdas, where with noise it
  gains less; without noise it gains most once the support is found, in the middle of the path.
* **Exact scores are free.** The product X'r that exact scores need is computed at every outer
  iteration anyway, for the stopping test. Using it (MM-exact) beats propagating old scores; where
  propagation pays is when that product can be avoided, which is how the engine uses it.
* **End points.** Direct methods and MM end in different critical points; a comparison of times
  alone hides that."""
