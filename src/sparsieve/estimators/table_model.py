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

from .._words import Summarised, Summary, class_names
from ..data.design import Design as Columns
from ..data.kinds import check_flag
from ..data.types import Floats
from ..files.codec import encode
from ..files.model_content import Saveable, summarize
from ..paths.path import Path
from ..tables.columns import Design, Schema
from ..tables.problems import raise_problems
from ..tables.survey import column_of, suggest
from ..tables.table import ReadOptions, Table, TableError, default_names, listing
from ..tables.table_files import read_table
from .showing import frame_of_fit, summary_of_fit
from .table_input import category_indices, table_of

__all__ = ["TableModel"]


class TableModel(Saveable, Summarised):
    r"""A linear model that knows its columns by name: what ``sparsieve fit`` writes.

    .. math:: f(x) = b + \sum_j w_j x_j

    with coefficients on the original scale of the columns, whatever was done for the fit. The mean
    is predicted, for counts exp(f); a classifier predicts labels, and :meth:`predict_proba` has
    their probabilities.

    Parameters
    ----------
    regressor : estimator
        A regressor or classifier, fitted on the design of ``schema``, with its coefficients on the
        original scale.
    schema : Schema

    Attributes
    ----------
    schema : Schema
        Columns, encodings, fillings and scales.
    regressor : estimator
    coef_, intercept_, certificate_, alpha_, penalty_
        As :class:`~sparsieve.SparseRegressor` or :class:`~sparsieve.SparseClassifier` has them.
    classes_ : ndarray of shape (n_classes,)
        Of a classifier only: the labels, sorted.
    estimators_ : list of estimators
        The regressor; of a classifier that of two classes, or one for each class against the rest.
    feature_names_in_ : ndarray of str
        Columns of the design: numbers, then "name=value" for columns of text.
    provenance_ : dict or None
        Data, command, software and date, when the model comes from a file.
    """

    def __init__(self, regressor: Any, schema: Schema) -> None:
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
        model = _with_names(regressor, schema)
        if hasattr(model, "estimators_"):
            model.estimators_ = [_with_names(each, schema) for each in model.estimators_]
        return cls(model, schema)

    @property
    def coef_(self) -> Floats:
        """Coefficients of the design's columns, on their original scale; of classes by row."""
        coef: Floats = self.regressor.coef_
        return coef

    @property
    def intercept_(self) -> Any:
        """The constant, or one per row of the coefficients."""
        constant = self.regressor.intercept_
        return constant if isinstance(constant, np.ndarray) else float(constant)

    @property
    def certificate_(self) -> Any:
        """The proof, for the problem that was solved (in units of standardised columns if so)."""
        return self.regressor.certificate_

    @property
    def estimators_(self) -> list[Any]:
        """The models of one response: the regressor, or those that a classifier consists of."""
        return list(getattr(self.regressor, "estimators_", [self.regressor]))

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels; AttributeError for a regressor, which has none."""
        labels: NDArray[Any] = self.regressor.classes_
        return labels

    @property
    def alpha_(self) -> Any:
        """Strength of the penalty; beyond two classes a list."""
        each = [model.certificate_.alpha for model in self.estimators_]
        return each[0] if len(each) == 1 else each

    @property
    def penalty_(self) -> Any:
        """The penalty; beyond two classes a list where each was chosen."""
        return getattr(self.regressor, "penalty_", self.regressor.penalty)

    def each(self) -> list[tuple[str, TableModel]]:
        """Return the model of each class with words for its response; a regressor as it is.

        Of two classes there is one, for the second.
        """
        if not hasattr(self.regressor, "classes_"):
            return [("", self)]
        words = class_names(self.classes_.tolist())
        return [
            (name, TableModel(model, self.schema))
            for name, model in zip(words, self.estimators_, strict=True)
        ]

    @property
    def n_features_in_(self) -> int:
        """Number of columns of the design."""
        return int(self.coef_.shape[-1])

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the design's columns."""
        return np.array(self.schema.design_names, dtype=object)

    def used_columns(self) -> list[str]:
        """Return the columns of the table whose coefficients are not all zero."""
        origins = [*self.schema.numbers, *(name for name, _ in self.schema.dummies())]
        used = {origins[j] for j in np.flatnonzero(np.any(np.atleast_2d(self.coef_), axis=0))}
        return [name for name in self.schema.columns if name in used]

    def predict(
        self, X: Any, *, only_selected: bool = False, unknown: str = "refuse"
    ) -> NDArray[Any]:
        """Return predictions for the rows of a table: means, or labels of a classifier.

        Parameters
        ----------
        X : data frame, Table, mapping of name to column, or name of a file
            Columns are found by name; those the model does not know are ignored. A file is read as
            the one that the model was fitted on: decimal mark, marks of missing values, dates. The
            column of the offset must be there if the model was fitted with one.
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
        return self.predictions_at(
            self.decision_function(X, only_selected=only_selected, unknown=unknown)
        )

    def predictions_at(self, eta: Floats) -> NDArray[Any]:
        """Return means or labels at what ``decision_function`` returns."""
        if hasattr(self.regressor, "classes_"):
            return np.asarray(self.regressor.labels_at(eta))
        return np.asarray(self.regressor._loss().mean(eta))

    def predict_proba(
        self, X: Any, *, only_selected: bool = False, unknown: str = "refuse"
    ) -> Floats:
        """Return the probability of each class, for classifiers.

        Parameters
        ----------
        X, only_selected, unknown
            As in :meth:`predict`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        return self.probabilities_at(
            self.decision_function(X, only_selected=only_selected, unknown=unknown)
        )

    def probabilities_at(self, eta: Floats) -> Floats:
        """Return the probability of each class at what ``decision_function`` returns."""
        if not hasattr(self.regressor, "classes_"):
            raise AttributeError(
                "this model was fitted on numbers, not on labels, so there are no probabilities; "
                "use predict, or fit with loss='logistic'."
            )
        return np.asarray(self.regressor.probabilities_at(eta))

    def decision_function(
        self, X: Any, *, only_selected: bool = False, unknown: str = "refuse"
    ) -> Floats:
        """Return the linear predictor of each row, with the offset if there is one.

        Parameters
        ----------
        X, only_selected, unknown
            As in :meth:`predict`.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_classes) beyond two classes
        """
        only_selected = check_flag("only_selected", only_selected)
        for model in self.estimators_:
            model.check_solution()
        table = self._table(X, only_selected)
        raise_problems(table.source, table.problems)
        self._check_columns(table, only_selected)
        position = {name: j for j, name in enumerate(table.names)}
        coefs = np.atleast_2d(self.coef_)
        # One column per model: two classes have one.
        result = np.tile(np.atleast_1d(self.intercept_), (table.n_rows, 1))
        for j in np.flatnonzero(np.any(coefs[:, : len(self.schema.numbers)], axis=0)):
            column = self._number(table, position[self.schema.numbers[j]], int(j))
            result += column[:, np.newaxis] * coefs[:, j]
        for start, name in self._text_columns():
            values = self.schema.categories[name]
            effects = np.zeros((len(values), coefs.shape[0]))
            effects[1:] = coefs[:, start : start + len(values) - 1].T
            if effects.any():
                where = category_indices(table, position[name], values, self.schema, unknown)
                result += effects[where]
        if self.schema.offset is not None:
            result += self._offset(table)[:, np.newaxis]
        return result[:, 0] if result.shape[1] == 1 else result

    def _check_columns(self, table: Table, only_selected: bool) -> None:
        """Raise TableError for columns that are absent."""
        known = table.file_names or table.names
        needed = self.used_columns() if only_selected else self.schema.columns
        absent = [name for name in needed if name not in known]
        if absent:
            raise TableError(
                f"{table.source} lacks {listing(absent)}, which the model was fitted on; "
                f"{self._about_absent(absent, known)}"
            )

    def _offset(self, table: Table) -> Floats:
        """Return the column that is added to the linear predictor."""
        name = str(self.schema.offset)
        if name not in table.names:
            raise TableError(
                f"{table.source} lacks {name!r}, the offset that the model was fitted with; add "
                "the column: 0 where there is nothing to add (the logarithm of one unit of time)."
            )
        values = column_of(table, name)
        bad = ~np.isfinite(values)
        if bad.any():
            raise TableError(
                f"{table.source}: the offset {name!r} is missing or infinite in {int(bad.sum())} "
                f"of {bad.size} rows; correct them."
            )
        return values

    def _table(self, X: Any, only_selected: bool) -> Table:
        """Return what predict was given as a Table."""
        if isinstance(X, Table):
            return X
        if isinstance(X, str | os.PathLike):
            wanted = self.used_columns() if only_selected else self.schema.columns
            return self.read(X, wanted=[*wanted, *self._offsets()])
        return table_of(X, self.schema, self._offsets())

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
        names = [*schema.columns, *self._offsets()] if wanted is None else wanted
        width = len(schema.numbers)
        known = (options or ReadOptions()).after(schema.reading)
        if known.n_features is None and schema.numbers == default_names(width):
            known = dataclasses.replace(known, n_features=width)
        text = [name for name in schema.categories if name in names]
        if schema.target in names and self._has_labels_of_text():
            text.append(schema.target)
        return read_table(file, known, wanted=names, text=text, ids=ids, strict=False)

    def _offsets(self) -> list[str]:
        """Return the name of the offset, if there is one."""
        return [] if self.schema.offset is None else [self.schema.offset]

    def _has_labels_of_text(self) -> bool:
        labels = getattr(self.regressor, "classes_", None)
        return labels is not None and labels.dtype.kind in "OU"

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
        parts = [summary_of_fit(part, rows, name) for name, part in self.each()]
        return parts[0] if len(parts) == 1 else Summary.joined(parts)

    def __repr__(self) -> str:
        return f"<{self.summary().splitlines()[0]}>"

    def to_frame(self) -> Any:
        """Return the selected features as a pandas data frame, the largest effect first.

        Returns
        -------
        pandas.DataFrame
            As :meth:`sparsieve.SparseRegressor.to_frame`, with the effect of one standard deviation
            where columns were standardised for the fit; beyond two classes that of the first
            against the rest, and ``each()`` has the others.
        """
        return frame_of_fit(self.each()[0][1])

    def _to_json(self) -> dict[str, Any]:
        regressor, schema = self.regressor._to_json(), encode(self.schema)
        return {"class": "TableModel", "schema": schema, "regressor": regressor}

    def to_json(self) -> str:
        """Return the model as JSON that any language can use.

        The prediction is ``intercept`` plus the sum over ``coefficients`` of coefficient times
        column; "name=value" is 1 where the column has that value and 0 elsewhere. With a ``loss``
        that is the linear predictor: exp of it for counts, 1 / (1 + exp(-it)) for logistic.
        """
        document = summarize(self) | {
            "target": self.schema.target,
            "offset": self.schema.offset,
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

        The last step is a ``LinearRegression``, ``PoissonRegressor`` or ``LogisticRegression``, so
        that tools such as skl2onnx, skops and MLflow take the pipeline without knowing sparsieve.
        Needs pandas.
        """
        from .pipeline import make_pipeline

        pipeline = make_pipeline(self)
        name, last = pipeline.steps[-1]
        pipeline.steps[-1] = (name, last.to_sklearn())
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
