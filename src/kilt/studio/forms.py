"""What a browser sends: fields of forms, each once, and the bytes of files, which go straight to disk."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.requests import Request

from kilt.errors import InputError
from kilt.numbers import pluralize

MOST_FORM = 2_000_000  # bytes
MOST_FIELDS = 20_000
MOST_UPLOAD = 4_000_000_000  # bytes: what is larger need not be copied, as its path can be given
SPARE = 500_000_000  # bytes that an upload leaves free on the disk
TOO_LARGE = "the file is too large to be copied: type its path instead, and it is read where it is"


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form; a field that comes twice is refused, as nobody knows which is meant."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_FORM:
            raise InputError("the form is too large")
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=MOST_FIELDS)
    except ValueError:
        raise InputError("the form cannot be read: reload the page, and try again") from None
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise TwiceError(twice, [value for name, value in pairs if name == twice])
    return fields


class TwiceError(InputError):
    """A field that came several times."""

    def __init__(self, field: str, values: list[str]) -> None:
        super().__init__(f"'{field}' was given {pluralize(len(values), 'time')}: give it once")
        self.field, self.values = field, values


async def save_upload(request: Request, place: Path, most: int = MOST_UPLOAD) -> None:
    """Write what is sent to a file, piece by piece, so that the size of the file does not matter; or refuse it."""
    most = min(most, shutil.disk_usage(place.parent).free - SPARE)
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > most:
        raise InputError(TOO_LARGE)
    size = 0
    with place.open("wb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if size > most:
                raise InputError(TOO_LARGE)
            file.write(chunk)
    if not size:
        raise InputError("the file is empty")
