"""How to do the same again: the command, and a configuration that says all that was decided."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from kilt.inspection.configuration import CLOSE, DIVERSE, MARKS, ROLES, key, quoted
from kilt.report.data.command import column_word

FLAGS = {"k": "-k", "l": "-l", "t": "-t"}
HEAD = """\
# Written by kilt studio: all that was decided there. With the table in the same folder, run it with
#   kilt anonymize --config kilt.toml
"""
WEIGHTS = "How much a star counts in a column (1 elsewhere)."


def command_words(settings: Mapping[str, Any]) -> list[str]:
    """Return the words of the command that does what the settings say, which are those of `kilt.toml`."""
    words = ["kilt", "anonymize", settings["input"], "-o", settings["output"]]
    for name, value in settings.items():
        if name not in ("input", "output"):
            words += _option(name, value)
    return words


def command_text(settings: Mapping[str, Any]) -> str:
    """Return the command as a shell takes it, or that with the configuration where flags cannot say all of it."""
    if not _can_be_said(settings):
        return "kilt anonymize --config kilt.toml"
    return shlex.join(command_words(settings))


def _option(name: str, value: Any) -> Iterator[str]:
    flag = FLAGS.get(name, f"--{name}")
    if name in ("quasi", "sensitive"):
        for column, word in value.items():  # with its ladder even if it is the usual one: names alone would come first
            yield from (flag, column_word(column, word))
    elif name == "weights":
        for column, word in value.items():
            yield from (flag, f"{column}={word}")
    elif name == "mark":
        yield from (flag, ",".join(f"{column}={word}" for column, word in value.items()))
    elif isinstance(value, list):
        for column in value:
            yield from (flag, column_word(column))
    else:
        yield from (flag, str(value))


def _can_be_said(settings: Mapping[str, Any]) -> bool:
    """Say whether flags name all columns: a space at an end would be lost, and a colon read as more than a name."""
    names = [column for role in ("quasi", "sensitive", "identifier", "keep") for column in settings.get(role, ())]
    plain = all(name == name.strip() and name.isprintable() and ":" not in name for name in names)
    paired = [word for name in ("weights", "mark") for pair in settings.get(name, {}).items() for word in pair]
    apart = not any(sign in word for word in paired for sign in ',"=')
    return plain and apart and not settings["input"].startswith("-")


def config_text(settings: Mapping[str, Any]) -> str:
    """Return the configuration."""
    tables = [name for name, value in settings.items() if isinstance(value, dict)]
    simple = {name: value for name, value in settings.items() if name not in tables and value != []}
    parts = [HEAD, *(_line(name, value) for name, value in simple.items()), ""]
    for name in tables:
        lines = (f"{key(column)} = {quoted(word)}" for column, word in settings[name].items())
        parts += [f"# {_comment(name)}", f"[{name}]", *lines, ""]
    return "\n".join(parts).rstrip() + "\n"


def _line(name: str, value: Any) -> str:
    """Write a setting that is no table; numbers are texts, so that none is read as something else."""
    comment = {"l": f"# {DIVERSE}\n", "t": f"{CLOSE.splitlines()[0].partition('. ')[0]}.\n"}.get(name, "")
    if isinstance(value, list):
        return f"# {ROLES[name]}\n{name} = [{', '.join(map(quoted, value))}]"
    return f"{comment}{name} = {value if isinstance(value, int) else quoted(str(value))}"


def _comment(name: str) -> str:
    return {**ROLES, "weights": WEIGHTS, "mark": MARKS}[name]
