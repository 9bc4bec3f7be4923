"""The report as a reader uses it: in a browser, with mouse and keyboard."""

from __future__ import annotations

import csv
import dataclasses
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsieve as sv
from sparsieve.report import render, write_html

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def paths() -> list[sv.Path]:
    X, y, w = sv.datasets.make_toy(60, 200, 8, noise=0.5, random_state=0)
    names = np.array([f"gene {j}" for j in range(200)], dtype=object)
    names[int(np.argmax(np.abs(w)))] = EVIL
    penalties = [sv.L1(), sv.MCP(gamma=3.0), sv.MCP(gamma=1.5)]
    found = [sv.sparse_path(X, y, penalty, alphas=25, eps=0.02) for penalty in penalties]
    return [dataclasses.replace(path, feature_names=names) for path in found]


@pytest.fixture(scope="module")
def file(paths: list[sv.Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_html(paths, tmp_path_factory.mktemp("report") / "report.html", title=EVIL)


def expected(path: sv.Path, k: int) -> dict[str, float]:
    point = path.points[k]
    assert path.feature_names is not None
    return dict(zip(path.feature_names[point.columns], point.values, strict=True))


def test_slider_shows_the_point_of_the_path(visit: Any, file: Path, paths: list[sv.Path]) -> None:
    seen = visit(file)
    seen.page.locator("#alpha").fill("10")
    truth = expected(paths[0], 10)
    assert set(seen.names()) == set(truth)
    shown = dict(zip(seen.names(), seen.coefficients(), strict=True))
    for name, value in truth.items():
        assert shown[name] == pytest.approx(value, rel=1e-5)  # six digits are printed
    assert f"{len(truth)} features selected" in seen.page.locator("#alpha").get_attribute(
        "aria-valuetext"
    )
    before = len(truth)
    seen.page.locator("#alpha").press("ArrowRight")
    assert len(seen.names()) == paths[0].support_size[11] >= before


def test_a_feature_named_like_markup_stays_text(visit: Any, file: Path) -> None:
    seen = visit(file)
    assert EVIL in seen.names()
    assert seen.page.locator("h1").text_content() == EVIL
    assert seen.page.title() == EVIL
    assert seen.page.locator("script").count() == 2


def test_choose_penalty_and_shape(visit: Any, file: Path, paths: list[sv.Path]) -> None:
    seen = visit(file)
    seen.page.select_option("#penalty", "MCP")
    seen.page.select_option("#shape", label="gamma = 1.5")
    seen.page.locator("#alpha").fill("12")
    assert set(seen.names()) == set(expected(paths[2], 12))
    assert "MCP (gamma = 1.5)" in seen.page.locator("#lead").text_content()
    seen.page.get_by_role("button", name="Show L1").click()
    assert set(seen.names()) == set(expected(paths[0], 12))
    assert seen.page.locator("#penalty").input_value() == "L1"


def test_sort_by_each_column(visit: Any, file: Path) -> None:
    seen = visit(file)
    seen.page.locator("#alpha").fill("14")
    sizes = [abs(value) for value in seen.coefficients()]
    assert sizes == sorted(sizes, reverse=True)
    seen.page.get_by_role("button", name="Coefficient").click()
    assert seen.coefficients() == sorted(seen.coefficients(), reverse=True)
    seen.page.keyboard.press("Enter")  # the heading keeps the focus
    assert seen.coefficients() == sorted(seen.coefficients())
    heading = seen.page.locator("#table th", has_text="Coefficient")
    assert heading.get_attribute("aria-sort") == "ascending"


def test_search_filters_and_download_matches(visit: Any, file: Path, paths: list[sv.Path]) -> None:
    seen = visit(file)
    seen.page.locator("#alpha").fill("20")
    truth = expected(paths[0], 20)
    seen.page.fill("#search", "GENE 1")
    wanted = {name for name in truth if "gene 1" in name}
    assert set(seen.names()) == wanted
    assert 0 < len(wanted) < len(truth)
    seen.page.fill("#search", "")
    with seen.page.expect_download() as waiting:
        seen.page.click("#download")
    text = Path(waiting.value.path()).read_bytes().decode("utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert rows[0]["feature"] == "(intercept)"
    assert float(rows[0]["coefficient"]) == paths[0].intercepts[20]
    # Stored in double precision, so nothing at all is lost on the way.
    assert {row["feature"]: float(row["coefficient"]) for row in rows[1:]} == truth


def test_chart_with_mouse_and_keyboard(visit: Any, file: Path, paths: list[sv.Path]) -> None:
    seen = visit(file)
    chart = seen.page.locator("#path-chart")
    area = chart.bounding_box()
    seen.page.mouse.click(area["x"] + area["width"] - 20, area["y"] + 200)
    assert seen.page.locator("#alpha").input_value() == str(len(paths[0]) - 1)
    chart.press("Home")
    assert seen.page.locator("#alpha").input_value() == "0"
    chart.press("End")
    chart.press("ArrowDown")
    largest = max(expected(paths[0], 24).items(), key=lambda item: abs(item[1]))[0]
    assert seen.page.locator("#live").text_content().startswith(largest)
    tops = [c["y"] for c in (d.bounding_box() for d in seen.page.locator("circle.dot").all()) if c]
    seen.page.mouse.move(area["x"] + area["width"] - 177, min(tops) + 4)  # names stand beside
    assert seen.page.locator("#tip b").text_content() in expected(paths[0], 24)


def test_certificate_says_whose_slope_a_path_wide_tolerance_is_relative_to(
    visit: Any, tmp_path: Path
) -> None:
    X, y, _ = sv.datasets.make_toy(40, 80, 6, noise=0.5, random_state=0)
    for choice in ("alpha", "path"):
        path = sv.sparse_path(X, y, "mcp", alphas=5, tol=1e-3, tol_relative_to=choice)
        file = tmp_path / f"{choice}.html"
        path.to_html(file)
        words = visit(file).page.locator("#certificate").text_content()
        assert ("relative to the slope at its first" in words) == (choice == "path")


def test_certificate_words(visit: Any, file: Path) -> None:
    seen = visit(file)
    words = seen.page.locator("#certificate").text_content()
    assert "critical point" in words
    assert "all 200 features" in words
    assert "global minimum" in words
    seen.page.select_option("#penalty", "MCP")
    words = seen.page.locator("#certificate").text_content()
    assert "global minimum" not in words
    assert "other critical points may exist" in words


def test_ledger_adds_up(visit: Any, file: Path, paths: list[sv.Path]) -> None:
    seen = visit(file)
    seen.page.locator("#ledger-details summary").click()
    rows = seen.page.locator("#ledger tbody tr")
    assert rows.count() == 25
    point = paths[0].points[24]
    cells = rows.nth(24).locator("td").all_text_contents()
    settled = [point.settled_by_bound, point.settled_by_shadow, point.settled_by_reading]
    assert cells[2:6] == [str(n) for n in (*settled, 200 - sum(settled))]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_in_both_themes(visit: Any, file: Path, scheme: str) -> None:
    seen = visit(file, scheme)
    ratio = "(s) => contrast(getComputedStyle(document.querySelector(s)))"
    seen.page.evaluate(_CONTRAST)
    for selector in (".tile b", ".tile span", ".hint", "#certificate p", "th button"):
        # 4.5 is what WCAG 2 asks of text of normal size at level AA.
        assert seen.page.evaluate(ratio, selector) >= 4.5
    seen.page.click("#theme")
    for selector in (".tile b", ".tile span", ".hint", "#certificate p", "th button"):
        assert seen.page.evaluate(ratio, selector) >= 4.5


_CONTRAST = """() => {
  const parts = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map(Number);
  const light = (colour) => parts(colour).map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  window.contrast = (style) => {
    const panel = getComputedStyle(document.querySelector(".panel")).backgroundColor;
    const [a, b] = [light(style.color), light(panel)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
}"""


def test_every_control_has_a_name(visit: Any, file: Path) -> None:
    seen = visit(file)
    for role in ("button", "slider", "combobox", "searchbox", "checkbox"):
        for control in seen.page.get_by_role(role).all():
            if control.is_visible():
                described = control.aria_snapshot()
                assert '"' in described, described


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, file: Path, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs axe-playwright-python"
    )
    # axe is a script from outside, which the page's own policy would rightly refuse.
    page = browser.new_page(color_scheme=scheme, bypass_csp=True)
    page.goto(file.as_uri())
    page.locator("#ledger-details summary").click()
    result = axe.Axe().run(page)
    page.close()
    assert result.violations_count == 0, result.generate_report()


def test_prints_in_light_colours_even_from_the_dark_theme(visit: Any, file: Path) -> None:
    seen = visit(file, "dark")
    seen.page.emulate_media(media="print", color_scheme="dark")
    panel = "getComputedStyle(document.querySelector('.panel')).backgroundColor"
    assert seen.page.evaluate(panel) == "rgb(255, 255, 255)"
    assert not seen.page.locator("#download").is_visible()


def test_inline_report_runs_inside_its_frame(
    visit: Any, paths: list[sv.Path], tmp_path: Path
) -> None:
    inline = render(paths[1], inline=True)._repr_html_()
    page = tmp_path / "notebook.html"
    page.write_text(f"<!DOCTYPE html><title>n</title><body>{inline}</body>", encoding="utf-8")
    seen = visit(page)
    frame = seen.page.frame_locator("iframe")
    frame.locator("#alpha").fill("9")
    assert set(frame.locator("#table tbody td:first-child").all_text_contents()) == set(
        expected(paths[1], 9)
    )
    assert seen.page.title() == "n"


def test_cross_validated_model_opens_at_its_choice(visit: Any, tmp_path: Path) -> None:
    X, y, _ = sv.datasets.make_toy(60, 40, 4, noise=1.0, random_state=0)
    model = sv.SparseRegressorCV([sv.MCP(), sv.L1()], alphas=15, eps=0.02, rule="1se").fit(X, y)
    seen = visit(write_html(model, tmp_path / "cv.html"))
    assert set(seen.names()) == {f"x{j}" for j in np.flatnonzero(model.coef_)}
    assert seen.page.locator("#curve-chart circle.dot").count() == 15
    assert seen.page.locator("#curve-chart").get_attribute("aria-label").startswith("mean squared")
    assert "chosen" in seen.page.locator("#compare tr.now").text_content()
    seen.page.locator("#alpha").fill("0")
    assert seen.names() == []
    seen.page.get_by_role("button", name="One standard error").click()
    assert len(seen.names()) == np.count_nonzero(model.coef_)


def test_path_and_scores_have_one_axis_on_which_the_choice_can_be_seen(
    visit: Any, tmp_path: Path
) -> None:
    X, y, _ = sv.datasets.make_toy(60, 30, 4, noise=1.0, random_state=0)
    model = sv.SparseRegressorCV("mcp", alphas=40, cv=4).fit(X, y)
    model.to_html(tmp_path / "cv.html")
    page = visit(tmp_path / "cv.html").page
    assert len(model.path_) == np.isfinite(model.mse_path_.mean(axis=-1)).sum() > model.best_index_
    marks = {
        chart: page.evaluate(
            f"[...document.querySelectorAll('#{chart}-chart .mark, #{chart}-chart .cursor')]"
            ".map(line => Number(line.getAttribute('x1')))"
        )
        for chart in ("path", "curve")
    }
    assert min(abs(a - b) for a in marks["path"] for b in marks["curve"]) < 0.5
    # The scores that are one standard error apart are far enough from each other to be told apart.
    mean = model.mse_path_.mean(axis=-1)
    error = model.mse_path_.std(axis=-1, ddof=1) / 2.0
    assert np.nanmax(mean) > np.nanmin(mean) + 12 * error[np.nanargmin(mean)]
    assert "worse ones are at its edge" in page.locator("#curve-hint").inner_text()
    share = 1.0 - np.nanmin(mean) / np.var(y)
    tiles = page.locator("#tiles").inner_text()
    assert f"{100 * share:.1f}".removesuffix(".0") in tiles
    assert "variance explained (left-out rows)" in tiles


@pytest.mark.parametrize("width", [390, 1300])
def test_no_page_is_wider_than_its_window(visit: Any, file: Path, width: int) -> None:
    page = visit(file).page
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_path_opens_at_the_alpha_it_was_given(
    visit: Any, paths: list[sv.Path], tmp_path: Path
) -> None:
    alphas = [path.alphas[k] for path, k in zip(paths, (6, 9, 11), strict=True)]
    seen = visit(write_html(paths, tmp_path / "told.html", alpha=alphas, rule="lowest BIC"))
    assert set(seen.names()) == set(expected(paths[0], 6))
    lead = seen.page.locator("#lead")
    assert "(lowest BIC)" in lead.text_content()
    seen.page.get_by_role("button", name="Show MCP (gamma = 3)").click()
    assert set(seen.names()) == set(expected(paths[1], 9))
    seen.page.locator("#alpha").fill("20")
    seen.page.get_by_role("button", name="Chosen (lowest BIC)").click()
    assert set(seen.names()) == set(expected(paths[1], 9))
    # From elsewhere, to the same part of the other path.
    seen.page.locator("#alpha").fill("20")
    seen.page.get_by_role("button", name="Show L1").click()
    assert set(seen.names()) == set(expected(paths[0], 20))


def test_a_page_says_where_it_opens_and_why_a_path_ends(
    visit: Any, file: Path, tmp_path: Path
) -> None:
    seen = visit(file)
    assert "No \u03b1 was chosen" in seen.page.locator("#lead").text_content()
    assert "ended" not in seen.page.locator("#path-hint").text_content()
    X, y, _ = sv.datasets.make_toy(60, 40, 4, noise=1.0, random_state=0)
    model = sv.SparseRegressorCV("mcp", alphas=15, eps=0.02, rule="1se").fit(X, y)
    seen = visit(write_html(model, tmp_path / "cv.html"))
    assert "(one standard error)" in seen.page.locator("#lead").text_content()
    assert "ended" not in seen.page.locator("#path-hint").text_content()
    short = sv.sparse_path(X, y, "mcp", max_support=3)
    seen = visit(write_html(short, tmp_path / "short.html"))
    hint = seen.page.locator("#path-hint").text_content()
    assert "ended before its last \u03b1: max support" in hint


def test_an_intercept_that_is_rounding_is_shown_as_zero(visit: Any, tmp_path: Path) -> None:
    X, y, _ = sv.datasets.make_toy(60, 40, 4, noise=1.0, random_state=0)
    X, y = X - X.mean(axis=0), y - y.mean()
    path = sv.sparse_path(X, y, "l1", alphas=5, eps=0.1)
    path = sv.sparse_path(X, y, "l1", alphas=path.alphas[[3]])
    for add, shown in ((0.0, "0"), (2.5, "2.5")):
        moved = sv.sparse_path(X, y + add, "l1", alphas=path.alphas)
        seen = visit(write_html(moved, tmp_path / "b.html"))
        assert seen.page.locator(".tile", has_text="intercept").locator("b").text_content() == shown


def test_effects_per_standard_deviation(visit: Any, tmp_path: Path) -> None:
    X, y, _ = sv.datasets.make_toy(60, 10, 4, noise=1.0, random_state=0)
    spread = np.geomspace(1e-3, 1e3, 10)
    path = sv.sparse_path(X, y, "l1", alphas=10)
    point = path.points[-1]
    raw = point.values / spread[point.columns]
    shown = dataclasses.replace(point, values=raw)
    from sparsieve.paths.path import make_path

    seen = visit(
        write_html(make_path([shown], 10, sv.L1(), None), tmp_path / "s.html", scale=spread)
    )
    order = point.columns[np.argsort(-np.abs(point.values))]
    assert seen.names() == [f"x{j}" for j in order]
    assert seen.coefficients() == pytest.approx(
        list(raw[np.argsort(-np.abs(point.values))]),
        rel=1e-5,  # six digits are printed
    )
    with seen.page.expect_download() as waiting:
        seen.page.click("#download")
    text = Path(waiting.value.path()).read_bytes().decode("utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))[1:]
    effects = {row["feature"]: float(row["per_standard_deviation"]) for row in rows}
    truth = {f"x{j}": v for j, v in zip(point.columns, point.values, strict=True)}
    assert effects == pytest.approx(truth, rel=1e-12)  # one division and one product apart


def test_single_fit_and_empty_model_open(visit: Any, tmp_path: Path) -> None:
    X, y, _ = sv.datasets.make_toy(30, 10, 3, noise=0.1, random_state=1)
    fitted = sv.SparseRegressor("mcp", alpha=0.5).fit(X, y)
    seen = visit(write_html(fitted, tmp_path / "one.html"))
    assert set(seen.names()) == {f"x{j}" for j in np.flatnonzero(fitted.coef_)}
    empty = sv.SparseRegressor("l1", alpha=1e6).fit(X, y)
    seen = visit(write_html(empty, tmp_path / "none.html"))
    assert seen.names() == []


def test_big_report_still_answers(visit: Any, tmp_path: Path, big_path: sv.Path) -> None:
    seen = visit(write_html(big_path, tmp_path / "big.html"))
    seen.page.locator("#alpha").fill("99")
    assert len(seen.names()) == 100  # one page of rows
    seen.page.get_by_role("button", name="Show 100 more").click()
    assert len(seen.names()) == 200
