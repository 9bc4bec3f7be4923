"""Statistics of rows: what every sparse least squares problem on them needs, and nothing more."""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .batches import Batch, batches_of, is_dask, pieces, read_batch
from .dask_chunks import Steps, statistics_of
from .leaves import Rows, Stream, Summary, merged
from .stand_in import StandIn
from .types import Floats
from .validation import check_finite_vector, check_finite_X

__all__ = ["STEPS", "Statistics", "check_summary", "stand_in_of", "summary_of"]

# Entries whose squares, and sums of them, stay inside the range of doubles; the same for weights.
_LARGEST = 1e140


class Statistics:
    r"""Number, means and centred products of rows that need not be in memory together.

    .. math:: n, \quad m = \frac1W \sum_i \omega_i (x_i, y_i), \quad
        S = \sum_i \omega_i \big((x_i, y_i) - m\big) \big((x_i, y_i) - m\big)^\top

    Sufficient for paths, fits, information criteria and, with one of them per fold,
    cross-validation with squares: a Statistics stands wherever ``X, y`` do. They take
    :math:`8 (d + 1)^2` bytes whatever the number of rows, and :math:`n d^2` steps; the
    same rows in the same order give the same bits however they are cut into batches.

    Attributes
    ----------
    n_samples : int
        Rows.
    n_features : int
    feature_names : ndarray of str or None
    weight_sum : float
        The sum of the sample weights; the number of rows without.
    x_mean : ndarray of shape (n_features,)
    y_mean : float
    covariance : ndarray of shape (n_features + 1, n_features + 1)
        S over the sum of weights, the response last.

    Examples
    --------
    >>> import sparsieve as sv
    >>> X, y, w = sv.datasets.make_toy(1000, 20, 3, noise=0.5, random_state=0)
    >>> statistics = sv.Statistics()
    >>> for first in range(0, 1000, 100):
    ...     batch = slice(first, first + 100)
    ...     statistics = statistics.partial_fit(X[batch], y[batch])
    >>> path = sv.sparse_path(statistics, penalty="mcp", alphas=20, eps=0.05)
    >>> statistics.n_samples, bool(path.converged.all())
    (1000, True)
    """

    def __init__(self) -> None:
        self._base: Summary | None = None  # of what was merged
        self._stream = Stream()  # what came after that
        self._names: NDArray[Any] | None = None
        self._n_features: int | None = None
        self._batches = 0

    @classmethod
    def of(
        cls, source: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None
    ) -> Statistics:
        """Return the statistics of rows that are somewhere else.

        Parameters
        ----------
        source : array, data frame, Arrow table, data set or reader, Dask collection, or iterable
            A ``pyarrow.dataset`` (a folder of Parquet files) is read batch by batch; of an iterable
            each item is a batch: ``(X, y)``, ``(X, y, sample_weight)``, or a table. A Dask array or
            frame in chunks of rows is summed where its chunks are.
        y : array-like of shape (n_samples,) or str
            The response, or the name of its column.
        sample_weight : array-like of shape (n_samples,) or str, default=None
        client : distributed.Client, default=None
            For Dask; None is the current one or, without one, Dask's own threads.

        Returns
        -------
        Statistics
        """
        if is_dask(source):
            summed: Statistics = statistics_of(STEPS, source, y, sample_weight, client)
            return summed
        found = cls()
        for batch in batches_of(source, y, sample_weight):
            found.partial_fit(*batch)
        return found

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add rows.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Arrow table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or str
            The response, or the name of its column in a frame.
        sample_weight : array-like of shape (n_samples,) or str, default=None

        Returns
        -------
        Statistics
            This one. Where a batch is refused it is as before.
        """
        number = self._batches + 1
        try:
            batch = read_batch(X, y, sample_weight)
            self._check_columns(batch.X.shape[1], batch.names)
            stream = _extended(self._stream, batch)
        except (ValueError, TypeError) as error:
            raise type(error)(
                f"batch {number}: {error} The statistics are what they were before this batch."
            ) from error
        self._note(batch.X.shape[1], batch.names)
        self._stream, self._batches = stream, number
        vars(self).pop("_stand_in", None)
        return self

    def merge(self, other: Statistics) -> Self:
        """Add the rows of other statistics.

        Parameters
        ----------
        other : Statistics

        Returns
        -------
        Statistics
            This one.
        """
        if not isinstance(other, Statistics):
            raise TypeError(
                f"merge takes Statistics, got {type(other).__name__}; pass rows to partial_fit."
            )
        if other._n_features is None:
            return self
        self._check_columns(other._n_features, other._names)
        if self._n_features is None:
            self.__dict__.update(copy.copy(other).__dict__)
            return self
        parts = [part for part in (self._total(), other._total()) if part is not None]
        self._base = functools.reduce(merged, parts) if parts else None
        self._stream, self._batches = Stream(), self._batches + other._batches
        vars(self).pop("_stand_in", None)
        return self

    def __add__(self, other: Statistics) -> Statistics:
        if not isinstance(other, Statistics):
            return NotImplemented
        return copy.copy(self).merge(other)

    def __radd__(self, other: Any) -> Statistics:
        # sum() begins with 0
        return copy.copy(self) if isinstance(other, int) and other == 0 else NotImplemented

    def _check_columns(self, n_features: int, names: NDArray[Any] | None) -> None:
        if self._n_features is None:
            return
        if n_features != self._n_features:
            raise ValueError(
                f"X has {n_features} columns, those before had {self._n_features}; pass the same "
                "columns in every batch."
            )
        if (names is None) != (self._names is None):
            has = "no names" if names is None else "names"
            raise ValueError(
                f"the columns of X have {has}, unlike those before; pass data frames throughout, "
                "or arrays throughout."
            )
        if names is not None and self._names is not None and np.any(names != self._names):
            at = int(np.flatnonzero(names != self._names)[0])
            raise ValueError(
                f"column {at} of X is {names[at]!r}, and was {self._names[at]!r} before; pass the "
                "same columns in the same order in every batch."
            )

    def _note(self, n_features: int, names: NDArray[Any] | None) -> None:
        if self._n_features is None:
            self._n_features, self._names = n_features, names

    def _total(self) -> Summary | None:
        try:
            stream = self._stream.total()
        except FloatingPointError as error:
            raise ValueError(_out_of_range(error)) from error
        if self._base is None or stream is None:
            return self._base if stream is None else stream
        return merged(self._base, stream)

    @property
    def n_samples(self) -> int:
        """Rows so far."""
        return (0 if self._base is None else self._base.n) + self._stream.end - self._stream.start

    @property
    def n_features(self) -> int:
        """Columns of X; 0 before the first batch."""
        return self._n_features or 0

    @property
    def feature_names(self) -> NDArray[Any] | None:
        """Names of the columns of X, None if there are none."""
        return self._names

    @property
    def weight_sum(self) -> float:
        """The sum of the sample weights."""
        total = self._total()
        return 0.0 if total is None else total.weight

    @property
    def x_mean(self) -> Floats:
        """The weighted means of the columns of X."""
        return summary_of(self, least=1).mean[:-1].copy()

    @property
    def y_mean(self) -> float:
        """The weighted mean of the response."""
        return float(summary_of(self, least=1).mean[-1])

    @property
    def covariance(self) -> Floats:
        """Weighted covariances of the columns of X and, last, the response."""
        total = summary_of(self, least=1)
        return np.asarray(total.products / total.weight)

    def __array__(self, *args: Any, **options: Any) -> NDArray[Any]:
        raise TypeError(
            "Statistics have no rows in memory, and rows are needed here; pass an array, for "
            "instance of a sample of the rows."
        )

    def __repr__(self) -> str:
        return f"Statistics({self.n_samples} rows, {self.n_features} features)"

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_stand_in"}


def _extended(stream: Stream, batch: Batch) -> Stream:
    """Return the stream with the rows of a batch after it; ValueError if one is bad."""
    weight = batch.weight
    if weight.size and not (
        np.max(weight) < _LARGEST and np.min(weight[weight > 0], initial=1) > 1 / _LARGEST
    ):
        raise ValueError(
            "sample_weight: the weights leave the range whose products a double can hold; multiply "
            "all of them by the same power of ten."
        )
    for first, last in pieces(len(batch.y), stream.end):
        values = batch.values(first, last)
        if not (np.max(values) < _LARGEST and np.min(values) > -_LARGEST):
            _refuse(values, first, batch)
        try:
            stream = stream.joined(Stream.of(Rows(values, weight[first:last]), stream.end))
        except FloatingPointError as error:
            raise ValueError(_out_of_range(error)) from error
    return stream


def _refuse(values: Floats, first: int, batch: Batch) -> None:
    check_finite_vector("y", values[:, -1])
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        check_finite_X(values[:, :-1], batch.names, first)
    raise ValueError(_out_of_range(FloatingPointError("large")))


def _out_of_range(error: FloatingPointError) -> str:
    large = str(error) == "large"
    return (
        f"X or y holds numbers so {'large' if large else 'small'} that their squares leave the "
        f"range of double precision; {'divide' if large else 'multiply'} them by a power of ten."
    )


def check_summary(total: Summary | None, least: int) -> Summary:
    """Return means and products of rows, of which there must be enough."""
    n = 0 if total is None else total.n
    if total is None or n < least:
        raise ValueError(
            f"the statistics have {n} sample(s) while a minimum of {least} is required; pass rows "
            "to partial_fit."
        )
    if total.weight == 0.0:
        raise ValueError(
            "sample_weight: every weight is zero, so no sample is left; give at least one row "
            "a weight > 0, or pass None."
        )
    return total


def summary_of(statistics: Statistics, least: int) -> Summary:
    """Return means and products of all rows; one row is enough to be predicted."""
    return check_summary(statistics._total(), least)


def stand_in_of(statistics: Statistics) -> StandIn:
    """Return a few rows that have the same products."""
    total = summary_of(statistics, least=2)
    found: StandIn | None = vars(statistics).get("_stand_in")
    if found is None:
        found = statistics.__dict__["_stand_in"] = StandIn.of(total)
    return found


def _of_chunk(X: Any, y: Any, sample_weight: Any, start: int) -> Statistics:
    """Return the statistics of some rows of a stream, of which ``start`` come before."""
    found = Statistics()
    batch = read_batch(X, y, sample_weight)
    found._note(batch.X.shape[1], batch.names)
    found._stream = _extended(Stream(start, start), batch)
    found._batches = 1
    return found


def _followed(parts: Sequence[Statistics]) -> Statistics:
    """Return the statistics of stretches of one stream, one after the other."""
    found = copy.copy(parts[0])
    for part in parts[1:]:
        found._check_columns(part.n_features, part._names)
        found._stream = found._stream.joined(part._stream)
        found._batches += part._batches
    return found


def _added(parts: Sequence[Statistics]) -> Statistics:
    return sum(parts[1:], start=parts[0])


#: What Dask's tasks are made of.
STEPS = Steps(_of_chunk, _followed, _added)
