"""Section 5 of [RGS19], rerun as printed and as published, with the engine on the same paths.

``sparsieve paper all`` is `main`. The rooms: `plan` (what is run), `arms` (what differs between the
text and the authors' program), `schedule` (in which order), `problems` and `scale` (on what, in
which units), `methods`, `twin` and `runner` (how), `store` (the JSON), `summary` (sums and ratios),
`facts` (numbers on the printed radius), `property1`, `figures`, `findings`, `tables` and `report`
(what comes out).
"""

from .command import main

__all__ = ["main"]
