"""The numbers on the printed radius."""

import numpy as np
import pytest
from benchmarks.paper import facts


def test_radii():
    found = facts.radii(np.array([0.0, 0.01, 100.0]))  # an empty column is none
    assert found["too_small"] == 0.5  # where 2 ||x_j|| + 1/alpha < 1
    gap = (0.1 + 1e-9) / np.sqrt(0.01 + 1e-9) - 1.0
    assert found["largest"] == pytest.approx(abs(gap))


def test_the_literal_rule_is_wrong_on_short_columns_and_the_corrected_one_is_not(monkeypatch):
    monkeypatch.setattr(facts, "SHORT_PROBLEMS", 100)
    found = facts.short_columns()
    assert found["problems"] == 100
    assert 0 < found["screened"] == found["printed"]
    assert found["corrected"] == 0
    text = facts.in_words({"short": found, "radii": {"toy": {"largest": 1e-10, "too_small": 0.97}}})
    assert f"ends in a wrong point in {found['printed']}; the corrected rule" in text
    assert "at most 1.0e-10 of themselves, and the printed one is too small for 97 %" in text
