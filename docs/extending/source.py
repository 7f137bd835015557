"""A source: a list of dicts, one for each row, through the source for frames."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kilt import InputError
from kilt.sources.frame import FrameSource


class Records(FrameSource):
    """A list of dicts with the same keys, or a frame made of one; the release is such a list, too."""

    def __init__(self, records: list[dict[str, Any]] | pd.DataFrame) -> None:
        if isinstance(records, list) and any(record.keys() != records[0].keys() for record in records):
            raise InputError("the records do not all have the same keys")
        super().__init__(pd.DataFrame(records, dtype=object))  # cells stay what they are: 34 does not become 34.0

    @property
    def native(self) -> list[dict[str, Any]]:
        """The rows as dicts; a missing cell is None."""
        return [{k: None if pd.isna(v) else v for k, v in row.items()} for row in super().native.to_dict("records")]


def open_records(data: Any) -> Records | None:
    """Open a list of dicts; anything else is for another source."""
    return Records(data) if isinstance(data, list) and data and isinstance(data[0], dict) else None
