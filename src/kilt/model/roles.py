"""Roles: which columns are quasi, sensitive or identifier; every other column is kept as it is."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

from kilt.errors import InputError, nearest, raise_all
from kilt.model.ladders import LADDERS, Ladder, goes_on, parse_ladder, priced
from kilt.model.measure import DEFAULT, Measure, parse_measure
from kilt.model.spaces import SPACES, Space, parse_space
from kilt.numbers import Number, rational

Spec: TypeAlias = str | Sequence[Any] | Mapping[Any, Any] | None
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Roles:
    """The quasi columns with their ladders, the sensitive ones with their spaces, and the identifiers.

    Those in ``keep`` have no role, as all others, but somebody has decided that they are released as they are.
    """

    quasi: Mapping[str, Ladder]
    sensitive: Mapping[str, Space]
    identifier: tuple[str, ...] = ()
    measure: Measure = DEFAULT
    keep: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        columns: Sequence[str],
        quasi: Spec,
        sensitive: Spec = None,
        identifier: Spec = None,
        weights: Spec = None,
        measure: Measure | str | None = None,
        *,
        keep: Spec = None,
        encoding: str | None = None,
        partial: bool = False,
    ) -> Roles:
        """Read the roles as the user gave them, and check them against the columns of the table.

        A spec is ``"age,zip:characters"``, a list of such words, or a mapping from names to ladders
        (or spaces, or their names); the files that these name are UTF-8, or else have the ``encoding`` of the table. If
        they are ``partial``, no quasi column has to be among them.
        """
        problems: list[str] = []
        given = {
            "quasi": _continued(_entries(quasi, columns), columns, problems),
            "sensitive": _entries(sensitive, columns),
            "identifier": _entries(identifier, columns, plain=True),
            "keep": _entries(keep, columns, plain=True),
        }
        _check_names(given, columns, problems)
        if not given["quasi"] and not partial:
            problems.append("'quasi' needs at least one column: those that could identify a person")
        ladders = _made(given["quasi"], parse_ladder, LADDERS["suppress"], encoding, problems)
        spaces = _made(given["sensitive"], parse_space, SPACES["equal"], encoding, problems)
        weighed = _weights(weights, problems)
        problems += [
            f"'weights' names '{name}', which is not a quasi column: {nearest(name, ladders)}"
            for name in weighed
            if name not in ladders
        ]
        raise_all(problems)
        chosen = parse_measure(measure)
        quasi = {name: priced(ladder, weighed.get(name, Fraction(1)), chosen) for name, ladder in ladders.items()}
        dropped, kept = (tuple(name for name, _ in given[role]) for role in ("identifier", "keep"))
        return cls(quasi, spaces, dropped, chosen, kept)

    def undecided(self, columns: Sequence[str]) -> list[str]:
        """Return the columns that nobody has said anything of."""
        decided = {*self.quasi, *self.sensitive, *self.identifier, *self.keep}
        return [name for name in columns if name not in decided]


def words(spec: Spec) -> list[Any]:
    """Split ``"a,b"`` (quotes protect commas) or a list of such texts into words."""
    if spec is None:
        return []
    if isinstance(spec, str):
        return [word.strip() for word in next(csv.reader([spec], skipinitialspace=True), []) if word.strip()]
    return [word for each in spec for word in (words(each) if isinstance(each, str) else [each])]


def _entries(spec: Spec, columns: Sequence[str], *, plain: bool = False) -> list[tuple[str, Any]]:
    if isinstance(spec, Mapping):
        return [(str(name), option) for name, option in spec.items()]
    given = spec if isinstance(spec, Sequence) and not isinstance(spec, str) else None
    whole = [word for word in given if str(word) in columns] if given else []
    split = [word for word in given if str(word) not in columns] if given else spec
    return [(str(w), None) for w in whole] + [_entry(str(w), columns, plain) for w in words(split)]


def _continued(entries: list[tuple[str, Any]], columns: Sequence[str], problems: list[str]) -> list[tuple[str, Any]]:
    """Join what a comma in a ladder has split: behind ``age:bands=5``, the word ``10`` goes on with the bands."""
    joined: list[tuple[str, Any]] = []
    for word, option in entries:
        before = joined[-1] if joined and isinstance(joined[-1][1], str) and "=" in joined[-1][1] else None
        if word in columns or option is not None or before is None:
            joined.append((word, option))
        elif goes_on(before[1], word):
            joined[-1] = before[0], f"{before[1]},{word}"
        else:
            problems.append(
                f"'quasi' has '{word}', which is neither a column nor goes on with the ladder "
                f"'{before[1]}': {nearest(word, columns)}"
            )
    return joined


def _entry(word: str, columns: Sequence[str], plain: bool) -> tuple[str, str | None]:
    """Split ``zip:characters`` at the first colon that has the name of a column before it."""
    if word in columns or plain:
        return word, None
    parts = word.split(":")
    for count in range(1, len(parts)):
        name = ":".join(parts[:count])
        if name in columns:
            return name, ":".join(parts[count:])
    return (parts[0], ":".join(parts[1:]) or None) if len(parts) > 1 else (word, None)


def _check_names(given: Mapping[str, list[tuple[str, Any]]], columns: Sequence[str], problems: list[str]) -> None:
    role_of: dict[str, str] = {}
    for role, entries in given.items():
        for name, _ in entries:
            if name not in columns:
                problems.append(f"'{role}' names '{name}', which is not a column: {nearest(name, columns)}")
            elif role_of.get(name) == role:
                problems.append(f"'{role}' names '{name}' twice")
            elif name in role_of:
                problems.append(f"'{name}' has two roles, {role_of[name]} and {role}: give it one")
            role_of.setdefault(name, role)


def _made(
    entries: Iterable[tuple[str, Any]],
    parse: Callable[[str, str | None], Kind],
    default: Kind,
    encoding: str | None,
    problems: list[str],
) -> dict[str, Kind]:
    made: dict[str, Kind] = {}
    wanted = "encode" if hasattr(default, "encode") else "on"
    for name, option in entries:
        try:
            made[name] = parse(option, encoding) if isinstance(option, str) else default if option is None else option
        except InputError as error:
            problems.append(f"'{name}': {error}")
        if not isinstance(option, str) and not hasattr(made[name], wanted):
            what = "a ladder" if wanted == "encode" else "a space"
            problems.append(f"'{name}' must be given {what} or the name of one, not a {type(option).__name__}")
    return made


def _weights(spec: Spec, problems: list[str]) -> dict[str, Fraction]:
    pairs: list[tuple[str, Number]]
    if isinstance(spec, Mapping):
        pairs = [(str(name), weight) for name, weight in spec.items()]
    else:
        pairs = [(name, weight) for name, _, weight in (str(word).rpartition("=") for word in words(spec))]
    weights: dict[str, Fraction] = {}
    for name, weight in pairs:
        try:
            weights[name] = rational(weight)
        except (ValueError, ZeroDivisionError):
            weights[name] = Fraction(0)
        if weights[name] <= 0:
            problems.append(f"'weights' must give '{name}' a number above 0, as in {name or 'age'}=2")
    return weights
