"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:  # what the options mean is imported when a command runs: --help should not wait
    from ..penalties import Penalty
    from ..tables.table import ReadOptions

__all__ = [
    "common",
    "design_options",
    "max_bytes",
    "penalties",
    "read_options",
    "reading",
    "solver_options",
    "terms",
]

F = TypeVar("F", bound=Callable[..., Any])
# Equal to table_files.FORMATS, columns.IMPUTATIONS, starts.STARTS and solvers.MINIMA: tested.
FORMATS = ("csv", "parquet", "npz", "svmlight")
IMPUTATIONS = ("mean", "median", "zero")
STARTS = ("lasso", "previous", "best")
MINIMA = ("stationary", "coordinatewise", "swap")
_CODES = {"tab": "\t", "\\t": "\t", "space": " ", "semicolon": ";", "comma": ",", "bar": "|"}


def _penalty_list(ctx: click.Context, param: click.Parameter, value: str) -> list[Penalty]:
    """Turn ``l1,mcp:gamma=2.5`` into penalty objects."""
    try:
        found = [_penalty(text.strip()) for text in value.split(",") if text.strip()]
    except (ValueError, TypeError) as error:
        raise click.BadParameter(
            f"{str(error).rstrip('.')}; write for instance l1,mcp:gamma=2.5", ctx, param
        ) from error
    if not found:
        raise click.BadParameter("it is empty; write for instance l1,mcp", ctx, param)
    return found


def _penalty(text: str) -> Penalty:
    from ..penalties import resolve_penalty

    name, *settings = text.split(":")
    penalty: Any = resolve_penalty(name.strip())
    known = penalty.get_params()
    for setting in settings:
        key, _, number = setting.partition("=")
        if key not in known:
            listed = ", ".join(known) or "none"
            raise ValueError(f"{text!r}: {name} has no parameter {key!r}, only {listed}")
        try:
            penalty.set_params(**{key: float(number)})
        except ValueError as error:
            raise ValueError(f"{text!r}: {number!r} is not a number") from error
    return resolve_penalty(penalty)


def _stack(*options: Callable[[F], F]) -> Callable[[F], F]:
    return lambda command: reduce(lambda inner, option: option(inner), reversed(options), command)


def _check(allowed: Callable[[float], bool], fault: str, remedy: str) -> Callable[..., Any]:
    """Return a callback that refuses numbers which are not allowed, nan among them."""

    def check(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
        if value is not None and not allowed(value):
            raise click.BadParameter(f"{value:g} {fault}; use {remedy}", ctx, param)
        return value

    return check


common = _stack(
    click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors."),
    click.option("--debug", is_flag=True, help="Show the traceback of an error."),
)

max_bytes = click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Most bytes of a file once it is decoded. Default: 1 GiB of compressed content or of a "
    "model, any size of what is not compressed.",
)

read_options = _stack(
    max_bytes,
    click.option("--format", type=click.Choice(FORMATS), help="Format, if the ending misleads."),
    click.option("--encoding", default="utf-8", show_default=True, help="Of a CSV file."),
    click.option("--delimiter", help="Of a CSV file: , ; | or tab. Default: the likeliest."),
    click.option("--decimal", type=click.Choice([".", ","]), default=".", help="Decimal mark."),
    click.option("--no-header", is_flag=True, help="The first line is data: call columns x1, x2."),
    click.option("--missing", multiple=True, metavar="MARK", help="Also a missing value, e.g. ?."),
)

design_options = _stack(
    click.option("-t", "--target", metavar="NAME", help="Column to predict."),
    click.option("--features", multiple=True, metavar="NAME", help="Use only these columns."),
    click.option("--drop", multiple=True, metavar="NAME", help="Leave a column out."),
    click.option("--one-hot", is_flag=True, help="Encode columns of text as zeros and ones."),
    click.option("--impute", type=click.Choice(IMPUTATIONS), help="Fill missing values."),
    click.option(
        "--standardize/--no-standardize",
        "--standardise/--no-standardise",
        default=True,
        show_default=True,
        help="Divide columns by their standard deviation for the fit, so that the penalty treats "
        "them alike. Coefficients are on the original scale either way.",
    ),
)

