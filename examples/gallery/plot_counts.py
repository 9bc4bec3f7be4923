r"""
Counts with an exposure: Poisson and negative binomial
======================================================

How often does SciPy's documentation say "array"? Long texts say it more often, so the logarithm of
their length is the **offset**: what is modelled is the rate per word. The other words of a text are
the features. The texts come with SciPy; the counts are real, and vary more than a Poisson's.
"""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import scipy.linalg
import scipy.signal
import scipy.stats
from sklearn.feature_extraction.text import CountVectorizer

import sparsieve as sv

texts = [
    text
    for module in (scipy.stats, scipy.signal, scipy.linalg)
    for name in sorted(module.__all__)
    if (text := inspect.getdoc(getattr(module, name))) and len(text) > 200
]
vectoriser = CountVectorizer(token_pattern=r"(?u)\b[a-z]{3,}\b", min_df=20)
table = vectoriser.fit_transform(texts)
words = vectoriser.get_feature_names_out()
(target,) = np.flatnonzero(words == "array")
counts = np.asarray(table[:, [target]].todense()).ravel().astype(float)
length = np.asarray(table.sum(axis=1)).ravel()
others = np.arange(words.size) != target
X = (table[:, others] > 0).astype(float).tocsc()  # does the text have the word?
words = words[others]
print(
    f"{counts.size} texts, {X.shape[1]} words; 'array' {counts.sum():.0f} times, at most "
    f"{counts.max():.0f} in one"
)

# %%
# Both losses, cross-validated by their deviance. ``theta`` is a first guess from mean and variance
# of the rates: the smaller, the more the counts vary.

rate = counts / length * length.mean()
theta = float(rate.mean() ** 2 / (rate.var() - rate.mean()))
models = {}
for loss in (sv.Poisson(), sv.NegativeBinomial(theta=theta)):
    model = sv.SparseRegressorCV("mcp", alphas=40, eps=0.05, cv=5, loss=loss, rule="1se")
    models[loss.name] = model.fit(X, counts, offset=np.log(length))
    seen = model.assessment_
    print(
        f"{loss}: {np.count_nonzero(model.coef_)} words, D2 {seen['d2']:.2f} and dispersion "
        f"{seen['dispersion']:.2f} on texts left out; violation {model.kkt_:.1e}"
    )

# %%
# A coefficient of 0.7 doubles the rate. ``predict`` without an offset is the rate per word.

coef = models["negative_binomial"].coef_
top = np.argsort(np.abs(coef))[-12:]
top = top[coef[top] != 0]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.barh(words[top], np.exp(coef[top]) - 1, left=1, color="tab:blue")
left.axvline(1, color="0.4", lw=0.8)
left.set(xlabel="factor on the rate, where the text has the word")
for name, model in models.items():
    seen = model.assessment_
    right.plot(seen["fitted"], seen["residual"], ".", label=name.replace("_", " "), alpha=0.6)
right.axhline(0, color="0.4", lw=0.8)
right.set(xscale="log", xlabel="predicted mean", ylabel="deviance residual, texts left out")
right.legend()
plt.show()
