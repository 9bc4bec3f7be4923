"""What is written into a report, and what is refused."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_paths import made_up_path, named

import sparsieve as sv
from sparsieve.estimators.table_model import TableModel
from sparsieve.report import Report, render, write_html
from sparsieve.report.encode import encode_story, safe_json
from sparsieve.report.tracks import read_story
from sparsieve.tables.columns import make_design
from sparsieve.tables.table import Table

LIMIT = 5_000_000  # the promise: under 5 MB with 20,000 features and 100 alphas


class Page(HTMLParser):
    """The elements and the embedded data of a page, as a browser's parser would split it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for key, value in attrs if key in {"src", "href"}]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def embedded(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def decode(data: dict[str, Any], t: int) -> tuple[list[int], np.ndarray, np.ndarray]:
    track = data["tracks"][t]
    index = np.frombuffer(base64.b64decode(track["index"]), dtype=f"<u{data['indexBytes']}")
    value = np.frombuffer(base64.b64decode(track["value"]), dtype=f"<f{data['valueBytes']}")
    return track["starts"], np.asarray(data["features"])[index], value


@pytest.fixture(scope="module")
def path() -> sv.Path:
    X, y, _ = sv.datasets.make_toy(40, 80, 6, noise=0.5, random_state=0)
    return sv.sparse_path(X, y, "mcp", alphas=15, eps=0.05)


def test_coefficients_come_back_bit_by_bit(path: sv.Path) -> None:
    starts, rows, values = decode(embedded(render(path)), 0)
    for k, point in enumerate(path.points):
        part = slice(starts[k], starts[k + 1])
        order = np.argsort(rows[part])
        np.testing.assert_array_equal(rows[part][order], point.columns)
        np.testing.assert_array_equal(values[part][order], point.values)


def test_nothing_but_the_page_itself_is_loaded(path: sv.Path) -> None:
    page = Page(render(path))
    assert [link for link in page.links if not link.startswith("#")] == []
    assert not {"link", "img", "object", "embed"} & set(page.tags)


@pytest.mark.parametrize(
    "name",
    ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "<!--", "{{script}}",
     "a&b", '"quoted"', "tab\tnewline\n", "\u2028", "naïve ß 中", "", "\ud83d\ude00"],
)  # fmt: skip
def test_names_and_titles_stay_text(path: sv.Path, name: str) -> None:
    labelled = named(path, name)
    name = str(labelled.feature_names[0])
    text = render(labelled, title=name, notes=name, reproduce=name, settings={name: name})
    plain = Page(render(path))
    assert Page(text).tags == plain.tags
    data = embedded(text)
    assert data["title"] == (name or "Sparse regression path")
    assert data["names"] is not None
    assert set(data["names"]) == {name}


def test_script_runs_only_by_its_hash(path: sv.Path) -> None:
    text = render(path)
    policy = re.search(r"script-src '(sha256-[^']+)'", text)
    script = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert policy is not None
    assert len(script) == 1
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert policy.group(1) == f"sha256-{digest}"
    assert "unsafe-inline'; script" not in text.replace("style-src 'unsafe-inline'; script", "")


def test_safe_json_writes_numbers_json_has_not() -> None:
    data = {"a": [np.inf, -np.inf, np.nan, np.float64(0.1), np.int64(3), np.bool_(True)]}
    assert json.loads(safe_json(data)) == {"a": [None, None, None, 0.1, 3, True]}
    assert not set("<>&") & set(safe_json({"<": "a>&</script>"}))


def test_a_wide_path_stays_below_five_megabytes(big_path: sv.Path, tmp_path: Path) -> None:
    labelled = named(big_path, "a feature name of forty characters.....")
    file = write_html(labelled, tmp_path / "wide.html")
    assert file.stat().st_size < LIMIT
    data = embedded(file.read_text(encoding="utf-8"))
    assert data["nDropped"] == 0


