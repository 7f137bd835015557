"""Who may talk to the studio, and what is refused."""

from __future__ import annotations

import asyncio
import re
import socket
import stat
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the studio is not installed: pip install 'kilt[studio]'")

from starlette.requests import Request

from kilt.errors import InputError
from kilt.studio import forms
from kilt.studio import serve as served
from kilt.studio.naming import safe_name
from kilt.studio.security import POLICY, REPORT_POLICY, Guard, Keys
from kilt.studio.serve import listen
from support.command import call
from support.paths import ROOT
from support.studio import PATIENCE, Client, serving, visiting

ADDRESSES = [
    "/", "/table", "/table/live", "/columns", "/columns/0/preview", "/policy", "/policy/live", "/policy/frontier",
    "/run", "/run/live", "/result", "/result/report", "/result/file/release", "/result/file/config",
    "/static/studio.js", "/static/studio.css", "/nowhere",
]  # fmt: skip
FORMS = ["/table/open", "/table/example", "/columns", "/columns/save", "/policy", "/run/start", "/run/take"]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with visiting(tmp_path_factory.mktemp("studio"), works=False) as found:
        yield found


@pytest.fixture
def visitor(tmp_path):
    with visiting(tmp_path, works=False) as found:
        yield found


@pytest.fixture
def stranger(opened):
    """A client that has shown nothing."""
    return Client(opened.port)


@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_without_the_token(stranger, address):
    answer = stranger.get(address)
    assert answer.status == 403
    assert "set-cookie" not in answer.headers
    assert "<" not in answer.text


@pytest.mark.parametrize("address", FORMS)
def test_no_form_without_the_token(stranger, opened, address):
    origin = opened.headers["Origin"]
    assert stranger.ask("POST", address, b"name=hospital", Origin=origin).status == 403
    assert stranger.ask("PUT", "/table/upload?name=a.csv", b"a\n1\n", Origin=origin).status == 403
    assert opened.session.file is None


@pytest.mark.parametrize("query", ["token=wrong", "token=", "token=a&token=b", "token=%00", "token=%C3%A9"])
def test_a_wrong_token_is_refused(stranger, query):
    answer = stranger.get(f"/?{query}")
    assert answer.status == 403
    assert "set-cookie" not in answer.headers


def test_the_token_is_exchanged_for_a_cookie(stranger, opened):
    keys = opened.keys
    answer = stranger.get(f"/?token={keys.token}")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"kilt_studio_{keys.port}=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert keys.token not in cookie
    page = stranger.get("/table", Cookie=cookie.partition(";")[0])
    assert page.status == 200
    assert keys.token not in page.text
    assert keys.token not in repr(keys)


@pytest.mark.parametrize("value", ["", "wrong", "\u00e9"])
def test_a_wrong_cookie_is_refused(stranger, opened, value):
    assert stranger.get("/table", Cookie=f"{opened.keys.cookie}={value}").status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "localhost.evil:PORT"]
)
def test_a_foreign_host_is_refused(opened, host):
    """What DNS rebinding would send: the right cookie under a name that is not ours."""
    name = host.replace("PORT", str(opened.port))
    assert opened.get("/table", Host=name).status == 421
    assert opened.get(f"/?token={opened.keys.token}", Host=name).status == 421


def test_a_host_must_be_named(opened):
    assert opened.get("/table", Host=None).status >= 400
    assert opened.get("/table", Host=f"localhost:{opened.port}").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:PORT", ""])
def test_a_foreign_origin_is_refused(opened, origin):
    name = origin.replace("PORT", str(opened.port))
    assert opened.get("/table", Origin=name).status == 403
    assert opened.ask("POST", "/table/example", b"name=hospital", Origin=name).status == 403
    assert opened.session.file is None


def test_a_form_must_say_where_it_comes_from(opened):
    assert opened.ask("POST", "/table/example", b"name=hospital", Origin=None).status == 403
    assert opened.get("/table", Sec_Fetch_Site="cross-site").status == 403
    assert opened.get("/table", Sec_Fetch_Site="same-site").status == 403
    assert opened.get("/table", Origin=None, Sec_Fetch_Site="same-origin").status == 200


