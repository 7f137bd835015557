"""Who may talk to the studio: this machine's browser, once it has shown the token; all others are refused.

Every request is looked at before anything else is: its Host (a foreign name that leads here would be DNS rebinding),
its Origin (a page of another site), and the cookie, which the browser gets in exchange for the token of the first
address. Whatever is not known to be right is refused.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kilt.errors import unexpected_text

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")  # by which a browser of this machine may call it
SAFE_METHODS = ("GET", "HEAD")
SAME_SITE = ("same-origin", "none")  # what a browser says of a request of our own pages, or of the address bar
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
REPORT_POLICY = (  # a report has its style inside, and runs nothing
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would say "Origin: null" of our own forms
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
CLOSED = "This is kilt studio. Open it with the whole address that it has printed in the terminal, with its token.\n"
REFUSED = "Refused: this request does not come from a page of kilt studio.\n"


@dataclass(frozen=True)
class Keys:
    """What opens the studio: the token of the first address, and the cookie that is given for it."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie, which has the port in it: cookies of other ports are sent here, too."""
        return f"kilt_studio_{self.port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The values of Host that are ours."""
        return tuple(f"{name}:{self.port}" for name in NAMES)

    @property
    def origins(self) -> tuple[str, ...]:
        """The values of Origin that are ours."""
        return tuple(f"http://{host}" for host in self.hosts)

    @property
    def address(self) -> str:
        """The first address."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.token}"


class Guard:
    """Stands before the app: lets through what has the cookie, and gives the cookie to who has the token."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":  # there are none, and whoever asks for one is nobody of ours
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            answer = self._refusal(scope) or self._entrance(scope)
            await (self._inside if answer is None else answer)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """Refuse what another site sends, or what comes under another name."""
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self._keys.hosts]:
            return PlainTextResponse(REFUSED, 421)
        origins = headers.getlist("origin")
        foreign = any(origin not in self._keys.origins for origin in origins)
        silent = not origins and scope["method"] not in SAFE_METHODS  # a browser always says where a form comes from
        if foreign or silent or headers.get("sec-fetch-site", "none") not in SAME_SITE:
            return PlainTextResponse(REFUSED, 403)
        return None

    def _entrance(self, scope: Scope) -> Response | None:
        """Ask for the cookie, or for the token that it is given for."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if scope["path"] == "/" and scope["method"] == "GET" and given:
            if len(given) == 1 and _same(given[0], self._keys.token):
                return self._welcome()
            return PlainTextResponse(CLOSED, 403)
        shown = Request(scope).cookies.get(self._keys.cookie, "")
        return None if _same(shown, self._keys.secret) else PlainTextResponse(CLOSED, 403)

    def _welcome(self) -> Response:
        """Give the cookie, and leave the address with the token."""
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._keys.cookie, self._keys.secret, httponly=True, samesite="strict", path="/")
        return answer

    async def _inside(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on; an unexpected error is named by its kind and place, as its text could hold a cell."""
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception as error:  # whatever it is, it must not be printed with its values
            if not begun:
                await PlainTextResponse(f"{unexpected_text(error)}\n", 500)(scope, receive, send)


def _with_headers(send: Send) -> Send:
    """Put the headers on every answer that has not its own."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


def _same(given: str, right: str) -> bool:
    """Compare in a time that does not depend on how much is right."""
    return secrets.compare_digest(given.encode(), right.encode())
