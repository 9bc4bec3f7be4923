r"""
Two kinds of leukemia: classes with a proof
===========================================

Golub's data: 72 patients, 7129 raw expression values, ALL or AML. Read from the folder named by the
environment variable ``SPARSIEVE_DATA`` when it holds ``leukemia.npz``; otherwise the example runs
on simulated expression of 2000 genes in 72 patients: genes come in pathways whose members rise
and fall together, and four genes of four pathways decide the class, not without mistakes.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv


def load():
    """Return X, labels, the names of the genes and what the data are."""
    file = Path(os.environ.get("SPARSIEVE_DATA", "")) / "leukemia.npz"
    if file.is_file():
        X, y = sv.datasets.load_leukemia()
        names = np.load(file)["feature_names"].astype(str)
        return X, np.where(y > 0, "ALL", "AML"), names, "leukemia"
    rng = np.random.default_rng(0)
    n_patients, pathways, members = 72, 100, 20
    activity = np.repeat(rng.normal(size=(n_patients, pathways)), members, axis=1)
    X = 0.7 * activity + 0.7 * rng.normal(size=activity.shape)
    drivers = members * rng.choice(pathways, 4, replace=False)
    eta = X[:, drivers] @ [3.0, -2.5, 2.0, 1.5] + 0.5
    names = np.array([f"pathway {p} gene {g}" for p in range(pathways) for g in range(members)])
    labels = np.where(eta + rng.logistic(size=n_patients) > 0, "ALL", "AML")
    return X, labels, names, "simulated expression"


X, labels, names, what = load()
print(f"{what}: {X.shape[0]} patients, {X.shape[1]} genes, {(labels == 'ALL').sum()} with ALL")

# %%
# With more genes than patients some direction nearly always separates the classes, and then the
# logistic loss alone has no minimum. The lasso has one at every :math:`\alpha`; MCP, which stops
# growing, may have none at small ones. A path that chooses its own alphas ends before the first of
# these and says so: coefficients there would depend on when a solver gave up.

y = (labels == "ALL").astype(float)
for penalty in ("l1", "mcp"):
    path = sv.sparse_path(X, y, penalty, loss="logistic", standardize=True, alphas=50, eps=0.02)
    print(
        f"{penalty:>4}: {len(path)} of 50 alphas, largest violation {path.kkt.max():.1e}, "
        f"ended: {path.ended}"
    )

# %%
# Both compete in a cross-validation that is judged by the deviance of the patients left out.

model = sv.SparseClassifierCV(["l1", "mcp"], alphas=40, eps=0.05, cv=5, standardize=True)
model.fit(X, labels)
chosen = np.flatnonzero(model.coef_[0])
print(
    f"{model.penalty_}, {chosen.size} genes; coefficients above zero speak for {model.classes_[1]}"
)
scale = X.std(axis=0)
for j in chosen[np.argsort(-np.abs(model.coef_[0] * scale)[chosen])][:10]:
    print(f"{names[j]:20s} {model.coef_[0, j] * scale[j]:+.3f} per standard deviation")
print(model.certificate_)

# %%
# How good are the probabilities? The model keeps what each fold said of the patients that it had
# not seen; the report has the same two charts.

seen = model.estimators_[0].assessment_
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.errorbar(
    seen["mean"],
    seen["share"],
    yerr=[seen["share"] - seen["low"], seen["high"] - seen["share"]],
    fmt="o",
)
left.plot([0, 1], [0, 1], "--", color="0.6")
left.set(xlabel=f"predicted probability of {model.classes_[1]}", ylabel="share that is true")
left.set(title=f"{seen['n_rows']} patients, {seen['source']}", ylim=(-0.15, 1.15))
right.plot(seen["fpr"], seen["tpr"])
right.plot([0, 1], [0, 1], "--", color="0.6")
right.set(xlabel="false alarms", ylabel="found", title=f"area {seen['auc']:.3f}")
plt.show()
