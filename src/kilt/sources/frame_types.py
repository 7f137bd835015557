"""The types of released columns of a frame: they depend on ladder and mark alone, never on which cells are hidden."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from kilt.numbers import BoolArray


def as_text(series: nw.Series[Any], cells: list[str | None], mark: str | None, *, typed: bool) -> nw.Series[Any]:
    """Return a series of these texts: of the type that the series has if that is of text or categories.

    Categories are those that are left, in their order, and the mark, whether it occurs or not.
    """
    name, native = series.name, series.to_native()
    made = nw.new_series(name, cells, nw.String, backend=series.implementation)
    if series.dtype in (nw.Categorical, nw.Enum):
        return _with_categories(series, made, mark)
    if typed or series.implementation.is_polars():
        return made
    if series.implementation.is_pandas():
        return _of_native(type(native)(cells, index=native.index, dtype=native.dtype, name=name))
    return _of_native(made.to_native().cast(native.type)).alias(name)


def _with_categories(series: nw.Series[Any], made: nw.Series[Any], mark: str | None) -> nw.Series[Any]:
    native = series.to_native()
    if series.implementation.is_polars():
        return made.cast(nw.Categorical)  # an Enum would name the values that are hidden
    if not series.implementation.is_pandas():
        return _of_native(made.to_native().dictionary_encode()).alias(series.name)
    left = set(made.drop_nulls().to_list()) - {mark}
    known = [text for text in dict.fromkeys(map(str, native.cat.categories)) if text in left]
    categories = [*known, *sorted(left - set(known)), *([] if mark is None else [mark])]
    dtype = type(native.dtype)(categories, ordered=native.dtype.ordered)
    return _of_native(type(native)(made.to_list(), index=native.index, dtype=dtype, name=series.name))


def nulled(series: nw.Series[Any], hidden: BoolArray) -> nw.Series[Any]:
    """Return the series with null in hidden cells, its type kept and no hidden value left underneath the null."""
    name, size = series.name, len(series)
    dtype = getattr(series.to_native(), "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iub":
        series = nw.maybe_convert_dtypes(series)  # pandas: int64 would turn into float64
    if hidden.all():
        series = series.shift(size)
    else:
        series = series[np.where(hidden, hidden.argmin(), np.arange(size))]
        keep = nw.new_series("keep", (~hidden).tolist(), nw.Boolean, backend=series.implementation)
        series = series.alias("x").to_frame().select(nw.when(keep).then(nw.col("x")))["x"]
    return _without_unused(series).alias(name)


def _without_unused(series: nw.Series[Any]) -> nw.Series[Any]:
    """Drop categories that do not occur: they would name what is hidden."""
    if series.dtype not in (nw.Categorical, nw.Enum):
        return series
    native = series.to_native()
    if series.implementation.is_pandas():
        return _of_native(native.cat.remove_unused_categories())
    if series.implementation.is_polars():
        return series.cast(nw.Categorical)
    return _of_native(native.cast(native.type.value_type).dictionary_encode())


def _of_native(native: Any) -> nw.Series[Any]:
    return nw.from_native(native, series_only=True)
