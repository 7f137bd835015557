"""Serving the studio: on this machine alone, until Ctrl-C, with a private folder that is gone at the end."""

from __future__ import annotations

import shutil
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from kilt.errors import InputError
from kilt.leftovers import temporary_folder
from kilt.studio.app import make_app
from kilt.studio.security import LOOPBACK, Keys
from kilt.studio.session import Session

SILENT = 100  # above all levels of a log
PATIENCE = 1  # seconds for answers that are under way at the end


class Server(uvicorn.Server):
    """A server that says when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def serve(table: str | None, port: int, *, browser: bool, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C; the folder and all processes are gone then."""
    listening = listen(port)
    keys = Keys(listening.getsockname()[1])
    folder = temporary_folder()
    folder.mkdir(mode=0o700)
    try:
        app = make_app(Session(folder), keys, table)

        def ready() -> None:
            say(keys.address)
            if browser:
                threading.Thread(target=webbrowser.open, args=(keys.address,), daemon=True).start()

        Server(settings(app), ready).run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # this is how it ends
    finally:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        listening.close()
        shutil.rmtree(folder, ignore_errors=True)
        signal.signal(signal.SIGINT, before)


def settings(app: ASGIApp) -> uvicorn.Config:
    """Return how the app is served: without web sockets, and without a log, which could hold a cell."""
    return uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        log_config=None,
        log_level=SILENT,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
    )


def listen(port: int) -> socket.socket:
    """Listen on the loopback address, on a free port if none is given."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
    except (OSError, OverflowError):
        listening.close()
        raise InputError(f"port {port} cannot be used: leave out --port for one that is free") from None
    return listening
