"""Compact and safe: a story as JSON that may stand inside a script element.

Coefficients are stored as the non-zeros of each point: little-endian numbers in base64, eight bytes
each while that stays small, four beyond, and only the largest features when even that would make
the file too heavy. The page says which of the three it holds.
"""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .classes import encode_classes
from .curves import Curve
from .tracks import Story, Track

__all__ = ["BUDGET", "check_not_scaled_twice", "encode_story", "safe_json"]

#: Bytes of base64 that coefficients may take. With 20,000 names of 40 characters and the page
#: itself (about 60 kB) a report then stays below 5 MB.
BUDGET = 3_500_000
_PER_BYTE = 4 / 3  # base64 writes four characters for three bytes


def encode_story(story: Story, budget: int = BUDGET, scale: Any = None) -> dict[str, Any]:
    """Return the story as plain lists, numbers and strings, ready for :func:`safe_json`."""
    scale = None if scale is None else _checked_scale(scale, story.tracks[0].n_features)
    n_features = story.tracks[0].n_features
    used, total = _largest_over(story.tracks, n_features, scale)
    index_bytes = 2 if used.size <= 1 << 16 else 4
    value_bytes = 8 if total * (index_bytes + 8) * _PER_BYTE <= budget else 4
    kept = _within_budget(story.tracks, used, n_features, budget, index_bytes + value_bytes)
    position = np.full(n_features, -1, dtype=np.int64)
    position[kept] = np.arange(kept.size)
    names = next((track.names for track in story.tracks if track.names is not None), None)
    return {
        "nFeatures": n_features,
        "nRows": story.n_rows,
        "features": kept.tolist(),
        "names": None if names is None else [str(names[j]) for j in kept],
        "scale": None if scale is None else scale[kept].tolist(),
        "nDropped": int(used.size - kept.size),
        "valueBytes": value_bytes,
        "indexBytes": index_bytes,
        "tracks": [
            _encode_track(track, position, value_bytes, index_bytes)
            | encode_classes(track, story.choices, number)
            for number, track in enumerate(story.tracks)
        ],
        "curves": [_encode_curve(curve) for curve in story.curves],
        "choices": [vars(choice).copy() for choice in story.choices],
    }


def _checked_scale(scale: Any, n_features: int) -> NDArray[np.float64]:
    numbers = np.asarray(scale, dtype=np.float64)
    if numbers.shape != (n_features,) or not np.all(np.isfinite(numbers)):
        raise ValueError(
            f"scale has shape {numbers.shape}; pass {n_features} finite numbers, the standard "
            "deviation of each column, or None."
        )
    return numbers


def check_not_scaled_twice(scale: Any) -> None:
    """Raise ValueError for a scale of coefficients whose columns have standard deviation 1."""
    # One percent: a sample's standard deviation is not exactly that of its units.
    if np.any(np.abs(np.asarray(scale, dtype=np.float64) - 1.0) > 0.01):
        raise ValueError(
            "scale: this was computed on columns of standard deviation 1, so its coefficients are "
            "the effects of one standard deviation already, and scale would multiply them once "
            "more; leave it out."
        )


def _largest_over(
    tracks: list[Track], n_features: int, scale: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], int]:
    """Return the features that are ever non-zero, largest first, and the number of non-zeros."""
    largest, used = np.zeros(n_features), np.zeros(n_features, dtype=bool)
    total = 0
    for track in tracks:
        effects = [(c, np.abs(v) * (1.0 if scale is None else scale[c])) for c, v in track.points]
        # Each path counts relative to itself: penalties differ in how much they shrink.
        top = max((e.max() for _, e in effects if e.size), default=0.0) or 1.0
        for columns, effect in effects:
            largest[columns] = np.maximum(largest[columns], effect / top)
            used[columns] = True
            total += effect.size
    order = np.argsort(-largest, kind="stable")
    return order[used[order]], total


def _within_budget(
    tracks: list[Track], used: NDArray[np.int64], n_features: int, budget: int, entry: int
) -> NDArray[np.int64]:
    """Return as many of the largest features as fit, with all their non-zeros, into the budget."""
    count = np.zeros(n_features, dtype=np.int64)
    for track in tracks:
        for columns, _ in track.points:
            count[columns] += 1
    heavy = np.cumsum(count[used]) * entry * _PER_BYTE
    return used[: max(int(np.searchsorted(heavy, budget, side="right")), min(used.size, 1))]


def _encode_track(
    track: Track, position: NDArray[np.int64], value_bytes: int, index_bytes: int
) -> dict[str, Any]:
    starts, where, what = [0], [], []
    for columns, values in track.points:
        keep = position[columns] >= 0
        where.append(position[columns][keep])
        what.append(values[keep])
        starts.append(starts[-1] + int(keep.sum()))
    rows = np.concatenate(where) if where else np.zeros(0, dtype=np.int64)
    numbers = np.concatenate(what) if what else np.zeros(0)
    return {
        "penalty": track.penalty,
        "shape": track.shape,
        "code": track.code,
        "convexPenalty": track.convex_penalty,
        "alphas": track.alphas.tolist(),
        "support": [int(values.size) for _, values in track.points],
        "starts": starts,
        "index": _base64(rows.astype(f"<u{index_bytes}")),
        "value": _base64(numbers.astype(f"<f{value_bytes}")),
        "curve": track.curve,
        "ended": track.ended,
        "tolRelativeTo": track.tol_relative_to,
        **{_camel(key): column for key, column in track.columns.items()},
    }


def _encode_curve(curve: Curve) -> dict[str, Any]:
    return {
        "name": curve.name,
        "label": curve.label,
        "alphas": curve.alphas.tolist(),
        "mean": curve.mean.tolist(),
        "error": None if curve.error is None else curve.error.tolist(),
        "support": curve.support.tolist(),
        "nFolds": curve.n_folds,
        "best": curve.best,
        "oneSe": curve.one_se,
        "chosen": curve.chosen,
        "higher": curve.higher,
    }


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _base64(numbers: NDArray[Any]) -> str:
    return base64.b64encode(numbers.tobytes()).decode("ascii")


def safe_json(data: Any) -> str:
    """Return JSON that no HTML parser can mistake for markup.

    Inside a script element only ``</script`` and ``<!--`` matter; escaping every ``<``, ``>`` and
    ``&`` leaves nothing to reason about. Numbers that JSON cannot write become null.
    """
    text = json.dumps(_finite(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    if isinstance(data, bool | np.bool_):
        return bool(data)
    if isinstance(data, np.integer):
        return int(data)
    if isinstance(data, float | np.floating):
        return float(data) if math.isfinite(data) else None
    return data
