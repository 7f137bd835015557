"""The studio without a browser: served in a thread, its pages asked for one by one, as a browser would."""

from __future__ import annotations

import contextlib
import http.client
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn

from kilt.studio.app import make_app
from kilt.studio.security import Keys
from kilt.studio.serve import listen, settings
from kilt.studio.session import Session

PATIENCE = 600  # seconds, on a busy machine


@dataclass(frozen=True)
class Answer:
    """What the studio has answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


@dataclass
class Client:
    """A client that sends what it is told to, and follows no redirect by itself."""

    port: int
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, address: str, body: bytes = b"", **headers: str | None) -> Answer:
        """Ask for an address; headers that are None are left out, and _ stands for -."""
        said = {"Host": f"127.0.0.1:{self.port}", **self.headers}
        said |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest(method, address, skip_host=True)
        for name, value in said.items():
            if value is not None:
                connection.putheader(name, value.encode())
        if body or method != "GET":
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body or None)
        answer = connection.getresponse()
        found = Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        connection.close()
        return found

    def get(self, address: str, **headers: str | None) -> Answer:
        return self.ask("GET", address, **headers)

    def post(self, address: str, **fields: str) -> Answer:
        """Send a form; where that leads to another page, return it."""
        answer = self.ask("POST", address, urlencode(fields).encode())
        return self.get(answer.headers["location"].partition("#")[0]) if answer.status == 303 else answer


class Visitor(Client):
    """Somebody who has shown the token, and uses the pages."""

    def __init__(self, session: Session, keys: Keys) -> None:
        origin = f"http://127.0.0.1:{keys.port}"
        super().__init__(keys.port, {"Origin": origin, "Cookie": f"{keys.cookie}={keys.secret}"})
        self.session, self.keys = session, keys

    def decide(self, step: str, **fields: str) -> Answer:
        """Send the form of a step, with the version that its page has."""
        version = re.search(r'name="version" value="(\d+)"', self.get(f"/{step}").text)[1]
        return self.post(f"/{step}", version=version, **fields)

    def wait(self, address: str, *signs: str) -> str:
        """Look at a live part until it says one of these."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            text = self.get(address).text
            if any(sign in text for sign in signs):
                return text
            time.sleep(0.05)
        raise AssertionError(f"{address} does not say {signs}: {read(text)}")

    def open(self, **fields: str) -> str:
        """Open a table, and wait until its columns are looked at."""
        answer = self.post("/table/open" if "path" in fields else "/table/example", **fields)
        assert answer.status == 200, read(answer.text)
        return self.wait("/table/live", "Continue", "cannot be")

    def release(self, **fields: str) -> str:
        """Run, and wait for the end."""
        answer = self.post("/run/start", **{"limit": "iterations", "iterations": "500", **fields})
        assert answer.status == 200, read(answer.text)
        return self.wait("/run/live", "/result", "There is no release")


@contextlib.contextmanager
def serving(app: Any, listening: Any) -> Iterator[None]:
    """Serve an app in a thread."""
    server = uvicorn.Server(settings(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@contextlib.contextmanager
def visiting(folder: Path, *, works: bool = True) -> Iterator[Visitor]:
    """Open a studio in a folder, without a process for its work if it is not needed."""
    listening = listen(0)
    keys, session = Keys(listening.getsockname()[1]), Session(folder)
    if not works:
        session.start = lambda: None
    with serving(make_app(session, keys), listening):
        yield Visitor(session, keys)


def read(html: str) -> str:
    """Return the words of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html))).strip()
