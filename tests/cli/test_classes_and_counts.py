"""Labels and counts from the command line: what a target is taken for, and what is said of it."""

import csv

import numpy as np
import pandas as pd
import pytest
from cli_tables import house_columns, write_csv

import sparsieve as sv
from sparsieve.cli.console import Exit

DATA, USAGE = Exit.DATA, Exit.USAGE


def sold_columns(n=60):
    """Return houses with a label that the price decides, mostly, and counts of visitors."""
    columns = house_columns(n)
    rng = np.random.default_rng(1)
    price = np.array(columns.pop("price"))
    cheap = price + rng.normal(0, 60, n) < np.median(price)
    columns["months"] = rng.uniform(1, 6, n).round(2).tolist()
    columns["log months"] = np.log(columns["months"]).tolist()
    columns["sold"] = np.where(cheap, "yes", "no").tolist()
    size = np.where(cheap, "cheap", np.where(price > np.quantile(price, 0.75), "dear", "middling"))
    columns["class"] = size.tolist()
    rate = np.exp(0.3 - 0.01 * (np.array(columns["area"]) - 100))
    columns["visits"] = rng.poisson(rate * columns["months"]).tolist()
    return columns


@pytest.fixture
def sold(tmp_path):
    return write_csv(tmp_path / "sold.csv", sold_columns())


FAST = ("--alphas", "15", "--eps", "0.05")
NO_LABELS = ("--drop", "sold,class")


