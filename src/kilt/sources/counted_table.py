"""A table with its roles, counted under a policy: where every command on an original begins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kilt.errors import InputError
from kilt.model.decimal_sign import with_decimal
from kilt.model.ladders import Encoding
from kilt.model.marks import MarkSpec, choose_marks
from kilt.model.policy import Policy
from kilt.model.problem import Problem
from kilt.model.roles import Roles, Spec
from kilt.model.row_types import RowTypes, encode
from kilt.numbers import IntArray
from kilt.sources.base import Source
from kilt.sources.file_format import FileStyle
from kilt.sources.registry import open_source


@dataclass(frozen=True, eq=False)
class TableDescription:
    """A table and what is said of its columns, read once: it can stand in place of the table in every command.

    ``data`` is a frame or the path of a file. ``quasi`` columns may be blurred (with their ladders), the policy is
    about the ``sensitive`` ones (with their spaces), and those in ``identifier`` are dropped; ``weights`` say how much
    a star counts in a column. ``delimiter`` separates the cells of a CSV file, ``encoding`` is that of its text, and
    ``decimal`` the decimal sign of numbers in text columns; ``sheet`` is the sheet of an Excel workbook.
    """

    data: Any
    quasi: Spec = None
    sensitive: Spec = None
    identifier: Spec = None
    weights: Spec = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None

    @classmethod
    def of(cls, data: Any, **said: Any) -> TableDescription:
        """Describe a table, unless it is described already."""
        if not isinstance(data, TableDescription):
            return cls(data, **said)
        again = [f"'{name}'" for name, value in said.items() if value is not None]
        if again:
            raise InputError(f"{', '.join(again)} is already in the TableDescription: leave it out")
        return data

    @cached_property
    def source(self) -> Source:
        """The table, opened."""
        return open_source(self.data, self.style)

    @property
    def style(self) -> FileStyle:
        """What is said of how a file is written."""
        return FileStyle(self.delimiter, self.encoding, sheet=self.sheet)

    @cached_property
    def roles(self) -> Roles:
        """The roles of its columns."""
        roles = Roles.read(self.source.columns, self.quasi, self.sensitive, self.identifier, self.weights)
        return read_decimals(roles, self.decimal, self.source)

    def count(self, policy: Policy) -> CountedTable:
        """Count the row types of the quasi columns and of the sensitive columns that the policy is about."""
        if not isinstance(policy, Policy):
            raise InputError(f"'policy' must be a policy such as kilt.Policy(k=5), not a {type(policy).__name__}")
        if not policy:
            raise InputError("the policy asks for nothing: give at least one of k, l, t and average_t")
        source, roles = self.source, self.roles
        policy_columns = policy.columns(list(roles.sensitive))
        for name in set(roles.sensitive) - set(policy_columns):
            roles.sensitive[name].on(source.distinct(name), name)  # raises early if a space does not fit
        counted = source.count(list(roles.quasi), policy_columns)
        encodings = encode(counted.types, roles.quasi)
        return CountedTable(source, roles, policy, policy_columns, counted.types, counted.type_of_row, encodings)


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A table with its roles, and the row types of its quasi columns and of the columns that the policy is about."""

    source: Source
    roles: Roles
    policy: Policy
    policy_columns: list[str]
    types: RowTypes
    type_of_row: IntArray
    encodings: list[Encoding]

    @cached_property
    def problem(self) -> Problem:
        """The problem, in integers; raises if no release can meet the policy."""
        spaces = {name: self.roles.sensitive[name] for name in self.policy_columns}
        return Problem.of_encoded(self.types, self.encodings, spaces, self.policy)

    def under(self, policy: Policy) -> CountedTable:
        """Return the same counts under another policy, which is about the same columns."""
        if policy.columns(list(self.roles.sensitive)) != self.policy_columns:
            raise AssertionError("another policy must speak of the columns that were counted")
        return replace(self, policy=policy)


def read_decimals(roles: Roles, decimal: str | None, source: Source) -> Roles:
    """Return the roles of a table whose text columns have numbers with this decimal sign."""
    named = [*roles.quasi, *roles.sensitive] if decimal else []
    return with_decimal(roles, decimal, [name for name in named if not source.typed(name)])


def require_mark(table: CountedTable, mark: MarkSpec) -> None:
    """Raise if a mark could be mistaken for a value, as the command that writes a release would."""
    if mark is not None:
        typed = {name: table.source.typed(name) for name in table.roles.quasi}
        choose_marks(table.types, table.roles.quasi, typed, mark, table.source.columns)
