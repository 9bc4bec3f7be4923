"""scikit-learn's coordinate descent, to have something to compare with."""

import warnings

import numpy as np
from benchopt import BaseSolver
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso


class Solver(BaseSolver):
    name = "scikit-learn"
    sampling_strategy = "tolerance"
    requirements = ["scikit-learn"]  # noqa: RUF012 - benchopt reads a class attribute

    def set_objective(self, X, y, lmbd, fit_intercept):
        self.X, self.y = X, y
        self.model = Lasso(lmbd / len(y), fit_intercept=fit_intercept, max_iter=1_000_000)
        self.coef = np.zeros(X.shape[1])

    def run(self, tolerance):
        self.model.set_params(tol=float(tolerance))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.coef = self.model.fit(self.X, self.y).coef_

    def get_result(self):
        return {"beta": self.coef}