def test_a_dense_path_keeps_its_largest_features(tmp_path: Path) -> None:
    """Every one of 20,000 features at each of 100 alphas: two million coefficients."""
    path = made_up_path(20_000, [20_000] * 100)
    file = write_html(named(path, "a feature name of forty characters....."), tmp_path / "d.html")
    assert file.stat().st_size < LIMIT
    data = embedded(file.read_text(encoding="utf-8"))
    kept = len(data["features"])
    assert kept + data["nDropped"] == 20_000
    largest = np.abs(np.asarray(path.coefs)).max(axis=1)
    assert largest[data["features"]].min() >= np.delete(largest, data["features"]).max()
    # The number of features is told in full even though not all are listed.
    assert data["tracks"][0]["support"] == [20_000] * 100


def test_inline_report_is_smaller_and_framed(big_path: sv.Path) -> None:
    inline = render(big_path, inline=True)
    assert len(inline) < len(render(big_path))
    framed = Report(inline)._repr_html_()
    page = Page(framed)
    assert page.tags == ["iframe"]
    assert html.unescape(framed.split('srcdoc="')[1].split('" style=')[0]) == inline


def test_reproduce_runs_and_gives_the_same_path(path: sv.Path) -> None:
    X, y, _ = sv.datasets.make_toy(40, 80, 6, noise=0.5, random_state=0)
    code = embedded(render(path))["reproduce"]
    scope: dict[str, Any] = {"X": X, "y": y}
    exec(code.split("sv.report.write_html")[0], scope)
    again = scope["paths"][0]
    np.testing.assert_array_equal(again.support_size, path.support_size)
    # The grid is rebuilt from its ends: alphas agree to rounding.
    np.testing.assert_allclose(again.alphas, path.alphas, rtol=1e-12)


def test_several_paths_a_dict_and_a_fit(path: sv.Path) -> None:
    assert len(read_story([path, path]).tracks) == 2
    labelled = read_story({"run A": path, "run B": path})
    assert [track.penalty for track in labelled.tracks] == ["run A", "run B"]
    X, y, _ = sv.datasets.make_toy(40, 80, 6, noise=0.5, random_state=0)
    fitted = sv.SparseRegressor("scad", alpha=0.4).fit(X, y)
    story = read_story(fitted)
    assert story.settings["alpha"] == 0.4
    (columns, values), = story.tracks[0].points  # fmt: skip
    np.testing.assert_array_equal(columns, np.flatnonzero(fitted.coef_))
    np.testing.assert_array_equal(values, fitted.coef_[columns])


class Mine:
    def __init__(self, a: float) -> None:
        self.a = a

    def __repr__(self) -> str:
        return "Mine(2)</script>"

    def value(self, t: Any, alpha: Any) -> Any:
        return alpha * t

    def slope(self, t: Any, alpha: Any) -> Any:
        return alpha + 0.0 * t


def test_a_loaded_model_tells_of_a_users_own_penalty_what_the_file_has(tmp_path: Path) -> None:
    X, y, _ = sv.datasets.make_toy(40, 8, 3, noise=0.5, random_state=0)
    models = [
        sv.SparseRegressor(Mine(2.0), alpha=0.4),
        sv.SparseRegressorIC(Mine(2.0), alphas=4),
        sv.SparseRegressorCV([Mine(2.0), "mcp"], alphas=4, cv=3),
        sv.SparseRegressorCV(["mcp", Mine(2.0)], alphas=4, cv=3),
    ]
    for model in models:
        model.fit(X, y).save(tmp_path / "model.json")
        page = sv.load_model(tmp_path / "model.json").to_html()
        data = embedded(page)
        names = [track["penalty"] for track in data["tracks"]]
        names += [curve["name"] for curve in data.get("curves", [])]
        assert "Mine(2)</script>" in names
        assert not any(track["convexPenalty"] for track in data["tracks"])
        assert "Mine(2)</script>" not in page


def test_a_users_own_penalty_isnamed(path: sv.Path) -> None:
    X, y, _ = sv.datasets.make_toy(40, 80, 6, noise=0.5, random_state=0)
    track = read_story(sv.sparse_path(X, y, Mine(2.0), alphas=3)).tracks[0]
    assert (track.penalty, track.shape, track.code) == ("Mine", "a = 2", "Mine(a=2.0)")
    assert not track.convex_penalty


