"""Publishing in PostgreSQL: the old release or the new one, and nothing between; what was granted stays granted."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

import kilt
from kilt.errors import InputError, KiltError, VerificationError
from kilt.sources.sql.postgres import publish
from kilt.sources.sql.postgres.connection import Postgres
from kilt.sources.sql.postgres.table import PostgresSource
from kilt.sources.sql.postgres.writer import TableWriter
from support.command import RUN
from support.profiles import scaled

ASKED = {"quasi": "age,zip", "policy": kilt.Policy(k=3), "keep": "n"}


@pytest.fixture
def visits(cluster):
    """A table, and no release of it."""
    cluster.run(
        "DROP VIEW IF EXISTS looks",
        "DROP TABLE IF EXISTS visits, visits_release CASCADE",
        "CREATE TABLE visits AS SELECT n % 4 AS age, 'z' || n % 5 AS zip, n % 2 AS n FROM generate_series(1, 40) n",
    )
    for role in ("reader", "writer", "keeper"):
        if cluster.rows(f"SELECT 1 FROM pg_roles WHERE rolname = '{role}'") == []:
            cluster.run(f"CREATE ROLE {role}")
    return cluster


def release(cluster, table: str = "visits_release", **more):
    return kilt.anonymize(cluster.url("visits"), **{**ASKED, **more}, output=cluster.url(table))


def about(cluster, table: str = "visits_release") -> list[tuple]:
    return cluster.rows(
        "SELECT c.relowner::regrole::text, (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(relacl) a), "
        "obj_description(c.oid), "
        "(SELECT string_agg(attname || coalesce(attacl::text, '') || coalesce(col_description(c.oid, attnum), ''), ' ' "
        "ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0) "
        f"FROM pg_class c WHERE relname = '{table}'"
    )


def test_owner_grants_and_comments_stay(visits):
    release(visits)
    visits.run(
        "GRANT SELECT ON visits_release TO reader WITH GRANT OPTION",
        "GRANT SELECT, UPDATE ON visits_release TO PUBLIC",
        "GRANT UPDATE (zip), INSERT (age) ON visits_release TO writer",
        "COMMENT ON TABLE visits_release IS 'it''s \\ 5 % \"safe\"'",
        "COMMENT ON COLUMN visits_release.age IS E'in\\nyears'",
        "GRANT CREATE ON SCHEMA public TO keeper",
        "ALTER TABLE visits_release OWNER TO keeper",
        "ALTER DEFAULT PRIVILEGES GRANT DELETE ON TABLES TO writer",  # which the new table must not get by that
    )
    before, rows = about(visits), visits.bag("visits_release")
    try:
        release(visits)
    finally:
        visits.run("ALTER DEFAULT PRIVILEGES REVOKE DELETE ON TABLES FROM writer")
    assert about(visits) == before
    assert visits.bag("visits_release") == rows
    assert "writer=d" not in before[0][1]
    leftover = "SELECT count(*) FROM pg_class WHERE relname LIKE 'kilt%' AND relpersistence <> 't'"
    assert visits.rows(leftover) == [(0,)]


def test_the_grants_of_now_are_kept_not_those_of_the_beginning(visits, monkeypatch):
    release(visits)
    visits.run("GRANT SELECT ON visits_release TO reader")
    made = publish._require_same_rows

    def meanwhile(released, table):
        visits.run("REVOKE SELECT ON visits_release FROM reader", "COMMENT ON TABLE visits_release IS 'new'")
        made(released, table)

    monkeypatch.setattr(publish, "_require_same_rows", meanwhile)
    release(visits)
    assert about(visits)[0][1:3] in {("tester=arwdDxt/tester", "new"), (None, "new")}


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("CREATE VIEW looks AS SELECT age FROM visits_release", "the view public.looks depends on it"),
        (
            "ALTER TABLE visits_release ENABLE ROW LEVEL SECURITY",
            "row-level security, which a new table would not have",
        ),
        ("CREATE TABLE part () INHERITS (visits_release)", "parent or child tables"),
        (
            "CREATE TRIGGER t BEFORE INSERT ON visits_release FOR EACH ROW EXECUTE FUNCTION "
            "suppress_redundant_updates_trigger()",
            "triggers",
        ),
    ],
)
def test_what_would_be_lost_with_the_old_release_is_refused(visits, statement, said):
    release(visits)
    before = visits.bag("visits_release")
    visits.run(statement.replace("BEFORE INSERT", "BEFORE UPDATE"))
    with pytest.raises(InputError, match=f"'public.visits_release' cannot be replaced: .*{said}"):
        release(visits)
    assert visits.bag("visits_release") == before


def test_where_a_release_cannot_go_is_said_before_any_work(visits, tmp_path):
    def fails(said: str, output: str, data: str | None = None, **more):
        with pytest.raises(InputError, match=said):
            kilt.anonymize(data or visits.url("visits"), **ASKED, output=output, **more)

    fails("is the input: choose another table", visits.url("visits"))
    fails("is the input: choose another table", visits.url("public.visits"))
    fails("the schema 'nowhere' of the output does not exist", visits.url("nowhere.visits"))
    fails("the schema 'pg_catalog' belongs to PostgreSQL itself", visits.url("pg_catalog.visits"))
    fails("names no table", visits.url())
    fails("only in the database that the original was read from", "postgresql://elsewhere/db?table=t")
    (tmp_path / "visits.csv").write_text("age,zip,n\n1,2,3\n1,2,3\n1,2,3\n")
    fails("only in the database that the original was read from", visits.url("t"), str(tmp_path / "visits.csv"))
    visits.run("CREATE VIEW looks AS SELECT age FROM visits")
    fails("'public.looks' is not an ordinary table", visits.url("looks"))


def test_a_name_that_would_be_cut_off_is_refused(visits):
    """The rest of such a name could be that of the original, which must not be replaced."""
    original = "v" * 63
    visits.run(f"DROP TABLE IF EXISTS {original}", f"CREATE TABLE {original} AS SELECT age, zip, n FROM visits")
    before = visits.bag(original)
    with pytest.raises(InputError, match=f"the name '{original}_release' is too long .* takes 63 bytes: shorten it"):
        kilt.anonymize(visits.url(original), **ASKED, output=visits.url(f"{original}_release"))
    assert visits.bag(original) == before
    visits.run(f"ALTER TABLE visits RENAME age TO {'a' * 60}")
    with pytest.raises(InputError, match=f"the name '{'a' * 60}_hidden' is too long"):
        release(visits, quasi=["a" * 60, "zip"], mark={"a" * 60: "indicator"})


def test_a_table_that_the_query_reads_is_not_replaced(visits):
    query = "WITH seen AS (SELECT age, zip, n FROM visits) SELECT * FROM seen"
    with pytest.raises(InputError, match=r"the output 'public\.visits' is read by the query: choose another table"):
        kilt.anonymize(visits.url(), query=query, **ASKED, output=visits.url("visits"))
    assert len(visits.bag("visits")) == 40
    assert kilt.anonymize(visits.url(), query=query, **ASKED, output=visits.url("visits_release")).verdict.met


def test_what_may_not_be_read_is_said(visits):
    visits.run("ALTER ROLE reader LOGIN")
    with pytest.raises(InputError, match=r"may not read the table 'visits' as the user 'reader': ask for .* SELECT"):
        kilt.anonymize(visits.url("visits", user="reader"), **ASKED)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("nowhere.visits", "does not exist in .*: there is no such schema"),
        ("visit", "did you mean 'visits'"),
    ],
)
def test_a_table_that_is_missing_is_said(visits, table, said):
    with pytest.raises(InputError, match=said):
        kilt.anonymize(visits.url(table), **ASKED)


def test_a_table_of_somebody_else_is_not_replaced(visits):
    visits.run(
        "CREATE TABLE visits_release (a int)", "DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN PASSWORD 'guest'"
    )
    visits.run("GRANT SELECT ON visits TO guest", "GRANT CREATE ON SCHEMA public TO guest")
    asked = {"user": "guest", "password": "guest"}
    try:
        with pytest.raises(InputError, match="it belongs to the user 'tester'"):
            kilt.anonymize(visits.url("visits", **asked), **ASKED, output=visits.url("visits_release", **asked))
        with pytest.raises(KiltError, match="ask for the privilege SELECT on it"):
            kilt.anonymize(visits.url("visits_release", **asked), **ASKED)
    finally:
        visits.run("REVOKE ALL ON visits FROM guest", "REVOKE ALL ON SCHEMA public FROM guest", "DROP ROLE guest")


def test_a_table_that_changes_meanwhile_is_released_as_it_was(visits, monkeypatch):
    wanted = release(visits).stars
    before = visits.bag("visits_release")
    apply = PostgresSource.apply

    def change_and_apply(source, *given):
        visits.run("UPDATE visits SET age = age + 100", "DELETE FROM visits WHERE n = 1 AND zip = 'z1'")
        visits.run("INSERT INTO visits VALUES (1, 'new', 0)", "VACUUM visits")
        return apply(source, *given)

    monkeypatch.setattr(PostgresSource, "apply", change_and_apply)
    assert release(visits).stars == wanted
    assert visits.bag("visits_release") == before


def test_nothing_is_published_that_was_not_verified(visits, monkeypatch):
    def altered(released):
        return columns(released).replace('c2 AS "n"', '7 AS "n"').replace('CAST(c2 AS integer) AS "n"', '7 AS "n"')

    columns = publish._columns
    monkeypatch.setattr(publish, "_columns", altered)
    with pytest.raises(VerificationError, match="has other rows than it, nothing was published"):
        release(visits)
    assert visits.rows("SELECT to_regclass('visits_release')::text") == [(None,)]


def test_a_release_in_use_is_waited_for_and_then_an_error(visits, monkeypatch):
    release(visits)
    monkeypatch.setattr(publish, "WAIT", "300ms")
    reader = visits.connect()
    with reader.cursor() as cursor:
        cursor.executescript("BEGIN")
        cursor.executescript("LOCK TABLE visits_release IN ACCESS SHARE MODE")
        with pytest.raises(KiltError, match="in use by another session"):
            release(visits)
        cursor.executescript("ROLLBACK")
    reader.close()
    assert release(visits).verdict.met


def test_two_runs_that_make_the_same_table_are_told_apart(visits, monkeypatch):
    """The one that is first has made it; the other one is told so."""
    published = TableWriter.stage

    def late(writer, released):
        monkeypatch.setattr(TableWriter, "stage", published)
        release(visits)
        return published(writer, released)

    monkeypatch.setattr(TableWriter, "stage", late)
    assert release(visits).verdict.met  # it replaces the other's, which was there when it began to publish
    visits.run("DROP TABLE visits_release")
    replace_nothing = publish.Place.oid
    other = visits.connect()
    with other.cursor() as cursor:

        def made_meanwhile(place, engine):
            found = replace_nothing(place, engine)
            cursor.executescript("CREATE TABLE IF NOT EXISTS visits_release (a int)")
            return found

        monkeypatch.setattr(publish.Place, "oid", made_meanwhile)
        monkeypatch.setattr(publish.Place, "require_free", lambda *_: None)
        with pytest.raises(KiltError, match="another session made a table of this name at the same time: run it again"):
            release(visits)
    other.close()
    assert visits.bag("visits_release") == []


@pytest.mark.parametrize(
    ("moment", "said"),
    [("run", "the connection to the database was lost"), ("commit", "'public.visits_release'.*whole")],
)
def test_a_server_that_ends_the_session_is_told(visits, monkeypatch, moment, said):
    release(visits)
    before = visits.bag("visits_release")
    stage, original = TableWriter.stage, getattr(Postgres, moment)

    def staged(writer, released):
        def ended(engine, *given):
            if engine is released.engine:
                monkeypatch.setattr(Postgres, moment, original)
                ((pid,),) = engine.rows("SELECT pg_backend_pid()::int8")
                visits.run(f"SELECT pg_terminate_backend({pid})")
            return original(engine, *given)

        monkeypatch.setattr(Postgres, moment, ended)
        return stage(writer, released)

    monkeypatch.setattr(TableWriter, "stage", staged)
    with pytest.raises(KiltError, match=said):
        release(visits)
    assert visits.bag("visits_release") == before


RELEASE = """
import sys, kilt
def release(k):
    kilt.anonymize(sys.argv[1], quasi="age,zip,town", keep="n", policy=kilt.Policy(k=k), output=sys.argv[2],
                   solver="greedy", iterations=1)
