"""The charts of the page in a headless Chromium: words, marks, details, and what lies on what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsieve as sv
from sparsieve.report import write_html

# The boxes of words in a chart, of its lines and of its dots, and which pairs of them meet.
_MEETINGS = """(chart) => {
  const host = document.querySelector(chart), found = [];
  const words = [...host.querySelectorAll("text")]
    .map((t) => ({ text: t.textContent, box: t.getBoundingClientRect() }));
  const apart = (low, high) => high <= low + 0.5;
  const cross = (a, b) => !(apart(a.left, b.right) || apart(b.left, a.right)
    || apart(a.top, b.bottom) || apart(b.top, a.bottom));
  words.forEach((a, i) => words.slice(i + 1).forEach((b) => {
    if (cross(a.box, b.box)) found.push(a.text + " / " + b.text);
  }));
  const drawn = ".line, .mark, .cursor, .dot, .band, .spot, .leader:not(.tie)";
  for (const line of host.querySelectorAll(drawn)) {
    const length = line.getTotalLength(), matrix = line.getScreenCTM();
    if (!length) continue;
    for (let s = 0; s <= length; s += 2) {
      const p = line.getPointAtLength(s).matrixTransform(matrix);
      const under = words.find(({ box }) =>
        p.x > box.left && p.x < box.right && p.y > box.top + 1 && p.y < box.bottom - 1);
      if (under) { found.push(under.text + " / " + line.getAttribute("class")); break; }
    }
  }
  const edge = document.documentElement.clientWidth;
  for (const { text, box } of words) {
    if (box.left < -0.5 || box.right > edge + 0.5) found.push(text + " / edge");
  }
  return found;
}"""


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: Any) -> tuple[Any, Path]:
    """A cross-validated model with marks close to each other, and its page with rows."""
    X, y, _ = sv.datasets.make_toy(60, 120, 14, noise=1.0, random_state=0)
    model = sv.SparseRegressorCV("mcp", alphas=60, eps=0.02, rule="1se").fit(X, y)
    return model, write_html(model, tmp_path_factory.mktemp("chosen") / "m.html", data=(X, y))


@pytest.mark.parametrize("width", [390, 800, 1300])
def test_words_touch_neither_lines_nor_each_other(visit: Any, chosen: Any, width: int) -> None:
    model, file = chosen
    page = visit(file).page
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(100)  # the page draws again after a change of its width
    last = len(model.path_) - 1
    for k in (0, 1, model.best_index_, last):
        page.locator("#alpha").fill(str(k))
        for chart in ("path", "curve", "fit", "residual", "size", "passes"):
            assert page.evaluate(_MEETINGS, f"#{chart}-chart") == [], (chart, k)


@pytest.mark.parametrize("width", [390, 1300])
def test_every_selected_feature_is_named_beside_or_below_the_lines(
    visit: Any, chosen: Any, width: int
) -> None:
    model, file = chosen
    seen = visit(file)
    seen.page.set_viewport_size({"width": width, "height": 900})
    seen.page.wait_for_timeout(100)
    for k in (3, model.best_index_, len(model.path_) - 1):
        seen.page.locator("#alpha").fill(str(k))
        support = {f"x{j}" for j in model.path_.points[k].columns}
        assert set(seen.names()) == support  # the table has them all
        beside = set(seen.page.locator("#path-chart text.feature").all_text_contents())
        below = seen.page.locator("#path-names span").all_text_contents()
        named = beside | {text.split()[0] for text in below if not text.startswith("and ")}
        assert bool(beside) == (width == 1300)
        assert named <= support
        more = seen.page.locator("#path-chart text.more").all_text_contents()
        more += [text for text in below if text.startswith("and ")]
        rest = int(more[0].split()[1]) if more else 0
        assert len(named) + rest == len(support)
        assert len(named) >= min(len(support), 22)


def test_a_name_in_the_chart_shows_its_line_and_details(visit: Any, chosen: Any) -> None:
    page = visit(chosen[1]).page
    name = page.locator("#path-chart text.feature").first
    name.hover()
    assert page.locator("#tip b").inner_text() == name.text_content()
    assert "coefficient" in page.locator("#tip").inner_text()
    assert page.locator("#path-chart .hot").get_attribute("d")
    before = page.locator("#alpha-value").text_content()
    name.click()
    assert page.locator("#alpha-value").text_content() == before


def test_the_choice_is_marked_on_the_path_that_goes_on(visit: Any, chosen: Any) -> None:
    model, file = chosen
    page = visit(file).page
    assert len(model.path_) > model.best_index_ + 1
    marks = [
        page.locator(f"#{chart}-chart .mark.chosen").evaluate("m => m.getBoundingClientRect().x")
        for chart in ("path", "curve")
    ]
    assert abs(marks[0] - marks[1]) < 0.5
    for chart in ("path", "curve"):
        words = page.locator(f"#{chart}-chart text.label").all_text_contents()
        assert "1 SE, chosen" in words
        assert "lowest" in words


def test_the_curve_of_a_criterion_has_the_mark_and_the_axis_of_the_path(
    visit: Any, tmp_path: Path
) -> None:
    X, y, _ = sv.datasets.make_toy(100, 30, 4, noise=1.0, random_state=0)
    model = sv.SparseRegressorIC("mcp", alphas=40).fit(X, y)
    model.to_html(tmp_path / "ic.html")
    page = visit(tmp_path / "ic.html").page
    assert page.locator("#curve-chart circle.dot").count() == len(model.alphas_)
    at = [
        page.locator(f"#{chart}-chart .mark.chosen").evaluate("m => m.getBoundingClientRect().x")
        for chart in ("path", "curve")
    ]
    assert abs(at[0] - at[1]) < 0.5
    assert page.evaluate(_MEETINGS, "#curve-chart") == []


def test_scores_and_rows_tell_their_details(visit: Any, chosen: Any) -> None:
    model, file = chosen
    page = visit(file).page
    box = page.locator("#curve-chart .mark.chosen").bounding_box()
    page.locator("#curve-panel").scroll_into_view_if_needed()
    box = page.locator("#curve-chart .mark.chosen").bounding_box()
    page.mouse.move(box["x"], box["y"] + box["height"] / 2)
    tip = page.locator("#tip").inner_text()
    mean = model.mse_path_.mean(axis=-1)[model.best_index_]
    assert f"{mean:.5g}" in tip
    assert "R\u00b2" in tip
    page.locator("#residual-chart circle.spot").first.hover(force=True)
    tip = page.locator("#tip").inner_text()
    assert "observed" in tip
    assert "residual" in tip


def test_predicted_against_observed(visit: Any, tmp_path: Path, chosen: Any) -> None:
    X, y, _ = sv.datasets.make_toy(60, 120, 14, noise=1.0, random_state=0)
    model, file = chosen
    page = visit(file).page
    assert page.locator("#fit-chart circle.spot:not(.hot)").count() == 60
    assert f"R\u00b2 {model.score(X, y):.3f}".rstrip("0") in page.locator("#fit-hint").inner_text()
    assert "60 rows, 120 features" in page.locator("#lead").inner_text()
    order = [section.get_attribute("id") for section in page.locator("main > section").all()]
    assert order.index("fit-panel") < order.index("features")
    below = page.locator("#certificate").bounding_box()["y"]
    assert page.locator("#fit-panel").bounding_box()["y"] < below
    without = visit(write_html(model, tmp_path / "without.html")).page
    assert not without.locator("#fit-panel").is_visible()
    assert "60 rows" in without.locator("#lead").inner_text()
    many = np.resize(X, (2500, 120))
    page = visit(write_html(model, tmp_path / "many.html", data=(many, np.resize(y, 2500)))).page
    assert page.locator("#fit-chart circle.spot:not(.hot)").count() == 2000
    assert "2,000 of the rows are drawn" in page.locator("#fit-hint").inner_text()


def test_names_of_marked_alphas_do_not_cover_each_other(visit: Any, tmp_path: Path) -> None:
    X, y, _ = sv.datasets.make_toy(60, 40, 4, noise=1.0, random_state=0)
    model = sv.SparseRegressorCV("mcp", alphas=300, eps=0.02, rule="1se").fit(X, y)
    assert 0 < model.min_index_ - model.best_index_ < 60  # closer than their names are long
    seen = visit(write_html(model, tmp_path / "cv.html"))
    for width in (390, 1200):
        seen.page.set_viewport_size({"width": width, "height": 900})
        seen.page.wait_for_timeout(100)
        for chart in ("path", "curve"):
            assert seen.page.locator(f"#{chart}-chart text.label:not(.feature)").count() == 2
            assert seen.page.evaluate(_MEETINGS, f"#{chart}-chart") == []
