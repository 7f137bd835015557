"""The first step: which table, and whether it is read as it should be."""

from __future__ import annotations

import shutil
from pathlib import Path

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from kilt.commands.example import EXAMPLES
from kilt.errors import InputError, KiltError
from kilt.studio.forms import save_upload
from kilt.studio.pages.page import fragment, goes_to, on_form, page, sentence, session_of
from kilt.studio.session import TABLES, Session
from kilt.studio.words import DELIMITERS, ENCODINGS

WORDS = {"examples": {name: EXAMPLES[name] for name in TABLES}, "delimiters": DELIMITERS, "encodings": ENCODINGS}
STYLE = ("delimiter", "encoding", "decimal", "sheet")


async def view(request: Request, problem: str | None = None) -> Response:
    """Show the step."""
    return page(request, "table", problem, **WORDS)


async def live(request: Request) -> Response:
    """Show how far the opening of the table is."""
    return fragment(request, "table_live.html.jinja", **WORDS)


@on_form(view)
async def open_path(session: Session, fields: dict[str, str]) -> Response:
    """Open a file of this machine."""
    session.open_path(fields.get("path", ""))
    return goes_to("table")


@on_form(view)
async def open_example(session: Session, fields: dict[str, str]) -> Response:
    """Open a table that ships with kilt."""
    session.open_example(fields.get("name", ""))
    return goes_to("table")


@on_form(view)
async def correct(session: Session, fields: dict[str, str]) -> Response:
    """Open the table again, in another way."""
    session.correct({name: _written(fields.get(name, "")) for name in STYLE})
    return goes_to("table")


def _written(text: str) -> str:
    return "\t" if text in ("\\t", "\t") else text.strip() if text.strip() else ""


async def upload(request: Request) -> Response:
    """Take a file that is sent as it is, and open it."""
    session = session_of(request)
    place: Path | None = None
    try:
        place = session.place_for(request.query_params.get("name", ""))
        await save_upload(request, place)
    except OSError:
        return _refused(place, InputError("the file cannot be copied: type its path instead"))
    except KiltError as error:
        return _refused(place, error)
    except ClientDisconnect:
        return _refused(place, InputError("the file did not come whole: send it again"))
    session.open_upload(place)
    return Response(status_code=204)


def _refused(place: Path | None, error: KiltError) -> Response:
    """Remove what has come so far, and say why."""
    if place is not None:
        shutil.rmtree(place.parent, ignore_errors=True)
    return PlainTextResponse(sentence(str(error)), 422, headers={"Connection": "close"})


ROUTES = [
    Route("/table", view),
    Route("/table/live", live),
    Route("/table/open", open_path, methods=["POST"]),
    Route("/table/example", open_example, methods=["POST"]),
    Route("/table/correct", correct, methods=["POST"]),
    Route("/table/upload", upload, methods=["PUT"]),
]