"""
KILLED = """
print("begun", flush=True)
for run in range(50):
    release(9 if run % 2 else 5)
    print("done", flush=True)
"""


def test_a_killed_run_leaves_the_old_release_or_the_new_one(visits):
    """Kill the process at random moments while it applies and publishes: once, or 20 times in the thorough profile."""
    visits.run(
        "DROP TABLE IF EXISTS crowd, crowd_release",
        "CREATE TABLE crowd AS SELECT n % 40 AS age, 'z' || n % 7 AS zip, 't' || n % 11 AS town, n % 3 AS n "
        "FROM generate_series(1, 20000) n",
    )
    urls = visits.url("crowd"), visits.url("crowd_release")
    random_moment = random.Random(os.getpid())
    wanted = []
    for k in (5, 9):
        subprocess.run([sys.executable, "-c", f"{RELEASE}\nrelease({k})", *urls], check=True)
        wanted.append(visits.bag("crowd_release"))
    assert wanted[0] != wanted[1]
    killed = 0
    kills = min(20, max(1, scaled(1)))
    for _ in range(kills):
        process = subprocess.Popen([sys.executable, "-c", RELEASE + KILLED, *urls], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.stdout.readline()  # one run is done: the next ones are alike
        time.sleep(random_moment.uniform(0, 1.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        assert visits.bag("crowd_release") in wanted
        sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kilt'"
        until = time.monotonic() + 60
        while visits.rows(sessions) != [(0,)]:  # what the process was doing ends soon, too
            assert time.monotonic() < until
            time.sleep(0.1)
        left = "SELECT count(*) FROM pg_class WHERE relname LIKE 'kilt%'"
        assert visits.rows(left) == [(0,)]
    assert killed == kills


def test_ctrl_c_ends_a_run_at_once_and_leaves_nothing(visits, tmp_path):
    visits.run(
        "CREATE OR REPLACE FUNCTION slow(int) RETURNS int LANGUAGE sql AS "
        "'SELECT $1 FROM (SELECT pg_sleep(300)) AS waited'",
        "CREATE VIEW looks AS SELECT slow(age) AS age, zip, n FROM visits",
    )
    words = ["anonymize", visits.url("looks"), "-o", visits.url("visits_release"), "--quasi", "age,zip", "-k", "2"]
    process = subprocess.Popen([*RUN, *words], stderr=subprocess.PIPE, text=True)
    asleep = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    while visits.rows(asleep) == [(0,)]:
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "kilt: stopped; no partial file is left\n"
    until = time.monotonic() + 10
    while visits.rows(asleep) != [(0,)]:
        assert time.monotonic() < until
        time.sleep(0.05)
    visits.run("DROP VIEW looks")
