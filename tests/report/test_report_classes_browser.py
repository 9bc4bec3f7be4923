"""Panels of classes and counts as a reader sees them: in a browser, wide and narrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from losses_under_test import data

import sparsieve as sv

X, LABELS = data(sv.Logistic(), n=120, d=8)
COUNTS = data(sv.Poisson(), n=120, d=8)[1]
WIDTHS = [1200, 390]


def overflow(page: Any) -> int:
    """Return by how much the panel is wider than the page."""
    return int(
        page.evaluate(
            "Math.max(...[...document.querySelectorAll('#classes-panel *')].map(e => "
            "e.getBoundingClientRect().right)) - document.documentElement.clientWidth"
        )
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_each_class_has_its_calibration_and_roc_curve(
    visit: Any, tmp_path: Any, width: int
) -> None:
    three = np.where(X[:, 3] > 0.4, "c", np.array(["a", "b"])[LABELS.astype(int)])
    model = sv.SparseClassifierCV("l1", alphas=8, eps=0.05, cv=3).fit(X, three)
    model.to_html(tmp_path / "classes.html")
    seen = visit(tmp_path / "classes.html")
    page = seen.page
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(100)  # the page draws again
    for label, fitted in zip("abc", model.estimators_, strict=True):
        page.select_option("#penalty", f"{label} against the rest")
        assert f"{label} against the rest" in page.locator("#classes-h").text_content()
        area = fitted.assessment_["auc"]
        told = page.locator("#classes-right").get_attribute("aria-label")
        assert float(told.split("curve, area below it ")[1].rstrip(".")) == pytest.approx(
            area, abs=1e-4
        )  # four digits are shown
        assert page.locator("#classes-left circle").count() == fitted.assessment_["mean"].size
        assert "the fold that did not see it" in page.locator("#classes-hint").text_content()
    assert page.locator('label[for="penalty"]').text_content() == "Class"
    assert overflow(page) <= 0
    assert not seen.complaints


@pytest.mark.parametrize("width", WIDTHS)
def test_counts_have_residuals(visit: Any, tmp_path: Any, width: int) -> None:
    path = sv.sparse_path(X, COUNTS, "mcp", alphas=8, eps=0.1, loss="poisson")
    path.to_html(tmp_path / "counts.html")
    seen = visit(tmp_path / "counts.html")
    page = seen.page
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(100)
    assert page.locator("#classes-h").text_content() == "Counts"
    assert page.locator("#classes-right circle").count() == 120
    assert "in sample" in page.locator("#classes-hint").text_content()
    assert "deviance explained (in sample)" in page.locator("#tiles").inner_text()
    assert overflow(page) <= 0
    assert not seen.complaints


def test_numbers_have_no_such_panel(visit: Any, tmp_path: Any) -> None:
    path = sv.sparse_path(X, X[:, 0] + 0.1 * X[:, 1], "l1", alphas=8, eps=0.1)
    path.to_html(tmp_path / "numbers.html")
    assert visit(tmp_path / "numbers.html").page.locator("#classes-panel").count() == 0
