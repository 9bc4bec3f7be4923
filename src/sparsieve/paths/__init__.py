"""Regularisation paths."""
