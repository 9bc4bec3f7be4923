"""Section 5 of [RGS19], rerun: its methods in NumPy, and what the compiled engine makes of them.

``sparsieve paper all`` is `main`. The rooms: `plan` (what is run), `problems` and `scale` (on what,
in which units), `methods` and `runner` (how), `store` (the JSON), `summary` (sums and ratios),
`figures` and `report` (what comes out).
"""

from .command import main

__all__ = ["main"]
