"""The password is shown nowhere: not in errors, not in what is printed, not in files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback

import pytest

import kilt
from kilt.errors import KiltError
from kilt.sources.counted_table import TableDescription
from support.command import RUN, call
from support.postgres import PASSWORD, Cluster

WRONG = "wr0ng-secret"
SECRETS = (PASSWORD, WRONG, "s3cret", "wr0ng")


@pytest.fixture(scope="module")
def guest(cluster):
    """A user with a password, and a table that he may read."""
    cluster.run(
        "DROP TABLE IF EXISTS guests, guests_release",
        "DROP ROLE IF EXISTS guest",
        f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'",
        "GRANT CREATE ON SCHEMA public TO guest",
        "CREATE TABLE guests AS SELECT n % 3 AS age, n % 2 AS sex FROM generate_series(1, 12) n",
        "GRANT SELECT ON guests TO guest",
    )
    yield cluster
    cluster.run("DROP TABLE IF EXISTS guests, guests_release", "DROP OWNED BY guest", "DROP ROLE guest")


def url(cluster: Cluster, table: str | None = "guests", password: str | None = PASSWORD, **more: str) -> str:
    return cluster.url(table, user="guest", password=password, **more)


def hidden(*texts: str) -> None:
    for text in texts:
        assert not any(secret in text for secret in SECRETS), text


FAILING = {
    "wrong password": lambda c: url(c, password=WRONG),
    "no password": lambda c: url(c, password=None),
    "wrong host": lambda c: f"postgresql://guest:{PASSWORD}@no-such-host.invalid/db?table=t",
    "wrong port": lambda c: f"postgresql://guest:{PASSWORD}@127.0.0.1:1/db?table=t",
    "wrong socket": lambda c: f"postgresql://guest:{PASSWORD}@/db?host=/nowhere&table=t",
    "wrong database": lambda c: url(c).replace("/postgres?", "/no_such_database?"),
    "wrong user": lambda c: url(c).replace("guest:", "nobody_here:"),
    "wrong parameter": lambda c: url(c, no_such_parameter=PASSWORD),
    "wrong sslmode": lambda c: url(c, sslmode=PASSWORD),
    "password as parameter": lambda c: url(c, password=None) + f"&password={WRONG}",
    "missing table": lambda c: url(c, "no_such_table"),
    "missing schema": lambda c: url(c, "no_such_schema.guests"),
    "no table": lambda c: url(c, None),
    "no privilege": lambda c: url(c, "pg_authid"),
    "bad name": lambda c: url(c, "a.b.c"),
    "two signs": lambda c: f"postgresql://guest:{PASSWORD}@x@/db?table=t",
    "bad percent": lambda c: f"postgresql://guest:{PASSWORD}%zz@/db?table=t",
    "a space": lambda c: f"postgresql://guest:{PASSWORD} x@/db?table=t",
    "a slash": lambda c: f"postgresql://guest:x/{PASSWORD}@host/db?table=t",
    "a question mark": lambda c: f"postgresql://guest:x?{PASSWORD}@host/db?table=t",
}


FINE_BESIDE = (  # another table of a database that is open already, or a table that is made
    "wrong password",
    "no password",
    "missing table",
)


@pytest.mark.parametrize("name", FAILING)
def test_no_error_shows_it(guest, name, monkeypatch, tmp_path):
    given = FAILING[name](guest)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    with pytest.raises(KiltError) as caught:
        kilt.anonymize(given, quasi="age", policy=kilt.Policy(k=2))
    hidden(str(caught.value), "".join(traceback.format_exception(caught.value)))
    for words in (
        ("anonymize", given, "-o", url(guest, "guests_release"), "--quasi", "age", "-k", "2"),
        ("verify", given, "--quasi", "age"),
        ("anonymize", url(guest), "-o", given, "--quasi", "age", "-k", "2"),
        ("verify", url(guest), "--original", given, "--quasi", "age"),
    ):
        done = call(*words)
        fails = given in words[:2] or name not in FINE_BESIDE
        assert done.returncode == 2 or not fails, (words[0], done.stdout)
        assert done.stderr.startswith("kilt: ") or not fails
        assert "unexpected" not in done.stderr
        hidden(done.stdout, done.stderr)


def test_errors_say_what_to_do(guest, monkeypatch, tmp_path):
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    said = {}
    names = ("wrong password", "no password", "wrong host", "wrong port", "wrong database", "missing table")
    for name in (*names, "wrong user", "wrong sslmode"):
        guest.run("DROP TABLE IF EXISTS no_such_table")
        done = call("verify", FAILING[name](guest), "--quasi", "age")
        said[name] = done.stderr
    assert "the login was refused for the user 'guest': set PGPASSWORD or ~/.pgpass" in said["wrong password"]
    assert "the login was refused for the user 'guest': set PGPASSWORD or ~/.pgpass" in said["no password"]
    assert "the host is not known" in said["wrong host"]
    assert "there is no server at this address" in said["wrong port"]
    assert "the database 'no_such_database' does not exist" in said["wrong database"]
    assert "there is no such login for the user 'nobody_here': name another user" in said["wrong user"]
    assert "has a value that it cannot have" in said["wrong sslmode"]
    assert "the table 'no_such_table' does not exist" in said["missing table"]


def test_nothing_that_is_printed_or_written_shows_it(guest, tmp_path):
    proof = tmp_path / "proof.json"
    words = ["anonymize", url(guest), "-o", url(guest, "guests_release"), "--quasi", "age,sex", "-k", "4"]
    for more in ([], ["--json"], ["--log"], ["--certificate", proof]):
        done = call(*words, *more)
        assert done.returncode == 0, done.stderr
        hidden(done.stdout, done.stderr)
    assert "&table=guests_release" in done.stdout
    hidden(proof.read_text())
    assert json.loads(call(*words, "--json").stdout)["output"].endswith("&table=guests_release")
    release = kilt.anonymize(url(guest), quasi="age,sex", policy=kilt.Policy(k=4), output=url(guest, "guests_release"))
    hidden(repr(release), release.summary(), release._repr_html_(), json.dumps(release.to_dict()))
    hidden(repr(TableDescription(url(guest))), repr(release.claim.original.engine.url))
    guest.run("DROP TABLE guests_release")


def test_no_command_shows_it(guest, tmp_path):
    roles = ["--quasi", "age,sex", "-k", "4"]
    for words in (
        ["inspect", url(guest)],
        ["ladder", url(guest), "age:bands=2"],
        ["verify", url(guest), *roles],
        ["bound", url(guest), *roles],
        ["compare", url(guest), *roles, "--solvers", "greedy"],
        ["frontier", url(guest), "--quasi", "age,sex", "-k", "2,4"],
        ["report", url(guest), "--original", url(guest), *roles, "-o", tmp_path / "report.html"],
    ):
        done = call(*words)
        assert done.returncode in (0, 1), (words[0], done.stderr)
        hidden(done.stdout, done.stderr)
    hidden((tmp_path / "report.html").read_text())
    assert call("inspect", url(guest), "--write", tmp_path / "kilt.toml").returncode == 0
    hidden((tmp_path / "kilt.toml").read_text())


def test_a_configuration_must_not_hold_it(guest, tmp_path):
    for key in ("input", "output", "original"):
        (tmp_path / "kilt.toml").write_text(f'{key} = "{url(guest)}"\nquasi = "age"\nk = 2\n')
        done = call("anonymize", "--config", tmp_path / "kilt.toml")
        assert done.returncode == 2
        assert f"'{key}' in" in done.stderr
        assert "holds a password: leave it out" in done.stderr
        hidden(done.stderr)


def test_environment_and_password_file_are_enough(guest, tmp_path):
    (tmp_path / "pgpass").write_text(f"*:*:*:guest:{PASSWORD}\n")
    (tmp_path / "pgpass").chmod(0o600)
    words = [*RUN, "verify", url(guest, password=None), "--quasi", "age", "-k", "2"]
    for given in ({"PGPASSWORD": PASSWORD}, {"PGPASSFILE": str(tmp_path / "pgpass")}):
        done = subprocess.run(words, env={**os.environ, **given}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        hidden(done.stdout, done.stderr)


def test_a_driver_that_is_not_installed_is_named(guest):
    without = "import sys; sys.modules['adbc_driver_manager'] = None; from kilt.cli.main import main; main()"
    words = [sys.executable, "-c", without, "verify", url(guest), "--quasi", "age"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "pip install 'kilt[sql]'" in done.stderr
    hidden(done.stderr)
