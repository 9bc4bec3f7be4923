r"""
A folder of Parquet files
=========================

Each file is one fold. Statistics of each are made batch by batch, added up for the fit of the
others, and nothing is ever read twice.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

import sparsieve as sv

# %%
# A folder as a data base may export it: five files with a column for the response.
folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
for k in range(5):
    X = rng.standard_normal((4_000, 25))
    columns = {f"x{j}": X[:, j] for j in range(25)}
    columns["price"] = 3.0 + X[:, 0] - 0.5 * X[:, 7] + 2.0 * rng.standard_normal(4_000)
    pyarrow.parquet.write_table(pa.table(columns), folder / f"part-{k}.parquet")

# %%
# ``y`` is the name of a column. The sum of all five would be the statistics of the folder,
# ``sv.Statistics.of(pyarrow.dataset.dataset(folder), y="price")``.
folds = [
    sv.Statistics.of(pyarrow.dataset.dataset(file), y="price")
    for file in sorted(folder.glob("*.parquet"))
]
model = sv.SparseRegressorCV("mcp", alphas=40, eps=0.01, rule="1se").fit(folds)
print(
    {
        name: round(float(value), 2)
        for name, value in zip(model.feature_names_in_, model.coef_, strict=True)
        if value
    }
)

# %%
plt.figure(figsize=(6, 3.5))
plt.semilogx(model.alphas_, model.mse_path_, color="0.7")
plt.semilogx(model.alphas_, model.mse_path_.mean(axis=1), color="black")
plt.axvline(model.alpha_, linestyle="--")
plt.xlabel("alpha")
plt.ylabel("mean squared error of each file")
plt.tight_layout()
