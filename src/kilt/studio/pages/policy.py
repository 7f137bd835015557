"""The third step: the policy, what it costs, and what others would cost."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kilt.errors import InputError
from kilt.report.page.charts import FrontierDot, frontier_chart
from kilt.studio.choices import DIVERSITIES
from kilt.studio.pages.page import fragment, goes_to, on_form, page, require_fresh, saved, session_of
from kilt.studio.session import Session

FIELDS = ("k", "l", "t", "diversity")
AT_ONCE = 0.3  # seconds to wait for the estimate: whether a policy can be met at all is known sooner


async def view(request: Request, problem: str | None = None) -> Response:
    """Show the step; what the policy costs is estimated meanwhile."""
    session = session_of(request)
    if session.columns:
        session.weigh()
    return page(request, "policy", problem, **words(session))


async def live(request: Request) -> Response:
    """Show the estimate, as far as it is."""
    session_of(request).weigh()
    return fragment(request, "estimate.html.jinja")


async def live_frontier(request: Request) -> Response:
    """Show the frontier, as far as it is."""
    return fragment(request, "frontier.html.jinja", **words(session_of(request)))


def words(session: Session) -> dict[str, Any]:
    """Return what the page needs beside the session."""
    return {"diversities": DIVERSITIES, "rows": frontier_rows(session), "frontier_chart": chart_of}


def frontier_rows(session: Session) -> list[dict[str, Any]]:
    """Return the policies of the frontier, those that are not solved yet without a point."""
    about = session.frontier.about or {}
    points = session.frontier.result or session.frontier.said or []
    known = {_number(point["policy"], about["vary"]): point for point in points}
    chosen = getattr(session.policy, about["vary"]) if about else ""
    return [
        {"number": number, "point": known.get(number), "chosen": number == chosen}
        for number in about.get("numbers", ())
    ]


def _number(policy: str, name: str) -> str:
    """Return what a policy, as it is written, has for k, l or t."""
    for part in policy.split(", "):
        key, _, value = part.partition("=")
        if key == name:
            return value.partition(" ")[0]
    return ""


def chart_of(session: Session, rows: list[dict[str, Any]]) -> Any:
    """Draw the frontier."""
    dots = [
        FrontierDot(
            row["number"],
            None if row["point"] is None else row["point"]["stars"],
            None if row["point"] is None else row["point"]["bound"],
            row["chosen"],
        )
        for row in rows
    ]
    return frontier_chart(session.frontier.about["vary"], dots)


@on_form(view)
async def save(session: Session, fields: dict[str, str]) -> Response:
    """Take over what was just typed."""
    session.set_policy({name: fields[name] for name in FIELDS if name in fields})
    return saved()


@on_form(view)
async def decide(session: Session, fields: dict[str, str]) -> Response:
    """Take over the form, and go on unless the policy cannot be met."""
    require_fresh(session, fields)
    session.set_policy({name: fields[name] for name in FIELDS if name in fields})
    if not session.asked:
        raise InputError("the policy asks for nothing: give at least a k")
    await session.estimate.settle(AT_ONCE)
    if session.estimate.state == "failed":
        raise InputError(session.estimate.problem or "the policy cannot be used")
    if session.estimate.state == "done" and session.estimate.result["found"]["infeasible"]:
        raise InputError(session.estimate.result["found"]["infeasible"])
    return goes_to("run")


@on_form(view)
async def compare(session: Session, fields: dict[str, str]) -> Response:
    """Begin a frontier."""
    session.compare(fields.get("vary", "k"))
    return goes_to("policy#frontier")


@on_form(view)
async def stop(session: Session, _fields: dict[str, str]) -> Response:
    """End the frontier with the points that it has."""
    session.frontier.stop()
    return goes_to("policy#frontier")


@on_form(view)
async def choose(session: Session, fields: dict[str, str]) -> Response:
    """Take over the policy of a point."""
    about = session.frontier.about
    if not about or fields.get("number") not in about["numbers"]:
        raise InputError("there is no such point: compare policies first")
    session.set_policy({about["vary"]: fields["number"]})
    return goes_to("policy")


ROUTES = [
    Route("/policy", view),
    Route("/policy", decide, methods=["POST"]),
    Route("/policy/save", save, methods=["POST"]),
    Route("/policy/live", live),
    Route("/policy/frontier", live_frontier),
    Route("/policy/frontier", compare, methods=["POST"]),
    Route("/policy/stop", stop, methods=["POST"]),
    Route("/policy/choose", choose, methods=["POST"]),
]
