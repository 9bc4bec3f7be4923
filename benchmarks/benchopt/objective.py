"""The lasso without an intercept, as benchopt's own benchmark of it has it."""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    name = "Lasso"
    min_benchopt_version = "1.6"
    url = "https://github.com/benchopt/benchmark_lasso"
    # The strength as a part of that from which on all coefficients are zero.
    parameters = {"reg": [0.1, 0.01]}  # noqa: RUF012 - benchopt reads a class attribute

    def set_data(self, X, y):
        self.X, self.y = X, y
        self.lmbd = self.reg * np.abs(X.T @ y).max()

    def evaluate_result(self, beta):
        """Return objective and duality gap; nothing that a solver says of itself is used."""
        residual = self.y - self.X @ beta
        value = 0.5 * residual @ residual + self.lmbd * np.abs(beta).sum()
        dual = residual * min(1.0, self.lmbd / np.abs(self.X.T @ residual).max())
        rest = self.y - dual
        return {"value": value, "duality_gap": value - 0.5 * (self.y @ self.y - rest @ rest)}

    def get_one_result(self):
        return {"beta": np.zeros(self.X.shape[1])}

    def get_objective(self):
        return {"X": self.X, "y": self.y, "lmbd": self.lmbd, "fit_intercept": False}
