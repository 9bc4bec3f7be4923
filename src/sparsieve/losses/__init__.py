"""Losses: built in, and your own."""

from .base import Loss
from .builtin import BuiltInLoss, Huber, Logistic, NegativeBinomial, Poisson, Squared
from .resolve import is_squared, null_shift, predicts_amounts, resolve_loss

__all__ = [
    "BuiltInLoss",
    "Huber",
    "Logistic",
    "Loss",
    "NegativeBinomial",
    "Poisson",
    "Squared",
    "is_squared",
    "null_shift",
    "predicts_amounts",
    "resolve_loss",
]
