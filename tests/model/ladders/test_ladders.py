"""Ladders: levels only merge, costs never fall, and what is shown costs what it should."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Characters, InputError, Prefix, Suppression, Taxonomic, Taxonomy
from kilt.model.ladders import Domain, Limited, Priced, Right, parse_ladder
from kilt.model.measure import GRID, MEASURES
from support.ladders import DRAWN, domains, tightest_levels
from support.profiles import examples

TREE = Taxonomy.of([["a", "vowel", "*"], ["b", "consonant", "*"], ["c", "consonant", "*"]])
LOSS, LEVEL, ENTROPY = MEASURES["loss"], MEASURES["level"], MEASURES["entropy"]
KINDS = st.sampled_from(list(DRAWN))
WAYS = st.sampled_from(list(MEASURES.values()))


@given(data=st.data())
@examples(400)
def test_levels_only_merge_and_costs_never_fall(data):
    ladder, domain = data.draw(domains(data.draw(KINDS)))
    priced = Priced(ladder, Fraction(data.draw(st.integers(1, 3)), 2), data.draw(WAYS))
    encoding = priced.encode(domain)
    assert encoding.codes.shape == (len(domain.values), len(encoding.columns))
    if not ladder.hides_values:
        assert len({tuple(row) for row in encoding.codes.tolist()}) == len(domain.values)
    for index, column in enumerate(encoding.columns):
        codes = encoding.codes[:, index]
        assert sorted(set(codes.tolist())) == list(range(len(column.levels[0])))
        assert (column.levels[0][codes] == codes).all()
        assert len(column.costs) == len(column.levels)
        for level, costs in zip(column.levels, column.costs, strict=True):
            price: dict[int, Fraction] = {}
            assert all(price.setdefault(code, cost) == cost for code, cost in zip(level.tolist(), costs, strict=True))
        for low, high in zip(column.costs, column.costs[1:], strict=False):
            assert all(a <= b for a, b in zip(low, high, strict=True))
        for low, high in zip(column.levels, column.levels[1:], strict=False):
            parents: dict[int, int] = {}
            assert all(parents.setdefault(a, b) == b for a, b in zip(low.tolist(), high.tolist(), strict=True))
        if not isinstance(ladder, Limited) or ladder.highest is None:
            assert not column.levels[-1].any()


@given(data=st.data())
@examples(400)
def test_values_look_the_same_at_the_tightest_levels_of_their_group_and_cost_what_is_shown(data):
    ladder, domain = data.draw(domains(data.draw(KINDS)))
    priced = Priced(ladder, Fraction(data.draw(st.integers(1, 3)), 2), data.draw(WAYS))
    encoding = priced.encode(domain)
    group = data.draw(st.lists(st.integers(0, len(domain.values) - 1), min_size=1, max_size=4))
    levels = tightest_levels(encoding, group)
    if levels is None or not (any(levels) or ladder.hides_values):
        return
    shown = {priced.show(domain.values[i], levels, domain, "#") for i in group}
    assert len(shown) == 1
    own = Priced(ladder.ladder if isinstance(ladder, Limited) else ladder, priced.weight, priced.measure).encode(domain)
    for i in group:
        cost = sum(
            c.costs[h][encoding.codes[i, j]] for j, (c, h) in enumerate(zip(encoding.columns, levels, strict=True))
        )
        bare = sum(c.costs[0][own.codes[i, j]] for j, c in enumerate(own.columns))
        assert priced.stars(domain.values[i], next(iter(shown)), domain, "#") == cost - bare


@given(data=st.data())
@examples(200)
def test_groups_that_look_the_same_could_be_one(data):
    ladder, domain = data.draw(domains(data.draw(KINDS)))
    encoding = ladder.encode(domain)
    pairs = data.draw(st.lists(st.lists(st.integers(0, len(domain.values) - 1), min_size=1, max_size=3), max_size=4))
    looks: dict[str | None, tuple[int, ...]] = {}
    for group in pairs:
        levels = tightest_levels(encoding, group)
        if levels is None:
            continue
        bare = not any(levels) and not ladder.hides_values
        shown = domain.values[group[0]] if bare else ladder.show(domain.values[group[0]], levels, domain, "#")
        pattern = tuple(
            int(c.levels[h][encoding.codes[group[0], j]])
            for j, (c, h) in enumerate(zip(encoding.columns, levels, strict=True))
        )
        assert looks.setdefault(shown, (*levels, *pattern)) == (*levels, *pattern)


@given(data=st.data())
@examples(150)
def test_hiding_a_column_costs_one_star_a_row_on_average(data):
    kind = data.draw(
        st.sampled_from([name for name in DRAWN if name != "characters" and not name.startswith("limited")])
    )
    ladder, domain = data.draw(domains(kind))
    for measure in MEASURES.values():
        encoding = Priced(ladder, measure=measure).encode(domain)
        (column,), codes = encoding.columns, encoding.codes[:, 0].tolist()
        paid = sum(int(n) * column.costs[-1][code] for n, code in zip(domain.counts, codes, strict=True))
        bare = sum(int(n) * column.costs[0][code] for n, code in zip(domain.counts, codes, strict=True))
        rows = int(domain.counts.sum())
        assert bare == encoding.credit
        if measure != ENTROPY:
            assert (bare, paid) == (0, rows)
        elif len(codes) == 1:
            assert (bare, paid) == (0, 0)
        else:
            assert abs(paid - bare - rows) <= Fraction(rows, GRID)


def test_characters_as_in_the_paper():
    domain = Domain.of(["98765", "98654"])
    assert Characters().show("98765", [0, 0, 1, 1, 1], domain, "*") == "98***"
    assert Characters().show("98765", [0, 1, 0, 1, 1], domain, "*") == "9*7**"
    for measure in MEASURES.values():
        assert all(
            c.costs == ((0,) * len(c.levels[0]), (1,) * len(c.levels[0]))
            for c in Priced(Characters(), measure=measure).encode(domain).columns
        )


def test_values_of_different_length_are_padded_at_the_end():
    domain = Domain.of(["123", "12345", None])
    assert len(Characters().encode(domain).columns) == 5
    assert Characters().show("123", [0, 0, 0, 1, 1], domain, "*") == "123**"
    assert Prefix().show("123", [2], domain, "*") == "123**"
    assert Prefix().show(None, [5], domain, "*") == "*****"
    assert Right().show("12345", [2], domain, "*") == "**345"


def test_only_the_given_lengths_are_shown():
    domain = Domain.of(["02139", "02140", "02215"])
    ladder = parse_ladder("prefix=4,2")
    assert ladder.names(domain) == ("4", "2")
    assert [ladder.show("02139", [h], domain, "*") for h in (1, 2, 3)] == ["0213*", "02***", "*****"]
    assert [parse_ladder("right=2").show("02139", [h], domain, "#") for h in (1, 2)] == ["###39", "#####"]
    assert ladder.stars("02139", "021**", domain, "*") is None


def test_a_prefix_costs_the_share_of_the_values_that_it_may_stand_for():
    domain = Domain.of(["11", "12", "13", "21"])
    (column,) = Prefix().encode(domain, LOSS).columns
    assert column.costs == ((0,) * 4, (Fraction(2, 3),) * 3 + (0,), (1,) * 4)
    (column,) = Prefix().encode(domain, LEVEL).columns
    assert column.costs == ((0,) * 4, (Fraction(1, 2),) * 4, (1,) * 4)


def test_a_taxonomy_counts_its_own_values():
    ladder = Taxonomic(TREE)
    domain = Domain.of(["b", "a"])
    (column,) = ladder.encode(domain, LOSS).columns
    assert column.costs == ((0, 0), (Fraction(1, 2), 0), (1, 1))
    assert ladder.show("b", [1], domain, "*") == "consonant"
    assert ladder.show("b", [2], domain, "?") == "?"
    assert ladder.stars("b", "consonant", domain, "*", LOSS) == Fraction(1, 2)
    assert ladder.stars("a", "consonant", domain, "*") is None


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ([["a", "x"], ["b", "x"]], [None, "*"]),
        ([["a", "x"], ["b", "x"], ["", "x"]], ["x", "*"]),
        ([["a", "x"], ["b", "x"], ["", "unknown"]], ["unknown", "*"]),
    ],
)
def test_a_missing_value_has_the_line_of_the_empty_cell_or_stands_under_the_root(lines, shown):
    ladder, domain = Taxonomic(Taxonomy.of(lines)), Domain.of(["a", "b", None])
    ladder.encode(domain)
    assert [ladder.show(None, [h], domain, "*") for h in (1, 2)] == shown


def test_entropy_is_that_of_the_frequencies():
    domain = Domain("x", ["a", "b", "c"], np.array([2, 1, 1]))
    ladder = Taxonomic(TREE)
    assert ladder.stars("a", "vowel", domain, "*", ENTROPY) == 0
    assert ladder.stars("b", "consonant", domain, "*", ENTROPY) == Fraction(2, 3)  # one bit of one and a half
    assert ladder.stars("a", "*", domain, "*", ENTROPY) == Fraction(2, 3)
    assert ladder.stars("c", "*", domain, "*", ENTROPY) == Fraction(4, 3)


def test_weights_multiply_costs():
    (column,) = Priced(Suppression(), Fraction(5, 2)).encode(Domain.of(["a", "b"])).columns
    assert column.costs == ((0, 0), (Fraction(5, 2),) * 2)


def test_one_label_with_two_meanings_is_refused():
    ladder = Taxonomic(Taxonomy.of([["a", "b"], ["b", "c"], ["d", "c"]]))
    with pytest.raises(InputError, match="the ladder of 'x' has a label of level '1' that also"):
        ladder.encode(Domain.of(["a", "b", "d"], "x"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("character", "did you mean 'characters'"),
        ("prefix=", "is not a ladder"),
        ("prefix=2,4", "ever fewer visible characters"),
        ("prefix=0", "ever fewer visible characters"),
        ("right=x", "as in right=4,2"),
        ("characters!", "no levels that could be limited"),
        ("keep!", "no levels that could be limited"),
        ("keep/from=2", "no levels that could be limited"),
        ("suppress=3", "is not a ladder"),
    ],
)
def test_what_is_not_a_ladder_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_ladder(text)


@pytest.mark.parametrize(
    "text", ["suppress", "keep", "characters", "prefix", "prefix=4,2!", "right=3/from=3", "prefix=4,2/from=4/to=2"]
)
def test_ladders_are_written_as_they_are_read(text):
    assert parse_ladder(str(parse_ladder(text))) == parse_ladder(text)
    assert str(parse_ladder(str(parse_ladder(text)))) == str(parse_ladder(text))


def test_an_exclamation_mark_is_the_last_level_below_the_mark():
    domain = Domain.of(["02139", "02140", "12215"])
    for text in ("prefix=4,2!/from=4", "prefix=4,2/from=4!", "prefix=4,2/from=4/to=2"):
        ladder = parse_ladder(text)
        assert ladder.span(domain) == (1, 2)
        (column,) = ladder.encode(domain).columns
        assert [level.tolist() for level in column.levels] == [[0, 1, 2], [0, 0, 1]]
        assert ladder.stars("02139", "02139", domain, "*") is None
        assert ladder.stars("02139", "*****", domain, "*") is None
        assert ladder.stars("02139", "02***", domain, "*", LEVEL) == Fraction(2, 3)
    with pytest.raises(InputError, match="two highest levels"):
        parse_ladder("prefix=4,2!/to=4")
    with pytest.raises(InputError, match=r"'/from=3' names no level of the ladder of 'zip': .*'4'"):
        parse_ladder("prefix=4,2/from=3").encode(Domain.of(["02139"], "zip"))
    with pytest.raises(InputError, match="never to be shown below '2' nor above '4'"):
        parse_ladder("prefix=4,2/from=2/to=4").encode(domain)


def test_what_is_kept_is_never_blurred():
    domain = Domain.of(["f", "m"])
    (column,) = parse_ladder("keep").encode(domain).columns
    assert [level.tolist() for level in column.levels] == [[0, 1]]
    assert parse_ladder("keep") == parse_ladder("suppress!") or parse_ladder("suppress!").span(domain) == (0, 0)
    assert parse_ladder("keep").stars("f", "*", domain, "*") is None
    assert parse_ladder("keep").ambiguous(Domain.of(["f", "*"]), "*") == 0


def test_the_usual_taxonomies_of_adult(adult):
    import kilt

    folder = adult.parent
    names = ["age", "education", "marital-status", "race", "sex"]
    quasi = ",".join(f"{name}:taxonomy={folder}/adult_hierarchy_{name}.csv" for name in names)
    release = kilt.anonymize(adult, quasi=quasi, policy=kilt.Policy(k=5), iterations=1_000)
    plain = kilt.anonymize(adult, quasi=",".join(names), policy=kilt.Policy(k=5), iterations=1_000)
    assert release.verdict.met
    assert release.stars < plain.stars
