"""The last step: what came of it, beside what it was, and all that can be taken along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from kilt.errors import KiltError
from kilt.studio.pages.page import fragment, page, sentence, session_of
from kilt.studio.repeat import command_text, config_text
from kilt.studio.security import REPORT_POLICY
from kilt.studio.session import Session

SHOWN = 20  # rows of a page
AT_ONCE = 0.3  # seconds that a page waits for them
FILES = {"release": "output", "report": "report", "certificate": "certificate"}


async def view(request: Request, problem: str | None = None) -> Response:
    """Show the step, with some rows before and after; those of a large table come a little later."""
    session = session_of(request)
    if session.run.state != "done":
        return page(request, "result")
    settings = session.run.about["settings"]
    known = await rows_of(request, session)
    return page(request, "result", problem, settings=settings, command=command_text(settings), **known)


async def live_rows(request: Request) -> Response:
    """Show the rows, as soon as they are read."""
    session = session_of(request)
    if session.run.state != "done":
        return PlainTextResponse("There is no release.\n", 404)
    return fragment(request, "rows.html.jinja", **await rows_of(request, session))


async def rows_of(request: Request, session: Session) -> dict[str, Any]:
    """Return some rows before and after, or why there are none, or nothing if they are not read yet."""
    found = session.run.result
    first = _first(request, found["rows"])
    known = {"found": found, "first": first, "shown": SHOWN, "rows": None, "missing": None}
    try:
        task = session.show_rows(first, SHOWN)
    except KiltError as error:
        return {**known, "missing": sentence(str(error))}
    await task.settle(AT_ONCE)
    if task.state == "failed":
        return {**known, "missing": sentence(task.problem or "")}
    return {**known, "rows": side_by_side(task.result) if task.state == "done" else None}


def _first(request: Request, rows: int) -> int:
    asked = request.query_params.get("from", "1")
    first = int(asked) - 1 if asked.isascii() and asked.isdigit() and len(asked) < 12 else 0
    return max(0, min(first, rows - 1))


def side_by_side(found: dict[str, Any]) -> dict[str, Any]:
    """Say of every cell of a release whether it differs from that of the table."""
    places = {name: place for place, name in enumerate(found["columns"])}
    after = [
        [
            (cell, name not in places or cell != before[places[name]])
            for name, cell in zip(found["released"], row, strict=True)
        ]
        for before, row in zip(found["before"], found["after"], strict=True)
    ]
    dropped = [name not in found["released"] for name in found["columns"]]
    return {**found, "after": after, "dropped": dropped}


async def report(request: Request) -> Response:
    """Show the report on a page of its own, which may run nothing."""
    place = _place(session_of(request), "report")
    if place is None:
        return PlainTextResponse("There is no report.\n", 404)
    return FileResponse(place, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY})


async def download(request: Request) -> Response:
    """Send a file."""
    session, what = session_of(request), request.path_params["what"]
    if session.run.state == "done" and what == "config":
        text = config_text(session.run.about["settings"])
        return PlainTextResponse(text, headers={"Content-Disposition": 'attachment; filename="kilt.toml"'})
    place = _place(session, what)
    if place is None:
        return PlainTextResponse("There is no such file.\n", 404)
    return FileResponse(place, filename=place.name, media_type="application/octet-stream")


def _place(session: Session, what: str) -> Path | None:
    """Return a file of the last run, by what it is and never by a name."""
    if session.run.state != "done":
        return None
    file = session.run.about["file"]
    known = {what: session.run.about["files"].get(name) for what, name in FILES.items()}
    found = {**known, "table": file.path if file.example else None}.get(what)
    return Path(found) if found and Path(found).is_file() else None


ROUTES = [
    Route("/result", view),
    Route("/result/rows", live_rows),
    Route("/result/report", report),
    Route("/result/file/{what}", download),
]
