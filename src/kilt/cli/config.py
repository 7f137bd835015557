"""Reading ``kilt.toml``: everything that the flags of the command say can stand there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from kilt.errors import InputError, nearest, raise_all
from kilt.model.spaces import Ordered
from kilt.sources.sql.postgres.url import holds_password

TEXT, LIST, NUMBER, WHOLE, SWITCH = (
    "a text",
    "a text or a list of texts",
    "a number",
    "a whole number",
    "true or false",
)

KEYS: Mapping[str, str] = {
    "input": TEXT,
    "output": TEXT,
    "original": TEXT,
    "certificate": TEXT,
    "report": TEXT,
    "by": LIST,
    "detail": TEXT,
    "frontier": TEXT,
    "plot": TEXT,
    "quasi": LIST,
    "sensitive": LIST,
    "identifier": LIST,
    "weights": LIST,
    "measure": TEXT,
    "keep": LIST,
    "k": NUMBER,
    "l": NUMBER,
    "t": NUMBER,
    "average_t": NUMBER,
    "diversity": TEXT,
    "solver": TEXT,
    "solvers": LIST,
    "polish": SWITCH,
    "parts": WHOLE,
    "time": NUMBER,
    "time_each": NUMBER,
    "gap": NUMBER,
    "iterations": WHOLE,
    "seed": WHOLE,
    "json": SWITCH,
    "quiet": SWITCH,
    "log": SWITCH,
    "delimiter": TEXT,
    "encoding": TEXT,
    "decimal": TEXT,
    "sheet": TEXT,
    "query": TEXT,
    "engine": TEXT,
    "master": TEXT,
    "mark": TEXT,
    "shuffle": SWITCH,
    "shuffled": SWITCH,
    "strict": SWITCH,
    "escape_formulas": SWITCH,
}
PATHS = ("input", "output", "original", "certificate", "report", "frontier", "plot")
PER_COLUMN = ("quasi", "sensitive", "weights", "mark", "l", "t", "average_t")


def read_config(path: Path) -> dict[str, Any]:
    """Read a configuration; numbers keep their decimal text, and paths are relative to its folder."""
    try:
        with path.open("rb") as file:
            found = tomllib.load(file, parse_float=Decimal)
    except FileNotFoundError:
        raise InputError(f"the configuration '{path}' does not exist") from None
    except (OSError, UnicodeDecodeError):
        raise InputError(f"the configuration '{path}' cannot be read") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the configuration '{path}' is not valid TOML: {error}") from None
    problems = [f"'{key}' in '{path}' is not a setting: {nearest(key, KEYS)}" for key in found if key not in KEYS]
    problems += [
        f"'{key}' in '{path}' must be {KEYS[key]}"
        for key, value in found.items()
        if key in KEYS and not _fits(key, value)
    ]
    problems += [
        f"'{key}' in '{path}' holds a password: leave it out, and set PGPASSWORD or write it to ~/.pgpass"
        for key, value in found.items()
        if key in PATHS and holds_password(value)
    ]
    raise_all(problems)
    settings: dict[str, Any] = {
        key: str(path.parent / v) if key in PATHS and v != "-" and "://" not in v else v for key, v in found.items()
    }
    for key in ("quasi", "sensitive"):
        if key in settings:
            settings[key] = _located(settings[key], path.parent)
    if isinstance(settings.get("sensitive"), dict):
        settings["sensitive"] = {name: _space(space) for name, space in settings["sensitive"].items()}
    return settings


def _located(spec: Any, folder: Path) -> Any:
    """Look up the files that ladders and spaces name from the folder of the configuration."""
    if isinstance(spec, str):
        return re.sub(r"\b(taxonomy|tree|metric)=([^,]+)", lambda m: f"{m[1]}={folder / m[2]}", spec)
    if isinstance(spec, dict):
        return {name: _located(option, folder) for name, option in spec.items()}
    return [_located(word, folder) for word in spec] if isinstance(spec, list) else spec


def _fits(key: str, value: Any) -> bool:
    if isinstance(value, dict):
        return key in PER_COLUMN
    number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return {
        TEXT: isinstance(value, str),
        LIST: isinstance(value, str) or (isinstance(value, list) and all(isinstance(word, str) for word in value)),
        NUMBER: number or isinstance(value, str),
        WHOLE: isinstance(value, int) and not isinstance(value, bool),
        SWITCH: isinstance(value, bool),
    }[KEYS[key]]


def _space(space: Any) -> Any:
    """Read ``{order = ["low", "high"]}`` as an ordered space of words; names of spaces stay as they are."""
    if isinstance(space, dict):
        order = space.get("order")
        if set(space) != {"order"} or not isinstance(order, list):
            raise InputError("a sensitive column in the configuration must be a space or {order = [...]}")
        return Ordered(tuple(map(str, order)))
    return space
