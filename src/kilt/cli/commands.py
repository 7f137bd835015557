"""The commands, by what they do with a table; their bodies import what they need."""

from kilt.cli import checking, exploring, hardness, releasing, studio, weighing
from kilt.cli.group import cli

__all__ = ["checking", "cli", "exploring", "hardness", "releasing", "studio", "weighing"]
