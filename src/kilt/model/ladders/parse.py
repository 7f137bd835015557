"""Reading a ladder as the command line writes it: bands=5,10,20|18..90/from=5."""

from __future__ import annotations

import re
from collections.abc import Callable

from kilt.errors import InputError, nearest
from kilt.model.ladders.base import Ladder
from kilt.model.ladders.characters import Characters
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
PARSED: dict[str, Callable[[str], Ladder]] = {  # those that are given something behind =
    "prefix": lambda text: Prefix(_lengths(text, "prefix")),
    "right": lambda text: Right(_lengths(text, "right")),
}
TAXONOMY = "taxonomy"
_LEVEL = r"[^/=!]+"
_LIMITS = re.compile(
    rf"(?P<ladder>.*?)(?:/from=(?P<least>{_LEVEL}))?(?:/to=(?P<highest>{_LEVEL})|(?P<last>!))?", re.DOTALL
)


def parse_ladder(text: str, *, files: bool = True) -> Ladder:
    """Read a ladder with its limits; ``taxonomy=FILE`` only where files may be read."""
    word, least, highest = parse_limits(text)
    return limited(_plain(word, text, files), least, highest)


def parse_limits(text: str) -> tuple[str, str | None, str | None]:
    """Split a text into the ladder, its least level and its highest level."""
    found = _LIMITS.fullmatch(text)
    if found is None:  # pragma: no cover - the first part matches anything
        raise InputError(f"'{text}' is not a ladder")
    return found["ladder"], found["least"], LAST if found["last"] else found["highest"]


def limited(ladder: Ladder, least: str | None, highest: str | None) -> Ladder:
    """Limit a ladder, if there is a limit."""
    if least is None and highest is None:
        return ladder
    if not isinstance(ladder, PathLadder) or isinstance(ladder, Limited):
        raise InputError(f"the ladder '{ladder}' has no levels that could be limited: leave out '!', /from and /to")
    return Limited(ladder, least, highest)


def _plain(word: str, text: str, files: bool) -> Ladder:
    name, equals, argument = word.partition("=")
    if name in LADDERS and not equals:
        return LADDERS[name]
    kind = name.partition("(")[0]
    if kind in PARSED and argument:
        return PARSED[kind](word if kind != name else argument)
    if name == TAXONOMY and argument and files:
        return Taxonomic(Taxonomy.read(argument))
    known = dict.fromkeys([*LADDERS, *(f"{name}=" for name in PARSED), "taxonomy=FILE"])
    raise InputError(f"'{text}' is not a ladder: {nearest(text, known)}")


def _lengths(text: str, word: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(re.fullmatch(r"[0-9]{1,6}", part) for part in parts):
        raise InputError(f"'{word}' must be given numbers of visible characters, as in {word}=4,2, not '{text}'")
    return tuple(map(int, parts))