def test_there_are_no_web_sockets(opened, stranger):
    asked = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
    key = {"Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    assert stranger.get("/table/live", **asked, **key).status == 403
    assert opened.get("/table/live", **asked, **key, Origin="http://evil.example").status == 403
    assert opened.get("/table/live", **asked, **key).status == 200  # an answer like any other: nothing is upgraded


def test_a_web_socket_is_closed_at_once():
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    guard = Guard(None, Keys(1))
    asyncio.run(guard({"type": "websocket", "path": "/table/live", "headers": []}, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("policy", [POLICY, REPORT_POLICY])
def test_the_content_policy_is_strict(policy):
    directives = {words[0]: words[1:] for words in (part.split() for part in policy.split("; "))}
    assert directives["default-src"] == ["'none'"]
    assert {"form-action", "frame-ancestors", "base-uri"} <= set(directives)
    sources = {source for each in directives.values() for source in each}
    assert sources <= {"'none'", "'self'", "'unsafe-inline'", "data:"}  # no foreign origin
    assert directives.get("script-src", ["'none'"]) in (["'self'"], ["'none'"])
    if "'unsafe-inline'" in sources:  # the style of a report, which may run nothing
        assert directives["style-src"] == ["'unsafe-inline'"]
        assert "sandbox" in directives


def test_every_answer_has_the_headers(opened, stranger):
    for client in (opened, stranger):
        for address in ADDRESSES:
            headers = client.get(address).headers
            assert headers["content-security-policy"] == POLICY
            assert headers["cache-control"] == "no-store"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"
            assert "server" not in headers


def test_no_template_has_a_script_or_a_style_inside():
    for path in (ROOT / "src" / "kilt" / "studio" / "templates").iterdir():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:|<script(?! src=\"/static/)", text), path.name
        assert not re.search(r"(src|href|action)=\"(https?:)?//", text), path.name
        assert "|safe" not in re.sub(r"' class=\"\w+\"'\|safe", "", text), path.name


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("../../etc/patients.csv", "patients.csv"),
        ("..\\..\\patients.csv", "patients.csv"),
        ("/etc/patients.csv", "patients.csv"),
        (".hidden.csv", "hidden.csv"),
        ("-o.csv", "o.csv"),
        ("a\x00b\n.csv", "ab.csv"),
        ("a" * 300 + ".csv.gz", "a" * 93 + ".csv.gz"),
        ("<b>.csv", "b.csv"),
    ],
)
def test_names_of_uploads_lead_nowhere(given, name):
    assert safe_name(given) == name


@pytest.mark.parametrize("given", ["", "..", "/", "../..", "passwd", "a.csv/", "a.exe", ".csv/.."])
def test_other_names_are_refused(given):
    with pytest.raises(InputError):
        safe_name(given)


def test_an_upload_stays_in_the_folder(visitor, tmp_path, monkeypatch):
    monkeypatch.setattr(visitor.session, "open_upload", lambda path: None)
    answer = visitor.ask("PUT", "/table/upload?name=..%2F..%2Fout.csv", b"a,b\n1,2\n")
    assert answer.status == 204
    assert [path.name for path in tmp_path.rglob("*.csv")] == ["out.csv"]
    assert not (tmp_path.parent / "out.csv").exists()


@pytest.mark.parametrize("name", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "studio.css/../../app.py", "app.py"])
def test_no_other_file_is_served(opened, name):
    for folder in ("/static/", "/result/file/"):
        answer = opened.get(f"{folder}{name}")
        assert answer.status == 404
        assert "import" not in answer.text


def streaming(size: int, declared: int | None) -> Request:
    """Return a request that sends so many bytes, and says that they are so many."""
    left = size

    async def receive():
        nonlocal left
        part = min(left, 1 << 16)
        left -= part
        return {"type": "http.request", "body": bytes(part), "more_body": left > 0}

    headers = [] if declared is None else [(b"content-length", str(declared).encode())]
    return Request({"type": "http", "method": "PUT", "path": "/", "query_string": b"", "headers": headers}, receive)


