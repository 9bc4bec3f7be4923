"""The commands: their options, their help, and what each hands to whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .console import Exit, guarded, state
from .options import (
    common,
    design_options,
    max_bytes,
    penalties,
    read_options,
    reading,
    solver_options,
)

__all__ = ["run"]

_EXITS = """\b
Exit codes:
  0    done
  1    unexpected error (a bug: please report it)
  2    wrong use of the command
  3    the table or the model cannot be used as it is
  4    a file cannot be read or written
  5    done and written, but the solver did not reach its tolerance
  130  interrupted
"""
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    state.quiet, state.debug, state.written = False, "--debug" in arguments, []
    state.beside = False
    state.lost = None
    return guarded(lambda: app.main(arguments, prog_name="sparsieve", standalone_mode=False))


@click.group(context_settings=_SETTINGS, epilog=_EXITS)
@click.version_option(package_name="sparsieve")
def app() -> None:
    """Sparse regression with a proof: fit a table, see which columns matter, predict.

    \b
    Examples:
      sparsieve fit houses.csv --target price
      sparsieve predict houses.model.json new.csv -o predictions.csv
      sparsieve info houses.model.json
    """  # noqa: D301


def _begin(options: dict[str, Any]) -> None:
    state.quiet, state.debug = options.pop("quiet"), options.pop("debug")


@app.command(epilog=_EXITS)
@click.argument("table")
@design_options
@penalties("l1,mcp")
@click.option(
    "-s",
    "--select",
    type=click.Choice(["cv", "ebic", "bic", "aic", "hbic"]),
    default="cv",
    show_default=True,
    help="Choose penalty and alpha by cross-validation or an information criterion.",
)
@click.option("--alpha", type=float, help="Fit this alpha instead of choosing one.")
@click.option("--folds", default=5, show_default=True, help="Of the cross-validation.")
@click.option(
    "--shuffle/--no-shuffle",
    default=True,
    show_default=True,
    help="Folds of random rows, or of rows that follow each other (rows in order of time).",
)
@click.option("--seed", default=0, show_default=True, help="Of the shuffle into folds.")
@click.option(
    "--rule",
    type=click.Choice(["min", "1se"]),
    default="min",
    show_default=True,
    help="Best score, or the sparsest model within one standard error of it.",
)
@solver_options
@click.option("--jobs", type=int, default=None, help="Folds at the same time; -1: all cores.")
@click.option("-o", "--output", type=Path, help="Model file. Default: TABLE.model.json here.")
@click.option("--report", type=Path, help="HTML report. Default: TABLE.report.html here.")
@click.option("--no-report", is_flag=True, help="Write no report.")
@click.option("--force", is_flag=True, help="Replace files that sparsieve did not write.")
@read_options
@common
def fit(table: str, **options: Any) -> Exit:
    """Fit TABLE (CSV, Excel, Parquet, npz or svmlight) and write a model file and a report.

    By default columns are standardised, and the lasso and MCP compete in a 5-fold
    cross-validation. Text, dates and missing values are refused unless --one-hot, --dates and
    --impute say what to do with them; one message lists all that a table needs. TABLE may be - for
    standard input.

    \b
    Examples:
      sparsieve fit houses.csv --target price
      sparsieve fit genes.parquet -t survival -p mcp,scad,logsum:theta=0.5 --rule 1se
      sparsieve fit survey.csv -t income --one-hot --impute median --select ebic
      sparsieve fit houses.csv -t price -p l1 --alpha 0.1 -o lasso.json --no-report
    """  # noqa: D301
    from .fit import fit_command

    _begin(options)
    return fit_command(table, reading(options), options)


@app.command(epilog=_EXITS)
@click.argument("model")
@click.argument("table")
@click.option("-o", "--output", type=Path, help="CSV file. Default, and -: standard output.")
@click.option(
    "--id",
    multiple=True,
    metavar="NAME",
    help="Columns to write beside the predictions. Default: those of the fit.",
)
@click.option("--only-selected", is_flag=True, help="Ask only for columns the model uses.")
@click.option(
    "--unknown",
    type=click.Choice(["refuse", "reference"]),
    default="refuse",
    show_default=True,
    help="A text that was not seen in the fit.",
)
@click.option("--score", is_flag=True, help="TABLE holds the target too: tell the R2.")
@click.option(
    "--digits",
    type=click.IntRange(1, 17),
    default=10,
    show_default=True,
    help="Of each prediction; 17 keep every bit.",
)
@click.option("--force", is_flag=True, help="Replace files that sparsieve did not write.")
@read_options
@common
def predict(model: str, table: str, **options: Any) -> Exit:
    """Predict the rows of TABLE with MODEL.

    Columns are found by name: missing ones are refused, others ignored with a note. Standard
    output holds the predictions and nothing else; notes go to standard error.

    \b
    Examples:
      sparsieve predict houses.model.json new.csv > predictions.csv
      sparsieve predict houses.model.json old.csv --score -o predictions.csv
    """  # noqa: D301
    from .predict import predict_command

    _begin(options)
    return predict_command(model, table, reading(options), options)


@app.command(epilog=_EXITS)
@click.argument("table")
@design_options
@penalties("mcp")
@solver_options
@click.option("-o", "--output", type=Path, help="CSV file for the coefficients.")
@click.option("--report", type=Path, help="HTML report of the paths.")
@click.option("--force", is_flag=True, help="Replace files that sparsieve did not write.")
@read_options
@common
def path(table: str, **options: Any) -> Exit:
    """Compute the whole path of models of TABLE, from none to many columns.

    \b
    Examples:
      sparsieve path houses.csv --target price
      sparsieve path houses.csv -t price -p l1,mcp -o path.csv --report path.html
    """  # noqa: D301
    from .path import path_command

    _begin(options)
    return path_command(table, reading(options), options)


@app.command(epilog=_EXITS)
@click.argument("model")
@click.option("-o", "--output", type=Path, help="HTML file. Default: MODEL.report.html here.")
@click.option("--title", help="Heading of the report.")
@max_bytes
@click.option("--force", is_flag=True, help="Replace files that sparsieve did not write.")
@common
def report(model: str, **options: Any) -> Exit:
    """Write the HTML report of MODEL: one file, works without network.

    \b
    Example:
      sparsieve report houses.model.json -o houses.html
    """  # noqa: D301
    from .show import report_command

    _begin(options)
    return report_command(model, options)


@app.command(epilog=_EXITS)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print a model as JSON for other programs.")
@read_options
@common
def info(file: str, **options: Any) -> Exit:
    """Tell what is in FILE: a model or a table.

    \b
    Examples:
      sparsieve info houses.csv
      sparsieve info houses.model.json
      sparsieve info houses.model.json --json > model.json
    """  # noqa: D301
    from .show import info_command

    _begin(options)
    return info_command(file, reading(options), options["as_json"])


@app.command(
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def paper(context: click.Context, arguments: tuple[str, ...]) -> int:
    """Rerun the experiments of the ICML 2019 paper, in a checkout of sparsieve.

    They are in the folder benchmarks/paper of the source, not in the installed package. Inside a
    checkout `sparsieve paper --help` tells more.
    """
    from .paper import checkout_around, paper_command

    if {"-h", "--help"} & set(arguments) and checkout_around(Path.cwd()) is None:
        click.echo(context.get_help())
        return Exit.OK
    return paper_command(list(arguments))
