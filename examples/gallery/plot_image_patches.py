r"""
Sparse coding of image patches
==============================

Every patch of an image is written with a few atoms of one dictionary. The dictionary is the design
of all of them: :func:`~sparsieve.sparse_codes` measures it once. A concave penalty needs fewer
atoms than the lasso for the same picture, because it does not shrink those that it takes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.image import extract_patches_2d, reconstruct_from_patches_2d

import sparsieve as sv

# %%
# A picture of edges and waves, with noise, cut into overlapping patches of 8 x 8.
rng = np.random.default_rng(0)
u, v = np.meshgrid(np.linspace(-2, 2, 64), np.linspace(-2, 2, 64))
picture = np.where(u**2 + v**2 < 1.5, np.sin(9 * u + 3 * v), np.sign(u - v) * 0.7)
noisy = picture + 0.25 * rng.standard_normal(picture.shape)
patches = extract_patches_2d(noisy, (8, 8)).reshape(-1, 64)

# %%
# The dictionary: products of cosines, more of them than there are pixels in a patch.
waves = np.cos(np.outer(np.arange(8) + 0.5, np.arange(14)) * np.pi / 14)
waves -= np.where(np.arange(14) > 0, waves.mean(axis=0), 0.0)
waves /= np.linalg.norm(waves, axis=0)
atoms = np.kron(waves, waves)[:, 1:]

fig, axes = plt.subplots(1, 4, figsize=(9, 2.6))
fig.subplots_adjust(left=0.01, right=0.99, bottom=0.02, top=0.78, wspace=0.05)
axes[0].imshow(picture, cmap="gray")
axes[1].imshow(noisy, cmap="gray")
for axis, penalty, alpha in ((axes[2], "l1", 0.05), (axes[3], "mcp", 0.08)):
    codes = sv.sparse_codes(atoms, patches.T, penalty, alpha=alpha, standardize=True)
    restored = (atoms @ codes.coefs + codes.intercepts).T.reshape(-1, 8, 8)
    result = reconstruct_from_patches_2d(restored, picture.shape)
    error = np.sqrt(np.mean((result - picture) ** 2))
    axis.imshow(result, cmap="gray")
    used = codes.coefs.nnz / len(codes)
    axis.set_title(f"{penalty}: error {error:.3f}\n{used:.1f} atoms a patch", fontsize=8)
    print(penalty, codes)
for axis, title in zip(axes, ("picture", "with noise"), strict=False):
    axis.set_title(title, fontsize=8)
for axis in axes:
    axis.set_axis_off()
