"""What an object gains that a report can be made of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..report import Report

__all__ = ["Reportable", "ShownInline"]


class Reportable:
    """Adds ``to_html``."""

    def to_html(self, file: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """Make a self-contained interactive report.

        Parameters
        ----------
        file : str or path-like, default=None
            Where to write it; None writes nothing.
        **options
            ``title``, ``notes``, ``reproduce``, ``settings``, ``scale``, ``alpha``, ``rule`` and
            ``data`` of :func:`sparsieve.report.write_html`.

        Returns
        -------
        Report
            The page as a string, whose ``repr`` is one line; a notebook shows it as a live page.
        """
        # Here, because most who use paths make no report.
        from ..report import render, save

        page = render(self, inline=file is None, **options)
        if file is not None:
            save(page, file)
        return page


class ShownInline(Reportable):
    """Adds the report as the way a notebook shows the object."""

    def _repr_html_(self) -> str:
        from ..report import render

        return render(self, inline=True)._repr_html_()
