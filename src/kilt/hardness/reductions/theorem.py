"""The main theorem: t-closeness is NP-hard for every t in [0, 1), by a chain of reductions for every range of t.

| t | from | by |
|---|---|---|
| 0 <= t < 1/3 | 3-dimensional matching | three sensitive values |
| 1/3 <= t < 1/2 | 3-dimensional matching | four sensitive values and their metric |
| t = 1/2 | minimum bisection | (n/2)-anonymity |
| 1/2 < t < 2/3 | clique, half-clique | (cn)-anonymity for c = 1 - t |
| 2/3 <= t < 1 | minimum bisection | (n/2)-anonymity, (cn)-anonymity for c = 1 - t |
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, TypeAlias

from kilt.errors import InputError
from kilt.hardness.instances.instance import Groups
from kilt.hardness.problems.graphs import Bisection, Clique, HalfClique, Nodes
from kilt.hardness.problems.triples import Matching
from kilt.hardness.reductions.bisection import BisectionToAnonymity
from kilt.hardness.reductions.clique import CliqueToHalfClique, HalfCliqueToAnonymity, LargerHalfClique, pairs_needed
from kilt.hardness.reductions.closeness import AnonymityToCloseness
from kilt.hardness.reductions.fraction import HalfToFraction
from kilt.hardness.reductions.matching import MatchingToCloseness, MatchingToFourPoints
from kilt.hardness.reductions.reduction import Reduction
from kilt.hardness.reductions.shares import HALF, THIRD, share
from kilt.numbers import Number

Kind: TypeAlias = Literal["bisection", "half-clique", "matching"]
AnySource: TypeAlias = Bisection | Clique | HalfClique | Matching
KINDS: dict[type, Kind] = {
    Bisection: "bisection",
    Clique: "half-clique",
    HalfClique: "half-clique",
    Matching: "matching",
}


def kind_for(t: Number) -> Kind:
    """Name the problem that the hardness of t-closeness comes from."""
    number = share(t, "t")
    if number == 1:
        raise InputError("'t' must be below 1: for t=1 every row is a group, nothing is hidden and nothing is hard")
    if number < HALF:
        return "matching"
    return "half-clique" if HALF < number < 1 - THIRD else "bisection"


def to_closeness(source: AnySource, t: Number, *, compact: bool = False) -> Reduction[Any, Groups]:
    """Reduce a source to t-closeness, for any t in [0, 1), if it is of the kind that this t needs."""
    _require(source, kind_for(t), f"t={t}")
    if isinstance(source, Matching):
        return MatchingToCloseness(source, t) if share(t, "t") < THIRD else MatchingToFourPoints(source, t)
    return to_anonymity(source, 1 - share(t, "t"), compact=compact) >> partial(AnonymityToCloseness, t=t)


def to_anonymity(
    source: Bisection | Clique | HalfClique, c: Number, *, compact: bool = False
) -> Reduction[Nodes, Groups]:
    """Reduce a source to (cn)-anonymity, for 0 < c <= 1/2, if it is of the kind that this c needs."""
    number = share(c, "c")
    if not 0 < number <= HALF:
        why = "with more there is only one group" if number else "with 0 every row is a group, and nothing is hidden"
        raise InputError(f"'c' must be above 0 and at most 1/2, not {c}: {why}")
    _require(source, kind_for(1 - number), f"c={c}")
    if isinstance(source, Bisection):
        first = BisectionToAnonymity(source)
        return first if number == HALF else first >> partial(HalfToFraction, c=c, compact=compact)
    if isinstance(source, Clique):
        smaller = CliqueToHalfClique(source)
        return smaller >> partial(to_anonymity, c=c)
    pairs = pairs_needed(source, number)
    if pairs:
        return LargerHalfClique(source, pairs) >> partial(HalfCliqueToAnonymity, c=c)
    return HalfCliqueToAnonymity(source, c)


def _require(source: AnySource, kind: Kind, what: str) -> None:
    given = next((name for made, name in KINDS.items() if isinstance(source, made)), None)
    if given is None:
        names = ", ".join(made.__name__ for made in KINDS)
        raise InputError(f"the source must be one of {names}, not a {type(source).__name__}")
    if given != kind:
        raise InputError(f"{what} is hard by a reduction from {kind}, and not from {given}")
