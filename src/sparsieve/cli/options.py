"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:  # what the options mean is imported when a command runs: --help should not wait
    from ..penalties import Penalty
    from ..tables.columns import Schema
    from ..tables.table import ReadOptions

__all__ = [
    "check_one_ratio",
    "common",
    "design_options",
    "limits",
    "max_bytes",
    "penalties",
    "read_options",
    "reading",
    "solver_options",
    "terms",
    "without_limits",
]

F = TypeVar("F", bound=Callable[..., Any])
# Equal to table_files.FORMATS, columns.IMPUTATIONS, starts.STARTS and solvers.MINIMA: tested.
FORMATS = ("csv", "excel", "parquet", "npz", "svmlight")
IMPUTATIONS = ("mean", "median", "zero")
DATES = ("auto", "dmy", "mdy")
STARTS = ("lasso", "previous", "best")
MINIMA = ("stationary", "coordinatewise", "swap")
_THOUSANDS = {"space": " ", "none": "", "comma": ",", "point": ".", "apostrophe": "'"}
_LIMITS = ("max_support", "max_deviance", "max_time")
_CODES = {"tab": "\t", "\\t": "\t", "space": " ", "semicolon": ";", "comma": ",", "bar": "|"}


def _loss(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """Turn ``huber:delta=2`` into a loss."""
    if value is None:
        return None
    from ..losses import resolve_loss

    try:
        return resolve_loss(_with_settings(value, resolve_loss))
    except (ValueError, TypeError) as error:
        raise click.BadParameter(
            f"{str(error).rstrip('.')}; write for instance poisson or huber:delta=2", ctx, param
        ) from error


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

    return resolve_penalty(_with_settings(text, resolve_penalty))


def _with_settings(text: str, resolve: Callable[[str], Any]) -> Any:
    """Return what ``name:key=number`` stands for, before its numbers are checked."""
    name, *settings = text.split(":")
    named = resolve(name.strip())
    known = named.get_params()
    for setting in settings:
        key, _, number = setting.partition("=")
        if key not in known:
            listed = ", ".join(known) or "none"
            raise ValueError(f"{text!r}: {name} has no parameter {key!r}, only {listed}")
        try:
            named.set_params(**{key: float(number)})
        except ValueError as error:
            raise ValueError(f"{text!r}: {number!r} is not a number") from error
    return named


def _stack(*options: Callable[[F], F]) -> Callable[[F], F]:
    return lambda command: reduce(lambda inner, option: option(inner), reversed(options), command)


def _check(allowed: Callable[[float], bool], fault: str, remedy: str) -> Callable[..., Any]:
    """Return a callback that refuses numbers which are not allowed, nan among them."""

    def check(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
        if value is not None and not allowed(value):
            raise click.BadParameter(f"{value:g} {fault}; use {remedy}", ctx, param)
        return value

    return check


def _by_name(
    allowed: Callable[[float], bool], fault: str, remedy: str, for_all: bool = True
) -> Callable[..., Any]:
    """Return the callback of an option of numbers by name."""

    def check(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> Any:
        from .by_name import Wanted

        try:
            return Wanted(allowed, fault, remedy, for_all).read(max(param.opts, key=len), values)
        except click.BadParameter as error:
            raise click.BadParameter(error.message, ctx, param) from None

    return check


def _ratios(ctx: click.Context, param: click.Parameter, value: str) -> float | list[float]:
    """Turn ``0.5,0.9,1`` into a list of numbers, and one number into a number."""
    ratios: list[float] = []
    for text in value.split(","):
        try:
            ratio = float(text)
        except ValueError:
            raise click.BadParameter(
                f"{text.strip()!r} is not a number; write for instance 0.5,0.9,1", ctx, param
            ) from None
        if not 0.0 < ratio <= 1.0:
            raise click.BadParameter(
                f"{ratio:g} is not above 0 and at most 1; use 1 for no ridge", ctx, param
            )
        ratios.append(ratio)
    return ratios if len(ratios) > 1 else ratios[0]


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
    click.option("--encoding", help="Of a CSV file. Default: recognised."),
    click.option("--delimiter", help="Of a CSV file: , ; | or tab. Default: the likeliest."),
    click.option(
        "--decimal", type=click.Choice([".", ","]), help="Decimal mark. Default: recognised."
    ),
    click.option(
        "--thousands",
        metavar="MARK",
        help="Between thousands: , . space ' or none. Default: recognised.",
    ),
    click.option(
        "--dates",
        type=click.Choice(DATES),
        help="Take dates as days since 1 January 1970. auto: day and month where the table tells "
        "their order; dmy: 31/12/2024; mdy: 12/31/2024.",
    ),
    click.option("--sheet", metavar="NAME", help="Of an Excel file. Default: the first."),
    click.option(
        "--skip",
        type=click.IntRange(min=0),
        metavar="N",
        help="Lines above the names. Default: those with one entry at most.",
    ),
    click.option("--no-header", is_flag=True, help="The first line is data: call columns x1, x2."),
    click.option("--missing", multiple=True, metavar="MARK", help="Also a missing value, e.g. ?."),
)

design_options = _stack(
    click.option("-t", "--target", metavar="NAME", help="Column to predict."),
    click.option(
        "--loss",
        callback=_loss,
        metavar="NAME",
        # Written out, as the penalties.
        help="squared, logistic (labels), poisson (counts), negative_binomial:theta=1, "
        "huber:delta=2. Default: by what the target holds.",
    ),
    click.option(
        "--offset",
        metavar="NAME",
        help="Column that is added to the linear predictor as it is: for counts, the logarithm of "
        "the times or areas that they belong to.",
    ),
    click.option(
        "--features",
        multiple=True,
        metavar="NAMES",
        help="Use only these columns: NAME, NAME,NAME or a pattern such as 'mean*'.",
    ),
    click.option("--drop", multiple=True, metavar="NAMES", help="Leave columns out; as above."),
    click.option(
        "--text", multiple=True, metavar="NAMES", help="Columns whose numbers are codes; as above."
    ),
    click.option(
        "--id",
        multiple=True,
        metavar="NAME",
        help="Column that names the rows: no feature, and beside the predictions.",
    ),
    click.option("--one-hot", is_flag=True, help="Encode columns of text as zeros and ones."),
    click.option(
        "--impute",
        type=click.Choice(IMPUTATIONS),
        help="Fill missing numbers; missing text is a value of its own.",
    ),
    click.option(
        "--drop-rows-without-target", is_flag=True, help="Leave out rows that lack the target."
    ),
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
    click.option(
        "--eps",
        type=float,
        help="Last alpha / alpha_max. Default: 1e-3 with more rows than columns, else 1e-2; a fold "
        "then ends where its errors have risen for long.",
    ),
    click.option(
        "--max-support",
        type=click.IntRange(min=1),
        metavar="N",
        help="End each path with the first alpha that selects so many columns.",
    ),
    click.option(
        "--max-deviance",
        type=float,
        callback=_check(
            lambda value: 0.0 < value <= 1.0, "is not above 0 and at most 1", "e.g. 0.99"
        ),
        metavar="FRACTION",
        help="End each path with the first alpha that explains so much of the target.",
    ),
    click.option(
        "--max-time",
        type=float,
        callback=_check(lambda value: 0.0 < value < math.inf, "is not above 0", "e.g. 60"),
        metavar="SECONDS",
        help="End all paths after this time, with what is finished.",
    ),
    click.option("--positive", is_flag=True, help="Only coefficients >= 0."),
    click.option(
        "--lower",
        multiple=True,
        callback=_by_name(lambda value: value <= 0.0, "excludes zero", "0 or less"),
        metavar="[NAME=]NUMBER",
        help="Smallest coefficient, of all columns or of one, on its original scale; at most 0. "
        "Can be repeated; @FILE reads lines NAME,NUMBER.",
    ),
    click.option(
        "--upper",
        multiple=True,
        callback=_by_name(lambda value: value >= 0.0, "excludes zero", "0 or more"),
        metavar="[NAME=]NUMBER",
        help="Largest coefficient, in the same way; at least 0.",
    ),
    click.option(
        "--weights",
        multiple=True,
        callback=_by_name(
            lambda value: value >= 0.0, "is below 0", "0 for no penalty, inf to leave it out", False
        ),
        metavar="NAME=NUMBER",
        help="Multiplies the penalty of one column: 0 leaves it unpenalised, inf leaves it out. "
        "Can be repeated; @FILE reads lines NAME,NUMBER.",
    ),
    click.option(
        "--l1-ratio",
        default="1",
        show_default=True,
        callback=_ratios,
        metavar="LIST",
        help="Part of alpha that the penalty gets; the rest is a ridge, as in an elastic net. "
        "A cross-validation chooses among several with commas.",
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


def terms(options: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """Return units, ridge, bounds and weights of a command's options as the library calls them."""
    lower = options["lower"].per_feature(schema, -math.inf)
    upper = options["upper"].per_feature(schema, math.inf)
    named = {name: options[name] for name in ("positive", "standardize", "l1_ratio", "ridge")}
    named["weights"] = options["weights"].per_feature(schema, 1.0)
    return named | {"bounds": None if lower is None and upper is None else (lower, upper)}


def check_one_ratio(options: dict[str, Any], chooses: str) -> None:
    """Refuse several l1 ratios where nothing chooses among them."""
    if isinstance(options["l1_ratio"], list):
        raise click.UsageError(
            f"--l1-ratio has several numbers, and {chooses} chooses none; give one, or let "
            "`sparsieve fit --select cv` choose"
        )


def limits(options: dict[str, Any]) -> dict[str, Any]:
    """Return where paths end of a command's options as the library calls them."""
    return {name: options[name] for name in ("eps", *_LIMITS)}


def without_limits(options: dict[str, Any]) -> None:
    """Raise a usage error for limits of a path where there is none."""
    for name in _LIMITS:
        if options[name] is not None:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(
                f"{option} ends paths, and --alpha fits one alpha; drop one of them"
            )


def reading(options: dict[str, Any]) -> ReadOptions:
    """Take the options of reading out of a command's options."""
    from ..tables.table import ReadOptions

    delimiter = options.pop("delimiter")
    delimiter = _CODES.get(delimiter, delimiter)
    if delimiter is not None and len(delimiter) != 1:
        raise click.UsageError(f"--delimiter {delimiter!r} is not one character; use e.g. ';'")
    thousands = options.pop("thousands")
    thousands = _THOUSANDS.get(thousands, thousands)
    if thousands not in (None, "", ",", ".", " ", "'"):
        raise click.UsageError(f"--thousands {thousands!r} is not one of , . ' space and none")
    return ReadOptions(
        format=options.pop("format"),
        encoding=options.pop("encoding"),
        delimiter=delimiter,
        decimal=options.pop("decimal"),
        thousands=thousands,
        dates=options.pop("dates"),
        sheet=options.pop("sheet"),
        skip=options.pop("skip"),
        header=not options.pop("no_header"),
        missing=tuple(options.pop("missing")),
        max_bytes=options.pop("max_bytes"),
    )
