"""sparsieve for benchopt: also runs in benchopt's benchmark of the lasso.

That one minimises ||y - Xw||^2 / 2 + lmbd ||w||_1, so lmbd is n times our alpha.
"""

import warnings

import numpy as np
from benchopt import BaseSolver
from sklearn.exceptions import ConvergenceWarning

import sparsieve


class Solver(BaseSolver):
    name = "sparsieve"
    sampling_strategy = "tolerance"
    requirements = ["pip::sparsieve"]  # noqa: RUF012 - benchopt reads a class attribute

    def set_objective(self, X, y, lmbd, fit_intercept):
        self.X, self.y, self.fit_intercept = X, y, fit_intercept
        self.alpha = lmbd / len(y)
        self.coef, self.intercept = np.zeros(X.shape[1]), 0.0

    def run(self, tolerance):
        # Never looser than the default: benchopt stops a solver whose objective stays the same
        # from one tolerance to the next, which loose ones do while they are far from the minimum.
        tol = min(float(tolerance), 1e-6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            path = sparsieve.sparse_path(
                self.X,
                self.y,
                "l1",
                alphas=[self.alpha],
                fit_intercept=self.fit_intercept,
                tol=max(tol, 1e-13),
            )
        point = path.points[-1]
        self.coef[:] = 0.0
        self.coef[point.columns] = point.values
        self.intercept = point.intercept

    def get_result(self):
        if self.fit_intercept:
            return {"beta": np.append(self.coef, self.intercept)}
        return {"beta": self.coef.copy()}
