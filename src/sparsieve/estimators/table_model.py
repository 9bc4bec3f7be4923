"""A fitted model together with the columns of the table it was fitted on."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._words import Summarised, Summary
from ..data.design import Design as Columns
from ..data.kinds import check_flag
from ..data.types import Floats
from ..files.codec import encode
from ..files.model_content import Saveable, estimator_to_json, summarize
from ..inspect.certificate import Certificate
from ..paths.path import Path
from ..tables.columns import Design, Schema
from ..tables.frames import table_of_frame
from ..tables.problems import raise_problems
from ..tables.survey import MISSING, suggest
from ..tables.table import ReadOptions, Selection, Table, TableError, default_names, listing
from ..tables.table_files import read_table
from .showing import frame_of_fit, summary_of_fit

__all__ = ["TableModel"]


class TableModel(Saveable, Summarised):
    r"""A linear model that knows its columns by name: what ``sparsieve fit`` writes.

    .. math:: f(x) = b + \sum_j w_j x_j

    with coefficients on the original scale of the columns, whatever was done for the fit. Its mean
    is predicted: for counts that is exp(f).

    Parameters
    ----------
    regressor : estimator
        Fitted on the design of ``schema``, with its coefficients on the original scale.
    schema : Schema

    Attributes
    ----------
    schema : Schema
        Columns, encodings, fillings and scales.
    regressor : estimator
    coef_, intercept_, certificate_, alpha_, penalty_ : see :class:`~sparsieve.SparseRegressor`
    feature_names_in_ : ndarray of str
        Columns of the design: numbers, then "name=value" for columns of text.
    provenance_ : dict or None
        Data, command, software and date, when the model comes from a file.
    """

    def __init__(self, regressor: Any, schema: Schema) -> None:
        if hasattr(regressor, "classes_"):
            raise TypeError(
                "a table model holds a regressor, not a classifier; pass its estimators_[0], whose "
                "predictions are probabilities of the second class."
            )
        if not isinstance(schema, Schema):
            raise TypeError(
                f"schema must be a Schema, got {type(schema).__name__}; pass a design's."
            )
        schema.check()
        if len(schema.design_names) != regressor.n_features_in_:
            raise ValueError(
                f"the schema makes {len(schema.design_names)} columns, the regressor has "
                f"{regressor.n_features_in_}; pass the two that belong together."
            )
        self.regressor = regressor
        self.schema = schema
        self.provenance_: dict[str, Any] | None = None

    @classmethod
    def of(cls, regressor: Any, design: Design) -> TableModel:
        """Make the model of a regressor that was fitted on a design."""
        schema = design.schema
        if regressor.standardize:
            schema = dataclasses.replace(schema, scale=_standard_deviations(design.X))
        return cls(_with_names(regressor, schema), schema)

    @property
    def coef_(self) -> Floats:
        """Coefficients of the design's columns, on their original scale."""
        coef: Floats = self.regressor.coef_
        return coef

    @property
    def intercept_(self) -> float:
        """The constant."""
        return float(self.regressor.intercept_)

    @property
    def certificate_(self) -> Certificate:
        """The proof, for the problem that was solved (in units of standardised columns if so)."""
        certificate: Certificate = self.regressor.certificate_
        return certificate

    @property
    def alpha_(self) -> float:
        """Strength of the penalty."""
        return self.certificate_.alpha

    @property
    def penalty_(self) -> Any:
        """The penalty."""
        return getattr(self.regressor, "penalty_", self.regressor.penalty)

    @property
    def n_features_in_(self) -> int:
        """Number of columns of the design."""
        return int(self.coef_.size)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the design's columns."""
        return np.array(self.schema.design_names, dtype=object)

    def used_columns(self) -> list[str]:
        """Return the columns of the table whose coefficients are not all zero."""
        origins = [*self.schema.numbers, *(name for name, _ in self.schema.dummies())]
        used = {origins[j] for j in np.flatnonzero(self.coef_)}
        return [name for name in self.schema.columns if name in used]

    def predict(self, X: Any, *, only_selected: bool = False, unknown: str = "refuse") -> Floats:
        """Return predictions for the rows of a table.

        Parameters
        ----------
        X : data frame, Table, mapping of name to column, or name of a file
            Columns are found by name; those the model does not know are ignored. A file is read as
            the one that the model was fitted on: decimal mark, marks of missing values, dates.
        only_selected : bool, default=False
            Ask only for columns with a coefficient that is not zero.
        unknown : {"refuse", "reference"}, default="refuse"
            What to do with a text that was not seen in the fit: refuse it, or treat it as the
            reference of its column.

        Returns
        -------
        ndarray of shape (n_rows,)

        Raises
        ------
        TableError
            When columns or values are missing.
        """
        only_selected = check_flag("only_selected", only_selected)
        table = self._table(X, only_selected)
        raise_problems(table.source, table.problems)
        known = table.file_names or table.names
        needed = self.used_columns() if only_selected else self.schema.columns
        absent = [name for name in needed if name not in known]
        if absent:
            raise TableError(
                f"{table.source} lacks {listing(absent)}, which the model was fitted on; "
                f"{self._about_absent(absent, known)}"
            )
        n_rows = table.n_rows
        result = np.full(n_rows, self.intercept_)
        position = {name: j for j, name in enumerate(table.names)}
        for j in np.flatnonzero(self.coef_[: len(self.schema.numbers)]):
            name = self.schema.numbers[j]
            result += self.coef_[j] * self._number(table, position[name], int(j))
        for start, name in self._text_columns():
            values = self.schema.categories[name]
            effects = np.concatenate([[0.0], self.coef_[start : start + len(values) - 1]])
            if effects.any():
                result += effects[
                    _category_indices(table, position[name], values, self.schema, unknown)
                ]
        return np.asarray(self.regressor._loss().mean(result))

    def _table(self, X: Any, only_selected: bool) -> Table:
        """Return what predict was given as a Table."""
        if isinstance(X, Table):
            return X
        if isinstance(X, str | os.PathLike):
            wanted = self.used_columns() if only_selected else self.schema.columns
            return self.read(X, wanted=wanted)
        return _table_of(X, self.schema)

    def read(
        self,
        file: str | os.PathLike[str],
        options: ReadOptions | None = None,
        *,
        wanted: Collection[str] | None = None,
        ids: Collection[str] = (),
    ) -> Table:
        """Read a table as the one that the model was fitted on was read.

        Parameters
        ----------
        file : str or path
        options : ReadOptions, default=None
            What is different in this file.
        wanted : collection of str, default=None
            Columns to read; None reads all that the model knows.
        ids : collection of str, default=()
            Columns to keep as they are written.

        Returns
        -------
        Table
            Its ``problems`` are raised by :meth:`predict`.
        """
        schema = self.schema
        names = schema.columns if wanted is None else wanted
        width = len(schema.numbers)
        known = (options or ReadOptions()).after(schema.reading)
        if known.n_features is None and schema.numbers == default_names(width):
            known = dataclasses.replace(known, n_features=width)
        text = [name for name in schema.categories if name in names]
        return read_table(file, known, wanted=names, text=text, ids=ids, strict=False)

    def _about_absent(self, absent: list[str], known: list[str]) -> str:
        if not set(absent) & set(self.used_columns()):
            return "their coefficients are zero: `only_selected=True` predicts without them."
        near = suggest(absent[0], known)
        if near.endswith("?"):
            return f"add them, or rename: {near}"
        return "add the columns, or rename those that have another name."

    def _text_columns(self) -> list[tuple[int, str]]:
        """Return each column of text with the position of its first coefficient."""
        start, out = len(self.schema.numbers), []
        for name, values in self.schema.categories.items():
            out.append((start, name))
            start += len(values) - 1
        return out

    def _number(self, table: Table, position: int, j: int) -> Floats:
        column = table.values[:, [position]]
        values: Floats = (column.toarray() if sparse.issparse(column) else column).ravel()
        bad = ~np.isfinite(values)
        if not bad.any():
            return values
        if self.schema.fills is None or np.isinf(values).any():
            raise TableError(
                f"{table.source}: {int(bad.sum())} missing or infinite values in column "
                f"{table.names[position]!r}; fill them, or fit with `impute=...`."
            )
        return np.where(bad, self.schema.fills[j], values)

    def summary(self, rows: int = 20) -> Summary:
        """Return penalty, certificate and the largest effects; ``rows`` limits the table."""
        return summary_of_fit(self, rows)

    def __repr__(self) -> str:
        return f"<{self.summary().splitlines()[0]}>"

    def to_frame(self) -> Any:
        """Return the selected features as a pandas data frame, the largest effect first.

        Returns
        -------
        pandas.DataFrame
            As :meth:`sparsieve.SparseRegressor.to_frame`, with the effect of one standard deviation
            where columns were standardised for the fit.
        """
        return frame_of_fit(self)

    def _to_json(self) -> dict[str, Any]:
        regressor, schema = estimator_to_json(self.regressor), encode(self.schema)
        return {"class": "TableModel", "schema": schema, "regressor": regressor}

    def to_json(self) -> str:
        """Return the model as JSON that any language can use.

        The prediction is ``intercept`` plus the sum over ``coefficients`` of coefficient times
        column; "name=value" is 1 where the column has that value and 0 elsewhere. With a ``loss``
        that is the linear predictor: exp of it for counts, 1 / (1 + exp(-it)) for logistic.
        """
        document = summarize(self) | {
            "target": self.schema.target,
            "impute": self.schema.impute,
            "fills": self._fills_by_name(),
            "categories": self.schema.categories,
            "standardized_for_the_fit": self.schema.scale is not None,
            "provenance": self.provenance_,
        }
        return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=str)

    def _fills_by_name(self) -> dict[str, float]:
        if self.schema.fills is None:
            return {}
        return dict(zip(self.schema.numbers, self.schema.fills.tolist(), strict=True))

    def to_html(self, file: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Make the interactive report, as :meth:`sparsieve.SparseRegressor.to_html` does.

        Of columns that were standardised for the fit, features are drawn and ranked by the effect
        of one standard deviation.
        """
        return self.regressor.to_html(file, **({"scale": self.schema.scale} | options))

    def to_sklearn(self) -> Any:
        """Return the same as :meth:`to_pipeline` of scikit-learn's own classes alone.

        The regression is a ``LinearRegression``, so that tools such as skl2onnx, skops and MLflow
        take the pipeline without knowing sparsieve. Needs pandas.
        """
        from .pipeline import make_pipeline

        pipeline = make_pipeline(self)
        pipeline.steps[-1] = ("regress", pipeline.steps[-1][1].to_sklearn())
        return pipeline

    def to_pipeline(self) -> Any:
        """Return a fitted scikit-learn pipeline that predicts the same from a data frame.

        Its steps (columns by name, imputation, encoding, regression) can be cloned and fitted
        again on other rows. Needs pandas.
        """
        # Here, because scikit-learn's transformers take long to import.
        from .pipeline import make_pipeline

        return make_pipeline(self)


def _with_names(regressor: Any, schema: Schema) -> Any:
    """Return a copy that knows the names of the design's columns, and whose path does."""
    model = copy.copy(regressor)
    model.feature_names_in_ = np.array(schema.design_names, dtype=object)
    for attribute, value in vars(regressor).items():
        if isinstance(value, Path):
            named = dataclasses.replace(value, feature_names=model.feature_names_in_)
            setattr(model, attribute, named)
    return model


def _standard_deviations(X: Any) -> Floats:
    """Return the standard deviation of each column of a design; 1 for a constant one."""
    n_rows = X.shape[0]
    spreads = Columns(X).spreads(np.full(n_rows, 1.0 / n_rows))
    return np.where(spreads > 0.0, spreads, 1.0)


def _category_indices(
    table: Table, position: int, values: list[str], schema: Schema, unknown: str
) -> NDArray[np.int64]:
    """Return the position of each row's text among the values of the fit."""
    name, codes = table.names[position], table.values[:, position]
    here = table.categories.get(name, [])
    known = {value: k for k, value in enumerate(values)}
    strange = [value for value in here if value not in known]
    if strange and unknown != "reference":
        raise TableError(
            f"{table.source}: column {name!r} has values that were not there in the fit: "
            f"{listing(strange)}; correct them, or add `unknown='reference'` to treat them "
            f"like {values[0]!r}."
        )
    missing = np.isnan(codes)
    if missing.any() and MISSING not in known and unknown != "reference":
        remedy = "fill them, or fit with `impute=...`"
        if schema.impute is not None:
            remedy = (
                "the fit has seen none: fill them, or add `unknown='reference'` to treat them like "
                f"{values[0]!r}"
            )
        raise TableError(
            f"{table.source}: {int(missing.sum())} missing values in column {name!r}; {remedy}."
        )
    indices = np.array([known.get(each, 0) for each in [*here, MISSING]], dtype=np.int64)
    out: NDArray[np.int64] = indices[np.where(missing, len(here), codes).astype(np.int64)]
    return out


def _table_of(X: Any, schema: Schema) -> Table:
    """Return the columns of a data frame (or mapping) that the model knows, as a Table."""
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        if X.ndim != 2 or X.shape[1] != len(schema.numbers) or schema.categories:
            raise TableError(
                f"an array of shape {X.shape} does not match the columns {listing(schema.columns)};"
                " pass a data frame with these names."
            )
        return Table("X", schema.numbers, X)
    return table_of_frame(X, Selection(schema.columns, text=list(schema.categories)))