def test_labels_are_recognised_predicted_and_scored(run, sold, tmp_path):
    done = run("fit", sold, "-t", "sold", "--drop", "class,visits", *FAST)
    assert done.code == 0, done
    assert "note: target 'sold' taken for two labels, 'no' (" in done.err
    assert "probabilities of 'yes'" in done.err
    assert "labels no, yes" in done.out
    assert "log-loss on rows left out: 0." in done.out
    model = sv.load_model(tmp_path / "sold.model.json")
    frame = pd.read_csv(sold)
    assert model.classes_.tolist() == ["no", "yes"]
    done = run("predict", "sold.model.json", sold, "--score", "--digits", "17", "-o", "p.csv")
    assert done.code == 0, done
    share = np.mean(model.predict(frame) == frame["sold"])
    assert f"accuracy {share:.4f}, log-loss 0." in done.err
    with (tmp_path / "p.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["prediction"] for row in rows] == model.predict(frame).tolist()
    chances = [[float(row[f"probability of {label}"]) for label in ("no", "yes")] for row in rows]
    assert np.array_equal(chances, model.predict_proba(frame))
    assert "accuracy" not in run("info", "sold.model.json").out
    assert "loss Logistic()" in run("info", "sold.model.json").out


def test_several_labels_have_a_model_each(run, sold, tmp_path):
    done = run("fit", sold, "-t", "class", "--drop", "sold,visits", "-p", "l1", *FAST)
    assert done.code == 0, done
    assert "taken for 3 labels, 'cheap', 'dear', 'middling'" in done.err
    assert "dear against the rest" in done.out
    model = sv.load_model(tmp_path / "sold.model.json")
    assert model.coef_.shape[0] == 3
    page = (tmp_path / "sold.report.html").read_text()
    assert "cheap against the rest" in page
    done = run("path", sold, "-t", "class", "--drop", "sold,visits", *FAST, "-o", "path.csv")
    assert done.code == 0, done
    frame = pd.read_csv(tmp_path / "path.csv")
    assert set(frame["class"]) == {f"{label} against the rest" for label in model.classes_}


def test_counts_with_an_offset(run, refused, sold, tmp_path):
    options = ["-t", "visits", *NO_LABELS, "--offset", "log months", "--loss", "poisson"]
    done = run("fit", sold, *options, "--drop", "months", *FAST)
    assert done.code == 0, done
    assert "D2 on rows left out" in done.out
    model = sv.load_model(tmp_path / "sold.model.json")
    assert model.schema.offset == "log months"
    assert (
        "offset    log months, added to the linear predictor" in run("info", "sold.model.json").out
    )
    assert "log months" not in model.schema.columns
    frame = pd.read_csv(sold)
    expected = model.predict(frame)
    done = run("predict", "sold.model.json", sold, "--score", "--digits", "17")
    assert done.code == 0, done
    assert np.array_equal([float(line) for line in done.out.splitlines()[1:]], expected)
    assert f"D2 {_explained(frame['visits'], expected, frame['months']):.4f}" in done.err
    frame.drop(columns="log months").to_csv(tmp_path / "less.csv", index=False)
    error = refused("predict", "sold.model.json", "less.csv", code=DATA)
    assert "lacks 'log months', the offset that the model was fitted with; add the column" in error
    frame["log months"] = [np.nan, *frame["log months"][1:]]
    frame.to_csv(tmp_path / "hole.csv", index=False)
    error = refused("predict", "sold.model.json", "hole.csv", code=DATA)
    assert "the offset 'log months' is missing or infinite in 1 of 60 rows" in error
    error = refused("fit", "hole.csv", *options, code=DATA)
    assert "the offset 'log months' is missing or infinite in 1 of 60 rows" in error
    done = run("path", sold, *options, *FAST, "--report", "path.html")
    assert done.code == 0, done
    assert "D2" in done.out


def _explained(y, mean, months):
    def deviance(mu):
        ratio = np.log(np.where(y > 0, y / mu, 1.0))
        return np.mean(2.0 * (y * ratio - y + mu))

    return 1.0 - deviance(mean) / deviance(months * y.sum() / months.sum())


def test_ways_to_choose_labels(run, sold, tmp_path):
    for way, name in ((["--select", "bic"], "IC"), (["--alpha", "0.05"], "")):
        options = ["-t", "sold", "--drop", "class,visits", "-p", "l1", *FAST, *way]
        done = run("fit", sold, *options, "--no-report")
        assert done.code == 0, done
        model = sv.load_model(tmp_path / "sold.model.json")
        assert type(model.regressor).__name__ == f"SparseClassifier{name}"
    done = run("fit", sold, "-t", "visits", *NO_LABELS, "--loss", "huber:delta=2", *FAST)
    assert done.code == 0, done
    assert "loss Huber(delta=2)" in done.out


def test_errors_name_the_option_and_the_remedy(refused, run, sold, tmp_path):
    error = refused("fit", sold, "-t", "area", *NO_LABELS, "--loss", "logistic", code=DATA)
    assert "--loss logistic is for labels (or shares from 0 to 1); use --loss squared" in error
    error = refused("fit", sold, "-t", "sold", "--drop", "class", "--loss", "poisson", code=DATA)
    assert "holds text, for instance 'no', and --loss poisson is for numbers" in error
    error = refused("fit", sold, "-t", "noise", *NO_LABELS, "--loss", "poisson", code=DATA)
    assert (
        "--loss poisson is for counts; correct them, or use --loss squared or --loss huber" in error
    )
    error = refused("fit", sold, "-t", "visits", *NO_LABELS, "--offset", "month", code=DATA)
    assert "no column 'month' for --offset" in error
    assert "did you mean 'months'?" in error
    error = refused("fit", sold, "-t", "visits", "--offset", "class", "--drop", "sold", code=DATA)
    assert "the column 'class' holds text, and an offset is added" in error
    error = refused("fit", sold, "-t", "visits", *NO_LABELS, "--offset", "visits", code=DATA)
    assert "'visits' is the target and --offset" in error
    options = ("--offset", "months", "--drop", "months", *NO_LABELS)
    assert "leave it out of --features" in refused(
        "fit", sold, "-t", "visits", *options, code=USAGE
    )
    error = refused("fit", sold, "-t", "visits", "--loss", "poison", code=USAGE)
    assert "did you mean 'poisson'" in error
    error = refused("fit", sold, "-t", "visits", "--loss", "huber:delta=-1", code=USAGE)
    assert "delta" in error
    error = refused("fit", sold, "-t", "visits", "--loss", "huber:gamma=1", code=USAGE)
    assert "has no parameter 'gamma', only delta" in error
    columns = sold_columns()
    columns["sold"] = ["yes"] * 3 + ["no"] * 57
    write_csv(tmp_path / "rare.csv", columns)
    error = refused("fit", "rare.csv", "-t", "sold", "--drop", "class", code=DATA)
    assert "the label 'yes' has 3 of 60 rows, too few for 5 folds" in error
    assert "choose --folds 3 or fewer, or --select ebic" in error


def test_labels_under_another_name_are_refused(refused, tmp_path):
    columns = sold_columns()
    columns["again"] = [value.upper() for value in columns["sold"]]
    write_csv(tmp_path / "twice.csv", columns)
    options = ("-t", "sold", "--drop", "class", "--one-hot")
    error = refused("fit", "twice.csv", *options, code=DATA)
    assert "column 'again' is a copy of the target 'sold'" in error
    assert "--drop again" in error


def test_scores_need_labels_that_the_fit_has_seen(refused, run, sold, tmp_path):
    options = ["-t", "sold", "--drop", "class,visits", "--alpha", "0.05", "-p", "l1"]
    assert run("fit", sold, *options, "--no-report").code == 0
    columns = sold_columns()
    columns["sold"][4] = "perhaps"
    write_csv(tmp_path / "new.csv", columns)
    error = refused("predict", "sold.model.json", "new.csv", "--score", code=DATA)
    assert "has 'perhaps', which was not there in the fit; its labels were 'no', 'yes'" in error
    columns["sold"][4] = ""
    write_csv(tmp_path / "new.csv", columns)
    error = refused("predict", "sold.model.json", "new.csv", "--score", code=DATA)
    assert "the target 'sold' has missing values or is constant; leave out" in error
