"""How numbers and dates are spelt: what can be read in one way only is taken, the rest is asked."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsieve.tables.spelling import (
    Evidence,
    Spelling,
    date_order,
    days_of,
    gather,
    recognised,
    split_unit,
)

GERMAN, FRENCH, SWISS = Spelling(",", "."), Spelling(",", " "), Spelling(".", "'")


@pytest.mark.parametrize(
    ("spelling", "text", "number"),
    [
        (GERMAN, "1.234,5", 1234.5),
        (GERMAN, "-1.234.567,25", -1234567.25),
        (GERMAN, ",5", 0.5),
        (GERMAN, "1234,5", 1234.5),
        (GERMAN, "2.5", None),
        (GERMAN, "1.23,5", None),
        (FRENCH, "12\N{NARROW NO-BREAK SPACE}345,6", 12345.6),
        (SWISS, "1\N{RIGHT SINGLE QUOTATION MARK}234.5", 1234.5),
        (Spelling(".", ","), "1,234.5", 1234.5),
        (Spelling(".", ","), "12,34.5", None),
        (Spelling(), "1_000", None),
        (Spelling(), "1e3", 1000.0),
        (Spelling(",", None, "€"), "3,5 €", 3.5),
        (Spelling(".", ",", "$"), "($1,200.50)", -1200.5),
        (Spelling(".", ",", "$"), "-$3", -3.0),
        (Spelling(".", ",", "$"), "3 €", None),
        (Spelling(unit="%"), "12 %", 12.0),
        (GERMAN, "\N{MINUS SIGN}1,5", -1.5),
        (GERMAN, "k.A.", None),
    ],
)
def test_numbers(spelling, text, number):
    assert spelling.number(text) == number


@given(st.floats(-1e12, 1e12).map(lambda x: round(x, 3)), st.sampled_from([GERMAN, FRENCH, SWISS]))
def test_every_number_comes_back(number, spelling):
    text = f"{number:,.3f}".replace(",", "#").replace(".", spelling.decimal)
    assert spelling.number(text.replace("#", spelling.thousands)) == number


@pytest.mark.parametrize(
    ("texts", "options", "expected"),
    [
        (["1,5"], {}, GERMAN),
        (["1,5", "2.000,1"], {}, GERMAN),
        (["1 234,5"], {}, FRENCH),
        (["1,234.5"], {}, Spelling(".", ",")),
        (["1,234"], {}, "either"),
        (["1,234"], {"plain_points": True}, Spelling(".", ",")),
        (["$1,234"], {}, Spelling(".", ",")),
        (["1,5", "1,234.5"], {}, "mixed"),
        (["1'234"], {}, SWISS),
        (["yes", "1-2", "3:4"], {}, Spelling()),
    ],
)
def test_spellings_are_recognised_or_asked(texts, options, expected):
    evidence = gather(texts, Evidence())
    settings = {"plain_points": False, "semicolons": False} | options
    assert recognised(evidence, **settings) == expected


def test_points_between_semicolons_may_stand_between_thousands():
    evidence = Evidence(grouped="1.234")
    assert recognised(evidence, plain_points=False, semicolons=True) == "either"
    assert recognised(evidence, plain_points=False, semicolons=False) == Spelling()


def test_units():
    assert split_unit("$ 1,200") == ("1,200", "$")
    assert split_unit("(3 EUR)") == ("-3", "EUR")
    assert split_unit("12%") == ("12", "%")
    assert split_unit("7") == ("7", "")
    assert split_unit("$5 €") is None
    assert split_unit("about 5") is None


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)))
def test_days_since_1970(moment):
    expected = (moment.replace(microsecond=0) - datetime(1970, 1, 1)) / timedelta(days=1)
    iso = days_of(moment.isoformat(" ", timespec="seconds"), "ymd")
    # Seconds as a fraction of a day, rounded twice at 5e4.
    assert iso == pytest.approx(expected, abs=1e-10)
    day = np.floor(expected)
    assert days_of(f"{moment.day}.{moment.month}.{moment.year}", "dmy") == day
    assert days_of(f"{moment.month:02d}/{moment.day:02d}/{moment.year}", "mdy") == day


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["2024-01-31", "2024-02-01T12:30"], "ymd"),
        (["1.2.2024", "3.4.24"], "dmy"),
        (["13/1/2024", "1/2/2024"], "dmy"),
        (["1/13/2024", "1/2/2024"], "mdy"),
        (["1/2/2024", "3/4/2024"], "?"),
        (["1/13/2024", "13/1/2024"], ""),
        (["30.2.2024"], ""),
        (["soon"], ""),
        ([], ""),
    ],
)
def test_orders_of_dates(texts, order):
    assert date_order(texts) == order


@pytest.mark.parametrize("text", ["2024-01-01 25:00", "2024-01-01 x", "0000-01-01", "1/2-2024"])
def test_what_only_looks_like_a_date(text):
    assert all(days_of(text, order) is None for order in ("ymd", "dmy", "mdy"))


def test_time_zones():
    utc = days_of("2024-01-01T10:00:00Z", "ymd")
    assert days_of("2024-01-01T12:00:00+02:00", "ymd") == utc
    assert days_of("2024-01-01T05:00:00-05:00", "ymd") == utc