def test_cross_validation_is_told_in_full() -> None:
    X, y, _ = sv.datasets.make_toy(60, 40, 4, noise=1.0, random_state=0)
    penalties = [sv.MCP(gamma=3.0), sv.L1()]
    model = sv.SparseRegressorCV(penalties, alphas=12, eps=0.02, cv=4, rule="1se").fit(X, y)
    data = embedded(model.to_html())
    assert [curve["name"] for curve in data["curves"]] == ["MCP (gamma = 3)", "L1"]
    for row, curve in enumerate(data["curves"]):
        np.testing.assert_allclose(curve["mean"], model.mse_path_[row].mean(axis=1), rtol=1e-12)
        assert curve["best"] == int(np.argmin(curve["mean"]))
        assert curve["oneSe"] <= curve["best"]
        assert curve["nFolds"] == 4
    own = data["curves"][data["tracks"][0]["curve"]]
    assert own["alphas"][own["chosen"]] == model.alpha_
    assert own["chosen"] == own["oneSe"]
    track = data["tracks"][0]
    assert track["alphas"][data["choices"][0]["alpha"]] == pytest.approx(model.alpha_, rel=1e-12)
    scope: dict[str, Any] = {"X": X, "y": y}
    exec(data["reproduce"], scope)
    np.testing.assert_array_equal(scope["model"].coef_, model.coef_)


def test_a_criterion_is_told_without_folds() -> None:
    X, y, _ = sv.datasets.make_toy(60, 40, 4, noise=1.0, random_state=0)
    model = sv.SparseRegressorIC([sv.MCP(), sv.L1()], criterion="bic", alphas=12, eps=0.02)
    data = embedded(model.fit(X, y).to_html())
    for row, curve in enumerate(data["curves"]):
        np.testing.assert_array_equal(curve["mean"], model.criterion_[row])
        assert (curve["label"], curve["error"], curve["nFolds"]) == ("BIC", None, 0)
    own = data["curves"][data["tracks"][0]["curve"]]
    assert own["alphas"][own["chosen"]] == model.alpha_
    assert data["choices"][0]["rule"] == "lowest BIC"


def test_a_score_is_shown_the_way_it_counts() -> None:
    X, y, _ = sv.datasets.make_toy(60, 40, 4, noise=1.0, random_state=0)
    model = sv.SparseRegressorCV("mcp", alphas=8, eps=0.05, scoring="r2").fit(X, y)
    (curve,) = embedded(model.to_html())["curves"]
    assert (curve["label"], curve["higher"]) == ("r2", True)
    assert curve["best"] == int(np.argmax(curve["mean"]))


def test_a_report_opens_at_the_alpha_it_is_told(path: sv.Path) -> None:
    assert embedded(render(path))["choices"] == []
    twice = [path, path]
    found = embedded(render(twice, alpha=[path.alphas[3], path.alphas[5]], rule="lowest BIC"))
    assert found["choices"] == [
        {"track": 0, "alpha": 3, "rule": "lowest BIC"},
        {"track": 1, "alpha": 5, "rule": "lowest BIC"},
    ]
    everywhere = embedded(render(twice, alpha=1.01 * path.alphas[4]))["choices"]
    assert [choice["alpha"] for choice in everywhere] == [4, 4]
    for wrong in ([1.0, 2.0, 3.0], -1.0, [0.1, 0.0], float("nan")):
        with pytest.raises(ValueError, match="one for each"):
            render(twice, alpha=wrong)