def test_an_upload_is_streamed_to_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(forms, "SPARE", 0)
    place, size = tmp_path / "large.csv", 50_000_000
    tracemalloc.start()
    asyncio.run(forms.save_upload(streaming(size, size), place))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert place.stat().st_size == size
    assert most < 2_000_000


@pytest.mark.parametrize(("size", "declared"), [(10, 10**12), (3_000_000, None), (10, -5)])
def test_an_upload_that_is_too_large_is_refused(tmp_path, monkeypatch, size, declared):
    monkeypatch.setattr(forms, "SPARE", 0)
    with pytest.raises(InputError, match="too large"):
        asyncio.run(forms.save_upload(streaming(size, declared), tmp_path / "large.csv", most=1_000_000))


def test_what_is_refused_is_removed(visitor, tmp_path):
    answer = visitor.ask("PUT", "/table/upload?name=a.csv")
    assert (answer.status, answer.text) == (422, "The file is empty.")
    assert not list(tmp_path.rglob("*.csv"))


def test_an_upload_that_breaks_off_is_removed(visitor, tmp_path):
    """Whoever closes the page in the middle leaves nothing behind, and the table that is open stays."""
    head = f"PUT /table/upload?name=part.csv HTTP/1.1\r\nHost: 127.0.0.1:{visitor.port}\r\nContent-Length: 1000\r\n"
    said = "".join(f"{name}: {value}\r\n" for name, value in visitor.headers.items())
    with socket.create_connection(("127.0.0.1", visitor.port)) as connection:
        connection.sendall(f"{head}{said}\r\na,b\n".encode())
        until = time.monotonic() + PATIENCE
        while not list(tmp_path.rglob("part.csv")):
            assert time.monotonic() < until
            time.sleep(0.01)
    while list(tmp_path.rglob("part.csv")):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert visitor.session.file is None


def test_forms_are_limited(opened):
    assert opened.ask("POST", "/table/open", b"path=" + b"a" * 3_000_000).status == 422
    answer = opened.ask("POST", "/table/open", b"path=a&path=b")
    assert (answer.status, "&#39;path&#39; was given 2 times" in answer.text) == (422, True)
    assert opened.ask("POST", "/table/open", b"\xff\xfe").status == 422
    assert opened.session.file is None


def test_an_unexpected_error_says_no_value(capfd, caplog):
    async def broken(scope, receive, send):
        if scope["type"] != "lifespan":
            raise ValueError("Ann, 02139")
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    listening = listen(0)
    keys = Keys(listening.getsockname()[1])
    with serving(Guard(broken, keys), listening):
        answer = Client(keys.port).get("/table", Cookie=f"{keys.cookie}={keys.secret}")
    assert answer.status == 500
    assert answer.text.startswith("an unexpected ValueError at")
    for said in (answer.text, *capfd.readouterr(), caplog.text):
        assert "Ann" not in said
        assert "02139" not in said


def test_it_listens_on_the_loopback_address_alone():
    with listen(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
        listening.listen()
        with pytest.raises(InputError, match="cannot be used"):
            listen(listening.getsockname()[1])


def test_the_command_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "kilt.studio.serve")
    done = call("studio", "--no-browser")
    assert (done.returncode, "pip install 'kilt[studio]'" in done.stderr) == (2, True)


def test_the_command_refuses_a_file_that_is_not_there():
    done = call("studio", "nowhere.csv", "--no-browser")
    assert (done.returncode, done.stderr) == (2, "kilt: the file 'nowhere.csv' does not exist\n")


def test_the_folder_is_private(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made: list[Path] = []

    def look(app, **more):
        made.extend(tmp_path.glob("kilt-*"))
        assert stat.S_IMODE(made[0].stat().st_mode) == 0o700
        raise KeyboardInterrupt

    monkeypatch.setattr(served, "settings", look)
    served.serve(None, 0, browser=False, say=print)
    assert made
    assert not made[0].exists()
