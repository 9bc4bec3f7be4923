"""The library's logger, called "sparsieve": silent unless the program asks for what it says.

``logging.getLogger("sparsieve").setLevel(logging.INFO)`` with a handler tells what was fitted and
what was found in a table. Warnings that a user must see are warnings, not log entries.
"""

from __future__ import annotations

import logging

__all__ = ["LOG"]

LOG = logging.getLogger("sparsieve")
LOG.addHandler(logging.NullHandler())
