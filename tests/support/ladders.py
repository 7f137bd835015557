"""Random ladders, with columns that they fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kilt.model.ladders import Characters, Domain, Ladder, Prefix, Right, Suppression, Taxonomic
from kilt.model.ladders.coding import Encoding
from kilt.model.ladders.limited import LAST, VALUE, Limited
from kilt.model.taxonomy import Taxonomy

TEXT = st.one_of(st.none(), st.text("abc", max_size=4))
LINES = [
    ["0", "low", "small"],
    ["1", "low", "small"],
    ["2", "middle", "small"],
    ["3"],
    ["4", "high", "large"],
    ["5", "high", "large"],
    ["6", "higher", "large"],
]
DRAWN: dict[str, tuple[SearchStrategy[Ladder], SearchStrategy[str | None]]] = {  # ladders, and cells that they take
    "suppress": (st.just(Suppression()), TEXT),
    "numbers": (st.just(Suppression()), st.one_of(st.none(), st.integers(-20, 20).map(str))),
    "characters": (st.just(Characters()), TEXT),
    "prefix": (st.sampled_from([Prefix(), Prefix((2,)), Prefix((3, 1))]), TEXT),
    "right": (st.sampled_from([Right(), Right((2,)), Right((3, 1))]), TEXT),
    "taxonomy": (
        st.sampled_from([Taxonomic(Taxonomy.of(LINES)), Taxonomic(Taxonomy.of([*LINES, ["", "unknown", "small"]]))]),
        st.one_of(st.none(), st.sampled_from("0123456")),
    ),
}


@st.composite
def _limited(draw: DrawFn, ladders: SearchStrategy[Ladder]) -> Ladder:
    ladder = draw(ladders)
    names = [VALUE, *ladder.names(Domain.of(["abcd"]))]
    low = draw(st.integers(0, len(names) - 1))
    high = draw(st.one_of(st.none(), st.just(LAST), st.integers(low, len(names) - 1)))
    return Limited(ladder, names[low], names[high] if isinstance(high, int) else high)


for name in ("prefix", "taxonomy"):
    DRAWN[f"limited {name}"] = (_limited(DRAWN[name][0]), DRAWN[name][1])


@st.composite
def domains(draw: DrawFn, kind: str) -> tuple[Ladder, Domain]:
    """Draw a ladder and a column that it fits."""
    ladders, cells = DRAWN[kind]
    values = draw(st.lists(cells, min_size=1, max_size=8, unique=True))
    if kind == "limited prefix":
        values = [*{*values, "abcd"}]  # the levels depend on the longest value
    counts = draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    return draw(ladders), Domain("q", values, np.array(counts))


def tightest_levels(encoding: Encoding, group: Sequence[int]) -> list[int] | None:
    """Return the lowest level of each coded column on which some values agree; None if there is none."""
    levels = []
    for j, column in enumerate(encoding.columns):
        agreeing = [
            h for h, level in enumerate(column.levels) if len({int(level[encoding.codes[i, j]]) for i in group}) == 1
        ]
        if not agreeing:
            return None
        levels.append(agreeing[0])
    return levels
