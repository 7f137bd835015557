"""The page in a browser: it asks for nothing, says nothing on the console, and everybody can use it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import kilt
from kilt.commands.frontier import FrontierPoint
from kilt.report.page.html import number, percent
from support.browser import require_accessible
from support.patients import patients


@pytest.fixture(scope="module")
def release() -> kilt.Release:
    return kilt.anonymize(
        patients(150),
        identifier="name,national_id,email",
        quasi="birth_date:date=year,decade,zip:prefix=3,2,sex,nationality",
        sensitive={"diagnosis": "equal", "cost": "numeric"},
        keep="admission_date,profession,children,height,remark",
        policy=kilt.Policy(k=5, t="0.6"),
        iterations=500,
    )


@pytest.fixture(scope="module")
def written(release: kilt.Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("browser") / "report.html"
    points = [FrontierPoint(kilt.Policy(k=k), Fraction(release.exact_stars), Fraction(1)) for k in (2, 5)]
    impossible = FrontierPoint(kilt.Policy(k=500), infeasible="there are too few rows")
    release.report(path, by="sex,height", detail="internal", frontier=[*points, impossible])
    return path


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 400)])
def test_in_a_browser(browser, release, written, scheme, width):
    look_at(browser, written, scheme, width, release.verdict.to_dict())


def test_on_paper(browser, written):
    page = browser.new_context().new_page()
    page.goto(written.as_uri())
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.locator("#frontier").is_visible()
    page.set_viewport_size({"width": 680, "height": 960})  # what a sheet of A4 has between its margins
    assert page.evaluate("document.documentElement.scrollWidth") <= 680  # nothing is cut off
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.thorough
def test_adult_in_a_browser(browser, adult, tmp_path):
    path, output = tmp_path / "report.html", tmp_path / "release.csv"
    quasi = "sex,age,race,marital-status,education,native-country,workclass,occupation"
    asked = {"quasi": quasi, "sensitive": "salary-class", "policy": kilt.Policy(k=5, t="0.2")}
    kilt.anonymize(adult, **asked, time=60, output=output, report=path, by="sex,age")
    verified = kilt.verify(output, **asked, original=adult).to_dict()
    for scheme in ("light", "dark"):
        for width in (1280, 400):
            look_at(browser, path, scheme, width, verified)


def look_at(browser: Any, path: Path, scheme: str, width: int, verified: dict[str, Any]) -> None:
    """Open a page, and check what it asks for, what it says, and what it is like to use."""
    look = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    page = browser.new_context(**look).new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    assert asked == [path.as_uri()]
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth") == width  # nothing sticks out
    require_figures(page, verified)
    open_page = browser.new_context(**look, bypass_csp=True).new_page()  # where axe may put its script
    open_page.goto(path.as_uri())
    require_accessible(open_page)


def require_figures(page: Any, verified: dict[str, Any]) -> None:
    """Compare the figures that the page shows with those of the verifier."""
    figures = dict(zip(*(page.locator(f".figures {tag}").all_inner_texts() for tag in ("dt", "dd")), strict=True))
    assert figures["stars"] == number(verified["fidelity"]["stars"])
    heading = page.locator("header p.soft").inner_text()
    assert heading.startswith(f"{number(verified['rows'])} rows in {number(verified['groups'])} groups")
    found = [cells[-1] for _, cells in rows_of(page, "policy-table")]
    assert found == [f"k={verified['k']}", *(f"t={t} on '{name}'" for name, t in verified["t"].items())]
    columns = dict(rows_of(page, "detail-table"))
    for name, column in verified["fidelity"]["columns"].items():
        assert columns[name][:2] == [number(column["cells"]), number(column["stars"])]
    risk = [cells[1] for _, cells in rows_of(page, "risk-table")]
    for name in ("highest", "average", "unique"):
        assert percent(verified["risk"][name]) in risk


def rows_of(page: Any, table: str) -> list[tuple[str, list[str]]]:
    """Return the rows of a table: what their heading says, and their cells."""
    rows = page.locator(f"table:has(caption#{table}) tbody tr").all()
    return [(row.locator("th").inner_text(), row.locator("td").all_inner_texts()) for row in rows]
