"""A table to a model in one call: what ``sparsieve fit`` does, in Python."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import KFold

from .._log import LOG
from ..estimators.table_model import TableModel
from ..files.model_content import provenance
from ..tables.columns import make_design
from ..tables.frames import is_frame, table_of_frame
from ..tables.survey import suggest
from ..tables.table import ReadOptions, Selection, Table, TableError, expanded
from ..tables.table_files import read_table
from .cv import SparseRegressorCV

__all__ = ["default_estimator", "fit_table"]


def default_estimator() -> SparseRegressorCV:
    """Return what fits a table unless told otherwise, in Python and from a shell."""
    # Shuffled: tables are often sorted, and folds of a sorted table are not alike.
    folds = KFold(5, shuffle=True, random_state=0)
    return SparseRegressorCV(["l1", "mcp"], cv=folds, standardize=True)


def fit_table(  # noqa: PLR0913 - the options of a public function, by keyword
    table: Any,
    target: str | None = None,
    estimator: Any = None,
    *,
    features: Collection[str] | None = None,
    drop: Collection[str] = (),
    text: Collection[str] = (),
    id: Collection[str] = (),
    one_hot: bool = False,
    impute: str | None = None,
    dates: str | None = None,
    drop_rows_without_target: bool = False,
    **reading: Any,
) -> TableModel:
    r"""Fit a table whose columns have names.

    .. math:: f(x) = b + \sum_j w_j x_j

    with the coefficients that ``estimator`` finds, on the original scale of the columns.

    Parameters
    ----------
    table : str, path, data frame, or mapping of name to column
        A file (CSV, Excel, Parquet, npz, svmlight) or a table in memory.
    target : str, default=None
        Column to predict; None takes the one that a file keeps apart.
    estimator : estimator, default=None
        None lets the lasso and MCP compete in a cross-validation of five shuffled folds, on
        standardised columns.
    features, drop, text, id : collection of str
        Use only these columns; leave these out; take the numbers of these as codes; keep these
        beside the predictions. ``"mean*"`` stands for all names that begin so, ``"a,b"`` for two.
    one_hot : bool, default=False
        Encode columns of text as columns of zeros and ones; if not, they are refused.
    impute : {"mean", "median", "zero"}, default=None
        Fill missing numbers; missing text is then a value of its own. If None, they are refused.
    dates : {"auto", "dmy", "mdy"}, default=None
        Take dates as days since 1 January 1970; if None, they are refused.
    drop_rows_without_target : bool, default=False
    **reading
        How a file is read, where that is not to be recognised: ``encoding``, ``delimiter``,
        ``decimal``, ``thousands``, ``missing``, ``header``, ``skip``, ``sheet``, ``format``,
        ``max_bytes``.

    Returns
    -------
    TableModel

    Raises
    ------
    TableError
        One that lists all that is wrong with the table, with the remedies.

    Examples
    --------
    >>> import sparsieve as sv
    >>> houses = {
    ...     "area": [50.0, 80, 120, 65, 90, 140, 75, 110],
    ...     "floor": [1.0, 3, 2, 5, 1, 2, 4, 3],
    ...     "price": [151.0, 239, 362, 196, 268, 421, 226, 329],
    ... }
    >>> model = sv.fit_table(houses, "price", sv.SparseRegressor("l1", 0.5, standardize=True))
    >>> model.predict({"area": [100.0], "floor": [2.0]}).round().tolist()
    [300.0]
    """
    options = ReadOptions(dates=dates, **_tidy(reading))
    drop, text, ids = _names(drop), _names(text), _names(id)
    wanted = None if features is None else [*_names(features), *([target] if target else [])]
    selection = Selection(wanted, drop, None, text, ids)
    if is_frame(table):
        read = table_of_frame(table, selection)
    else:
        read = read_table(
            table, options, wanted=wanted, drop=drop, codes=text, ids=ids, strict=False
        )
    _check_names(read, [*_names(features or ()), *drop, *text, *ids])
    design = make_design(
        read,
        target,
        one_hot=one_hot,
        impute=impute,
        dates=dates,
        drop_rows_without_target=drop_rows_without_target,
    )
    for note in design.notes:
        LOG.info("%s: %s", read.source, note)
    regressor = default_estimator() if estimator is None else clone(estimator)
    model = TableModel.of(regressor.fit(design.X, design.y), design)
    file = os.path.basename(read.source)
    data = {"file": file, "rows": int(design.y.size), "target": design.schema.target}
    model.provenance_ = provenance(data=data)
    return model


def _names(given: Collection[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _tidy(reading: dict[str, Any]) -> dict[str, Any]:
    """Return the options of reading; marks of missing values may be a list."""
    known = set(ReadOptions.__dataclass_fields__) - {"dates", "columns", "n_features"}
    strange = sorted(set(reading) - known)
    if strange:
        raise TypeError(
            f"fit_table has no argument {strange[0]!r}; files are read with "
            f"{', '.join(sorted(known))}."
        )
    if "missing" in reading:
        return reading | {"missing": tuple(_names(reading["missing"]))}
    return reading


def _check_names(table: Table, names: list[str]) -> None:
    known = set(table.file_names)
    for name in expanded(names, table.file_names, known):
        if name not in known:
            raise TableError(
                f"{table.source} has no column {name!r}; {suggest(name, table.file_names)}"
            )
