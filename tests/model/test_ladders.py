"""Ladders: levels only merge, costs only grow, and what is shown costs what it should."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Characters, InputError, Prefix, Suppression, Taxonomic, Taxonomy
from kilt.model.ladders import Weighted, parse_ladder
from support.profiles import examples

VALUES = st.lists(st.one_of(st.none(), st.text("abc", max_size=4)), min_size=1, max_size=8, unique=True)
TREE = Taxonomy.of([["a", "vowel", "*"], ["b", "consonant", "*"], ["c", "consonant", "*"]])


@pytest.mark.parametrize("ladder", [Suppression(), Characters(), Prefix()], ids=lambda ladder: type(ladder).__name__)
@given(values=VALUES)
@examples(75)
def test_levels_only_merge_and_costs_only_grow(ladder, values):
    encoding = ladder.encode("q", values)
    assert encoding.codes.shape == (len(values), len(encoding.columns))
    assert len({tuple(row) for row in encoding.codes.tolist()}) == len(values)
    for index, column in enumerate(encoding.columns):
        codes = encoding.codes[:, index]
        assert (column.levels[0][codes] == codes).all()
        assert not column.levels[-1].any()
        for costs in zip(*column.costs, strict=True):
            assert list(costs) == sorted(costs)
            assert costs[0] == 0
        for low, high in zip(column.levels, column.levels[1:], strict=False):
            parents: dict[int, int] = {}
            assert all(parents.setdefault(a, b) == b for a, b in zip(low.tolist(), high.tolist(), strict=True))


@pytest.mark.parametrize("ladder", [Suppression(), Characters(), Prefix()], ids=lambda ladder: type(ladder).__name__)
@given(values=VALUES, data=st.data())
@examples(150)
def test_values_look_the_same_at_the_tightest_levels_of_their_group_and_cost_what_is_shown(ladder, values, data):
    encoding = ladder.encode("q", values)
    group = data.draw(st.lists(st.integers(0, len(values) - 1), min_size=1, max_size=4))
    levels = [
        next(h for h in range(len(c.levels)) if len({int(c.levels[h][encoding.codes[i, j]]) for i in group}) == 1)
        for j, c in enumerate(encoding.columns)
    ]
    if not any(levels):
        assert len(set(group)) == 1
        return
    shown = {ladder.show(values[i], levels, values, "*") for i in group}
    assert len(shown) == 1
    cost = sum(c.costs[level][0] for c, level in zip(encoding.columns, levels, strict=True))
    for i in group:
        assert ladder.stars(values[i], next(iter(shown)), values, "*") == cost


def test_characters_as_in_the_paper():
    values = ["98765", "98654"]
    assert Characters().show("98765", [0, 0, 1, 1, 1], values, "*") == "98***"
    assert Characters().show("98765", [0, 1, 0, 1, 1], values, "*") == "9*7**"


def test_values_of_different_length_are_padded_at_the_end():
    values = ["123", "12345", None]
    assert len(Characters().encode("zip", values).columns) == 5
    assert Characters().show("123", [0, 0, 0, 1, 1], values, "*") == "123**"
    assert Prefix().show("123", [2], values, "*") == "123**"
    assert Prefix().show(None, [5], values, "*") == "*****"


def test_a_prefix_costs_a_star_for_every_masked_character():
    (column,) = Prefix().encode("zip", ["123", "124"]).columns
    assert [costs[0] for costs in column.costs] == [0, 1, 2, 3]


def test_a_taxonomy_costs_its_share_of_a_star():
    ladder = Taxonomic(TREE)
    (column,) = ladder.encode("letter", ["a", "b", "c"]).columns
    assert [costs[0] for costs in column.costs] == [0, Fraction(1, 2), 1]
    assert ladder.show("b", [1], ["a", "b", "c"], "*") == "consonant"
    assert ladder.show("b", [2], ["a", "b", "c"], "?") == "?"
    assert ladder.stars("b", "consonant", [], "*") == Fraction(1, 2)
    assert ladder.stars("a", "consonant", [], "*") is None


def test_weights_multiply_costs():
    (column,) = Weighted(Suppression(), Fraction(5, 2)).encode("q", ["a", "b"]).columns
    assert [costs[0] for costs in column.costs] == [0, Fraction(5, 2)]


def test_parse_ladder_names_the_nearest():
    with pytest.raises(InputError, match="did you mean 'characters'"):
        parse_ladder("character")


def test_the_usual_taxonomies_of_adult(adult):
    import kilt

    folder = adult.parent
    names = ["age", "education", "marital-status", "race", "sex"]
    quasi = ",".join(f"{name}:taxonomy={folder}/adult_hierarchy_{name}.csv" for name in names)
    release = kilt.anonymize(adult, quasi=quasi, policy=kilt.Policy(k=5), iterations=1_000)
    plain = kilt.anonymize(adult, quasi=",".join(names), policy=kilt.Policy(k=5), iterations=1_000)
    assert release.verdict.met
    assert release.stars < plain.stars
