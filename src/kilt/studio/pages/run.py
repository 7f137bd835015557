"""The fourth step: the search, live."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kilt.report.page.charts import progress_chart
from kilt.studio.pages.page import fragment, goes_to, on_form, page
from kilt.studio.session import Session


async def view(request: Request, problem: str | None = None) -> Response:
    """Show the step."""
    return page(request, "run", problem, progress_chart=progress_chart)


async def live(request: Request) -> Response:
    """Show how far the search is."""
    return fragment(request, "run_live.html.jinja", progress_chart=progress_chart)


@on_form(view)
async def start(session: Session, fields: dict[str, str]) -> Response:
    """Begin."""
    known: dict[str, Any] = {
        name: fields[name].strip() for name in ("iterations", "time", "seed") if fields.get(name, "").strip()
    }
    known["limit"] = "time" if fields.get("limit") == "time" else "iterations"
    chosen = replace(session.search, **known, certificate=fields.get("certificate") == "yes")
    chosen.settings()  # raises if a number is none
    session.search = chosen
    session.start_run()
    return goes_to("run")


@on_form(view)
async def take(session: Session, _fields: dict[str, str]) -> Response:
    """End the search, and take what it has."""
    session.run.stop()
    return goes_to("run")


@on_form(view)
async def abandon(session: Session, _fields: dict[str, str]) -> Response:
    """End the search, and keep nothing."""
    session.abandon_run()
    return goes_to("run")


ROUTES = [
    Route("/run", view),
    Route("/run/live", live),
    Route("/run/start", start, methods=["POST"]),
    Route("/run/take", take, methods=["POST"]),
    Route("/run/abandon", abandon, methods=["POST"]),
]
