"""``sparsieve fit``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from .. import TableModel
from .._words import class_names, describe, ends_in_words, terms_in_words
from ..estimators.classifier import SparseClassifier
from ..estimators.regressor import SparseRegressor
from ..files.model_content import provenance
from ..losses import is_squared, null_shift, predicts_amounts
from ..selection.classifiers import SparseClassifierCV, SparseClassifierIC
from ..selection.criteria import SparseRegressorIC
from ..selection.cv import SparseRegressorCV
from ..selection.table_fit import fit_design
from ..tables.columns import Design
from ..tables.response import check_folds
from ..tables.table import ReadOptions, TableError
from .console import Exit, note, printable, say, shows_progress, step
from .data import describe_data, load_design
from .options import check_one_ratio, limits, terms, without_limits
from .outputs import check_outputs, default_output, write_all, write_text

__all__ = ["command_line", "fit_command", "show_model", "write_report"]

# As many rows of the table of coefficients as fit on a screen; the rest is in the report.
_SHOWN = 20
# What varies so much more than expected is told; below it the variance is nearly that of the loss.
_DISPERSED = 1.5
# Weights of so many columns are told.
_NAMED = 5


def fit_command(table: str, reading: ReadOptions, options: dict[str, Any]) -> Exit:
    """Fit a table; write model and report."""
    model_file = options["output"] or default_output(table, ".model.json")
    report_file = options["report"] or default_output(table, ".report.html")
    if options["no_report"]:
        report_file = None
    if options["alpha"] is not None:
        check_one_ratio(options, "--alpha")
    elif options["select"] != "cv":
        check_one_ratio(options, f"--select {options['select']}")
    outputs = {"model": model_file, "report": report_file}
    check_outputs(outputs, [table], options["force"])
    design = load_design(table, reading, options)
    _check_folds(table, design, options)
    with step("fit"):
        fitted = fit_design(_estimator(options, design), design)
    model = TableModel.of(fitted, design)
    model.provenance_ = provenance(command=command_line(), data=describe_data(table, design))
    title = f"{design.schema.target} ({Path(table).name})"
    drawn = predicts_amounts(design.response.loss) and design.offset is None
    rows = (design.X, design.y) if drawn else None
    written = write_all(
        {
            "model": (model_file, model.save),
            "report": (
                report_file,
                lambda file: write_report(model, file, title, rows),
            ),
        }
    )
    _summarize("standard input" if table == "-" else table, model, design)
    written.tell()
    if not all(part.certificate_.converged for part in model.estimators_):
        note("the fit did not reach its tolerance: see the warnings above")
        return Exit.NOT_CONVERGED
    return Exit.OK


def command_line() -> str:
    """Return the command as the user would type it again."""
    return shlex.join(["sparsieve", *sys.argv[1:]])


def _check_folds(table: str, design: Design, options: dict[str, Any]) -> None:
    if options["select"] != "cv" or options["alpha"] is not None:
        return
    folds = options["folds"]
    if not 2 <= folds <= design.y.size:
        raise TableError(
            f"{table}: {design.y.size} rows cannot be split into {folds} folds; choose --folds "
            f"between 2 and {design.y.size}, or --select ebic."
        )
    check_folds(table, design.response, folds, "choose --folds {most} or fewer, or --select ebic")


def _estimator(options: dict[str, Any], design: Design) -> Any:
    """Return the estimator that the options ask for, with the loss that the target has."""
    penalties = options["penalty"]
    one, by_criterion, by_folds = (
        (SparseClassifier, SparseClassifierIC, SparseClassifierCV)
        if design.response.kind == "labels"
        else (SparseRegressor, SparseRegressorIC, SparseRegressorCV)
    )
    shared = {
        "fit_intercept": not options["no_intercept"],
        **terms(options, design.schema),
        "loss": design.response.loss,
        "tol": options["tol"],
        "max_iter": options["max_iter"],
        "start": options["start"],
        "minimum": options["minimum"],
    }
    if options["alpha"] is not None:
        without_limits(options)
        if len(penalties) > 1:
            # Only a choice by data can decide between penalties; nobody asked for the default list.
            note(f"--alpha fits one penalty, the first: {describe(penalties[0])}")
        return one(penalties[0], options["alpha"], **shared)
    shared |= {"alphas": options["alphas"], **limits(options), "progress": shows_progress()}
    if options["select"] != "cv":
        return by_criterion(penalties, criterion=options["select"], **shared)
    # Shuffled by default: tables are often sorted, and folds of a sorted table are not alike.
    shuffle = options["shuffle"]
    splitter = StratifiedKFold if design.response.kind == "labels" else KFold
    folds = splitter(
        options["folds"], shuffle=shuffle, random_state=options["seed"] if shuffle else None
    )
    return by_folds(
        penalties,
        cv=folds,
        rule=options["rule"],
        n_jobs=options["jobs"],
        **shared,
    )


def _summarize(table: str, model: TableModel, design: Design) -> None:
    schema, n_rows = model.schema, design.y.size
    say(f"{table}: {n_rows} rows, {len(schema.columns)} columns, target {schema.target!r}")
    scaled = "standardised for the fit" if schema.scale is not None else "not standardised"
    say(f"columns {scaled}; coefficients on their original scale")
    show_model(model, design)


def _on_rows_left_out(regressor: Any, design: Design, label: Any = None) -> dict[str, str]:
    """Return how good the chosen point is on the rows left out, in words; nothing without folds."""
    if not hasattr(regressor, "mse_path_"):
        return {}
    each = regressor.mse_path_.reshape(-1, regressor.mse_path_.shape[-1])
    deviance = float(each[regressor.best_index_].mean())
    if is_squared(design.response.loss):
        return {"R2": f"{1.0 - deviance / np.var(design.y):.4f}"}
    y = design.y if label is None else (design.y == label).astype(float)
    omega = np.full(y.size, 1.0 / y.size)
    loss = design.response.loss
    constant = null_shift(loss, y, omega, design.offset)
    null = omega @ loss.deviance(constant + (0.0 if design.offset is None else design.offset), y)
    words = {"log-loss": f"{0.5 * deviance:.4f}"} if label is not None else {}
    return words | {"D2": f"{1.0 - deviance / null:.4f}"}


def show_model(model: Any, design: Design | None = None) -> None:
    """Print penalty, certificate and the largest coefficients, of each class if there are any."""
    labels = getattr(model, "classes_", np.array([None])).tolist()
    if labels == [None]:
        _show_part(model, {} if design is None else _on_rows_left_out(model.regressor, design))
        return
    listed = ", ".join(map(str, labels))
    if len(labels) == 2:
        say(f"labels {listed}; a positive coefficient speaks for {labels[1]}")
    else:
        say(f"labels {listed}; a model for each, a positive coefficient speaks for it")
    names = class_names(labels)
    parts = [part for _, part in model.each()] if hasattr(model, "each") else model.estimators_
    for name, label, part in zip(names, labels[-len(parts) :], parts, strict=True):
        if len(parts) > 1:
            say(f"\n{name}")
        known = {} if design is None else _on_rows_left_out(part.regressor, design, label)
        _show_part(part, known)


def _show_part(model: Any, left_out: dict[str, str]) -> None:
    penalty = getattr(model, "penalty_", None) or model.penalty
    coef, certificate = model.coef_, model.certificate_
    chosen = np.flatnonzero(coef)
    name = describe(penalty) if hasattr(penalty, "get_params") else str(penalty)
    say(f"penalty {name}, alpha {certificate.alpha:.6g}")
    if certificate.loss != "squared":
        say(f"loss {certificate.loss}")
    for term, words in _terms(model).items():
        say(f"{term.replace('_', ' ')} {words}")
    for what, words in ends_in_words(getattr(model, "regressor", model)).items():
        say(f"{what}: {words}")
    for score, value in left_out.items():
        say(f"{score} on rows left out: {value}")
    _tell_dispersion(getattr(model, "regressor", model))
    say("\n  ".join(["certificate", *str(certificate).split("; ")[:-1]]))
    say(f"{chosen.size} of {coef.size} features selected; intercept {model.intercept_:.6g}")
    scale = getattr(getattr(model, "schema", None), "scale", None)
    weight = np.abs(coef if scale is None else coef * scale)
    names = getattr(model, "feature_names_in_", None)
    order = chosen[np.argsort(-weight[chosen], kind="stable")]
    width = max([7] + [len(_name(names, j)) for j in order[:_SHOWN]])
    if order.size:
        say(f"  {'feature':<{width}}  {'coefficient':>12}  {'per std. dev.':>13}")
    for j in order[:_SHOWN]:
        effect = f"{coef[j] * scale[j]:>13.5g}" if scale is not None else f"{'':>13}"
        say(f"  {_name(names, j):<{width}}  {coef[j]:>12.6g}  {effect}".rstrip())
    if order.size > _SHOWN:
        say(f"  ... and {order.size - _SHOWN} more")
    for name, reference in _references(model).items():
        say(printable(f"  {name} is relative to {reference!r}"))


def _tell_dispersion(regressor: Any) -> None:
    """Say so where counts vary more than the loss expects, and what allows for that."""
    known = getattr(regressor, "assessment_", None) or {}
    if known.get("dispersion", 0.0) > _DISPERSED:
        guess = known["theta"]
        remedy = "a smaller theta"
        if guess is not None:
            remedy = f"--loss negative_binomial:theta={guess:.2g}"
        say(
            f"dispersion {known['dispersion']:.3g}: the counts vary more than the loss expects; "
            f"{remedy} allows for that"
        )


def _terms(model: Any) -> dict[str, str]:
    """Return ridge, bounds and weights in words, if any; and units, unless a schema has them."""
    params = vars(getattr(model, "regressor", model))
    words = terms_in_words(params)
    if hasattr(model, "schema"):
        words.pop("columns", None)
    weights, names = params.get("weights"), getattr(model, "feature_names_in_", None)
    if isinstance(weights, np.ndarray):
        other = np.flatnonzero(weights != 1.0)
        listed = [f"{_name(names, j)} {weights[j]:g}" for j in other[:_NAMED]]
        more = [f"and {other.size - _NAMED} more"] if other.size > _NAMED else []
        words["weights"] = ", ".join(listed + more) or "all 1"
    return words


def _references(model: Any) -> dict[str, str]:
    """Return the columns of text with the value that their coefficients are relative to."""
    schema = getattr(model, "schema", None)
    return {} if schema is None else {name: v[0] for name, v in schema.categories.items()}


def _name(names: Any, j: int) -> str:
    return str(j) if names is None else printable(str(names[j]))


def write_report(model: Any, file: Path, title: str, data: Any = None) -> None:
    """Write the HTML report of a model; ``data`` are the rows of its fit."""
    from ..report import render

    made = getattr(model, "provenance_", None) or {}
    schema = getattr(model, "schema", None)
    settings = {}
    if schema is not None:
        settings["columns"] = "standardised" if schema.scale is not None else "as they are"
        settings["missing values"] = schema.impute or "none"
        settings |= {} if schema.offset is None else {"offset": schema.offset}
        settings |= {name: f"relative to {value}" for name, value in _references(model).items()}
    page = render(
        getattr(model, "regressor", model),
        title=title,
        reproduce=made.get("command"),
        settings=settings,
        scale=None if schema is None else schema.scale,
        data=data,
    )
    write_text(file, page)