def test_what_is_refused(path: sv.Path) -> None:
    X, y, _ = sv.datasets.make_toy(40, 7, 3, noise=0.5, random_state=0)
    other = sv.sparse_path(X, y, "mcp", alphas=3)
    with pytest.raises(ValueError, match="7 and 80 features"):
        render([path, other])
    with pytest.raises(ValueError, match="80 finite numbers"):
        render(path, scale=[1.0])
    with pytest.raises(ValueError, match="at least one Path"):
        render([])
    for wrong in (3, "a", [1], np.zeros(3)):
        with pytest.raises(TypeError, match="pass the result of sparse_path"):
            render(wrong)
    X, y, _ = sv.datasets.make_toy(20, 7, 2, noise=0.5, random_state=0)
    with pytest.raises(TypeError, match=r"pass data=\(X, y\)"):
        render(sv.SparseRegressor(alpha=0.1).fit(X, y), data=X)
    counts = sv.SparseRegressor("l1", alpha=0.1, loss="poisson").fit(X, np.arange(20))
    labels = sv.SparseClassifier("l1", alpha=0.1).fit(X, y > 0)
    for model in (counts, labels):
        with pytest.raises(TypeError, match="labels and counts have charts"):
            render(model, data=(X, y))
    with pytest.raises(TypeError, match="report on the estimator"):
        render(sv.sparse_path(X, y, alphas=3), data=(X, y))
    with pytest.raises(Exception, match="not fitted"):
        render(sv.SparseRegressor())


def test_a_table_model_is_drawn_in_standard_deviations() -> None:
    X, y, _ = sv.datasets.make_toy(40, 4, 2, noise=0.5, random_state=0)
    table = {"y": y, **{f"c{j}": X[:, j] * 10.0**j for j in range(4)}}
    model = sv.fit_table(table, "y", sv.SparseRegressor("l1", 0.1, standardize=True))
    data = embedded(model.to_html())
    assert data["nRows"] == 40
    drawn = np.array([10.0**j for j in data["features"]])
    # A standard deviation about the mean is a little less than the root mean square of one.
    np.testing.assert_allclose(data["scale"] / drawn, np.std(X, axis=0)[data["features"]])


def test_inline_budget_drops_to_single_precision(big_path: sv.Path) -> None:
    story = read_story(big_path)
    small = encode_story(story, budget=200_000)
    assert small["valueBytes"] == 4
    assert encode_story(story)["valueBytes"] == 8


def test_to_html_of_paths_and_estimators(path: sv.Path, tmp_path: Path) -> None:
    page = path.to_html(tmp_path / "p.html", title="Mine")
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == page
    assert embedded(page)["title"] == "Mine"
    assert path._repr_html_().startswith("<iframe")
    X, y, _ = sv.datasets.make_toy(40, 80, 6, noise=0.5, random_state=0)
    fitted = sv.SparseRegressor("scad", alpha=0.4).fit(X, y)
    assert fitted.to_html()._repr_html_().startswith("<iframe")
    # scikit-learn's own diagram stays what a notebook shows for an estimator.
    assert "iframe" not in fitted._repr_html_()


