"""A case: a table with its roles, counted under a policy; where every command on an original begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kilt.errors import InputError
from kilt.model.policy import Policy
from kilt.model.problem import Problem, RowTypes
from kilt.model.roles import Roles, Spec
from kilt.sources.base import Source
from kilt.sources.registry import open_source


@dataclass(frozen=True)
class Case:
    """What was given, and the row types of its quasi columns and of the sensitive columns that the policy speaks of."""

    source: Source
    roles: Roles
    policy: Policy
    spoken: list[str]
    types: RowTypes

    @classmethod
    def read(
        cls,
        data: Any,
        policy: Policy,
        quasi: Spec,
        sensitive: Spec,
        identifier: Spec,
        weights: Spec,
        delimiter: str | None,
    ) -> Case:
        """Open the table, read the roles, and count."""
        if not policy:
            raise InputError("the policy asks for nothing: give at least one of k, l and t")
        source = open_source(data, delimiter)
        roles = Roles.read(source.columns, quasi, sensitive, identifier, weights)
        spoken = policy.columns(list(roles.sensitive))
        for name in set(roles.sensitive) - set(spoken):
            roles.sensitive[name].on(source.distinct(name), name)  # a space that does not fit is told before the work
        return cls(source, roles, policy, spoken, source.count(list(roles.quasi), spoken))

    def problem(self) -> Problem:
        """Return the problem, in integers."""
        spaces = {name: self.roles.sensitive[name] for name in self.spoken}
        return Problem.build(self.types, self.roles.quasi, spaces, self.policy)
