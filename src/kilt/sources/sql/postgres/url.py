"""Where a table of PostgreSQL is: a URL as libpq takes it, with the table or the query as parameters of their own.

A password is kept out of everything that a person may see: a URL is shown without it, and never shown if it is not
understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, unquote

from kilt.errors import InputError
from kilt.sources.sql.names import TableName

SCHEMES = ("postgresql://", "postgres://")
EXAMPLE = "postgresql://host/database?table=schema.name"
SECRET = ("password", "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret")
PUBLIC = ("host", "port", "user", "dbname", "service")
OWN = ("table", "query")  # parameters that libpq does not know
HOSTS = re.compile(r"(?:(?:\[[0-9A-Fa-f:.%]+\]|[^:,\[\]]*)(?::\d*)?(?:,|$))*")


def is_postgres_url(data: Any) -> bool:
    """Say whether something is the URL of a PostgreSQL database."""
    return isinstance(data, str) and data.lower().startswith(SCHEMES)


def is_postgres(data: Any) -> bool:
    """Say whether something names a database of PostgreSQL, as a URL or as its parts."""
    return is_postgres_url(data) or isinstance(data, PostgresUrl)


def shown_location(place: Any) -> str:
    """Return what a person may see of a place that was given: a URL without its password, all else as it is."""
    return PostgresUrl.parse(place).shown if is_postgres_url(place) else str(place)


def holds_password(text: Any) -> bool:
    """Say whether a URL holds a password."""
    return is_postgres_url(text) and PostgresUrl.parse(text).holds_password


def asked_of(data: Any, query: str) -> PostgresUrl:
    """Return the URL of a database with a query, or raise if the data is no database."""
    if not is_postgres_url(data):
        raise InputError(f"'query' is for a database: give its URL as the table, as in {SCHEMES[0]}host/database")
    return PostgresUrl.parse(data).with_query(query)


@dataclass(frozen=True)
class PostgresUrl:
    """The parts of a URL, as they are written in it; the secret ones are shown nowhere."""

    user: str
    secret: str | None = field(repr=False)
    address: str
    database: str
    parameters: tuple[tuple[str, str], ...] = field(repr=False)
    table: TableName | None = None
    query: str | None = None

    @classmethod
    def of(cls, data: str | PostgresUrl) -> PostgresUrl:
        """Take a URL apart, unless it is done."""
        return data if isinstance(data, PostgresUrl) else cls.parse(data)

    @classmethod
    def parse(cls, text: str) -> PostgresUrl:
        """Take a URL apart, or raise without showing it."""
        rest = text.partition("://")[2]
        place, _, asked = rest.partition("?")
        authority, _, database = place.partition("/")
        login, at, address = authority.rpartition("@")
        if "@" in login or "@" in database:
            raise InputError(
                "the PostgreSQL URL has more than one '@' before '?': write %40 for one in the name or the password"
            )
        user, colon, secret = login.partition(":")
        pairs = [part.partition("=")[::2] for part in asked.split("&") if part]
        if not HOSTS.fullmatch(address) or any("=" not in part for part in asked.split("&") if part):
            raise InputError(
                f"the PostgreSQL URL is not like {EXAMPLE}: other signs in it are written as %3F and so on"
            )
        _require_encoded([*(unescaped for pair in pairs for unescaped in pair), login, address, database])
        own = {name: unquote(value) for name, value in pairs if name in OWN}
        if "table" in own and "query" in own:
            raise InputError("a table of PostgreSQL is named by 'table' or by 'query', not by both")
        return cls(
            user=user if at else "",
            secret=secret if colon else None,
            address=address,
            database=database,
            parameters=tuple((name, value) for name, value in pairs if name not in OWN),
            table=TableName.parse(own["table"]) if "table" in own else None,
            query=own.get("query"),
        )

    @property
    def holds_password(self) -> bool:
        """Whether a password is in it."""
        return bool(self.secret) or any(name in SECRET for name, _ in self.parameters)

    @property
    def uri(self) -> str:
        """What libpq takes, with the password if there is one: for the driver and for nobody else."""
        login = self.user if self.secret is None else f"{self.user}:{self.secret}"
        return self._written(f"{login}@" if login else "", self.parameters)

    @property
    def shown(self) -> str:
        """What a person may see: the place alone, as anything else could be a secret."""
        named: tuple[tuple[str, str], ...] = ()
        if self.table is not None:
            named = (("table", quote(str(self.table), safe=".")),)
        public = tuple(pair for pair in self.parameters if pair[0] in PUBLIC)
        return self._written(f"{self.user}@" if self.user else "", public + named)

    @property
    def server(self) -> tuple[Any, ...]:
        """What says which database it is, and as whom."""
        return self.user, self.address, self.database, self.parameters

    def with_query(self, query: str) -> PostgresUrl:
        """Return the URL with a query in place of a table."""
        if self.table is not None or self.query is not None:
            raise InputError("'query' and the 'table' of the URL both say what to read: leave one of them out")
        return replace(self, query=query)

    def _written(self, login: str, parameters: tuple[tuple[str, str], ...]) -> str:
        asked = "&".join(f"{name}={value}" for name, value in parameters)
        return f"postgresql://{login}{self.address}/{self.database}{'?' if asked else ''}{asked}"


def _require_encoded(parts: list[str]) -> None:
    """Raise if a part is not percent-encoded as it must be; libpq would repeat it in its message."""
    if any(re.search(r"%(?![0-9A-Fa-f]{2})|\s|%00", part) for part in parts):
        raise InputError(
            "the PostgreSQL URL has a space, or a % without two digits after it: write %20 for a space and %25 for a %"
        )
