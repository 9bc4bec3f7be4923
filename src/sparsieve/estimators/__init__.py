"""Estimators: one alpha, and models that know the columns of a table."""