def test_a_report_says_global_minimum_where_the_certificate_does():
    """The penalty is not convex, but with few, nearly independent columns the whole problem is."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5))
    y = X @ [2.0, -1.0, 0.0, 0.0, 0.0] + 0.1 * rng.standard_normal(200)
    model = sv.SparseRegressor("mcp", alpha=0.1).fit(X, y)
    assert model.certificate_.lower_bound is not None
    (track,) = embedded(model.to_html())["tracks"]
    known = model.certificate_.objective - model.certificate_.lower_bound
    assert track["above"] == [pytest.approx(known, abs=1e-15)]
    path = sv.sparse_path(X, y, "mcp", alphas=8)
    (track,) = embedded(path.to_html())["tracks"]
    assert all(0.0 <= above <= 1e-6 for above in track["above"])
    wide = sv.sparse_path(rng.standard_normal((10, 20)), rng.standard_normal(10), "mcp", alphas=3)
    (track,) = embedded(wide.to_html())["tracks"]
    assert track["above"] == [None] * 3


def standardised() -> tuple[Any, Any, Any]:
    X, y, _ = sv.datasets.make_toy(60, 8, 3, noise=0.5, random_state=0)
    spread = 10.0 ** np.arange(8)
    raw = X * spread
    return raw, (raw - raw.mean(axis=0)) / raw.std(axis=0), y


def fits(X: Any, y: Any, **options: Any) -> list[Any]:
    """Return everything a report is made of, computed on X."""
    path = sv.sparse_path(X, y, "mcp", alphas=5, **options)
    models = [
        sv.SparseRegressor("mcp", alpha=0.3, **options),
        sv.SparseRegressorCV("mcp", alphas=5, cv=3, **options),
        sv.SparseRegressorIC("mcp", alphas=5, **options),
    ]
    return [path, [path], {"one": path}, *(model.fit(X, y) for model in models)]


def test_coefficients_of_standardised_columns_are_not_scaled_once_more() -> None:
    raw, X, y = standardised()
    for made in fits(X, y):
        with pytest.raises(ValueError, match=r"standard deviation already.*leave it out"):
            render(made, scale=raw.std(axis=0))
        render(made, scale=np.ones(8))  # harmless
        render(made)


def test_coefficients_of_raw_columns_are_scaled() -> None:
    raw, _, y = standardised()
    for made in fits(raw, y, standardize=False):
        assert embedded(render(made, scale=raw.std(axis=0)))["scale"]


def test_a_table_model_is_on_the_original_scale_though_its_fit_was_not() -> None:
    raw, _, y = standardised()
    table = Table("t", [f"c{j}" for j in range(8)], np.asfortranarray(raw), {}, y, "y")
    design = make_design(table, None)
    chosen = sv.SparseRegressorIC("mcp", alphas=5, standardize=True).fit(design.X, design.y)
    model = TableModel.of(chosen, design)
    page = embedded(model.to_html(scale=model.schema.scale))
    np.testing.assert_allclose(page["scale"], raw.std(axis=0)[page_columns(page)], rtol=1e-6)


def page_columns(page: Any) -> list[int]:
    """Return which columns a page of the table above shows."""
    return [int(name.removeprefix("c")) for name in page["names"]]


def test_coefficients_of_a_standardised_fit_are_those_of_the_columns_as_they_are() -> None:
    raw, X, y = standardised()
    for made in fits(raw, y, standardize=True):
        assert embedded(render(made, scale=raw.std(axis=0)))["scale"]
    for made in fits(X, y, standardize=True):  # such columns anyway
        with pytest.raises(ValueError, match=r"standard deviation already.*leave it out"):
            render(made, scale=raw.std(axis=0))


def test_the_call_that_a_report_shows_asks_for_units_ridge_and_bounds() -> None:
    raw, _, y = standardised()
    for options, words in (
        ({"standardize": True}, ", standardize=True)"),
        ({"l1_ratio": 0.5, "ridge": 0.25}, ", l1_ratio=0.5, ridge=0.25)"),
        ({"positive": True}, ", positive=True)"),
        ({"bounds": (-1, 1)}, ", bounds=bounds)"),
    ):
        shown = embedded(render(sv.sparse_path(raw, y, "l1", alphas=3, **options)))["reproduce"]
        assert words in shown, shown
    plain = embedded(render(sv.sparse_path(raw, y, "l1", alphas=3)))["reproduce"]
    assert "standardize" not in plain


def test_a_report_tells_units_ridge_and_bounds_only_where_there_are_any() -> None:
    raw, _, y = standardised()
    options = {"standardize": True, "l1_ratio": 0.5, "ridge": 0.25, "bounds": (-1.0, None)}
    told = embedded(sv.SparseRegressor("mcp", 0.3, **options).fit(raw, y).to_html())
    wanted = {
        "columns": "standardised for the fit",
        "l1_ratio": "0.5",
        "ridge": "0.25",
        "bounds": "-1 to inf",
    }
    assert wanted.items() <= told["settings"].items()
    plain = embedded(sv.SparseRegressor("mcp", 0.3, standardize=False).fit(raw, y).to_html())
    assert not wanted.keys() & plain["settings"].keys()


def test_the_report_of_an_estimator_still_says_what_is_global() -> None:
    X, y, _ = sv.datasets.make_toy(60, 8, 3, noise=0.5, random_state=0)
    for penalty in ("l1", "mcp"):
        model = sv.SparseRegressorIC(penalty, alphas=5, eps=0.5).fit(X, y)
        if model.certificate_.lower_bound is None:
            continue
        track = embedded(render(model))["tracks"][0]
        assert track["above"][list(model.alphas_).index(model.alpha_)] is not None
    assert penalty == "mcp"
