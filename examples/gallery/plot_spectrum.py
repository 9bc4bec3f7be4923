r"""
Complex data by stacking: lines of a spectrum
=============================================

Columns and response are complex: :math:`n` samples, at irregular times, of a few oscillations
:math:`e^{2\pi i f t}`. A complex regression :math:`y = Aw` is a real one of twice the size,

.. math::
    \begin{pmatrix} \mathrm{Re}\, y \\ \mathrm{Im}\, y \end{pmatrix} =
    \begin{pmatrix} \mathrm{Re}\, A & -\mathrm{Im}\, A \\ \mathrm{Im}\, A & \mathrm{Re}\, A
    \end{pmatrix} \begin{pmatrix} \mathrm{Re}\, w \\ \mathrm{Im}\, w \end{pmatrix}.

The real and the imaginary part of a coefficient are penalised one by one, so either may be zero
alone.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsieve as sv

rng = np.random.default_rng(0)
n = 60
times = np.sort(rng.uniform(0.0, 1.0, n))
frequencies = np.arange(-100, 101)
A = np.exp(2j * np.pi * np.outer(times, frequencies))
w = np.zeros(frequencies.size, dtype=complex)
w[[30, 85, 88, 151]] = [1.5, 0.8 + 0.6j, -1.0j, 1.2 - 0.4j]
y = A @ w + 0.15 * (rng.standard_normal(n) + 1j * rng.standard_normal(n))

# %%
# Stack, fit, and put the two halves of the coefficients together again.

X = np.block([[A.real, -A.imag], [A.imag, A.real]])
model = sv.SparseRegressorIC("mcp", criterion="ebic", fit_intercept=False)
model.fit(X, np.concatenate([y.real, y.imag]))
found = model.coef_[: frequencies.size] + 1j * model.coef_[frequencies.size :]
print("true lines ", frequencies[w != 0].tolist())
print("found lines", frequencies[found != 0].tolist())

# %%
# The periodogram of irregular samples has peaks everywhere; the sparse spectrum has the lines.

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
ax.plot(frequencies, np.abs(A.conj().T @ y) / n, color="#B0B0B0", label="periodogram")
lines = found != 0
ax.vlines(frequencies[lines], 0.0, np.abs(found[lines]), color="#0072B2", lw=2, label="MCP, EBIC")
true = w != 0
ax.plot(frequencies[true], np.abs(w[true]), "o", mfc="none", color="#D55E00", label="truth")
ax.set(xlabel="frequency", ylabel="amplitude", ylim=(0, None))
ax.legend()
plt.show()