solver_options = _stack(
    click.option("--alphas", default=100, show_default=True, help="Points of a path."),
    click.option("--eps", default=1e-3, show_default=True, help="Last alpha / alpha_max."),
    click.option("--positive", is_flag=True, help="Only coefficients >= 0."),
    click.option(
        "--lower",
        type=float,
        callback=_check(lambda value: value <= 0.0, "excludes zero", "0 or less"),
        metavar="NUMBER",
        help="Smallest coefficient, on the original scale of the columns; at most 0.",
    ),
    click.option(
        "--upper",
        type=float,
        callback=_check(lambda value: value >= 0.0, "excludes zero", "0 or more"),
        metavar="NUMBER",
        help="Largest coefficient, on the original scale of the columns; at least 0.",
    ),
    click.option(
        "--l1-ratio",
        type=float,
        default=1.0,
        show_default=True,
        callback=_check(
            lambda value: 0.0 < value <= 1.0, "is not above 0 and at most 1", "1 for no ridge"
        ),
        help="Part of alpha that the penalty gets; the rest is a ridge, as in an elastic net.",
    ),
    click.option(
        "--ridge",
        type=float,
        default=0.0,
        show_default=True,
        callback=_check(
            lambda value: 0.0 <= value < math.inf, "is not a finite number >= 0", "0 for no ridge"
        ),
        help="A ridge that does not depend on alpha.",
    ),
    click.option("--no-intercept", is_flag=True, help="Fit no constant."),
    click.option("--tol", default=1e-6, show_default=True, help="Largest violation allowed."),
    click.option(
        "--start",
        type=click.Choice(STARTS),
        default="lasso",
        show_default=True,
        help="Where each solve begins: a lasso, the last alpha's point, or the lowest of several.",
    ),
    click.option(
        "--minimum",
        type=click.Choice(MINIMA),
        default="coordinatewise",
        show_default=True,
        help="How strong a minimum is looked for: stationary, one that no change of a single "
        "coefficient lowers, or one that no exchange of two features lowers either.",
    ),
    click.option("--max-iter", default=10_000, show_default=True, help="Reweightings per alpha."),
)


def penalties(default: str) -> Callable[[F], F]:
    """Return the option --penalty."""
    return click.option(
        "-p",
        "--penalty",
        "penalty",
        callback=_penalty_list,
        default=default,
        show_default=True,
        metavar="LIST",
        # Written out: importing the penalties would keep --help waiting.
        help="l1, mcp, scad, logsum, capped_l1, lq; several with commas; with a parameter: "
        "mcp:gamma=2.5.",
    )


def terms(options: dict[str, Any]) -> dict[str, Any]:
    """Return units, ridge and bounds of a command's options as the library calls them."""
    bounds = (options["lower"], options["upper"])
    named = {name: options[name] for name in ("positive", "standardize", "l1_ratio", "ridge")}
    return named | {"bounds": None if bounds == (None, None) else bounds}


def reading(options: dict[str, Any]) -> ReadOptions:
    """Take the options of reading out of a command's options."""
    from ..tables.table import ReadOptions

    delimiter = options.pop("delimiter")
    delimiter = _CODES.get(delimiter, delimiter)
    if delimiter is not None and len(delimiter) != 1:
        raise click.UsageError(f"--delimiter {delimiter!r} is not one character; use e.g. ';'")
    return ReadOptions(
        format=options.pop("format"),
        encoding=options.pop("encoding"),
        delimiter=delimiter,
        decimal=options.pop("decimal"),
        header=not options.pop("no_header"),
        missing=tuple(options.pop("missing")),
        max_bytes=options.pop("max_bytes"),
    )
