"""The studio as an app: its addresses, what stands before them, and when its session begins and ends."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from functools import cache
from importlib.resources import files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from kilt.errors import unexpected_text
from kilt.studio.pages import columns, policy, result, run, table
from kilt.studio.pages.page import goes_to
from kilt.studio.security import Guard, Keys
from kilt.studio.session import Session

ASSETS = {  # name -> package, place in it, and type
    "report.css": ("kilt.report.page", "templates/style.css", "text/css"),
    "studio.css": ("kilt.studio", "static/studio.css", "text/css"),
    "studio.js": ("kilt.studio", "static/studio.js", "text/javascript"),
}


def make_app(session: Session, keys: Keys, first: str | None = None) -> ASGIApp:
    """Return the app of a session; ``first`` is the table that it begins with."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.session = session
        session.start()
        if first is not None:
            session.open_path(first)
        try:
            yield
        finally:
            session.end()

    steps = (table, columns, policy, run, result)
    routes = [Route("/", begin), Route("/static/{name}", asset), *(route for step in steps for route in step.ROUTES)]
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers={Exception: unexpected}), keys)


async def unexpected(_request: Request, error: Exception) -> Response:
    """Name an error that nobody expected, without its text, which could hold a cell."""
    return PlainTextResponse(f"{unexpected_text(error)}\n", 500)


async def begin(request: Request) -> Response:
    """Lead to the step that was looked at last, or to the run that is under way."""
    session: Session = request.app.state.session
    return goes_to("run" if session.run.is_busy else session.step)


async def asset(request: Request) -> Response:
    """Send the script or a style; there are no others, whatever the name says."""
    name = request.path_params["name"]
    if name not in ASSETS:
        return PlainTextResponse("There is no such file.\n", 404)
    package, place, kind = ASSETS[name]
    return Response(_content(package, place), media_type=kind)


@cache
def _content(package: str, place: str) -> bytes:
    return (files(package) / place).read_bytes()
