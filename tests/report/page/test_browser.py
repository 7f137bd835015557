"""The page in a browser: it asks for nothing, says nothing on the console, and everybody can use it.

It needs Chromium (a package of Debian, or named by CHROMIUM), and playwright and axe-playwright-python from PyPI:
``pip install 'kilt[browser]'``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kilt
from support.patients import patients

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'kilt[browser]'")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium: apt-get install chromium")

LEVEL_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("browser") / "report.html"
    kilt.anonymize(
        patients(150),
        identifier="name,national_id,email",
        quasi="birth_date:date=year,decade,zip:prefix=3,2,sex,nationality",
        sensitive={"diagnosis": "equal", "cost": "numeric"},
        keep="admission_date,profession,children,height,remark",
        policy=kilt.Policy(k=5, t="0.6"),
        iterations=500,
        report=path,
        by="sex,height",
        detail="internal",
    )
    return path


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 400)])
def test_in_a_browser(browser, written, scheme, width):
    look_at(browser, written, scheme, width)


@pytest.mark.thorough
def test_adult_in_a_browser(browser, adult, tmp_path):
    path = tmp_path / "report.html"
    quasi = "sex,age,race,marital-status,education,native-country,workclass,occupation"
    policy = kilt.Policy(k=5, t="0.2")
    kilt.anonymize(adult, quasi=quasi, sensitive="salary-class", policy=policy, time=60, report=path, by="sex,age")
    for scheme in ("light", "dark"):
        for width in (1280, 400):
            look_at(browser, path, scheme, width)


def look_at(browser: Any, path: Path, scheme: str, width: int) -> None:
    """Open a page, and check what it asks for, says, and is like to use."""
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
    open_page = browser.new_context(**look, bypass_csp=True).new_page()  # where axe may put its script
    open_page.goto(path.as_uri())
    found = axe.Axe().run(open_page, options={"runOnly": LEVEL_AA})
    assert found.violations_count == 0, found.generate_report()
