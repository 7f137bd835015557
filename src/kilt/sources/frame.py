"""DataFrames (pandas, polars, pyarrow) as a source, through narwhals: the same kind comes back."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Self

import narwhals as nw
import numpy as np

from kilt.arrays.ragged import bucket
from kilt.errors import InputError
from kilt.model.ladders import Domain
from kilt.model.marks import HIDDEN
from kilt.model.plan import ColumnPlan, Plan
from kilt.model.row_types import RowTypes
from kilt.numbers import IntArray
from kilt.sources.base import Counted, CountedRow, LostCells, require_compared
from kilt.sources.frame_types import as_text, nulled
from kilt.sources.indicators import TRUTH_VALUES, require_indicator
from kilt.sources.order import value_order
from kilt.sources.tally import Comparison, Pair, Tally, ValueCounts

PLAIN = (str, int, bool)
DUPLICATE = "the frame has two columns of the same name: every column needs its own"


class FrameSource:
    """A frame of the user's, which is read and never changed."""

    def __init__(self, native: Any) -> None:
        frame = _open(native)
        self._origins: IntArray | None = None  # the row of the original that each row was made of, if that is known
        self._labels: Any = None
        self.notes: tuple[str, ...] = ()
        if frame.implementation.is_pandas():
            self._labels = frame.to_native().columns
            names = [str(label) for label in self._labels]
            if len(set(names)) < len(names):
                raise InputError(DUPLICATE)
            if type(frame.to_native().index).__name__ != "RangeIndex":
                self.notes = ("the index of the frame is kept as it is: reset it if it could identify a person",)
            frame = nw.from_native(frame.to_native().set_axis(names, axis=1), eager_only=True)
        self._frame = frame
        self.columns: list[str] = list(frame.columns)
        if not self.columns or not len(frame):
            raise InputError("the frame has no rows" if self.columns else "the frame has no columns")

    def derived(self, native: Any, origins: IntArray | None) -> Self:
        """Return another frame as a source of the same kind."""
        source = type(self)(native)
        source._origins = origins
        return source

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self._frame)

    def typed(self, column: str) -> bool:
        """Say whether the column holds something other than text."""
        series = self._frame.get_column(column)
        kinds = {type(cell) for cell in _cells(series) if cell is not None}
        return not kinds <= {str} or (not kinds and series.dtype != nw.String)

    def is_float(self, column: str) -> bool:
        """Say whether the column holds floating-point numbers."""
        return bool(self._frame.schema[column].is_float())

    def require_texts(self, columns: Sequence[str]) -> None:
        """Raise if a column that is to be released holds lists, structs or the like."""
        kinds = {name: self._frame.schema[name] for name in columns}
        require_compared({name: str(kind) for name, kind in kinds.items() if kind.is_nested()})

    def nested(self, column: str) -> str | None:
        """Return what a column holds, if that is more than one value: lists, for example."""
        kind = self._frame.schema[column]
        return f"values of the type {kind}" if kind.is_nested() else None

    def distinct(self, column: str) -> list[str | None]:
        """Return the distinct values of a column as text."""
        return [_text(cell) for cell in dict.fromkeys(_cells(self._frame.get_column(column)))]

    def domain(self, column: str) -> Domain:
        """Return the distinct values of a column as text, with the number of rows that have each."""
        found = Counter(_cells(self._frame.get_column(column)))
        return Domain(column, [_text(cell) for cell in found], np.array(list(found.values()), dtype=np.int64))

    def counted_rows(self, columns: Sequence[str]) -> list[CountedRow]:
        """Return what is different in some columns as text, with its number of rows."""
        texts = [list(map(_text, _cells(self._frame.get_column(name)))) for name in columns]
        return list(Counter(zip(*texts, strict=True)).items())

    def count(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Counted:
        """Count the row types, and say which one each row is."""
        coded = [_coded(self._frame.get_column(name)) for name in (*quasi, *sensitive)]
        types = bucket([codes for codes, _ in coded], self.rows)
        first = types.first
        matrix = np.column_stack([codes[first] for codes, _ in coded])
        values = [texts for _, texts in coded]
        row_types = RowTypes(
            quasi=tuple(values[: len(quasi)]),
            sensitive=tuple(values[len(quasi) :]),
            quasi_codes=matrix[:, : len(quasi)],
            sensitive_codes=matrix[:, len(quasi) :],
            counts=types.lengths,
        )
        return Counted(row_types, types.ids())

    def apply(self, plan: Plan, counted: Counted, identifier: Sequence[str], seed: int | None = None) -> Self:
        """Return the release: identifiers dropped, quasi cells blurred, rows in their order or shuffled."""
        groups = plan.row_groups(counted.type_of_row, self._ranks(counted.type_of_row, plan.split_types))
        new = [self._blurred(column, groups) for column in plan.columns]
        new += [
            nw.new_series(name, column.suppressed[groups].tolist(), nw.Boolean, backend=self._frame.implementation)
            for column in plan.columns
            if (name := column.indicator) is not None
        ]
        frame = self._frame.with_columns(*new).drop(list(identifier))
        released = self.derived(self._with_labels(frame), np.arange(self.rows))
        return released if seed is None else released._shuffled(seed)

    def _ranks(self, type_of_row: IntArray, split: IntArray) -> IntArray:
        """Rank rows of some types by a hash of all their cells, as databases do: they are dealt alike; 0 for others."""
        ranks = np.zeros(self.rows, dtype=np.int64)
        rows = np.flatnonzero(np.isin(type_of_row, split))
        if len(rows):
            columns = (self._frame.get_column(name)[rows] for name in self.columns)
            texts = [_dealt_by(series, type_of_row[rows]) for series in columns]
            hashes = np.array([_digest(cells) for cells in zip(*texts, strict=True)])
            ranks[rows] = np.unique(hashes, return_inverse=True)[1]
        return ranks

    def _blurred(self, column: ColumnPlan, groups: IntArray) -> nw.Series[Any]:
        series = self._frame.get_column(column.name)
        hidden = column.hidden[groups]
        if not column.as_text:
            return nulled(series, hidden)
        shown = column.texts
        cells = [
            shown[group] if blurred else _text(cell)
            for cell, group, blurred in zip(_cells(series), groups.tolist(), hidden.tolist(), strict=True)
        ]
        mark = column.mark if isinstance(column.mark, str) else None
        return as_text(series, cells, mark, typed=self.typed(column.name))

    def _with_labels(self, frame: nw.DataFrame[Any]) -> Any:
        """Return a frame of the user's kind, with the user's labels of the columns that are still there."""
        native = frame.to_native()
        if self._labels is None:
            return native
        kept = [self.columns.index(name) for name in frame.columns if name in self.columns]
        labels = self._labels[kept]
        for name in frame.columns[len(kept) :]:
            labels = labels.insert(len(labels), name)
        return native.set_axis(labels, axis=1)

    def merged(self, indicators: Mapping[str, str]) -> Self:
        """Return the table with its indicators read into their columns, for the verifier."""
        new = []
        for name, column in indicators.items():
            cells = [_text(cell) for cell in _cells(self._frame.get_column(name))]
            told = [(_text(cell) or "").lower() for cell in _cells(self._frame.get_column(column))]
            pairs = Counter(zip(told, cells, strict=True))
            require_indicator(
                name,
                column,
                unclear=sum(count for (flag, _), count in pairs.items() if flag not in TRUTH_VALUES),
                not_null=sum(count for (flag, cell), count in pairs.items() if flag == "true" and cell is not None),
                like_hidden=sum(count for (_, cell), count in pairs.items() if cell == HIDDEN),
            )
            texts = [HIDDEN if flag == "true" else cell for flag, cell in zip(told, cells, strict=True)]
            new.append(nw.new_series(name, texts, nw.String, backend=self._frame.implementation))
        frame = self._frame.with_columns(*new).drop(list(indicators.values()))
        return self.derived(self._with_labels(frame), self._origins)

    @property
    def native(self) -> Any:
        """The frame, of the kind the user gave, with the user's own column labels."""
        native = self._frame.to_native()
        return native if self._labels is None else native.set_axis(self._labels, axis=1)

    def tally(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Tally:
        """Count the groups again, cell by cell."""
        columns = [_cells(self._frame.get_column(name)) for name in (*quasi, *sensitive)]
        groups: dict[tuple[Hashable, ...], int] = {}
        values: list[dict[Hashable, int]] = [{} for _ in sensitive]
        entries = []
        for cells, count in Counter(zip(*columns, strict=True)).items():
            group = groups.setdefault(cells[: len(quasi)], len(groups))
            codes = [seen.setdefault(cell, len(seen)) for seen, cell in zip(values, cells[len(quasi) :], strict=True)]
            entries.append((group, *codes, count))
        table = np.array(sorted(entries), dtype=np.int64)
        patterns = list(groups)
        return Tally(
            sizes=np.bincount(table[:, 0], table[:, -1]).astype(np.int64),
            sensitive=tuple(
                ValueCounts(name, [_text(cell) for cell in values[i]], table[:, 0], table[:, 1 + i], table[:, -1])
                for i, name in enumerate(sensitive)
            ),
            patterns=lambda chosen: [tuple(map(_text, patterns[group])) for group in chosen],
        )

    def _shuffled(self, seed: int) -> Self:
        """Return the rows in another order; an index of the frame is dropped, because it would reveal the old one.

        The shuffle starts from the order of the contents, so that knowing the seed does not reveal the original order.
        """
        codes = [_coded(self._frame.get_column(name))[0] for name in self.columns]
        order = bucket(codes, self.rows).values[np.random.default_rng(seed).permutation(self.rows)]
        native = nw.maybe_reset_index(self._frame[order]).to_native()
        return self.derived(native if self._labels is None else native.set_axis(self._labels, axis=1), order)

    def lost_cells(self, original: Any, quasi: Sequence[str], by: str | None) -> list[LostCells] | None:
        """Count rows by their value in a column of the original and the quasi cells that differ from it."""
        if not isinstance(original, FrameSource) or original.rows != self.rows:
            return None
        rows = np.arange(self.rows) if self._origins is None else self._origins
        lost = np.zeros(self.rows, dtype=np.int64)
        for name in quasi:
            before, after = (list(map(_text, _cells(source._frame.get_column(name)))) for source in (original, self))
            lost += [before[row] != now for row, now in zip(rows.tolist(), after, strict=True)]
        values = [None] * self.rows if by is None else list(map(_text, _cells(original._frame.get_column(by))))
        counted = Counter((values[row], cells) for row, cells in zip(rows.tolist(), lost.tolist(), strict=True))
        return [(value, cells, count) for (value, cells), count in counted.items()]

    def compare(self, original: Any, identifier: Sequence[str], blurred: Sequence[str]) -> Comparison:
        """Compare the cells with those of the original frame, each row with the one that it was made of."""
        if not isinstance(original, FrameSource):
            raise InputError("a frame can only be compared with a frame: give the original as a frame too")
        expected = [name for name in original.columns if name not in identifier]
        differing: dict[str, list[Pair]] = {}
        changed: dict[str, int] = {}
        for name in [] if self.rows != original.rows else [name for name in expected if name in self.columns]:
            before, after = (list(map(_text, _cells(source._frame.get_column(name)))) for source in (original, self))
            before = before if self._origins is None else [before[row] for row in self._origins.tolist()]
            pairs = Counter(pair for pair in zip(before, after, strict=True) if pair[0] != pair[1])
            if name in blurred:
                differing[name] = [(was, now, count) for (was, now), count in pairs.items()]
            else:
                changed[name] = pairs.total()
        return Comparison(
            rows=(original.rows, self.rows),
            missing=tuple(name for name in expected if name not in self.columns),
            added=tuple(name for name in self.columns if name not in expected),
            differing=differing,
            changed=changed,
            paired="order" if self._origins is None else "witness",
        )


def _open(native: Any) -> nw.DataFrame[Any]:
    kinds = (nw.Implementation.PANDAS, nw.Implementation.POLARS, nw.Implementation.PYARROW)
    try:
        frame = nw.from_native(native, eager_only=True)
    except nw.exceptions.DuplicateError:
        raise InputError(DUPLICATE) from None
    except TypeError:
        frame = None
    if not isinstance(frame, nw.DataFrame) or frame.implementation not in kinds:
        raise InputError(
            f"'data' must be a path or an eager pandas, polars or pyarrow frame, not a {type(native).__name__}"
        )
    return frame


def _cells(series: nw.Series[Any]) -> list[Hashable]:
    """Return the cells as keys that are equal exactly if they look the same; null is None."""
    null = series.is_null().to_numpy()
    cells = series.to_list()
    if null.any():
        cells = [None if gone else cell for cell, gone in zip(cells, null.tolist(), strict=True)]
    kinds = set(map(type, cells)) - {type(None)}
    if len(kinds) <= 1 and kinds <= set(PLAIN):
        return cells
    return [None if cell is None else _key(cell) for cell in cells]


def _key(cell: Any) -> Hashable:
    """Tell apart what Python calls equal: 1 and True, 0.0 and -0.0, Decimal 1.5 and 1.50."""
    if type(cell) is str:
        return cell
    if isinstance(cell, float | Decimal):
        return type(cell).__name__, str(cell)
    try:
        hash(cell)
    except TypeError:
        return type(cell).__name__, repr(cell)
    return type(cell).__name__, cell


def _text(cell: Any) -> str | None:
    """Write a key of `_cells` as text."""
    if cell is None or type(cell) is str:
        return cell
    return str(cell[1]) if isinstance(cell, tuple) else str(cell)


def _digest(cells: Sequence[str | None]) -> str:
    """Return the hash that `kilt.sources.sql.engine.digest` has databases compute."""
    text = "".join("-" if cell is None else f"{len(cell)}:{cell}" for cell in cells)
    return hashlib.md5(text.encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()


def _dealt_by(series: nw.Series[Any], types: IntArray) -> list[str | None]:
    """Return the texts by which rows are dealt: of floating-point numbers their ranks among the rows of the type."""
    if not series.dtype.is_float():
        return list(map(_text, _cells(series)))
    codes, values = _coded(series)
    found, places = np.unique(types * len(values) + codes, return_inverse=True)
    first = np.searchsorted(found, types * len(values))
    return [str(rank) for rank in (places - first).tolist()]


def _coded(series: nw.Series[Any]) -> tuple[IntArray, list[str | None]]:
    """Number the distinct cells in the order of their values."""
    cells, is_float = _cells(series), series.dtype.is_float()
    distinct = list(dict.fromkeys(cells))
    texts = [_text(cell) for cell in distinct]
    order = sorted(
        range(len(distinct)), key=lambda i: (*value_order(texts[i], is_float=is_float), str(type(distinct[i])))
    )
    number = {distinct[i]: place for place, i in enumerate(order)}
    if len(number) < len(distinct):  # pragma: no cover - keys are distinct by construction
        raise AssertionError(f"'{series.name}' has cells that cannot be told apart")
    codes = np.fromiter((number[cell] for cell in cells), dtype=np.int64, count=len(cells))
    return codes, [texts[i] for i in order]
