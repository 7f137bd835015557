"""Spaces: every distance is that of a linear program, and thresholds are decided exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt import EqualDistance, InputError, Metric, Numeric, Ordered, Taxonomy, Tree
from kilt.model.rules import ClosenessRule, Groups, differences, work_of
from kilt.model.spaces import GroundDistance, TreeMetric, parse_space
from support import naive
from support.profiles import examples
from support.strategies import metrics

SIZES = st.integers(1, 6)


def distance_matrix(ground: GroundDistance, size: int) -> list[list[Fraction]]:
    """Read the distances of a ground off point masses."""
    reference = np.eye(size, dtype=np.int64)
    matrix = []
    for i in range(size):
        work, whole = work_of(np.eye(size, dtype=np.int64), reference[i], ground)
        matrix.append([Fraction(int(w), int(one)) for w, one in zip(work, whole, strict=True)])
    return matrix


@st.composite
def count_pairs(draw, size):
    counts = st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)
    group, rest = draw(counts), draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
    return group, [g + r for g, r in zip(group, rest, strict=True)]


@st.composite
def taxonomies(draw, size):
    """Random uneven trees over the values 0..size-1."""
    lines = []
    for i in range(size):
        depth = draw(st.integers(0, 3))
        branch = draw(st.integers(0, 2))
        lines.append([str(i), *(f"{branch // (2**level)}@{3 - depth + level}" for level in range(depth))])
    return lines


@st.composite
def grounds(draw):
    size = draw(SIZES)
    values = [str(i) for i in range(size)]
    kind = draw(st.sampled_from(["equal", "ordered", "numeric", "tree", "metric"]))
    if kind == "equal":
        matrix = [[int(i != j) for j in range(size)] for i in range(size)]
        return EqualDistance().on(values, "x"), matrix
    if kind in ("ordered", "numeric"):
        numbers = draw(st.lists(st.decimals(-50, 50, places=2), min_size=size, max_size=size, unique=True))
        texts = [str(number) for number in numbers]
        ranks = sorted(range(size), key=lambda i: numbers[i])
        place = (
            {i: Fraction(r) for r, i in enumerate(ranks)}
            if kind == "ordered"
            else dict(enumerate(map(Fraction, numbers)))
        )
        span = max(place.values()) - min(place.values()) or 1
        matrix = [[float(abs(place[i] - place[j]) / span) for j in range(size)] for i in range(size)]
        return (Ordered() if kind == "ordered" else Numeric()).on(texts, "x"), matrix
    if kind == "tree":
        taxonomy = _tree_or_none(draw(taxonomies(size)))
        paths = [taxonomy.paths[v] for v in values]
        height = max(_lowest_common(p, q) for p in paths for q in paths) or 1
        matrix = [[_lowest_common(p, q) / height for q in paths] for p in paths]
        return Tree(taxonomy).on(values, "x"), matrix
    d = draw(metrics(size))
    top = max(max(row) for row in d) or 1
    return Metric.of(values, d).on(values, "x"), [[x / top for x in row] for row in d]


def _tree_or_none(lines) -> Taxonomy:
    try:
        return Taxonomy.of(lines)
    except InputError:
        return Taxonomy.of([[line[0]] for line in lines])


def _lowest_common(p, q) -> int:
    return next(level for level in range(len(p)) if p[level:] == q[level:])


@given(st.data())
@examples(500)
def test_every_space_equals_a_linear_program(data):
    ground, matrix = data.draw(grounds())
    group, table = data.draw(count_pairs(len(matrix)))
    work, whole = work_of(np.array([group]), np.array(table), ground)
    assert float(Fraction(int(work[0]), int(whole[0]))) == pytest.approx(naive.emd(group, table, matrix), abs=1e-9)


@given(st.data())
@examples(200)
def test_distances_are_a_metric_with_largest_value_at_most_one(data):
    ground, matrix = data.draw(grounds())
    found = distance_matrix(ground, len(matrix))
    for i, row in enumerate(found):
        assert row == pytest.approx([float(x) for x in matrix[i]])
        assert row[i] == 0
        assert max(row) <= 1


@given(st.data())
@examples(200)
def test_the_threshold_is_decided_exactly_at_the_distance(data):
    ground, matrix = data.draw(grounds())
    group, table = data.draw(count_pairs(len(matrix)))
    counts, reference = np.array([group]), np.array(table)
    work, whole = work_of(counts, reference, ground)
    distance = Fraction(int(work[0]), int(whole[0]))
    groups = Groups(counts.sum(axis=1), (counts,))
    hair = Fraction(1, 10**30)
    assert ClosenessRule(distance, ground, reference, 0, "x").meets(groups)[0]
    if distance > 0:
        assert not ClosenessRule(distance - hair, ground, reference, 0, "x").meets(groups)[0]


@given(st.data())
@examples(150)
def test_tree_metrics_agree_with_transportation(data):
    """The closed form and the exact flow are slow and fast twins."""
    ground, matrix = data.draw(grounds().filter(lambda made: isinstance(made[0], TreeMetric)))
    group, table = data.draw(count_pairs(len(matrix)))
    exact = distance_matrix(ground, len(matrix))
    top = max(max(row) for row in exact) or Fraction(1)
    values = [str(i) for i in range(len(matrix))]
    if any(not exact[i][j] for i in range(len(values)) for j in range(len(values)) if i != j):
        return
    general = Metric.of(values, exact).on(values, "x")
    work, whole = work_of(np.array([group]), np.array(table), ground)
    other, one = work_of(np.array([group]), np.array(table), general)
    assert Fraction(int(work[0]), int(whole[0])) == Fraction(int(other[0]), int(one[0])) * top


def test_numbers_too_large_for_int64_stay_exact():
    big = 10**40
    ground = Numeric().on(["0", str(big), str(big + 1)], "x")
    work, whole = work_of(np.array([[1, 0, 0]]), np.array([10**6, 10**6, 10**6]), ground)
    assert Fraction(int(work[0]), int(whole[0])) == Fraction(2 * big + 1, 3 * (big + 1))


def test_differences_of_huge_tables_do_not_overflow():
    counts, reference = np.array([[3 * 10**9, 0]]), np.array([3 * 10**9, 3 * 10**9])
    assert differences(counts, reference).tolist() == [[9 * 10**18, -9 * 10**18]]


def test_the_papers_four_point_metric_is_a_star_tree():
    values = ["1", "2", "3", "4"]
    half = [
        ["0", "1", "1", "0.5"],
        ["1", "0", "1", "0.5"],
        ["1", "1", "0", "0.5"],
        ["0.5", "0.5", "0.5", "0"],
    ]
    ground = Metric.of(values, half).on(values, "x")
    work, whole = work_of(np.array([[1, 0, 0, 0]]), np.array([2, 2, 2, 6]), ground)
    assert Fraction(int(work[0]), int(whole[0])) == Fraction(10 + 2 + 2, 2 * 12)


def test_equal_numbers_written_differently_are_at_distance_zero():
    ground = Ordered().on(["1.5", "1.50", "2"], "x")
    assert distance_matrix(ground, 3) == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


def test_a_constant_numeric_column_has_distance_zero():
    ground = Numeric().on(["7"], "x")
    work, _ = work_of(np.array([[3]]), np.array([5]), ground)
    assert work.tolist() == [0]


def test_words_in_a_given_order():
    ground = Ordered(("low", "middle", "high")).on(["high", "low"], "x")
    assert distance_matrix(ground, 2) == [[0, 1], [1, 0]]
    with pytest.raises(InputError, match="misses 1 of its 2 values"):
        Ordered(("low", "high")).on(["low", "middle"], "x")


def test_values_that_are_possible_but_do_not_occur_count_in_every_space():
    """The largest distance of the possible values is 1, so that t means the same in every table of a column."""
    used = ["1", "2"]
    order = Ordered(("0", "1", "2", "3"))
    tree = Tree(Taxonomy.of([["1", "low"], ["2", "low"], ["3", "high"]]))
    metric = Metric.of(["1", "2", "3"], [[0, 1, 4], [1, 0, 4], [4, 4, 0]])
    for space, distance in ((order, Fraction(1, 3)), (tree, Fraction(1, 2)), (metric, Fraction(1, 4))):
        assert distance_matrix(space.on(used, "x"), 2) == [[0, distance], [distance, 0]]
        assert space.widest(used) == distance
    for space in (EqualDistance(), Ordered(), Numeric()):  # these name no values: those of the table are all
        assert distance_matrix(space.on(used, "x"), 2) == [[0, 1], [1, 0]]


def test_labels_that_all_values_of_a_tree_share_do_not_count():
    lines = [["a", "low"], ["b", "low"], ["c", "high"]]
    plain, tall = (
        Tree(Taxonomy.of([[*line, *more] for line in lines]))
        for more in (
            [],
            ["any"],
        )
    )
    values = ["a", "b", "c"]
    expected = [[0, Fraction(1, 2), 1], [Fraction(1, 2), 0, 1], [1, 1, 0]]
    assert distance_matrix(plain.on(values, "x"), 3) == distance_matrix(tall.on(values, "x"), 3) == expected
    single = Tree(Taxonomy.of([["a", "low"]]))
    assert distance_matrix(single.on(["a"], "x"), 1) == [[0]]


@given(st.data())
@examples(60)
def test_the_widest_distance_is_the_largest_of_the_values_that_occur(data):
    size = data.draw(st.integers(2, 6))
    values = [str(i) for i in range(size)]
    used = sorted(data.draw(st.sets(st.sampled_from(values), min_size=1)))
    spaces = [
        Ordered(tuple(data.draw(st.permutations(values)))),
        Tree(_tree_or_none(data.draw(taxonomies(size)))),
        Metric.of(values, data.draw(metrics(size))),
    ]
    for space in spaces:
        every = distance_matrix(space.on(values, "x"), size)
        assert max(map(max, every)) == 1
        assert max(map(max, distance_matrix(space.on(used, "x"), len(used)))) == space.widest(used)


def test_a_release_notes_that_a_space_is_wider_than_its_values(tmp_path):
    (tmp_path / "t.csv").write_text("q,s\n" + "a,low\nb,middle\n" * 4)
    wide, exact = Ordered(("low", "middle", "high")), Ordered(("low", "middle"))
    notes = [
        kilt.anonymize(tmp_path / "t.csv", quasi="q", sensitive={"s": space}, policy=policy).notes
        for space, policy in (
            (wide, kilt.Policy(t="0.2")),
            (exact, kilt.Policy(t="0.2")),
            (wide, kilt.Policy(l=2)),
            ("equal", kilt.Policy(kilt.TCloseness("0.2", wide, "s"))),
        )
    ]
    said = "the values of 's' are at most 0.5 apart in its space: a t of 0.5 or more asks for nothing"
    assert notes == [(said,), (), (), (said,)]


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ([["0", "1"], ["2", "0"]], "not symmetric"),
        ([["1", "1"], ["1", "0"]], "a distance to itself"),
        ([["0", "0"], ["0", "0"]], "not positive"),
        ([["0", "-1"], ["-1", "0"]], "not positive"),
        ([["0", "1", "5"], ["1", "0", "1"], ["5", "1", "0"]], "triangle inequality"),
        ([["0", "x"], ["x", "0"]], "not a number"),
        ([["0", "1"]], "one row and one column"),
    ],
)
def test_a_metric_that_is_not_one(matrix, why):
    with pytest.raises(InputError, match=why):
        Metric.of([str(i) for i in range(len(matrix[0]))], matrix)


def test_non_numeric_values_in_an_ordered_space_are_counted_not_shown():
    with pytest.raises(InputError, match="'pay' has 2 of 3 values that are not numbers") as error:
        Ordered().on(["1", "secret", None], "pay")
    assert "secret" not in str(error.value)


def test_parse_space_names_the_nearest():
    with pytest.raises(InputError, match="did you mean 'ordered'"):
        parse_space("orderd")


def test_a_space_of_somebody_else_gives_a_tree_or_a_matrix(hospital):
    class Strange:
        def on(self, values, column):
            return object()

    with pytest.raises(kilt.InputError, match="the space of 'Disease' must give a TreeMetric or a MatrixMetric"):
        kilt.anonymize(hospital, quasi="Zipcode", sensitive={"Disease": Strange()}, policy=kilt.Policy(t="0.3"))


@given(st.data())
@examples(100)
def test_the_pressure_of_a_value_is_the_sum_over_the_edges_around_it(data):
    size, edges = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 8))
    ends = np.array([sorted(data.draw(st.tuples(st.integers(0, size), st.integers(0, size)))) for _ in range(edges)])
    weight = np.array([data.draw(st.integers(1, 9)) for _ in range(edges)])
    order = np.array(data.draw(st.permutations(range(size))))
    ground = TreeMetric(order, ends[:, 0], ends[:, 1], weight, scale=7, least=1)
    difference = np.array([data.draw(st.lists(st.integers(-9, 9), min_size=size, max_size=size)) for _ in range(3)])
    for found, row in zip(ground.pressure(difference), difference[:, order].tolist(), strict=True):
        for place, value in enumerate(order.tolist()):
            around = [(w, a, b) for w, (a, b) in zip(weight.tolist(), ends.tolist(), strict=True) if a <= place < b]
            assert found[value] == sum(w * int(np.sign(sum(row[a:b]))) for w, a, b in around) / 7
