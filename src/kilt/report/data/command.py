"""The command that makes the same release again; the names of files are left out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from fractions import Fraction

from kilt.model.ladders import Ladder, Limited, Priced, Suppression
from kilt.model.measure import DEFAULT
from kilt.model.policy import AverageCloseness, KAnonymity, LDiversity, Policy, Principle
from kilt.model.roles import Roles
from kilt.model.spaces import EqualDistance, Metric, Space, Tree
from kilt.numbers import exact_text


def command_text(roles: Roles, policy: Policy, settings: Mapping[str, str], *, name_dropped: bool) -> str:
    """Write the command, with INPUT, OUTPUT and FILE in place of files; dropped columns are named on request."""
    words = ["kilt", "anonymize", "INPUT", "-o", "OUTPUT"]
    words += [word for name, ladder in roles.quasi.items() for word in ("--quasi", column_word(name, _ladder(ladder)))]
    words += [
        word for name, space in roles.sensitive.items() for word in ("--sensitive", column_word(name, _space(space)))
    ]
    dropped = [column_word(name) for name in roles.identifier] if name_dropped else ["COLUMNS"]
    words += [word for name in dropped if roles.identifier for word in ("--identifier", name)]
    words += [word for name in roles.keep for word in ("--keep", column_word(name))]
    words += [word for name, ladder in roles.quasi.items() for word in _weight(name, ladder)]
    words += [] if roles.measure == DEFAULT else ["--measure", roles.measure.name]
    words += _policy(policy)
    for name, value in settings.items():
        words += [f"--{name}", *([value] if value else [])]
    return shlex.join(words)


def column_word(name: str, more: str = "") -> str:
    """Write a column as the options take it: a name with a comma or a quote is put in quotes."""
    text = f"{name}:{more}" if more else name
    return '"' + text.replace('"', '""') + '"' if "," in name or '"' in text else text


def _ladder(ladder: Ladder) -> str:
    inner = ladder.ladder if isinstance(ladder, Priced) else ladder
    if isinstance(inner, Suppression):
        return ""
    plain = inner.ladder if isinstance(inner, Limited) else inner
    if type(plain).__str__ is object.__str__:
        return "LADDER"
    return str(inner).replace("taxonomy", "taxonomy=FILE", 1)


def _space(space: Space) -> str:
    if isinstance(space, EqualDistance):
        return ""
    if isinstance(space, Tree | Metric):
        return f"{type(space).__name__.lower()}=FILE"
    return type(space).__name__.lower()


def _weight(name: str, ladder: Ladder) -> Iterator[str]:
    weight = getattr(ladder, "weight", Fraction(1))
    if weight != 1:
        yield from ("--weights", f"{column_word(name)}={exact_text(weight)}")


def _policy(policy: Policy) -> Iterator[str]:
    """Write the principles, those of single columns as in ``-l disease=2,cost=3``."""
    numbers: dict[str, list[str]] = {}
    for principle in policy.principles:
        flag, number = _flag(principle)
        column = None if isinstance(principle, KAnonymity) else principle.column
        numbers.setdefault(flag, []).append(number if column is None else column_word(f"{column}={number}"))
    for flag, each in numbers.items():
        yield from (flag, ",".join(each))
    forms = {str(p.form): p.form.name for p in policy.principles if isinstance(p, LDiversity)}
    for form, name in forms.items():
        yield from () if name == "frequency" else ("--diversity", form)


def _flag(principle: Principle) -> tuple[str, str]:
    if isinstance(principle, KAnonymity):
        return "-k", str(principle.k)
    if isinstance(principle, LDiversity):
        return "-l", exact_text(principle.l)
    return "--average-t" if isinstance(principle, AverageCloseness) else "-t", exact_text(principle.t)
