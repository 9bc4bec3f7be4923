"""The scale of [RGS19]."""

from __future__ import annotations

from typing import Any

from ..data.scalars import check_integer, check_number
from ..penalties import L1, MCP, CappedL1, LogSum, Penalty, resolve_penalty
from .stated import Settings

__all__ = ["from_paper", "to_paper"]


def from_paper(penalty: str, lam: float, theta: float | None = None, *, n_samples: int) -> Settings:
    r"""Convert from the scale of [RGS19].

    .. math:: \frac12 \|y - Xw\|^2 + \sum_j r_{\lambda,\theta}(|w_j|)

    Dividing by n: :math:`\alpha = \lambda/n`; log-sum and capped l1 keep :math:`\theta`; MCP has
    :math:`\gamma = n\theta`. SCAD ties its slope to its breakpoints, so no alpha does the same;
    it is the same problem only for data divided by :math:`\sqrt n`.

    Parameters
    ----------
    penalty : {"l1", "logsum", "mcp", "capped_l1"}
        Or another spelling of these, as everywhere.
    lam, theta : float
    n_samples : int

    Returns
    -------
    Settings

    Examples
    --------
    >>> from sparsieve.converters import from_paper
    >>> from_paper("mcp", lam=50.0, theta=0.03, n_samples=100)[:2]
    (MCP(), 0.5)
    """
    lam = check_number("lam", lam, remedy="use lam > 0")
    n = check_integer("n_samples", n_samples, low=1, remedy="pass the number of rows")
    kind = type(resolve_penalty(penalty))
    if kind is L1:
        return Settings(L1(), lam / n)
    if kind not in (LogSum, MCP, CappedL1):
        raise ValueError(
            f"penalty={penalty!r} has no equivalent here; use 'l1', 'logsum', 'mcp' or 'capped_l1' "
            "(for 'scad', divide X and y by sqrt(n) in the paper's program: then alpha = lam and "
            "gamma = theta)."
        )
    theta = check_number("theta", theta, remedy="pass the paper's theta > 0")
    if kind is MCP:
        return Settings(MCP(gamma=theta * n), lam / n)
    return Settings(LogSum(theta) if kind is LogSum else CappedL1(theta), lam / n)


def to_paper(penalty: str | Penalty, alpha: float, *, n_samples: int) -> dict[str, Any]:
    """Convert to [RGS19]: the inverse of :func:`from_paper`.

    Returns
    -------
    dict
        ``penalty``, ``lam`` and ``theta`` (None for l1).
    """
    penalty = resolve_penalty(penalty)
    alpha = check_number("alpha", alpha, remedy="use alpha > 0")
    n = check_integer("n_samples", n_samples, low=1, remedy="pass the number of rows")
    names: dict[type, str] = {L1: "l1", MCP: "mcp", LogSum: "logsum", CappedL1: "capped_l1"}
    kind = type(penalty)
    if kind not in names:
        raise ValueError(
            f"{kind.__name__} has no equivalent in the paper's scale; use l1, logsum, mcp or "
            "capped_l1 (for scad, divide X and y by sqrt(n): then lam = alpha and theta = gamma)."
        )
    known: Any = penalty
    theta = known.gamma / n if kind is MCP else getattr(known, "theta", None)
    return {"penalty": names[kind], "lam": alpha * n, "theta": theta}
