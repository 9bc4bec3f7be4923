"""Correlated columns, a few of which make the response."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "simulated"
    parameters = {"n_samples, n_features": [(100, 500), (300, 100)], "rho": [0.5]}  # noqa: RUF012

    def get_data(self):
        rng = np.random.default_rng(0)
        noise = rng.standard_normal((self.n_samples, self.n_features))
        X = np.asfortranarray(noise)
        for j in range(1, self.n_features):
            X[:, j] = self.rho * X[:, j - 1] + np.sqrt(1.0 - self.rho**2) * noise[:, j]
        w = np.zeros(self.n_features)
        w[rng.choice(self.n_features, 10, replace=False)] = rng.standard_normal(10)
        y = X @ w
        y += 0.3 * np.linalg.norm(y) / np.sqrt(len(y)) * rng.standard_normal(len(y))
        return {"X": X, "y": y}
