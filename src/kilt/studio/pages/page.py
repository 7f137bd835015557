"""What all steps share: how a page is rendered, which steps can be reached, and how a form is answered."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from kilt.errors import KiltError
from kilt.report.page.html import PAGES, environment
from kilt.studio.forms import read_form
from kilt.studio.session import Session
from kilt.version import NUMBER

View = Callable[..., Awaitable[Response]]
Handler = Callable[[Session, dict[str, str]], Awaitable[Response]]
Explain = Callable[[Session, KiltError], str]
CHANGED = "this was changed in another tab meanwhile: here is how it stands now, and what you typed here is not in it"
PARAMETER = re.compile(r"\w+=")
FETCHED = "x-studio"  # a header that our own script sends, where it wants a sentence and not a page


@dataclass(frozen=True)
class Step:
    """A step: its address, its name, and whether it can be reached yet."""

    name: str
    title: str
    open: bool
    current: bool = False


def session_of(request: Request) -> Session:
    """Return the session."""
    session: Session = request.app.state.session
    return session


def steps_of(session: Session, current: str = "") -> list[Step]:
    """Return all steps."""
    decided = bool(session.columns)
    reached = {
        "table": True,
        "columns": decided,
        "policy": decided and session.has_quasi,
        "run": decided and session.has_quasi and bool(session.asked),
        "result": session.run.state == "done",
    }
    return [Step(name, name.capitalize(), is_open, name == current) for name, is_open in reached.items()]


def furthest(steps: list[Step]) -> str:
    """Return the last step to which all before it lead."""
    return list(takewhile(lambda step: step.open, steps))[-1].name


def render(request: Request, template: str, **what: Any) -> str:
    """Render a template with the session."""
    made = environment("kilt.studio", PAGES)
    made.filters["sentence"] = sentence
    return made.get_template(template).render(session=session_of(request), version=NUMBER, **what)


def page(request: Request, step: str, problem: str | None = None, **what: Any) -> Response:
    """Answer with the page of a step, or lead to the first one that is missing before it."""
    session = session_of(request)
    steps = steps_of(session, step)
    reached = next(each for each in steps if each.current)
    if not reached.open:
        return goes_to(furthest(steps))
    session.step = step
    html = render(request, f"{step}.html.jinja", steps=steps, step=step, problem=problem, **what)
    return HTMLResponse(html, 422 if problem else 200)


def fragment(request: Request, template: str, **what: Any) -> Response:
    """Answer with a part of a page, which takes the place of the one that is there."""
    return HTMLResponse(render(request, template, **what))


def sentence(text: str) -> str:
    """Write an error as a sentence; a parameter with which it begins, such as l=2, stays as it is."""
    begun = text if PARAMETER.match(text) else f"{text[:1].upper()}{text[1:]}"
    return begun + ("" if text.endswith((".", "?", "!")) else ".")


def _as_it_is(_session: Session, error: KiltError) -> str:
    return str(error)


def on_form(view: View, explain: Explain = _as_it_is) -> Callable[[Handler], Callable[[Request], Awaitable[Response]]]:
    """Let a handler have the fields of a form; an error is shown, explained, on the page that it came from."""

    def decorate(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            session = session_of(request)
            try:
                response = await handler(session, await read_form(request))
            except KiltError as error:
                said = sentence(explain(session, error))
                fetched = FETCHED in request.headers
                response = PlainTextResponse(said, 422) if fetched else await view(request, problem=said)
            response.headers["X-Version"] = str(session.version)
            return response

        return answer

    return decorate


def require_fresh(session: Session, fields: dict[str, str]) -> None:
    """Raise if a form was made before something changed elsewhere."""
    if fields.pop("version", "") != str(session.version):
        raise KiltError(CHANGED)


def goes_to(step: str) -> Response:
    """Lead to another step."""
    return RedirectResponse(f"/{step}", 303)


def saved() -> Response:
    """Say that something is taken over."""
    return Response(status_code=204)
