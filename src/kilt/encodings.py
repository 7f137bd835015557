"""Encodings of text: decoding without loss, and saying what a file that is not UTF-8 seems to be."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import pairwise

from kilt.errors import InputError

UTF_8 = "utf-8"
BOMS = {  # the longer marks first: that of UTF-32 begins like that of UTF-16
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    UTF_8: codecs.BOM_UTF8,
}
WITH_BOM = {"utf-8-sig": UTF_8}  # names of encodings that say the same as another with a byte order mark
EITHER_ORDER = ("utf-16", "utf-32")  # the byte order mark says in which order the bytes stand
NOT_FOR_FILES = ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7")
NAMES = {"cp1252": "windows-1252", "iso8859-1": "latin-1"}  # how people know what Python calls otherwise
MAGIC = {
    b"\x1f\x8b": "is compressed (gzip): its name must end in .gz",
    b"\x28\xb5\x2f\xfd": "is compressed (zstd): its name must end in .zst",
    b"PK\x03\x04": "is an Excel workbook or another ZIP archive: give a workbook a name that ends in .xlsx",
    b"\xd0\xcf\x11\xe0": "is an old Excel workbook: save it as .xlsx",
    b"PAR1": "is Parquet: its name must end in .parquet",
}
NEAR = 1 << 15  # how many bytes on either side of a wrong one are looked at
HINT = "give 'encoding', as in --encoding"
UNKNOWN = f"and what it is cannot be told: {HINT} windows-1250 or --encoding shift_jis"


def encoding_name(given: str) -> str:
    """Return the name that Python has for an encoding, or raise if there is no such encoding of text."""
    try:
        codec = codecs.lookup(given)
        name = codec.name
        usable = codec._is_text_encoding and name.replace("_", "-") not in NOT_FOR_FILES
    except (LookupError, ValueError, TypeError):
        usable = False
    if not usable:
        raise InputError(
            f"'encoding' must be one of text, such as utf-8, windows-1252, latin-1 or utf-16, not '{given}'"
        )
    return WITH_BOM.get(name, name)


def people_say(encoding: str) -> str:
    """Return the name by which people know an encoding."""
    return NAMES.get(encoding, encoding)


def opened(head: bytes, encoding: str | None, shown: str) -> tuple[str, bool]:
    """Return the encoding of a file that begins like this, and whether it begins with a byte order mark."""
    marked = next((name for name, mark in BOMS.items() if head.startswith(mark)), None)
    wanted = encoding or UTF_8
    if marked is not None and (marked == wanted or (wanted in EITHER_ORDER and marked.startswith(wanted))):
        return marked, True
    if encoding is None and (marked is not None or _zeros(head) is not None):
        seems = f"{shown} is not UTF-8; it seems to be UTF-{(marked or 'utf-16')[4:6]}"
        raise InputError(f"{seems}: {HINT} {(marked or 'utf-16')[:6]}")
    if marked is not None:
        raise InputError(
            f"{shown} begins with the byte order mark of {marked}, and 'encoding' says {people_say(wanted)}: "
            f"give --encoding {marked[:6] if marked != UTF_8 else marked}"
        )
    if wanted in EITHER_ORDER:
        order = _zeros(head) if wanted == "utf-16" else None
        if order is None:
            raise InputError(f"{shown} has no byte order mark: give 'encoding' {wanted}-le or {wanted}-be")
        return order, False
    return wanted, False


def decoded(chunks: Iterable[bytes], encoding: str | None, shown: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the text of a file in pieces, each with the encoding and whether a byte order mark was left out.

    Raise, with the line, at bytes that the encoding does not know, and at those that it would not write again.
    """
    decoder = None
    for chunk in chunks:
        if decoder is None:
            name, bom = opened(chunk, encoding, shown)
            decoder = _Decoder(name, shown)
            chunk = chunk.removeprefix(BOMS[name]) if bom else chunk  # noqa: PLW2901 - the mark is no text
        yield decoder.decode(chunk), name, bom
    if decoder is not None:
        yield decoder.decode(b"", final=True), name, bom


def decoded_beside(data: bytes, encoding: str | None, shown: str) -> str:
    """Return the text of a small file that stands beside a table of an encoding, such as a taxonomy.

    It may be UTF-8 whatever the table is, or say what it is by a byte order mark; else it is read as the table is.
    """
    if not data:
        return ""
    marked = next((name for name, mark in BOMS.items() if data.startswith(mark)), None)
    given = None if encoding is None else encoding_name(encoding)
    try:
        chosen = marked or (given if data.isascii() else None)  # encodings that shift from set to set are ASCII, too
        return "".join(text for text, _, _ in decoded([data], chosen, shown))
    except InputError:
        if marked or given in (None, UTF_8):
            raise
    return "".join(text for text, _, _ in decoded([data], given, shown))


class _Decoder:
    """Decodes the bytes of a file, piece by piece, and compares what it decoded, encoded again, with the bytes."""

    def __init__(self, encoding: str, shown: str) -> None:
        self.encoding, self.shown = encoding, shown
        self.lines, self.head, self.pending = 1, b"", b""
        self.decoder = codecs.getincrementaldecoder(encoding)("strict")
        self.encoder = None if encoding == UTF_8 else codecs.getincrementalencoder(encoding)("strict")

    def decode(self, chunk: bytes, *, final: bool = False) -> str:
        """Return the text of the next bytes."""
        self.head = self.head or chunk
        try:
            text = self.decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode(self.encoding, "ignore")
            near = error.object[max(0, error.start - NEAR) : error.start + NEAR]
            raise InputError(self._wrong(self.lines + before.count("\n"), near)) from None
        if self.encoder is not None:
            self._compare(text, chunk, final=final)
        self.lines += text.count("\n")
        return text

    def _compare(self, text: str, chunk: bytes, *, final: bool) -> None:
        """Raise unless the text stands for the very bytes that were read; a codec may map two to one."""
        again = self.encoder.encode(text, final) if self.encoder is not None else b""
        self.pending += chunk
        same = self.pending.startswith(again)
        self.pending = self.pending[len(again) :]
        if not same or (final and self.pending):
            raise InputError(f"{self.shown} cannot be read as {people_say(self.encoding)} and written again unchanged")

    def _wrong(self, line: int, sample: bytes) -> str:
        """Say what a file seems to be that is not what it should be."""
        for magic, sentence in MAGIC.items():
            if self.head.startswith(magic):
                return f"{self.shown} {sentence}"
        if self.encoding != UTF_8:
            return f"line {line} of {self.shown} is not valid {people_say(self.encoding)}: give another 'encoding'"
        return f"line {line} of {self.shown} is not valid UTF-8, {_seems(sample)}"


def _seems(sample: bytes) -> str:
    """Say what bytes that are not UTF-8 seem to be: letters of Western Europe stand between others, one by one."""
    high = [byte >= 0x80 for byte in sample]
    together = sum(a and b for a, b in pairwise(high))
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return UNKNOWN
    if 2 * together > sum(high):
        return UNKNOWN
    only_letters = not any(0x80 <= byte < 0xA0 for byte in sample)
    what = "Windows-1252 or Latin-1, which are the same here" if only_letters else "Windows-1252"
    return f"and seems to be {what}: {HINT} windows-1252"


def _zeros(head: bytes) -> str | None:
    """Tell UTF-16 without a byte order mark by its zeros: nearly all stand in every other place."""
    sample = head[:4096]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if max(even, odd) * 5 < len(sample) or min(even, odd) * 10 > max(even, odd):
        return None
    return "utf-16-be" if even > odd else "utf-16-le"
