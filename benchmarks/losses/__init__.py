"""Paths of logistic and Poisson losses beside the peers', through the judge.

    python -m benchmarks losses --help

`cells.py` says what is run, `report.py` writes table and page; searches and rounds are those of
``benchmarks.runner``.
"""
