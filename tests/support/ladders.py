"""Random ladders, with columns that they fit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kilt.model.ladders import (
    Bands,
    Characters,
    Dates,
    Domain,
    EqualGroups,
    Ladder,
    Prefix,
    Right,
    Suppression,
    Taxonomic,
)
from kilt.model.ladders.coding import Encoding
from kilt.model.ladders.dates import LEVELS
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
def _bands(draw: DrawFn) -> Ladder:
    """Draw nested widths, an origin, and where the bottom and the top begin."""
    scale = draw(st.sampled_from([1, 2, 10]))
    factors = draw(st.lists(st.integers(2, 3), max_size=2))
    widths = [Fraction(draw(st.integers(1, 7)), scale)]
    for factor in factors:
        widths.append(widths[-1] * factor)
    bottom, size = draw(st.one_of(st.none(), st.integers(-20, 20))), draw(st.one_of(st.none(), st.integers(1, 30)))
    top = None if size is None else (bottom or 0) + size
    return Bands(widths, Fraction(draw(st.integers(-5, 5)), scale), bottom, top)


@st.composite
def _dates(draw: DrawFn, form: str | None) -> Ladder:
    chosen = draw(st.sets(st.sampled_from(list(LEVELS)), min_size=1))
    return Dates(tuple(name for name in LEVELS if name in chosen), form)


def _missing(cells: SearchStrategy[str]) -> SearchStrategy[str | None]:
    return st.one_of(st.sampled_from([None, ""]), cells, cells, cells)


DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31)) | st.dates(date(2019, 11, 1), date(2020, 4, 1))
SECONDS = st.datetimes(datetime(2019, 12, 31), datetime(2020, 1, 2)).map(lambda at: at.replace(microsecond=0))
WHOLE = st.integers(-25, 60).map(str)
TENTHS = st.integers(-250, 600).map(lambda tenths: f"{Decimal(tenths) / 10}")
DRAWN["bands"] = (_bands(), _missing(WHOLE))
DRAWN["decimal bands"] = (_bands(), _missing(TENTHS))
DRAWN["date"] = (_dates(None), _missing(DAYS.map(str)))
DRAWN["timestamps"] = (_dates(None), _missing(SECONDS.map(lambda at: f"{at}+02:00")))
DRAWN["formatted date"] = (
    _dates("%d.%m.%Y"),
    _missing(DAYS.map(lambda day: f"{day.day:02}.{day.month:02}.{day.year:04}")),
)
DRAWN["groups"] = (st.sampled_from([EqualGroups((2,)), EqualGroups((4, 2)), EqualGroups((9, 3))]), _missing(WHOLE))
DRAWN["groups of texts"] = (DRAWN["groups"][0], _missing(st.text("abc", min_size=1, max_size=3)))


@st.composite
def _limited(draw: DrawFn, ladders: SearchStrategy[Ladder]) -> Ladder:
    ladder = draw(ladders)
    names = [VALUE, *ladder.names(Domain.of(["abcd"]))]
    low = draw(st.integers(0, len(names) - 1))
    high = draw(st.one_of(st.none(), st.just(LAST), st.integers(low, len(names) - 1)))
    return Limited(ladder, names[low], names[high] if isinstance(high, int) else high)


for name in ("prefix", "taxonomy", "bands", "date"):
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
