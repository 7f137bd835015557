"""Plain words for what the settings say, and what could be said instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

KINDS = {
    "identifier": "tells who somebody is",
    "text": "free text",
    "date": "dates",
    "number": "numbers",
    "code": "codes",
    "category": "categories",
    "constant": "the same in all rows",
    "nested": "several values in a cell",
}
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar |"}
ENCODINGS = ("utf-8", "windows-1252", "utf-16", "latin-1", "shift_jis", "gb18030")


def ladder_words(word: str) -> str:
    """Say what a ladder does."""
    name, _, argument = word.partition("=")
    name = re.sub(r"\(.*\)", "", name)
    steps = ", then ".join(argument.split(","))
    said = {
        "suppress": "show it, or hide it altogether",
        "keep": "never blur it",
        "characters": "hide single characters",
        "prefix": f"keep the first {steps} characters" if steps else "cut it from the end, step by step",
        "right": f"keep the last {steps} characters" if steps else "cut it from the front, step by step",
        "bands": f"bands of {steps}",
        "groups": f"{steps} groups of about as many rows",
        "date": f"by {steps}",
        "taxonomy": "a taxonomy from a file",
    }
    return said.get(name, word)


def offered_ladders(column: Mapping[str, Any], chosen: str) -> list[tuple[str, str]]:
    """Return ladders that may fit a column, each with what it does; the proposed one and the chosen one among them."""
    words = {
        "number": ["groups=16,4"],
        "date": ["date=month,quarter,year", "date=year,decade"],
        "code": ["prefix", "characters"],
    }.get(column["kind"], [])
    proposed = column["ladder"]
    form = re.match(r"date\(.*\)", proposed)
    words = [f"{form[0]}{word.removeprefix('date')}" if form and word.startswith("date") else word for word in words]
    return [(word, ladder_words(word)) for word in dict.fromkeys([proposed, *words, "suppress", chosen])]
