"""Facts of penalties: what built-in ones say of themselves, and what is found out of others."""

import numpy as np
import pytest
from penalties_under_test import Geman, OwnLasso

import sparsieve as sv
from sparsieve.penalties import is_convex, largest_concavity
from sparsieve.penalties.resolve import BY_NAME, built_in_name, families_with_shapes
from sparsieve.selection.shapes import neighbour_shape

SHAPED = [sv.MCP(2.5), sv.SCAD(3.1), sv.LogSum(0.4), sv.CappedL1(0.7), sv.Lq(0.6, 0.05)]


class Renamed(sv.MCP):
    pass


class Squeezed(sv.MCP):
    """Its own formulas: those of MCP for coefficients in other units."""

    def value(self, abs_w, alpha):
        return super().value(2.0 * np.asarray(abs_w), alpha)

    def slope(self, abs_w, alpha):
        return 2.0 * super().slope(2.0 * np.asarray(abs_w), alpha)


class Late:
    """The lasso at small alphas, capped at large ones."""

    def value(self, abs_w, alpha):
        return alpha * np.where(np.asarray(alpha) > 10.0, np.minimum(abs_w, 1.0), abs_w)

    def slope(self, abs_w, alpha):
        return alpha * np.where((np.asarray(alpha) > 10.0) & (np.asarray(abs_w) >= 1.0), 0.0, 1.0)


def said(concavity):
    """Return Geman's penalty, which says how concave it is."""
    own = Geman()
    own.concavity = lambda alpha: concavity
    return own


@pytest.mark.parametrize("penalty", [kind() for kind in BY_NAME.values()], ids=list(BY_NAME))
def test_built_in_penalties_know_whether_they_are_convex(penalty):
    assert is_convex(penalty) == (type(penalty) is sv.L1)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_name_of_a_penalty_of_the_library(name):
    assert built_in_name(BY_NAME[name]()) == name


@pytest.mark.parametrize("other", [Renamed(), Geman(), sv.MCP, "mcp", None])
def test_nothing_else_has_such_a_name(other):
    assert built_in_name(other) is None


def test_families_with_shapes():
    assert families_with_shapes() == ["CappedL1", "LogSum", "Lq", "MCP", "SCAD"]


def test_convexity_of_own_penalties_is_found_out():
    assert is_convex(OwnLasso())
    assert not is_convex(Geman())
    assert not is_convex(Squeezed())
    assert not is_convex(Late())


def test_what_an_own_penalty_says_of_its_convexity_does_not_count():
    own = Geman()
    own.convex = True
    assert not is_convex(own)


def test_an_own_penalty_may_say_that_it_is_more_concave_than_a_grid_sees():
    measured = largest_concavity(Geman(), 0.5)
    assert largest_concavity(said(np.inf), 0.5) == np.inf
    assert largest_concavity(said(0.0), 0.5) == measured


@pytest.mark.parametrize("penalty", SHAPED, ids=repr)
def test_a_neighbour_is_less_concave_and_of_the_same_kind(penalty):
    neighbour = neighbour_shape(penalty)
    assert type(neighbour) is type(penalty)
    t = np.linspace(0.0, 3.0, 301)
    relative = [each.slope(t, 1.0) / each.slope(0.0, 1.0) for each in (penalty, neighbour)]
    assert np.sum(relative[0]) < np.sum(relative[1])
    if penalty.get_params().get("eps"):
        assert neighbour.eps == penalty.eps


@pytest.mark.parametrize("penalty", [sv.L1(), Geman(), Squeezed()], ids=["L1", "own", "derived"])
def test_without_a_known_shape_the_lasso_is_the_neighbour(penalty):
    assert type(neighbour_shape(penalty)) is sv.L1
    assert sv.shape_grid(penalty) == [penalty]
    with pytest.raises(ValueError, match="CappedL1, LogSum, Lq, MCP, SCAD"):
        sv.shape_grid(penalty, [2.0])


def test_a_subclass_with_the_formulas_of_its_parent_has_its_shapes():
    assert [each.gamma for each in sv.shape_grid(Renamed(), [4.0, 2.0])] == [4.0, 2.0]
    assert all(type(each) is Renamed for each in sv.shape_grid(Renamed()))
    assert neighbour_shape(Renamed(3.0)).gamma == 6.0


def test_default_grids():
    """As they were in all versions: people compare surfaces."""
    shapes = {
        "mcp": (30.0, 10.0, 5.0, 3.0, 2.0, 1.4),
        "scad": (30.0, 10.0, 5.0, 3.7, 2.8, 2.2),
        "logsum": (10.0, 3.0, 1.0, 0.3, 0.1, 0.03),
        "capped_l1": (3.0, 1.0, 0.5, 0.25, 0.1),
        "lq": (0.9, 0.75, 0.5, 0.25),
    }
    names = {"mcp": "gamma", "scad": "gamma", "logsum": "theta", "capped_l1": "theta", "lq": "q"}
    for name, values in shapes.items():
        assert tuple(getattr(each, names[name]) for each in sv.shape_grid(name)) == values
    scaled = sv.shape_grid("scad", column_scale=4.0)
    # 1 + (g - 1) / 16 exceeds 2.05 for g = 30 only, and the others are one and the same shape.
    assert [each.gamma for each in scaled] == [1.0 + 29.0 / 16.0, 2.05]
    assert sv.shape_grid("mcp", column_scale=2.0)[0].gamma == 7.5
    assert {each.eps for each in sv.shape_grid("lq", coef_scale=3.0)} == {0.03}
