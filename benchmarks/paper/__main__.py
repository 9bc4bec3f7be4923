"""``python -m benchmarks.paper``, the same as ``sparsieve paper``."""

from .command import main

raise SystemExit(main())
