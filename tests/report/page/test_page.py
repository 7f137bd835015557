"""The page: it needs nothing else, whatever is in the table does no harm, and everybody can read it."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import kilt
from kilt.report.page.charts import round_steps
from kilt.report.page.html import bound_figure, bound_number, bound_percent, figure, percent, user
from support.patients import patients

EVIL = "<script>alert(1)</script>"
QUOTE = "\" onload='alert(2)' x=\""
ENTITY = "&lt;img src=https://example.org/x.png&gt;"
ESCAPE = "\x1b[31mred\x1b[0m\x00\u202egnp.exe"
LOADED = ("src", "href", "xlink:href", "action", "data", "poster", "srcset", "background", "formaction", "cite")
VOID = {"meta", "link"}


class Page(HTMLParser):
    """What is in a page, as a browser reads it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        assert not self.open, "a tag is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a hundred patients, with all that a report can hold."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    kilt.anonymize(
        patients(150),
        identifier="name,national_id,email",
        quasi="birth_date:date=year,decade,zip:prefix=3,2,sex,nationality",
        sensitive={"diagnosis": "equal", "cost": "numeric"},
        keep="admission_date,profession,children,height,remark",
        policy=kilt.Policy(k=5, l=2),
        iterations=500,
        report=path,
        by="sex,height",
    )
    return path


def test_headings_captions_and_scopes(written):
    page = Page(written.read_text())
    assert page.texts["h1"] == ["Report on a release"]
    assert page.texts["h2"] == [
        "What was promised",
        "How much was lost, and how much had to be",
        "Where detail was lost",
        "For whom",
        "Groups",
        "Sensitive values",
        "Risk",
        "What the release is still good for",
        "How to make it again",
    ]
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert len(page.all("caption")) == len(page.all("table")) > 8
    assert all(attrs.get("scope") for attrs in page.all("th"))
    names = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(set(names)) == len(names)
    targets = [attrs["href"][1:] for attrs in page.all("a")]
    assert set(targets) <= set(names)
    assert {tag for tag, _ in page.tags} >= {"main", "nav", "header", "footer"}
    assert page.tags[0] == ("html", {"lang": "en"})


def test_every_picture_is_named_or_hidden(written):
    page = Page(written.read_text())
    names = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    for attrs in page.all("svg"):
        hidden = attrs.get("aria-hidden") == "true"
        assert hidden or (attrs["role"] == "img" and set(attrs["aria-labelledby"].split()) <= names)
    assert len(page.all("figure")) == len(page.all("figcaption")) >= 2


def test_nothing_is_loaded(written):
    text = written.read_text()
    page = Page(text)
    for _, attrs in page.tags:
        for name in LOADED:
            assert attrs.get(name, "#").startswith(("#", "data:,"))
        assert not any(name.startswith("on") for name in attrs)
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "iframe", "object", "embed", "img", "base"})
    style = page.texts["style"][0]
    assert "url(" not in style
    assert "@import" not in style
    assert "http" not in text.replace("http-equiv", "")
    (policy,) = [attrs["content"] for attrs in page.all("meta") if attrs.get("http-equiv")]
    assert policy.startswith("default-src 'none'")
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style


def test_it_is_small(written):
    assert written.stat().st_size < 100_000


def test_names_and_values_do_no_harm(tmp_path):
    table = pl.DataFrame(
        {
            EVIL: [QUOTE, QUOTE, "b", "b"] * 3,
            QUOTE: [ENTITY] * 12,
            ESCAPE: [EVIL, ESCAPE] * 6,
            "=cmd()": ["x" * 500] * 12,
        }
    )
    kilt.anonymize(
        table,
        quasi=[EVIL, QUOTE],
        sensitive=[ESCAPE],
        keep=["=cmd()"],
        policy=kilt.Policy(k=2),
        report=tmp_path / "r.html",
        by='"=cmd()"',
        detail="internal",
    )
    text = (tmp_path / "r.html").read_text()
    page = Page(text)
    assert not page.all("script")
    assert not page.all("img")
    assert "\x1b" not in text
    assert "\x00" not in text
    assert "\u202e" not in text
    assert "x" * 100 not in text
    assert any(EVIL in shown for shown in page.texts["bdi"])
    assert any(ENTITY in shown for shown in page.texts["bdi"])
    for _, attrs in page.tags:
        assert not any(name.startswith("on") for name in attrs)


def test_shares_and_steps():
    assert [percent(share) for share in (0, 0.0001, 0.1234, 0.5, 0.9999, 1)] == [
        "0%",
        "<0.1%",
        "12.3%",
        "50%",
        ">99.9%",
        "100%",
    ]
    assert round_steps(0, 0.2) == [0, 0.05, 0.1, 0.15, 0.2]
    assert round_steps(3, 3) == [3]
    assert user("a" * 200).endswith("…</bdi>")


@pytest.mark.parametrize(
    ("bound", "found", "text"),
    [
        (0.2556, 0.271, "25.5%"),
        (0.2556, 0.2556, "25.6%"),
        (0.9999, 1.0, "99.9%"),
        (0.0001, 0.3, "<0.1%"),
        (0.0, 0.3, "0%"),
        (0.57, 0.6, "57%"),
        (0.88497, None, "88.4%"),
    ],
)
def test_a_bound_says_no_more_than_is_proved(bound, found, text):
    assert bound_percent(bound, found) == text


@pytest.mark.parametrize(
    ("bound", "stars", "text"),
    [
        (3833, 4063.2, "3,833"),
        (3833.27, 4063.2, "3,833"),
        (3833.97, 3834.1, "3,833"),
        (3833.97, 3833.97, "3,834"),
        (293.987, 313.5, "293.9"),
        (0.12349, 1.5, "0.1234"),
        (0.0, 1.5, "0"),
    ],
)
def test_no_more_stars_are_named_than_are_proved(bound, stars, text):
    assert bound_number(bound, stars) == text


def test_shares_of_the_whole_are_written_as_by_the_command():
    assert [figure(0.0565), figure(0.271), bound_figure(0.07246, 0.0762), bound_figure(0.07246, 0.07246)] == [
        "5.65%",
        "27.1%",
        "7.24%",
        "7.25%",
    ]
