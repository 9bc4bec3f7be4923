"""Certified sparse regression with non-convex penalties."""

from . import datasets, reference

__all__ = ["datasets", "reference"]
