"""The map of shapes: paths at every n and d, ours beside the fastest peer.

    python -m benchmarks map --help

`cells.py` says what is run, `run.py` runs it, `report.py` writes table, figure and page.
"""
