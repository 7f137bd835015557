"""Policies, ladders and spaces as plain JSON values, and back: how a certificate describes its problem."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from kilt.errors import InputError
from kilt.model.decimal_sign import POINT, decimal_of, in_decimal
from kilt.model.diversity import Recursive
from kilt.model.ladders import Ladder, Limited, Priced, Taxonomic, parse_ladder, priced
from kilt.model.ladders.parse import limited, parse_limits
from kilt.model.marks import ColumnMark, Indicator
from kilt.model.measure import Measure
from kilt.model.policy import AverageCloseness, KAnonymity, LDiversity, Policy, Principle, TCloseness
from kilt.model.spaces import SPACES, Metric, Numeric, Ordered, Space, Tree
from kilt.model.taxonomy import Taxonomy
from kilt.numbers import DECIMALS


def exact(text: str) -> Fraction:
    """Read a number as `str` writes a fraction."""
    if not re.fullmatch(r"[0-9]{1,2000}(/[0-9]{1,2000})?", text):
        raise InputError("it has a number that is not written as a fraction")
    return Fraction(text)


def policy_plain(policy: Policy) -> list[dict[str, Any]]:
    """Describe every principle, its numbers as exact text."""
    return [principle_plain(principle) for principle in policy.principles]


def principle_plain(principle: Principle) -> dict[str, Any]:
    """Describe a principle."""
    if isinstance(principle, KAnonymity):
        return {"k": principle.k}
    if isinstance(principle, LDiversity):
        form = principle.form
        name = f"recursive:{form.c}" if isinstance(form, Recursive) else form.name
        return {"l": str(principle.l), "diversity": name, "column": principle.column}
    if isinstance(principle, AverageCloseness):
        return {"average_t": str(principle.t), "column": principle.column}
    space = None if principle.space is None else space_plain(principle.space)
    return {"t": str(principle.t), "space": space, "column": principle.column}


def policy_of(plain: list[Any]) -> Policy:
    """Read what `policy_plain` wrote."""
    return Policy(*(_principle_of(_object(principle)) for principle in plain))


def _principle_of(plain: Mapping[str, Any]) -> Principle:
    if "k" in plain:
        return KAnonymity(plain["k"])
    if "l" in plain:
        return LDiversity(exact(plain["l"]), plain["diversity"], plain["column"])
    if "average_t" in plain:
        return AverageCloseness(exact(plain["average_t"]), plain["column"])
    space = None if plain["space"] is None else space_of(plain["space"])
    return TCloseness(exact(plain["t"]), space, plain["column"])


def ladder_plain(ladder: Ladder) -> dict[str, Any]:
    """Describe a ladder and its weight."""
    inner, weight = (ladder.ladder, ladder.weight) if isinstance(ladder, Priced) else (ladder, Fraction(1))
    decimal = decimal_of(inner)
    described = {"ladder": str(inner), "weight": str(weight), **({} if decimal == POINT else {"decimal": decimal})}
    plain = inner.ladder if isinstance(inner, Limited) else inner
    if isinstance(plain, Taxonomic):
        return {**described, "paths": [list(path) for path in plain.taxonomy.paths.values()]}
    try:
        known = parse_ladder(str(inner), files=False) == in_decimal(inner, POINT)
    except InputError:
        known = False
    if not known:
        raise InputError(f"a certificate cannot describe a ladder of the kind '{type(plain).__name__}'")
    return described


def ladder_of(plain: Mapping[str, Any], measure: Measure) -> Ladder:
    """Read what `ladder_plain` wrote."""
    text, weight = str(plain["ladder"]), exact(plain["weight"])
    name, least, highest = parse_limits(text)
    if name == "taxonomy":
        ladder = limited(Taxonomic(Taxonomy.of(plain["paths"])), least, highest)
    else:
        ladder = in_decimal(parse_ladder(text, files=False), _decimal(plain))
    if weight <= 0:
        raise InputError("it has a weight that is not above 0")
    return priced(ladder, weight, measure)


def mark_plain(mark: ColumnMark) -> Any:
    """Describe a mark: a text, null, or the name of its indicator."""
    return {"indicator": mark.column} if isinstance(mark, Indicator) else mark


def mark_of(plain: Any) -> ColumnMark:
    """Read what `mark_plain` wrote."""
    if isinstance(plain, Mapping):
        return Indicator(str(plain["indicator"]))
    return None if plain is None else str(plain)


def space_plain(space: Space) -> dict[str, Any]:
    """Describe a space."""
    known = next((name for name, known in SPACES.items() if known == space), None)
    if known is not None:
        return {"space": known}
    if isinstance(space, Numeric) or (isinstance(space, Ordered) and space.order is None):
        name = "numeric" if isinstance(space, Numeric) else "ordered"
        return {"space": name, "decimal": space.decimal}
    if isinstance(space, Ordered):
        return {"space": "ordered", "order": list(space.order or ())}
    if isinstance(space, Tree):
        return {"space": "tree", "paths": [list(path) for path in space.taxonomy.paths.values()]}
    if isinstance(space, Metric):
        return {
            "space": "metric",
            "values": list(space.values),
            "distance": [[str(d) for d in row] for row in space.distance],
        }
    raise InputError(f"a certificate cannot describe a space of the kind '{type(space).__name__}'")


def space_of(plain: Mapping[str, Any]) -> Space:
    """Read what `space_plain` wrote."""
    name = plain["space"]
    if name == "ordered" and "order" in plain:
        return Ordered(tuple(map(str, plain["order"])))
    if "decimal" in plain:
        return _with_decimal(name, plain["decimal"])
    if name == "tree":
        return Tree(Taxonomy.of(plain["paths"]))
    if name == "metric":
        return Metric.of(plain["values"], [[exact(d) for d in row] for row in plain["distance"]])
    if name not in SPACES:
        raise InputError("it names a space that does not exist")
    return SPACES[name]


def _decimal(plain: Mapping[str, Any]) -> str:
    decimal = plain.get("decimal", POINT)
    if decimal not in DECIMALS:
        raise InputError("it has a decimal sign that does not exist")
    return str(decimal)


def _with_decimal(name: Any, decimal: Any) -> Space:
    if name not in ("numeric", "ordered") or decimal not in DECIMALS:
        raise InputError("it has a decimal sign that does not exist, or where there can be none")
    return Numeric(decimal) if name == "numeric" else Ordered(decimal=decimal)


def _object(plain: Any) -> Mapping[str, Any]:
    if not isinstance(plain, Mapping):
        raise TypeError("an object is expected")
    return plain
