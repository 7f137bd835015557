"""Random tables, policies, ladders and spaces for property tests."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from kilt import (
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
from kilt.model.ladders import Weighted

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
    "weighted": Weighted(Suppression(), Fraction(5, 2)),
    "taxonomy": Taxonomic(TREE),
}
SPACES = {
    "equal": EqualDistance(),
    "ordered": Ordered(),
    "numeric": Numeric(),
    "tree": Tree(TREE),
    "metric": FOUR_POINTS,
}


def cell(ladder: str):
    if ladder == "taxonomy":
        return st.sampled_from("0123")
    if ladder in ("characters", "prefix"):
        return st.one_of(st.none(), st.text(LETTERS[:2], max_size=3))
    return st.one_of(st.none(), st.sampled_from(LETTERS))


@st.composite
def tables(draw, most_rows=7, ladders=tuple(LADDERS), spaces=tuple(SPACES), most_sensitive=2, least_sensitive=0):
    """A random table: rows of text cells, the ladders of its quasi columns, the spaces of its sensitive ones."""
    quasi = draw(st.lists(st.sampled_from(ladders), min_size=1, max_size=3))
    sensitive = draw(st.lists(st.sampled_from(spaces), min_size=least_sensitive, max_size=most_sensitive))
    row = st.tuples(*(cell(name) for name in quasi), *(st.sampled_from("0123") for _ in sensitive))
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    return rows, quasi, sensitive


@st.composite
def policies(draw, sensitive: int):
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
