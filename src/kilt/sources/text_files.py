"""Text files as bytes: reading them (also compressed, also from standard input), and plain copies of them in UTF-8."""

from __future__ import annotations

import gzip
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from kilt.encodings import BOMS, UTF_8, decoded, people_say
from kilt.errors import InputError
from kilt.leftovers import own_name
from kilt.sources.file_format import FileFormat, FileStyle

CHUNK = 1 << 22
ORDER = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}  # what is written where the input does not say the order


def byte_chunks(form: FileFormat) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed."""
    if form.compression == "zstd":
        yield from _zstd_chunks(form.path)
        return
    if form.is_standard:
        yield from _read(_standard_input())
        return
    with gzip.open(form.path, "rb") if form.compression == "gzip" else form.path.open("rb") as file:
        yield from _read(file)


@contextmanager
def plain_copy(form: FileFormat) -> Iterator[FileFormat]:
    """Yield a copy of a text file in UTF-8 that is not compressed, whose style says how the file itself is written."""
    style = form.style

    def texts() -> Iterator[str]:
        nonlocal style
        for text, encoding, bom in decoded(byte_chunks(form), form.style.encoding, form.shown):
            style = replace(form.style, encoding=encoding, bom=bom)
            yield text

    with written_copy(form, texts()) as copy:
        yield replace(copy, style=style)


@contextmanager
def written_copy(form: FileFormat, texts: Iterable[str]) -> Iterator[FileFormat]:
    """Yield a text file in UTF-8 with these texts, which stands for another file for as long as it is read."""
    with tempfile.TemporaryDirectory(prefix=f"{own_name()}-") as folder:
        path = Path(folder) / "plain.csv"
        with path.open("w", encoding=UTF_8, newline="") as file:
            file.writelines(texts)
        style = form.style if form.kind == "csv" else replace(form.style, delimiter=",")
        yield replace(form, path=path, kind="csv", style=style, compression="none", original=form.path)


def write_encoded(plain: Path, form: FileFormat) -> None:
    """Write a text file of UTF-8 again, as a format says: its encoding, its byte order mark, its compression."""
    encoding = output_encoding(form.style)
    bom = form.style.bom or form.style.encoding in ORDER
    with plain.open("rb") as source, _opened_to_write(form) as file:
        if bom:
            file.write(BOMS.get(encoding, b""))
        for text, _, _ in decoded(_read(source), UTF_8, form.shown):
            file.write(_encoded(text, encoding))


def output_encoding(style: FileStyle) -> str:
    """Return the encoding that a release in this style is written in."""
    encoding = style.encoding or UTF_8
    return ORDER.get(encoding, encoding)


def require_encodable(texts: Iterable[str], style: FileStyle, what: str) -> None:
    """Raise if a text, such as a mark, cannot be written in an encoding."""
    for text in texts:
        try:
            text.encode(output_encoding(style))
        except UnicodeEncodeError:
            name = people_say(output_encoding(style))
            raise InputError(f"{what} '{text}' cannot be written in {name}, the encoding of the release") from None


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        raise InputError(
            f"a cell, label or name of the release cannot be written in {people_say(encoding)}: give 'encoding' utf-8"
        ) from None


def _opened_to_write(form: FileFormat) -> Any:
    if form.compression == "zstd":
        import zstandard  # noqa: PLC0415 - only where such a file is written

        return zstandard.open(form.path, "wb")
    return gzip.open(form.path, "wb") if form.compression == "gzip" else form.path.open("wb")


def _standard_input() -> IO[bytes]:
    buffer: IO[bytes] | None = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        raise InputError("'-' is standard input, and there is none: name a file")
    return buffer


def _read(file: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _zstd_chunks(path: Path) -> Iterator[bytes]:
    import zstandard  # noqa: PLC0415 - only where such a file is read

    with path.open("rb") as file:
        rest = file.read(CHUNK)
        while rest:
            frame = zstandard.ZstdDecompressor().decompressobj()
            while rest and not frame.eof:
                yield frame.decompress(rest)
                rest = frame.unused_data or file.read(CHUNK)
            if not frame.eof:
                raise EOFError
