"""A table with its roles, counted under a policy: where every command on an original begins."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypedDict, TypeVar, Unpack

from kilt.errors import InputError, nearest
from kilt.model.cells import require_legal_cells
from kilt.model.decimal_sign import with_decimal
from kilt.model.detect import ColumnKind, detect, note, refusal
from kilt.model.ladders import Encoding
from kilt.model.marks import ColumnMark, MarkSpec, choose_marks
from kilt.model.measure import Measure
from kilt.model.partition import Partition
from kilt.model.plan import Plan
from kilt.model.policy import Policy
from kilt.model.problem import Problem
from kilt.model.roles import Roles, Spec
from kilt.model.row_types import RowTypes, encode
from kilt.model.scale import Scale, top_stars
from kilt.sources.base import ComparingSource, Counted, Source, sample_of
from kilt.sources.file_format import FileStyle
from kilt.sources.registry import open_source
from kilt.sources.sql.postgres.url import asked_of

Command = TypeVar("Command", bound=Callable[..., Any])


class TableSettings(TypedDict, total=False):
    """What is said of a table and its columns, as keyword arguments: the fields of a `TableDescription`."""

    quasi: Spec
    sensitive: Spec
    identifier: Spec
    weights: Spec
    measure: Measure | str | None
    keep: Spec
    delimiter: str | None
    encoding: str | None
    decimal: str | None
    sheet: str | None
    query: str | None


SETTINGS = tuple(TableSettings.__annotations__)


def takes_table(command: Command) -> Command:
    """Show the settings of a table in the signature of a command that takes them as keyword arguments."""
    signature = inspect.signature(command)
    own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    settings = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in TableSettings.__annotations__.items()
    ]
    command.__signature__ = signature.replace(parameters=[*own, *settings])  # type: ignore[attr-defined]
    return command


@dataclass(frozen=True, eq=False)
class TableDescription:
    """A table and what is said of its columns, read once: it can stand in place of the table in every command.

    ``data`` is a frame, the path of a file or the URL of a table of PostgreSQL; with a ``query`` it is the URL of a
    database, and what the query returns is the table. ``quasi`` columns may be blurred (with their ladders), the policy
    is about the ``sensitive`` ones (with their spaces), and those in ``identifier`` are dropped; ``weights`` say how
    much a star counts in a column, and the ``measure`` (loss, level or entropy) what a label costs. Columns without a
    role are released as they are; those in ``keep`` without a question or a note. ``delimiter`` separates the cells of
    a CSV file, ``encoding`` is that of its text, and ``decimal`` the decimal sign of numbers in text columns; ``sheet``
    is the sheet of an Excel workbook.
    """

    data: Any = field(repr=False)  # a URL could hold a password
    quasi: Spec = None
    sensitive: Spec = None
    identifier: Spec = None
    weights: Spec = None
    measure: Measure | str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    query: str | None = None
    keep: Spec = None

    @classmethod
    def of(cls, data: Any, **said: Unpack[TableSettings]) -> TableDescription:
        """Describe a table, unless it is described already."""
        unknown = [f"'{name}': {nearest(name, SETTINGS)}" for name in said if name not in SETTINGS]
        if unknown:
            raise TypeError(f"there is no argument {'; '.join(unknown)}")
        if not isinstance(data, TableDescription):
            return cls(data, **said)
        again = [f"'{name}'" for name, value in said.items() if value is not None]
        if again:
            raise InputError(f"{', '.join(again)} is already in the TableDescription: leave it out")
        return data

    @cached_property
    def source(self) -> Source:
        """The table, opened."""
        return open_source(self.data if self.query is None else asked_of(self.data, self.query), self.style)

    @property
    def style(self) -> FileStyle:
        """What is said of how a file is written."""
        return FileStyle(self.delimiter, self.encoding, sheet=self.sheet)

    @cached_property
    def roles(self) -> Roles:
        """The roles of its columns."""
        given = (self.quasi, self.sensitive, self.identifier, self.weights, self.measure)
        roles = Roles.read(self.source.columns, *given, keep=self.keep, encoding=self.encoding)
        return read_decimals(roles, self.decimal, self.source)

    @cached_property
    def undecided(self) -> tuple[ColumnKind, ...]:
        """What the columns are that have no role and are not in ``keep``."""
        return tuple(detect(sample_of(self.source, name)) for name in self.roles.undecided(self.source.columns))

    def require_texts(self) -> None:
        """Raise if a column that is to be released has no text to compare it by."""
        if isinstance(self.source, ComparingSource):
            self.source.require_texts([name for name in self.source.columns if name not in self.roles.identifier])

    def require_decided(self) -> tuple[str, ...]:
        """Raise if a column that could identify persons has no role; return the note that names the others."""
        self.require_texts()
        refused, noted = refusal(self.undecided), note(self.undecided)
        if refused is not None:
            raise InputError(refused)
        return () if noted is None else (noted,)

    def count(self, policy: Policy) -> CountedTable:
        """Count the row types of the quasi columns and of the sensitive columns that the policy is about."""
        if not isinstance(policy, Policy):
            raise InputError(f"'policy' must be a policy such as kilt.Policy(k=5), not a {type(policy).__name__}")
        if not policy:
            raise InputError("the policy asks for nothing: give at least one of k, l, t and average_t")
        source, roles = self.source, self.roles
        self.require_texts()
        policy_columns = policy.columns(list(roles.sensitive))
        for name in set(roles.sensitive) - set(policy_columns):
            roles.sensitive[name].on(source.distinct(name), name)  # raises early if a space does not fit
        counted = source.count(list(roles.quasi), policy_columns)
        encodings = encode(counted.types, roles.quasi)
        return CountedTable(source, roles, policy, policy_columns, counted, encodings)


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A table with its roles, and the row types of its quasi columns and of the columns that the policy is about."""

    source: Source
    roles: Roles
    policy: Policy
    policy_columns: list[str]
    counted: Counted
    encodings: list[Encoding]

    @property
    def types(self) -> RowTypes:
        """The row types."""
        return self.counted.types

    @cached_property
    def problem(self) -> Problem:
        """The problem, in integers; raises if no release can meet the policy."""
        spaces = {name: self.roles.sensitive[name] for name in self.policy_columns}
        problem = Problem.of_encoded(self.types, self.encodings, spaces, self.policy)
        require_legal_cells(problem)
        return problem

    def plan(self, partition: Partition, marks: Mapping[str, ColumnMark]) -> Plan:
        """Return the plan of a release with the groups of a partition of the problem."""
        counted = partition.expanded(self.problem.type_of, self.types.counts)
        return Plan.of(counted, self.types, self.roles.quasi, self.encodings, marks)

    def apply(self, plan: Plan, seed: int | None = None) -> Source:
        """Return the release that a plan describes, shuffled if a seed is given."""
        return self.source.apply(plan, self.counted, self.roles.identifier, seed)

    @cached_property
    def scale(self) -> Scale:
        """How costs are told of this table."""
        return Scale.of(self.roles.quasi, self.encodings, self.problem.rows)

    @property
    def top_stars(self) -> dict[str, Fraction]:
        """What it costs to hide a cell of each quasi column altogether."""
        return top_stars(self.roles.quasi, self.encodings)

    @property
    def most_stars(self) -> Fraction:
        """What it costs to hide everything."""
        return self.scale.most_stars

    @property
    def blurs(self) -> bool:
        """Whether a cell may be anything but the value or the mark."""
        return self.scale.blurs

    @property
    def counts_cells(self) -> bool:
        """Whether stars count cells: each is shown or hidden as a whole, and none counts more than another."""
        whole = not self.blurs and all(len(encoding.columns) == 1 for encoding in self.encodings)
        return whole and len(set(self.top_stars.values())) == 1

    def under(self, policy: Policy) -> CountedTable:
        """Return the same counts under another policy, which is about the same columns."""
        if policy.columns(list(self.roles.sensitive)) != self.policy_columns:
            raise AssertionError("another policy must speak of the columns that were counted")
        return replace(self, policy=policy)


def read_decimals(roles: Roles, decimal: str | None, source: Source) -> Roles:
    """Return the roles of a table whose text columns have numbers with this decimal sign.

    The numbers of a workbook are written as text with a point, whatever the sign of its texts is.
    """
    named = [*roles.quasi, *roles.sensitive] if decimal else []
    style = getattr(source, "style", None)
    of_workbook = dict(style.kinds) if isinstance(style, FileStyle) else {}
    return with_decimal(roles, decimal, [name for name in named if not source.typed(name) and name not in of_workbook])


def require_mark(table: CountedTable, mark: MarkSpec) -> None:
    """Raise if a mark could be mistaken for a value, as the command that writes a release would."""
    if mark is not None:
        typed = {name: table.source.typed(name) for name in table.roles.quasi}
        choose_marks(table.types, table.roles.quasi, typed, mark, table.source.columns)
