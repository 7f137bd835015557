"""Ladders: how a quasi column may be blurred, from the value itself (level 0) up to the mark.

A ladder turns the values of a column into one or more coded *columns* of the problem, each with
its levels and what their labels cost in stars, and knows what a value looks like at given levels.
"""

from kilt.model.ladders.bands import Bands
from kilt.model.ladders.base import Ladder
from kilt.model.ladders.characters import Characters
from kilt.model.ladders.coding import CodedColumn, Encoding
from kilt.model.ladders.dates import Dates
from kilt.model.ladders.domain import MARK, Domain, Mark, Values
from kilt.model.ladders.equal_groups import EqualGroups
from kilt.model.ladders.limited import Limited
from kilt.model.ladders.masking import Prefix, Right
from kilt.model.ladders.parse import LADDERS, goes_on, parse_ladder
from kilt.model.ladders.path import PathLadder
from kilt.model.ladders.priced import Priced, never_hidden, priced
from kilt.model.ladders.suppression import Suppression
from kilt.model.ladders.taxonomic import Taxonomic

__all__ = [
    "LADDERS",
    "MARK",
    "Bands",
    "Characters",
    "CodedColumn",
    "Dates",
    "Domain",
    "Encoding",
    "EqualGroups",
    "Ladder",
    "Limited",
    "Mark",
    "PathLadder",
    "Prefix",
    "Priced",
    "Right",
    "Suppression",
    "Taxonomic",
    "Values",
    "goes_on",
    "never_hidden",
    "parse_ladder",
    "priced",
]
