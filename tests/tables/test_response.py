"""What targets are taken for, on targets of real tables whose meaning is known."""

import numpy as np
import pytest
from sklearn import datasets

import sparsieve as sv
from sparsieve.tables.response import check_folds, problem_of_response, response_of
from sparsieve.tables.table import TableError

# How often each number occurs, from the documentation of R's package AER. A score whose
# smallest value is the most frequent looks like counts: that is a mistake, which the words name.
SEEN = [
    ("visits to a doctor", "counts", {0: 4141, 1: 782, 2: 174, 3: 30, 4: 24, 5: 9, 6: 12, 9: 1}),
    ("illnesses in two weeks", "counts", {0: 1554, 1: 1638, 2: 946, 3: 542, 4: 274, 5: 236}),
    ("articles of a doctoral student", "counts", {0: 275, 1: 246, 2: 178, 3: 84, 4: 67, 5: 27}),
    ("boating trips", "counts", {0: 417, 1: 68, 2: 38, 3: 34, 5: 13, 10: 13, 15: 14, 88: 1}),
    ("damages of a ship", "counts", {0: 14, 1: 5, 2: 2, 3: 1, 4: 2, 11: 2, 18: 2, 58: 1}),
    ("stays in hospital", "counts", {0: 3541, 1: 599, 2: 176, 3: 48, 4: 20, 5: 12, 8: 4}),
    ("garages of a house", "counts", {0: 300, 1: 126, 2: 108, 3: 12}),
    ("children", "numbers", {0: 2127, 1: 1544, 2: 2338, 3: 1474, 4: 790, 5: 376, 8: 163}),
    ("bedrooms", "numbers", {1: 2, 2: 136, 3: 301, 4: 95, 5: 10, 6: 2}),
    ("years at school", "numbers", {0: 103, 1: 13, 6: 173, 8: 684, 10: 289, 12: 1252, 16: 250}),
    ("a score of quality", "counts", {0: 374, 1: 32, 2: 31, 3: 101, 4: 67, 5: 54}),
]


def kind(y, texts=None, loss=None):
    assert problem_of_response(y, texts, "y", loss) is None
    return response_of(y, texts, "y", loss)


@pytest.mark.parametrize(("name", "expected", "seen"), SEEN, ids=[row[0] for row in SEEN])
def test_whole_numbers_of_real_tables(name, expected, seen):
    y = np.repeat(list(seen), list(seen.values())).astype(float)
    found = kind(y)
    assert found.kind == expected
    assert found.loss.name == ("poisson" if expected == "counts" else "squared")
    assert "`loss=" in found.words  # how to have it otherwise


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        (datasets.load_diabetes, "numbers"),  # a score from 25 to 346
        (datasets.load_iris, "numbers"),  # 0, 1, 2 stand for species: the words ask
        (datasets.load_digits, "numbers"),
        (datasets.load_breast_cancer, "labels"),
    ],
)
def test_targets_of_scikit_learn(load, expected):
    assert kind(load().target.astype(float)).kind == expected


def test_measurements_of_people_are_numbers():
    for column in datasets.load_linnerud().data.T:
        found = kind(column)
        assert found.kind == "numbers"
        assert "`loss='poisson'` if they count something" in found.words


def test_few_numbers_may_be_labels():
    y = np.array([0.0, 1.0, 2.0] * 10)
    assert "`loss='logistic'` if these 3 numbers are labels" in kind(y).words
    found = kind(y, loss="logistic")
    assert found.labels == [0, 1, 2]
    assert "a model for each label against the rest" in found.words


def test_labels_are_what_the_table_has():
    y = np.array([0.0, 1.0, 1.0])
    assert kind(y, ["yes", "no"]).values.tolist() == ["yes", "no", "no"]
    assert kind(y, ["yes", "no"]).labels == ["no", "yes"]
    assert kind(np.array([-1.0, 1.0, 1.0])).values.tolist() == [-1, 1, 1]
    assert kind(np.array([0.5, 1.0, 1.0])).labels == [0.5, 1.0]
    assert kind(y, loss="squared").kind == "numbers"
    assert "'no' (2 rows) and 'yes' (1 rows): logistic loss" in kind(y, ["yes", "no"]).words


def test_what_is_asked_for():
    y = np.array([0.5, 1.25, 3.0, 7.0])
    assert kind(y).kind == "numbers"
    assert "negative binomial loss, theta=2" in kind(y, loss=sv.NegativeBinomial(2)).words
    assert kind(y, loss="poisson").kind == "counts"
    found = kind(y, loss="huber")
    assert found.kind == "numbers"
    assert "delta=1.35 (in the units of the target, whose standard dev" in found.words
    assert kind(y / 10, loss="logistic").kind == "shares"


@pytest.mark.parametrize(
    ("y", "texts", "loss", "words"),
    [
        ([0, 1, 0, 1], ["a", "b"], "poisson", "text, for instance 'a', and `loss='poisson'`"),
        ([0, 1, 0, 1], ["a", "b"], "squared", "use `loss='logistic'` for labels"),
        (
            range(30),
            [f"n{k}" for k in range(30)],
            None,
            "30 different texts in 30 rows, which name",
        ),
        ([-1.5, 2, 3, 4], None, "poisson", "is negative in 1 of 4 rows (the least is -1.5)"),
        ([1.5, 2.5, 3.5, 9], None, "logistic", "has 4 different numbers from 1.5 to 9, and"),
    ],
)
def test_what_cannot_be(y, texts, loss, words):
    problem = problem_of_response(np.array(list(y), dtype=float), texts, "y", loss)
    assert words in problem.text


def test_labels_need_a_row_for_each_fold():
    found = kind(np.array([0.0] * 20 + [1.0] * 3))
    remedy = "use {most} folds"
    check_folds("t.csv", found, 3, remedy)
    with pytest.raises(TableError, match="the label 1 has 3 of 23 rows, too few for 5 folds"):
        check_folds("t.csv", found, 5, remedy)
    check_folds("t.csv", kind(np.array([0.5, 1.0, 7.0])), 5, remedy)
