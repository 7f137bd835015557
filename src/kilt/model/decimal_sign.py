"""The decimal sign of a table: a point, or the comma that much of the world writes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from kilt.errors import InputError
from kilt.model.roles import Roles
from kilt.numbers import DECIMALS

Kind = TypeVar("Kind")
POINT = "."


def with_decimal(roles: Roles, decimal: str | None, text_columns: Collection[str]) -> Roles:
    """Return the roles with ladders and spaces that read the numbers of text columns with this decimal sign.

    Numbers of typed columns are no text, and have a point wherever they are written.
    """
    require_decimal(decimal)
    if decimal is None:
        return roles
    return replace(
        roles,
        quasi=_read_with(roles.quasi, decimal, text_columns),
        sensitive=_read_with(roles.sensitive, decimal, text_columns),
    )


def require_decimal(decimal: str | None) -> None:
    """Raise if a decimal sign is given that is none."""
    if decimal is not None and decimal not in DECIMALS:
        raise InputError(f"'decimal' must be a point or a comma, as in --decimal , and not '{decimal}'")


def _read_with(chosen: Mapping[str, Kind], decimal: str, columns: Collection[str]) -> dict[str, Kind]:
    return {name: in_decimal(each, decimal) if name in columns else each for name, each in chosen.items()}


def in_decimal(chosen: Kind, decimal: str) -> Kind:
    """Set the field ``decimal`` of a ladder or space that has one, also inside of a ladder with a weight or limits."""
    found: Any = chosen
    names = _fields(chosen)
    if "decimal" in names:
        found = replace(found, decimal=decimal)
    elif "ladder" in names:
        found = replace(found, ladder=in_decimal(found.ladder, decimal))
    return cast(Kind, found)


def decimal_of(chosen: Any) -> str:
    """Return the decimal sign that the labels of a ladder depend on; a point, too, if they depend on none."""
    names = _fields(chosen)
    if "decimal" in names:
        return str(chosen.decimal) if names["decimal"].compare else POINT
    return decimal_of(chosen.ladder) if "ladder" in names else POINT


def _fields(chosen: Any) -> dict[str, Field[Any]]:
    return {field.name: field for field in fields(chosen)} if is_dataclass(chosen) else {}
