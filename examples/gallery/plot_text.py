r"""
Text: sparse columns, one per word
==================================

Which words tell the documentation of ``scipy.stats`` from that of ``scipy.signal``? The texts come
with SciPy, so the example needs no download. The design is a sparse matrix, which is never made
dense: not even for the intercept, whose centring is done on paper.
"""

import inspect
import os
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
import scipy.signal
import scipy.stats
from sklearn.feature_extraction.text import TfidfVectorizer

import sparsieve as sv


def docstrings(module):
    """Return the documentation of every public function and class of a module."""
    found = (inspect.getdoc(getattr(module, name)) for name in sorted(module.__all__))
    return [text for text in found if text and len(text) > 200]


stats, signal = docstrings(scipy.stats), docstrings(scipy.signal)
vectoriser = TfidfVectorizer(token_pattern=r"(?u)\b[a-z]{3,}\b", min_df=3)
X = vectoriser.fit_transform(stats + signal).tocsc()
y = np.r_[np.ones(len(stats)), -np.ones(len(signal))]
words = vectoriser.get_feature_names_out()
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.1%} of the entries used")

# %%
# tf-idf columns are short (their mean square is far below one), so MCP's default shape would be
# much too concave: :math:`\gamma` counts in units of one over the mean square of a column. SciPy's
# own numbers give the scale.

mean_square = np.median(np.asarray(X.multiply(X).mean(axis=0)))
penalty = sv.MCP(gamma=3.0 / mean_square)
path = sv.sparse_path(X, y, penalty, alphas=60, eps=0.05)
k = int(np.flatnonzero(path.support_size <= 24)[-1])
coef = path.coef_at(path.alphas[k])
order = np.argsort(coef)
order = order[coef[order] != 0]

figure, ax = plt.subplots(figsize=(7, 0.25 * order.size + 1), layout="constrained")
ax.barh(words[order], coef[order], color=np.where(coef[order] > 0, "tab:blue", "tab:orange"))
ax.axvline(0, color="0.4", lw=0.8)
ax.set(xlabel="coefficient", title="towards signal                         towards stats")
plt.show()

# %%
# A larger one: 961 posts and 21,319 words of 20 newsgroups, when ``SPARSIEVE_DATA`` names a folder
# with ``newsgroup.npz``.

if (Path(os.environ.get("SPARSIEVE_DATA", "")) / "newsgroup.npz").is_file():
    X, y = sv.datasets.load_newsgroups()
    start = perf_counter()
    path = sv.sparse_path(X, y, sv.LogSum(theta=1.0), alphas=50, eps=0.02)
    print(
        f"{X.shape[0]} x {X.shape[1]}: {len(path)} certified points in "
        f"{perf_counter() - start:.2f} s, up to {path.support_size.max()} words, "
        f"{path.passes.sum() / len(path):.2f} passes per alpha"
    )
else:
    print("newsgroup.npz is not at hand: this part was skipped")
