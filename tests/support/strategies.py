"""Random tables, policies, ladders and spaces for property tests."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kilt import (
    Bands,
    Characters,
    EqualDistance,
    KAnonymity,
    LDiversity,
    Metric,
    Numeric,
    Ordered,
    Policy,
    Prefix,
    Suppression,
    Taxonomic,
    Taxonomy,
    TCloseness,
    Tree,
)
from kilt.model.ladders import Limited, Priced
from kilt.model.measure import MEASURES

LETTERS = "abc"
TREE = Taxonomy.of([["0", "low", "*"], ["1", "low", "*"], ["2", "*"], ["3", "high", "*"]])
FOUR_POINTS = Metric.of(
    ["0", "1", "2", "3"],
    [["0", "1", "1", "0.5"], ["1", "0", "1", "0.5"], ["1", "1", "0", "0.5"], ["0.5", "0.5", "0.5", "0"]],
)
LADDERS = {
    "suppress": Suppression(),
    "characters": Characters(),
    "prefix": Prefix(),
    "weighted": Priced(Suppression(), Fraction(5, 2)),
    "taxonomy": Taxonomic(TREE),
}
SOLVED_LADDERS = {
    **LADDERS,
    "level": Priced(Taxonomic(TREE), measure=MEASURES["level"]),
    "loss": Priced(Taxonomic(TREE), measure=MEASURES["loss"]),
    "entropy": Priced(Taxonomic(TREE), measure=MEASURES["entropy"]),
    "bands": Bands((2, 4)),
    "from labels": Limited(Taxonomic(TREE), least="1"),
}
SPACES = {
    "equal": EqualDistance(),
    "ordered": Ordered(),
    "numeric": Numeric(),
    "tree": Tree(TREE),
    "metric": FOUR_POINTS,
}


def cell(ladder: str) -> SearchStrategy[str | None]:
    """Draw a cell of a column with this ladder."""
    if ladder in ("taxonomy", "level", "loss", "entropy", "from labels"):
        return st.sampled_from("0123")
    if ladder == "bands":
        return st.one_of(st.none(), st.sampled_from("0123456789"))
    if ladder in ("characters", "prefix"):
        return st.one_of(st.none(), st.text(LETTERS[:2], max_size=3))
    return st.one_of(st.none(), st.sampled_from(LETTERS))


@st.composite
def tables(
    draw: DrawFn,
    most_rows: int = 7,
    ladders: Sequence[str] = tuple(LADDERS),
    spaces: Sequence[str] = tuple(SPACES),
    most_sensitive: int = 2,
    least_sensitive: int = 0,
) -> tuple[list[tuple[str | None, ...]], list[str], list[str]]:
    """A random table: rows of text cells, the ladders of its quasi columns, the spaces of its sensitive ones."""
    quasi = draw(st.lists(st.sampled_from(ladders), min_size=1, max_size=3))
    sensitive = draw(st.lists(st.sampled_from(spaces), min_size=least_sensitive, max_size=most_sensitive))
    row = st.tuples(*(cell(name) for name in quasi), *(st.sampled_from("0123") for _ in sensitive))
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    return rows, quasi, sensitive


@st.composite
def policies(draw: DrawFn, sensitive: int) -> Policy:
    """A random policy that speaks of up to this many sensitive columns."""
    principles: list[object] = []
    if draw(st.booleans()) or not sensitive:
        principles.append(KAnonymity(draw(st.integers(1, 4))))
    if sensitive and draw(st.booleans()):
        form = draw(st.sampled_from(["frequency", "distinct", "entropy", "recursive:2", "recursive:0.75"]))
        whole = form == "distinct" or form.startswith("recursive")
        l = draw(st.integers(1, 3)) if whole else draw(st.sampled_from(["1", "1.5", "2", "2.5", "3"]))
        principles.append(LDiversity(l, form))
    if sensitive and (draw(st.booleans()) or not principles):
        principles.append(TCloseness(draw(st.sampled_from(["0", "0.1", "0.25", "1/3", "0.5", "0.8", "1"]))))
    return Policy(*principles)


@st.composite
def counted(draw: DrawFn, classes: int, values: Sequence[int], most: int) -> list[list[int]]:
    """Counts of sensitive values in classes, with at least one row."""
    width = draw(st.sampled_from(values))
    of_class = st.lists(st.integers(0, most), min_size=width, max_size=width)
    counts = draw(st.lists(of_class, min_size=1, max_size=classes))
    assume(np.any(counts))
    return counts


@st.composite
def metrics(draw: DrawFn, size: int) -> list[list[int]]:
    """Random metrics: shortest paths in a random complete graph."""
    weight = [[draw(st.integers(1, 20)) for _ in range(size)] for _ in range(size)]
    d = [[0 if i == j else min(weight[i][j], weight[j][i]) for j in range(size)] for i in range(size)]
    for h in range(size):
        for i in range(size):
            for j in range(size):
                d[i][j] = min(d[i][j], d[i][h] + d[h][j])
    return d
