"""The second step: what each column is."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kilt.errors import InputError, KiltError
from kilt.studio.choices import ROLE_HELP, ROLES, SPACES
from kilt.studio.forms import TwiceError
from kilt.studio.pages.page import fragment, goes_to, on_form, page, require_fresh, saved, sentence, session_of
from kilt.studio.session import Session
from kilt.studio.words import KINDS, ladder_words, offered_ladders

WORDS = {
    "roles": ROLES,
    "role_help": ROLE_HELP,
    "spaces": SPACES,
    "kinds": KINDS,
    "offered_ladders": offered_ladders,
    "ladder_words": ladder_words,
}
FIELD = re.compile(r"(role|ladder|other|space|weight)-([0-9]{1,6})")


async def view(request: Request, problem: str | None = None) -> Response:
    """Show the step."""
    return page(request, "columns", problem, **WORDS)


async def preview(request: Request) -> Response:
    """Show what a ladder makes of a column."""
    session, asked = session_of(request), request.query_params
    try:
        found = await session.preview(request.path_params["place"], asked.get("ladder", ""), asked.get("weight", ""))
    except KiltError as error:
        return fragment(request, "preview.html.jinja", preview=None, problem=sentence(str(error)))
    return fragment(request, "preview.html.jinja", preview=found, problem=None)


def read_columns(fields: dict[str, str]) -> dict[int, dict[str, str]]:
    """Put the fields of a form together by column; a ladder that was typed takes the place of one that was picked."""
    said: dict[int, dict[str, str]] = {}
    for name, value in fields.items():
        found = FIELD.fullmatch(name)
        if found is None:
            raise InputError("the form has a field that nobody asked for: reload the page")
        said.setdefault(int(found[2]), {})[found[1]] = value
    for column in said.values():
        typed = column.pop("other", "").strip()
        if column.get("ladder") == "other":
            column["ladder"] = typed
    return said


def explain(session: Session, error: KiltError) -> str:
    """Name the column that was given two roles."""
    found = FIELD.fullmatch(error.field) if isinstance(error, TwiceError) else None
    if not isinstance(error, TwiceError) or found is None or found[1] != "role":
        return str(error)
    name = dict(enumerate(session.columns)).get(int(found[2]), "a column")
    roles = " and ".join(role for role in error.values if role in ROLES)
    return f"'{name}' has two roles, {roles}: give it one"


def take_over(session: Session, fields: dict[str, str]) -> None:
    """Take over what a form says of columns."""
    for place, said in read_columns(fields).items():
        session.decide(place, said)


@on_form(view, explain)
async def save(session: Session, fields: dict[str, str]) -> Response:
    """Take over what was just changed."""
    fields.pop("version", None)
    take_over(session, fields)
    return saved()


@on_form(view, explain)
async def decide(session: Session, fields: dict[str, str]) -> Response:
    """Take over the whole form, and go on."""
    require_fresh(session, fields)
    take_over(session, fields)
    if not session.has_quasi:
        raise InputError("no column is to be blurred: choose at least one that others may know")
    for place, column in enumerate(session.columns.values()):
        if column.role == "quasi":
            await session.preview(place, column.ladder, column.weight)  # raises if the ladder does not fit
    return goes_to("policy")


ROUTES = [
    Route("/columns", view),
    Route("/columns", decide, methods=["POST"]),
    Route("/columns/save", save, methods=["POST"]),
    Route("/columns/{place:int}/preview", preview),
]
