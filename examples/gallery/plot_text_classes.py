r"""
Which module is it? Several classes of text
===========================================

Documentation of four parts of SciPy, one class each, told apart by its words. The texts come with
SciPy, so the example needs no download. Beyond two classes each has a model against the rest: its
words, its alpha and its certificate.
"""

import inspect
import os
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.stats
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split

import sparsieve as sv


def docstrings(module):
    """Return the documentation of every public function and class of a module."""
    found = (inspect.getdoc(getattr(module, name)) for name in sorted(module.__all__))
    return [text for text in found if text and len(text) > 200]


modules = {
    m.__name__: docstrings(m) for m in (scipy.stats, scipy.signal, scipy.linalg, scipy.optimize)
}
labels = np.concatenate([[name] * len(texts) for name, texts in modules.items()])
# The names of the modules themselves would give the answer away.
vectoriser = TfidfVectorizer(
    token_pattern=r"(?u)\b[a-z]{3,}\b",
    min_df=5,
    stop_words=["scipy", "stats", "signal", "linalg", "optimize"],
)
X = vectoriser.fit_transform([text for texts in modules.values() for text in texts]).tocsc()
words = vectoriser.get_feature_names_out()
seen, unseen, truth, unseen_truth = train_test_split(
    X, labels, test_size=0.3, random_state=0, stratify=labels
)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.1%} of the entries used")

# %%
# The sparse matrix is never made dense. Folds are stratified; each class chooses its alpha by the
# deviance of the texts left out.

start = perf_counter()
model = sv.SparseClassifierCV("l1", alphas=30, eps=0.02, cv=5).fit(seen, truth)
print(f"{perf_counter() - start:.1f} s")
print(f"right on new texts: {model.score(unseen, unseen_truth):.1%}")
for name, certificate in zip(model.classes_, model.certificate_, strict=True):
    print(f"{name:15s} {certificate.support_size:4d} words, violation {certificate.kkt:.1e}")

# %%
# The strongest words of each class.

figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
for ax, name, coef in zip(axes.flat, model.classes_, model.coef_, strict=True):
    top = np.argsort(np.abs(coef))[-10:]
    ax.barh(words[top], coef[top], color=np.where(coef[top] > 0, "tab:blue", "tab:orange"))
    ax.axvline(0, color="0.4", lw=0.8)
    ax.set_title(f"{name} against the rest")
plt.show()

# %%
# A larger one: 961 posts and 21,319 words of 20 newsgroups, when ``SPARSIEVE_DATA`` names a folder
# with ``newsgroup.npz``.

if (Path(os.environ.get("SPARSIEVE_DATA", "")) / "newsgroup.npz").is_file():
    X, y = sv.datasets.load_newsgroups()
    start = perf_counter()
    path = sv.sparse_path(X, (y > 0).astype(float), "l1", loss="logistic", alphas=50, eps=0.02)
    print(
        f"{X.shape[0]} x {X.shape[1]}: {len(path)} certified points in "
        f"{perf_counter() - start:.2f} s, up to {path.support_size.max()} words"
    )
else:
    print("newsgroup.npz is not at hand: this part was skipped")
