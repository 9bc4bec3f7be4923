"""Does ``sparsieve fit`` with its defaults do as well as careful work by hand?

    python -m benchmarks.tables          # needs SPARSIEVE_DATA and the extra "cli"

Five real tables are written as CSV with names, split at random into 80 % to fit and 20 % to judge.
The command line fits the first file with its defaults and predicts the second; by hand,
scikit-learn's LassoCV and sparsieve's MCP, both on standardised columns with 5 shuffled folds, see
the same rows. Printed: the R2 on the rows left out (and the number of features), means over the
splits, and how far the command line is from the better of the two, with the standard error.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LassoCV
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sparsieve as sv

TABLES = (
    "diabetes",
    "diabetes_interactions",
    "communities_crime",
    "boston_interactions",
    "riboflavin",
)


def load(name):
    """Return X, y and names of one data set."""
    if name == "diabetes":
        data = load_diabetes(scaled=False)
        return data.data, data.target, data.feature_names
    folder = os.environ.get("SPARSIEVE_DATA")
    if not folder:
        sys.exit("set SPARSIEVE_DATA to the folder with the data sets")
    with np.load(Path(folder) / f"{name}.npz") as archive:
        X, y = archive["X"].astype(np.float64), archive["y"].astype(np.float64)
        decimals = int(archive["decimals"])
        names = archive["feature_names"] if "feature_names" in archive.files else None
    if decimals >= 0:  # stored in single precision, exact to so many decimals
        X = np.round(X, decimals)
    names = [f"v{j}" for j in range(X.shape[1])] if names is None else [str(n) for n in names]
    return X, y, names


def write(file, names, X, y):
    """Write a CSV table with the target last."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow([*names, "target"])
        for row, value in zip(X.tolist(), y.tolist(), strict=True):
            rows.writerow([*row, value])


def command_line(folder, names, train, test):
    """Return predictions and number of features of the command line."""
    for name, (X, y) in (("train", train), ("test", test)):
        write(folder / f"{name}.csv", names, X, y)
    command = [sys.executable, "-m", "sparsieve"]
    fit = ["fit", "train.csv", "--target", "target", "--no-report"]
    predict = ["predict", "train.model.json", "test.csv", "-o", "predictions.csv", "--force"]
    for arguments in (fit, predict):
        subprocess.run([*command, *arguments, "--quiet"], cwd=folder, check=True)
    model = sv.load_model(folder / "train.model.json")
    predictions = np.loadtxt(folder / "predictions.csv", skiprows=1)
    return predictions, int(np.count_nonzero(model.coef_)), type(model.penalty_).__name__


def by_hand(model, train, test):
    """Return predictions and number of features of a pipeline."""
    pipeline = make_pipeline(StandardScaler(), model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LassoCV at its default tolerance; its score is judged
        pipeline.fit(*train)
    return pipeline.predict(test[0]), int(np.count_nonzero(pipeline[-1].coef_))


def compare(name, seed):
    """Return R2 and sizes of the command line, LassoCV and MCP on one split."""
    X, y, names = load(name)
    X1, X2, y1, y2 = train_test_split(X, y, test_size=0.2, random_state=seed)
    folds = KFold(5, shuffle=True, random_state=seed + 100)
    with tempfile.TemporaryDirectory() as folder:
        ours, size, penalty = command_line(Path(folder), names, (X1, y1), (X2, y2))
    lasso = by_hand(LassoCV(cv=folds), (X1, y1), (X2, y2))
    mcp = by_hand(sv.SparseRegressorCV("mcp", cv=folds), (X1, y1), (X2, y2))
    scores = [r2_score(y2, p) for p in (ours, lasso[0], mcp[0])]
    return scores, [size, lasso[1], mcp[1]], penalty


def main():
    parser = argparse.ArgumentParser(description="the command line against work by hand")
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--splits", type=int, default=20)
    options = parser.parse_args()
    print("| table | rows x columns | command line | LassoCV | MCP | difference to the better |")
    print("|---|---|---|---|---|---|")
    for name in options.tables:
        shape = load(name)[0].shape
        results = [compare(name, seed) for seed in range(options.splits)]
        scores = np.array([r[0] for r in results])
        sizes = np.mean([r[1] for r in results], axis=0)
        mean = scores.mean(axis=0)
        # The better by its mean, not split by split: that would be hindsight.
        gap = scores[:, 0] - scores[:, 1 + int(np.argmax(mean[1:]))]
        error = gap.std(ddof=1) / np.sqrt(len(gap))
        cells = [f"{m:.3f} ({s:.0f})" for m, s in zip(mean, sizes, strict=True)]
        print(
            f"| {name} | {shape[0]} x {shape[1]} | {' | '.join(cells)} | "
            f"{gap.mean():+.3f} ± {error:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
