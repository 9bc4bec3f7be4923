"""What the paper says in figures, and why a rerun differs."""

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
WHY_RATIOS = """Where a ratio differs from the paper's, these are the reasons we see.

* **The baseline.** The authors' program takes the steps of ncvxCD by `numpy.roots`; the table above
  shows what this alone does to the ratio of times. Visits, which do not depend on it, hardly move.
* **The gap after every sweep.** It ends an inner problem as soon as it is solved. MM-genuine gains
  more from that than MM-screen, whose inner problems are short anyway, so that propagation gains
  less than with a gap every five sweeps; and each gap costs nearly as much as a sweep, which time
  and column operations count and visits do not.
* **The line search of GIST.** From a step of 1 in each iteration it needs many products; with
  Barzilai-Borwein steps, as printed, few.
* **Where propagation gains.** It spares MM the sweeps over all coordinates that MM-genuine makes
  before its first screening, at every outer iteration. That is much where nearly everything can be
  screened (many more features than samples, little noise, large lambda) and nothing where the
  support fills up.
* **Exact scores are free.** The product X'r that exact scores need is computed at every outer
  iteration anyway, for the stopping test. Using it (MM-exact) mostly beats propagating old scores;
  where propagation pays is when that product can be avoided, which is how the engine uses it.
* **End points.** Direct methods and MM end in different critical points; a comparison of times
  alone hides that."""
