"""The question that a certificate answers: which columns, ladders, weights, spaces and policy its bound is about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kilt.certificates.certificate import Certificate
from kilt.certificates.serialize import ladder_plain, policy_plain, principle_plain, space_plain
from kilt.errors import printable_lines
from kilt.model.ladders import Ladder
from kilt.model.measure import DEFAULT, Measure
from kilt.model.policy import KAnonymity, Policy, Principle, TCloseness
from kilt.model.spaces import Space
from kilt.numbers import pluralize


@dataclass(frozen=True)
class Question:
    """Columns with their ladders and weights, sensitive columns with their spaces, dropped columns, and a policy."""

    policy: Policy
    quasi: Mapping[str, Ladder]
    sensitive: Mapping[str, Space]
    identifier: tuple[str, ...] = ()
    measure: Measure = DEFAULT

    @classmethod
    def of(cls, certificate: Certificate) -> Question:
        """Return the question of a certificate."""
        return cls(
            certificate.policy,
            certificate.quasi,
            certificate.sensitive,
            certificate.identifier,
            certificate.measure,
        )

    def text(self) -> str:
        """Say it in a few lines."""
        lines = [
            f"policy: {policy_text(self.policy)}",
            f"quasi: {', '.join(f'{name}:{ladder_text(ladder)}' for name, ladder in self.quasi.items())}",
            f"measure: {self.measure}",
        ]
        if self.sensitive:
            lines.append(f"sensitive: {', '.join(f'{n}:{space_text(space)}' for n, space in self.sensitive.items())}")
        if self.identifier:
            lines.append(f"identifier: {', '.join(self.identifier)}")
        return printable_lines(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values, written as in the certificate."""
        return {
            "policy": policy_plain(self.policy),
            "measure": self.measure.name,
            "quasi": {name: ladder_plain(ladder) for name, ladder in self.quasi.items()},
            "sensitive": {name: space_plain(space) for name, space in self.sensitive.items()},
            "identifier": list(self.identifier),
        }


@dataclass(frozen=True)
class Demand:
    """What somebody expects the question to be; None where anything will do."""

    policy: Policy | None = None
    quasi: Mapping[str, Ladder] | None = None
    sensitive: Mapping[str, Space] | None = None
    identifier: tuple[str, ...] | None = None
    measure: Measure | None = None

    def differences(self, question: Question) -> list[str]:
        """Say in what a question differs from this; nothing if it does not."""
        return [
            *(() if self.policy is None else self._policy(question, self.policy)),
            *(() if self.quasi is None else _ladders(question.quasi, self.quasi)),
            *(() if self.sensitive is None else self._spaces(question, self.sensitive)),
            *(() if self.identifier is None else _columns("identifier", question.identifier, self.identifier)),
            *(() if self.measure in (None, question.measure) else self._measure(question)),
        ]

    def _policy(self, question: Question, policy: Policy) -> Iterator[str]:
        spaces = question.sensitive if self.sensitive is None else self.sensitive
        if _principles(policy, spaces) != _principles(question.policy, question.sensitive):
            yield f"its policy is {policy_text(question.policy)}, and not {policy_text(policy)}"

    def _measure(self, question: Question) -> Iterator[str]:
        yield f"its measure is {question.measure}, and not {self.measure}"

    def _spaces(self, question: Question, sensitive: Mapping[str, Space]) -> Iterator[str]:
        """Compare the columns that the policy is about; a certificate names no others."""
        names = _policy_columns(self.policy or question.policy, sensitive)
        if self.policy is not None and not names:
            return  # the policy has nothing to say of any: if the other one has, that is said
        if set(question.sensitive) != set(names):
            yield from _columns("sensitive", tuple(question.sensitive), names or tuple(sensitive))
        for name in names:
            found = question.sensitive.get(name)
            if found is not None and space_plain(found) != space_plain(sensitive[name]):
                yield f"the space of '{name}' is {_apart(space_text, found, sensitive[name])}"


def _columns(role: str, found: tuple[str, ...], demanded: tuple[str, ...]) -> Iterator[str]:
    if set(found) != set(demanded):
        yield f"its {role} columns are {', '.join(found) or 'none'}, and not {', '.join(demanded) or 'none'}"


def _ladders(found: Mapping[str, Ladder], demanded: Mapping[str, Ladder]) -> Iterator[str]:
    yield from _columns("quasi", tuple(found), tuple(demanded))
    for name, ladder in demanded.items():
        if name in found and ladder_plain(found[name]) != ladder_plain(ladder):
            yield f"the ladder of '{name}' is {_apart(ladder_text, found[name], ladder)}"


def _apart(text: Any, found: Any, demanded: Any) -> str:
    """Name two things that differ, also where their names do not."""
    same = text(found) == text(demanded)
    return f"another {text(found)}" if same else f"{text(found)}, and not {text(demanded)}"


def _policy_columns(policy: Policy, sensitive: Mapping[str, Space]) -> tuple[str, ...]:
    named = [principle.column for principle in policy.principles if not isinstance(principle, KAnonymity)]
    return tuple(name for name in sensitive if None in named or name in named)


def _principles(policy: Policy, spaces: Mapping[str, Space]) -> set[str]:
    """Return what a policy asks for of each column, in a form that does not depend on how it was said."""
    return {json.dumps(each, sort_keys=True) for p in policy.principles for each in _by_column(p, spaces)}


def _by_column(principle: Principle, spaces: Mapping[str, Space]) -> Iterator[dict[str, Any]]:
    plain = principle_plain(principle)
    if isinstance(principle, KAnonymity):
        yield plain
        return
    for name in spaces if principle.column is None else [principle.column]:
        own = isinstance(principle, TCloseness) and principle.space is None and name in spaces
        yield {**plain, "column": name, **({"space": space_plain(spaces[name])} if own else {})}


def policy_text(policy: Policy) -> str:
    """Name the principles, and the spaces that they bring themselves."""
    return ", ".join(
        f"{principle} in the space {space_text(principle.space)}"
        if isinstance(principle, TCloseness) and principle.space is not None
        else str(principle)
        for principle in policy.principles
    )


def ladder_text(ladder: Ladder) -> str:
    """Name a ladder, and its weight unless that is 1."""
    plain = ladder_plain(ladder)
    paths = f" of {pluralize(len(plain['paths']), 'value')}" if "paths" in plain else ""
    weight = "" if plain["weight"] == "1" else f" (weight {plain['weight']})"
    return f"{plain['ladder']}{paths}{_sign(plain)}{weight}"


def space_text(space: Space) -> str:
    """Name a space, without the values in it."""
    plain = space_plain(space)
    values = next((plain[key] for key in ("order", "paths", "values") if key in plain), None)
    return str(plain["space"]) + _sign(plain) + ("" if values is None else f" of {pluralize(len(values), 'value')}")


def _sign(plain: Mapping[str, Any]) -> str:
    return f" with '{plain['decimal']}' as decimal sign" if "decimal" in plain else ""
