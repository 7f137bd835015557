"""A private PostgreSQL for tests: a cluster in a temporary folder, reached through a socket there."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

MISSING = "there is no PostgreSQL here: install the package postgresql (its initdb is looked for by pg_config)"
DRIVER = "there is no driver for PostgreSQL here: pip install 'kilt[sql]'"
PASSWORD = "s3cret-of-the-database"  # of the user guest, who alone needs one
HBA = "local all guest scram-sha-256\nlocal all all trust\n"
OPTIONS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "20",
    "shared_buffers": "64MB",
    "max_parallel_workers_per_gather": "0",
}
PATIENCE = 60


def binaries() -> Path | None:
    """Return the folder of PostgreSQL's programs, the newest if there are several."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -float(path.parent.name))
    asked = shutil.which("pg_config")
    if asked is not None:
        told = subprocess.run([asked, "--bindir"], capture_output=True, text=True, check=False)
        folders.insert(0, Path(told.stdout.strip()))
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def _as_user() -> dict[str, Any]:
    """Say as whom the server runs: it refuses root."""
    if os.geteuid() != 0:
        return {}
    names = [user.pw_name for user in pwd.getpwall()]
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Cluster:
    """A server that runs; ``options`` override those of tests."""

    def __init__(self, programs: Path, **options: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kilt-pg-", dir="/tmp"))
        self._as_user = _as_user()
        if self._as_user:
            os.chown(self.folder, self._as_user["user"], self._as_user["group"])
            self.folder.chmod(0o711)
        self._do(programs / "initdb", "-D", self.data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        (self.data / "pg_hba.conf").write_text(HBA)
        said = {**OPTIONS, "unix_socket_directories": str(self.folder), **options}
        settings = [word for name, value in said.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [str(programs / "postgres"), "-D", str(self.data), *settings],
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd="/",
                **self._as_user,
            )
        self._wait()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def url(self, table: str | None = None, user: str = "tester", password: str | None = None, **more: str) -> str:
        """Return the URL of the database, or of a table."""
        login = user if password is None else f"{user}:{quote(password, safe='')}"
        asked = {"host": str(self.folder), **({"table": table} if table else {}), **more}
        return f"postgresql://{login}@/postgres?" + "&".join(f"{k}={quote(v, safe='')}" for k, v in asked.items())

    def connect(self) -> Any:
        """Connect without any code of kilt's; every statement is committed."""
        import adbc_driver_postgresql.dbapi as driver

        return driver.connect(self.url(), autocommit=True)

    def run(self, *statements: str) -> None:
        """Run statements, each in a transaction of its own."""
        with self.connection.cursor() as cursor:
            cursor.executescript("SET lock_timeout = '20s'")  # a session that was left open is a mistake
            for statement in statements:
                cursor.executescript(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with self.connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchall()

    def bag(self, table: str) -> list[str]:
        """Return the rows of a table as text, sorted."""
        return sorted(row[0] for row in self.rows(f"SELECT t::text FROM {table} t"))

    @cached_property
    def connection(self) -> Any:
        return self.connect()

    def stop(self) -> None:
        """End the server and remove its folder."""
        if "connection" in self.__dict__:
            with contextlib.suppress(Exception):
                self.connection.close()
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _do(self, *words: object) -> None:
        subprocess.run([*map(str, words)], check=True, capture_output=True, cwd="/", **self._as_user)

    def _wait(self) -> None:
        import adbc_driver_postgresql.dbapi as driver

        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(Exception):
                driver.connect(self.url()).close()
                return
            time.sleep(0.05)
        raise AssertionError("PostgreSQL does not start: " + (self.folder / "log").read_text()[-2000:])


@contextlib.contextmanager
def running(**options: str) -> Iterator[Cluster]:
    """Start a server, and end it."""
    programs = binaries()
    if programs is None:
        raise FileNotFoundError(MISSING)
    cluster = Cluster(programs, **options)
    try:
        yield cluster
    finally:
        cluster.stop()
