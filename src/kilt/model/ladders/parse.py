"""Reading a ladder as the command line writes it: bands=5,10,20|18..90/from=5."""

from __future__ import annotations

import re
from collections.abc import Callable

from kilt.errors import InputError, nearest
from kilt.model.ladders.bands import Bands
from kilt.model.ladders.base import Ladder
from kilt.model.ladders.characters import Characters
from kilt.model.ladders.dates import LEVELS, Dates
from kilt.model.ladders.equal_groups import EqualGroups
from kilt.model.ladders.limited import KEEP, LAST, Limited
from kilt.model.ladders.masking import Prefix, Right
from kilt.model.ladders.path import PathLadder
from kilt.model.ladders.suppression import Suppression
from kilt.model.ladders.taxonomic import Taxonomic
from kilt.model.taxonomy import Taxonomy

LADDERS: dict[str, Ladder] = {
    "suppress": Suppression(),
    "keep": KEEP,
    "characters": Characters(),
    "prefix": Prefix(),
    "right": Right(),
}
PARSED: dict[str, Callable[[str, str | None], Ladder]] = {  # those that are given something behind =
    "bands": lambda text, _: _bands(text),
    "groups": lambda text, _: EqualGroups(_whole_numbers(text, "groups", "groups=16,4")),
    "date": lambda text, form: Dates(tuple(text.split(",")), form),
    "prefix": lambda text, _: Prefix(_whole_numbers(text, "prefix", "prefix=4,2")),
    "right": lambda text, _: Right(_whole_numbers(text, "right", "right=4,2")),
}
TAXONOMY = "taxonomy"
_WORD = re.compile(r"(?P<name>[a-z]+)(?:\((?P<form>.*)\))?(?:=(?P<argument>.*))?", re.DOTALL)
_NUMBER = r"-?[0-9]*\.?[0-9]+"
_BANDS = re.compile(
    rf"(?P<widths>[^@|]+)(?:@(?P<origin>{_NUMBER}))?(?:\|(?P<bottom>{_NUMBER})?\.\.(?P<top>{_NUMBER})?)?", re.DOTALL
)
_LEVEL = r"[^/=!]+"
_LIMITS = re.compile(
    rf"(?P<ladder>.*?)(?P<last>!)?(?:/from=(?P<least>{_LEVEL}))?(?:/to=(?P<highest>{_LEVEL})|(?P<end>!))?", re.DOTALL
)


def parse_ladder(text: str, encoding: str | None = None, *, files: bool = True) -> Ladder:
    """Read a ladder with its limits; ``taxonomy=FILE`` only where files may be read.

    They are UTF-8, or else have the ``encoding`` of the table.
    """
    word, least, highest = parse_limits(text)
    return limited(_plain(word, text, encoding, files=files), least, highest)


def parse_limits(text: str) -> tuple[str, str | None, str | None]:
    """Split a text into the ladder, its least level and its highest level."""
    found = _LIMITS.fullmatch(text)
    if found is None:  # pragma: no cover - the first part matches anything
        raise InputError(f"'{text}' is not a ladder")
    marked = bool(found["last"] or found["end"])
    if marked and found["highest"]:
        raise InputError(f"'{text}' has two highest levels: leave out '!' or /to")
    return found["ladder"], found["least"], LAST if marked else found["highest"]


def goes_on(text: str, word: str) -> bool:
    """Say whether a word may stand behind a ladder and a comma: another width, or another level."""
    name, _, _ = parse_limits(word)
    kind = re.split(r"[(=]", text, maxsplit=1)[0]
    if kind == "date":
        return name in LEVELS or name == "week"
    return kind in PARSED and name[:1] in set("0123456789.")


def limited(ladder: Ladder, least: str | None, highest: str | None) -> Ladder:
    """Limit a ladder, if there is a limit."""
    if least is None and highest is None:
        return ladder
    if not isinstance(ladder, PathLadder) or isinstance(ladder, Limited):
        raise InputError(f"the ladder '{ladder}' has no levels that could be limited: leave out '!', /from and /to")
    return Limited(ladder, least, highest)


def _plain(word: str, text: str, encoding: str | None, *, files: bool) -> Ladder:
    found = _WORD.fullmatch(word)
    name, form, argument = (found["name"], found["form"], found["argument"]) if found else ("", None, None)
    if argument is None and form is None and name in LADDERS:
        return LADDERS[name]
    if argument and name in PARSED and (form is None or name == "date"):
        return PARSED[name](argument, form)
    if argument and name == TAXONOMY and form is None and files:
        return Taxonomic(Taxonomy.read(argument, encoding))
    known = [*LADDERS, "bands=5,10", "date=month,year", "groups=4", "prefix=4,2", "taxonomy=FILE"]
    raise InputError(f"'{text}' is not a ladder: {nearest(text, known)}")


def _bands(text: str) -> Ladder:
    found = _BANDS.fullmatch(text)
    if found is None:
        raise InputError(f"'bands' must be given widths, as in bands=5,10,20 or bands=5,10|18..90, not '{text}'")
    return Bands(found["widths"].split(","), found["origin"] or 0, found["bottom"] or None, found["top"] or None)


def _whole_numbers(text: str, word: str, example: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(re.fullmatch(r"[0-9]{1,6}", part) for part in parts):
        raise InputError(f"'{word}' must be given whole numbers, as in {example}, not '{text}'")
    return tuple(map(int, parts))
