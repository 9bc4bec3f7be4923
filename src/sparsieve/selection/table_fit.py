"""A table to a model in one call: what ``sparsieve fit`` does, in Python."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from .._log import LOG
from ..estimators.table_model import TableModel
from ..files.model_content import provenance
from ..losses import is_squared
from ..tables.columns import Design, make_design
from ..tables.frames import is_frame, table_of_frame
from ..tables.response import Response, check_folds
from ..tables.survey import suggest
from ..tables.table import ReadOptions, Selection, Table, TableError, expanded
from ..tables.table_files import read_table
from .classifiers import SparseClassifierCV
from .cv import SparseRegressorCV

__all__ = ["default_estimator", "fit_design", "fit_table"]


def default_estimator(response: Response | None = None) -> Any:
    """Return what fits a table unless told otherwise, in Python and from a shell.

    Parameters
    ----------
    response : Response, default=None
        What the target is taken for; None means numbers.
    """
    shared: dict[str, Any] = {"standardize": True}
    if response is not None and response.kind == "labels":
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        return SparseClassifierCV(["l1", "mcp"], cv=folds, loss=response.loss, **shared)
    if response is not None and not is_squared(response.loss):
        shared["loss"] = response.loss
    # Shuffled: tables are often sorted, and folds of a sorted table are not alike.
    folds = KFold(5, shuffle=True, random_state=0)
    return SparseRegressorCV(["l1", "mcp"], cv=folds, **shared)


def fit_table(  # noqa: PLR0913 - the options of a public function, by keyword
    table: Any,
    target: str | None = None,
    estimator: Any = None,
    *,
    loss: Any = None,
    offset: str | None = None,
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

    with the coefficients that ``estimator`` finds, on the original scale of the columns. Targets of
    text, or of two different numbers, are labels; whole numbers that look counted are counts, and
    all others numbers (``loss`` says otherwise). The logger tells what the target was taken for.

    Parameters
    ----------
    table : str, path, data frame, or mapping of name to column
        A file (CSV, Excel, Parquet, npz, svmlight) or a table in memory.
    target : str, default=None
        Column to predict; None takes the one that a file keeps apart.
    estimator : estimator, default=None
        None lets the lasso and MCP compete in a cross-validation of five shuffled folds, on
        standardised columns. A classifier takes the target for labels.
    loss : str or loss, default=None
        As :class:`SparseRegressor` has it; "logistic" takes the target for labels. None looks at
        the target. An ``estimator`` has a loss of its own.
    offset : str, default=None
        Column that is added to the linear predictor: the logarithm of times or areas that counts
        belong to. ``predict`` needs it too.
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
    beside = [name for name in (target, offset) if name]
    wanted = None if features is None else [*_names(features), *beside]
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
        loss=_loss_of(estimator, loss),
        offset=offset,
    )
    for note in design.notes:
        LOG.info("%s: %s", read.source, note)
    if estimator is None:
        remedy = "pass an estimator, such as SparseClassifierIC()"
        check_folds(read.source, design.response, 5, remedy)
        fitted = default_estimator(design.response)
    else:
        fitted = clone(estimator)
    model = TableModel.of(fit_design(fitted, design), design)
    file = os.path.basename(read.source)
    data = {"file": file, "rows": int(design.y.size), "target": design.schema.target}
    model.provenance_ = provenance(data=data)
    return model


def fit_design(estimator: Any, design: Design) -> Any:
    """Fit an estimator to a design, with its offset if there is one."""
    offset = {} if design.offset is None else {"offset": design.offset}
    return estimator.fit(design.X, design.y, **offset)


def _loss_of(estimator: Any, loss: Any) -> Any:
    """Return the loss that the target has to suit; None where it decides."""
    if estimator is None:
        return loss
    if loss is not None:
        raise ValueError(
            "loss: the estimator that you pass has a loss of its own; set it there, for instance "
            "SparseRegressor(loss='poisson'), and leave loss out here."
        )
    return getattr(estimator, "loss", "squared")


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
