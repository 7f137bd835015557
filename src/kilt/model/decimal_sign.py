"""The decimal sign of a table: a point, or the comma that much of the world writes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from kilt.errors import InputError
from kilt.model.roles import Roles
from kilt.numbers import DECIMALS

Kind = TypeVar("Kind")


def with_decimal(roles: Roles, decimal: str | None, text_columns: Collection[str]) -> Roles:
    """Return the roles with ladders and spaces that read the numbers of text columns with this decimal sign.

    Numbers of typed columns are no text, and have a point wherever they are written.
    """
    if decimal is None:
        return roles
    if decimal not in DECIMALS:
        raise InputError(f"'decimal' must be a point or a comma, as in --decimal , and not '{decimal}'")
    return replace(
        roles,
        quasi=_read_with(roles.quasi, decimal, text_columns),
        sensitive=_read_with(roles.sensitive, decimal, text_columns),
    )


def _read_with(chosen: Mapping[str, Kind], decimal: str, columns: Collection[str]) -> dict[str, Kind]:
    return {name: reading_with(each, decimal) if name in columns else each for name, each in chosen.items()}


def reading_with(chosen: Any, decimal: str) -> Any:
    """Set the field ``decimal`` of a ladder or space that has one, also inside of a ladder with a weight or limits."""
    names = {field.name for field in fields(chosen)} if is_dataclass(chosen) else set()
    if "decimal" in names:
        return replace(chosen, decimal=decimal)
    return replace(chosen, ladder=reading_with(chosen.ladder, decimal)) if "ladder" in names else chosen


def sign_of(chosen: Any) -> str:
    """Return the decimal sign that a ladder or a space reads numbers with."""
    return str(getattr(chosen, "decimal", None) or (sign_of(chosen.ladder) if hasattr(chosen, "ladder") else "."))
