"""Unique rows are counted as by brute force, in memory and in SQL, and every figure that is shown is exact."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.inspection.uniqueness import Params, uniqueness_of
from kilt.sources.combinations import CodedRows, combinations_of, count_values
from kilt.sources.duck.connection import Database
from kilt.sources.duck.table import DuckSource
from kilt.sources.frame import FrameSource
from kilt.sources.sql.engine import fresh
from support.profiles import examples

CELLS = st.sampled_from(["a", "b", "", " ", "A", "a\n", "é", "1", "01", None])
NAMES = ("a", "b", "c", "d")


@st.composite
def tables(draw, most_rows=12):
    width = draw(st.integers(1, 4))
    return NAMES[:width], draw(st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=most_rows))


def brute_force(rows, places) -> int:
    seen = Counter(tuple(row[place] for place in places) for row in rows)
    return sum(1 for row in rows if seen[tuple(row[place] for place in places)] == 1)


DATABASE = Database()  # one for all examples: to open one takes longer than to count


def of_duckdb(names, rows) -> DuckSource:
    table = fresh("drawn")
    DATABASE.upload(table, {f"c{i}": [row[i] for row in rows] for i in range(len(names))})
    return DuckSource(DATABASE, table, list(names))


def sources(names, rows):
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    yield FrameSource(pd.DataFrame(columns, dtype=object))
    yield FrameSource(pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String)))
    yield of_duckdb(names, rows)


@given(tables())
@examples(25)
def test_combinations_are_counted_as_by_brute_force_wherever_the_table_is(table):
    names, rows = table
    for source in sources(names, rows):
        together = combinations_of(source, names)
        for size in range(len(names) + 1):
            for places in combinations(range(len(names)), size):
                found = together.unique_rows([names[place] for place in places])
                assert found == brute_force(rows, places), (type(source), places)
        together.close()


@given(tables())
@examples(25)
def test_columns_are_counted_as_by_brute_force_wherever_the_table_is(table):
    names, rows = table
    for source in sources(names, rows):
        for place, name in enumerate(names):
            found, cells = count_values(source, name), [row[place] for row in rows]
            assert found.unique == brute_force(rows, [place])
            assert found.distinct == len(set(cells) - {None})
            assert found.missing == sum(1 for cell in cells if cell is None or not cell.strip(" "))
            assert found.frequent[0][1] == max(Counter(cells).values())
            assert dict(found.frequent).items() <= Counter(cells).items()


@given(tables(40), st.integers(0, 6), st.integers(1, 4))
@examples(25)
def test_what_is_chosen_on_some_rows_is_counted_on_all(table, drawn, kept):
    names, rows = table
    together = of_duckdb(names, rows).combinations(names)
    found = uniqueness_of(together, len(rows), dict.fromkeys(names, 2), Params(0, drawn, kept, 10))
    assert found.drawn == drawn
    for each in (*found.pairs, *found.triples, found.quasi):
        assert each.unique == brute_force(rows, [names.index(name) for name in each.columns])
    hidden = [step.column for step in found.order]
    assert sorted(hidden) == list(names)
    for count, step in enumerate(found.order, 1):
        assert step.left == brute_force(rows, [names.index(name) for name in names if name not in hidden[:count]])


@given(tables(40))
@examples(25)
def test_the_best_of_a_small_table_are_the_best_of_all_and_the_order_is_greedy(table):
    names, rows = table
    found = uniqueness_of(of_duckdb(names, rows).combinations(names), len(rows), dict.fromkeys(names, 2))
    assert found.drawn is None
    for size, best in ((2, found.pairs), (3, found.triples)):
        counted = sorted((brute_force(rows, places) for places in combinations(range(len(names)), size)), reverse=True)
        assert [each.unique for each in best] == [count for count in counted[:5] if count]
    left = list(range(len(names)))
    for step in found.order:
        fewest = min(brute_force(rows, [other for other in left if other != place]) for place in left)
        assert step.left == fewest
        left.remove(names.index(step.column))


def test_many_columns_of_many_values_do_not_run_together():
    codes = np.random.default_rng(1).integers(0, 2**20, (400, 9))
    codes = np.concatenate([codes, codes[:50]])
    names = tuple(f"c{i}" for i in range(9))
    assert CodedRows(names, codes).unique_rows(names) == 350
    source = of_duckdb(names, [tuple(map(str, row)) for row in codes.tolist()])
    assert source.combinations(names).unique_rows(names) == 350


def test_rows_are_drawn_always_the_same_whatever_their_order():
    rows = [(str(i % 7), str(i)) for i in range(500)]
    first, again = (of_duckdb("ab", each).combinations(["a", "b"]).draw(20).codes for each in (rows, rows[::-1]))
    assert len(first) == 20
    assert sorted(map(tuple, first.tolist())) == sorted(map(tuple, again.tolist()))
    frame = combinations_of(FrameSource(pl.DataFrame(rows, schema=["a", "b"], orient="row")), ["a", "b"])
    assert np.array_equal(frame.draw(20).codes, frame.draw(20).codes)


@given(tables(30))
@examples(25)
def test_a_profile_has_the_figures_of_brute_force(table):
    names, rows = table
    profile = kilt.inspect(of_duckdb(names, rows))
    assert profile.rows == profile.possible.k == len(rows)
    for place, column in enumerate(profile.columns):
        assert column.unique == brute_force(rows, [place])
    quasi = profile.uniqueness.quasi
    assert quasi.columns == tuple(column.name for column in profile.with_role("quasi"))
    if quasi.columns:
        assert quasi.unique == brute_force(rows, [names.index(name) for name in quasi.columns])
    framed = kilt.inspect(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row"))
    assert framed.to_dict() == profile.to_dict()
