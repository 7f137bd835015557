"""The studio in a browser: from opening to download, with the keyboard, light and dark, wide and narrow."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.browser import require_accessible
from support.command import call
from support.paths import HOSPITAL

pytest.importorskip("starlette", reason="the studio is not installed: pip install 'kilt[studio]'")

from support.studio import Visitor, visiting

LOOKS = [(width, scheme) for width in (1280, 400) for scheme in ("light", "dark")]
DROPPED = "text => { const d = new DataTransfer(); d.items.add(new File([text], 'dropped.csv')); return d }"
PATIENCE = 120_000  # milliseconds, on a busy machine


@pytest.fixture(scope="module")
def studio(tmp_path_factory) -> Iterator[Visitor]:
    with visiting(tmp_path_factory.mktemp("studio")) as found:
        yield found


class Look:
    """A page that notes what it asks for and says on the console, and can be looked at in all ways."""

    def __init__(self, browser: Any, studio: Visitor, **more: Any) -> None:
        self.studio = studio
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, **more)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.said: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        studio.post("/run/abandon")  # of a test that failed
        self.page.goto(studio.keys.address)
        self.page.goto(f"http://127.0.0.1:{studio.port}/table")  # whatever was done before

    def check(self) -> None:
        """Nothing was asked elsewhere, nothing was said, nothing sticks out, and everybody can use the page."""
        ours = f"http://127.0.0.1:{self.studio.port}/"
        assert [url for url in self.asked if not url.startswith((ours, "data:"))] == []
        assert self.said == []
        for width, scheme in reversed(LOOKS):  # the usual one is the last, and stays
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(color_scheme=scheme)
            assert self.page.evaluate("document.documentElement.scrollWidth") <= width
            require_accessible(self.page)

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        for _ in range(PATIENCE // 50):
            if holds():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("it does not come to hold")

    def download(self, link: str, folder: Path) -> Path:
        with self.page.expect_download() as waiting:
            self.page.click(link)
        path = folder / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path


def test_from_opening_to_download(browser, studio, tmp_path):
    """The paper's ten rows; the downloaded release is verified, and is what the shown command writes."""
    look = Look(browser, studio, bypass_csp=True)  # where axe may put its script
    page = look.page
    look.check()
    page.click("text=hospital.csv")
    page.wait_for_selector("#onward")
    look.check()
    page.click("#onward")
    page.select_option("#ladder-0", "characters")
    page.select_option("#ladder-1", "other")
    page.fill("#other-1", "characters")
    page.wait_for_selector("[data-column='1'] .preview >> text=every character")
    look.check()
    page.click("text=Continue: how well")
    page.fill("#k", "3")
    page.fill("#l", "")
    page.fill("#t", "0.3")
    page.wait_for_selector("#estimate >> text=63")
    page.select_option("#vary", "t")
    page.click("form[action='/policy/frontier'] button")
    page.wait_for_selector("#points >> text=after some seconds")
    page.click("circle[data-dot='0.4']")
    page.wait_for_selector("tr.chosen >> text=0.4")
    assert page.input_value("#t") == "0.4"
    page.click("circle[data-dot='0.3']")
    page.wait_for_selector("tr.chosen >> text=0.3")
    look.check()
    page.click("text=Continue: make")
    page.wait_for_selector("#limit-time")
    look.check()
    page.click("text=Start")
    page.wait_for_url("**/result")
    page.wait_for_selector(".pair")
    look.check()
    released = look.download("text=hospital-release.csv", tmp_path)
    config = look.download("text=kilt.toml", tmp_path)
    certificate = look.download("text=certificate.json", tmp_path)
    shutil.copy(HOSPITAL, tmp_path)
    content = released.read_bytes()
    verified = ("verify", released, "--original", tmp_path / "hospital.csv", "--config", config)
    assert call(*verified, cwd=tmp_path).returncode == 0
    assert call("check", certificate, "--original", "hospital.csv", "--release", released, cwd=tmp_path).returncode == 0
    released.unlink()
    assert call(*shlex.split(page.inner_text("#command"))[1:], cwd=tmp_path).returncode == 0
    assert released.read_bytes() == content
    look.context.close()


def test_whatever_is_typed_counts(browser, studio):
    """Before the script is there, just before a form is sent, and just before the page is left."""
    look = Look(browser, studio)
    page, session = look.page, studio.session
    page.click("text=hospital.csv")
    page.click("#onward")
    page.wait_for_selector(".js #role-0")
    held: list[Any] = []
    page.route("**/studio.js", lambda route, _: held.append(route))
    page.click("text=Continue: how well")
    for name, value in {"k": "3", "l": "", "t": "0.3"}.items():
        page.fill(f"#{name}", value)
    assert session.asked == {"k": "5", "l": "2"}
    look.until(lambda: bool(held))
    held[0].continue_()
    look.until(lambda: session.asked == {"k": "3", "t": "0.3"})
    page.unroute("**/studio.js")
    page.fill("#k", "4")
    page.click("form[action='/policy/frontier'] button")
    page.wait_for_selector(".js #points figure")
    assert session.asked == {"k": "4", "t": "0.3"}
    page.fill("#k", "2")
    page.goto(f"http://127.0.0.1:{studio.port}/columns")
    look.until(lambda: session.asked == {"k": "2", "t": "0.3"})
    look.context.close()


def test_the_table_of_the_tutorial_by_the_keyboard_alone(browser, studio, tmp_path):
    """Every step with Tab, arrows and Enter; the policy of the page holds while it is reloaded in the middle."""
    page = Look(browser, studio).page

    def reach(selector: str) -> None:
        for _ in range(120):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached")

    def press(selector: str, key: str = "Enter") -> None:
        reach(selector)
        page.keyboard.press(key)

    press("[aria-describedby='example-patients']")
    page.wait_for_selector("#onward")
    press("#onward")
    page.wait_for_selector("#role-0")
    assert page.input_value("#role-0") == "identifier"
    press("#role-5", "ArrowDown")  # the profession: protect it
    page.wait_for_selector("#space-5:visible")
    page.reload()
    assert page.input_value("#role-5") == "sensitive"
    press("#role-5", "ArrowUp")
    page.wait_for_selector("#ladder-5:visible")
    press("[action='/columns'] button")
    page.wait_for_selector("#estimate dl.figures")
    press("#policy button")
    page.wait_for_selector("#limit-iterations")
    reach("[name=iterations]")
    page.keyboard.press("Control+A")
    page.keyboard.type("3000")
    press("[action='/run/start'] button")
    page.wait_for_url("**/result")
    assert "byte for byte" in page.content()
    with page.expect_download() as waiting:
        press(".files a.button")
    released, command = waiting.value.path().read_bytes(), page.inner_text("#command")
    (tmp_path / "patients.csv").write_bytes(HOSPITAL.with_name("patients.csv").read_bytes())
    assert call(*shlex.split(command)[1:], cwd=tmp_path).returncode == 0
    assert (tmp_path / "patients-release.csv").read_bytes() == released
    assert (
        call("verify", "patients-release.csv", "--quasi", "birth_date,zip,sex", "-k", "5", cwd=tmp_path).returncode == 0
    )
    page.context.close()


def test_stop_reload_and_two_tabs(browser, studio):
    """A run goes on without a page, and is seen by all pages."""
    look = Look(browser, studio, bypass_csp=True)
    first = look.page
    first.click("text=patients.csv")
    first.click("#onward")
    first.click("text=Continue: how well")
    first.click("text=Continue: make")
    first.check("#limit-time")
    first.fill("[name=time]", "600")
    first.click("text=Start")
    first.wait_for_selector("polyline", state="attached")
    first.route("**/run/live", lambda route: None)  # while it is looked at, it stands still
    first.reload()
    look.check()
    first.unroute("**/run/live")
    first.reload()
    first.wait_for_selector("polyline", state="attached")
    second = look.context.new_page()
    first.close()
    second.goto(f"http://127.0.0.1:{studio.port}/")
    third = look.context.new_page()
    third.goto(f"http://127.0.0.1:{studio.port}/")
    second.wait_for_selector("polyline", state="attached")
    second.click("#take")
    second.wait_for_url("**/result")
    assert "stopped by hand" in second.content()
    third.bring_to_front()
    third.wait_for_url("**/result")
    look.context.close()


def test_wrong_files_and_policies_are_explained(browser, studio, tmp_path):
    look = Look(browser, studio)
    page = look.page
    wrong = tmp_path / "wrong.csv"
    wrong.write_bytes(b"a,b\n1,2,3\n")
    page.set_input_files("#file", wrong)
    page.wait_for_selector("text=has 3 cells where the header has 2")
    (tmp_path / "table.exe").write_bytes(b"MZ")
    page.set_input_files("#file", tmp_path / "table.exe")
    page.wait_for_selector("#uploading >> text=must end in one of")
    dropped = page.evaluate_handle(DROPPED, HOSPITAL.read_text())
    page.dispatch_event("#drop", "drop", {"dataTransfer": dropped})
    page.wait_for_selector("#live h2 >> text=dropped.csv")
    page.click("#onward")
    page.click("text=Continue: how well")
    page.fill("#l", "9")
    page.wait_for_selector("#estimate >> text=the largest l that this table allows is 2.5")
    page.click("text=Continue: make")
    page.wait_for_selector("#problem >> text=the largest l")
    look.until(lambda: page.evaluate("document.activeElement.id") == "problem")
    look.context.close()


def test_scripts_in_a_table_do_nothing(browser, studio, tmp_path):
    """Script tags in every cell and every name: no dialog, no request, nothing on the console."""
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    lines = [f'"{evil}a","{evil}b","{evil}c"', *(f'"{evil}{n % 2}","{evil}{n % 2}","{evil}{n % 3}"' for n in range(12))]
    path = tmp_path / "evil.csv"
    path.write_text("\n".join(lines) + "\n")
    look = Look(browser, studio)
    page = look.page
    page.set_input_files("#file", path)
    page.wait_for_selector("#live h2 >> text=evil.csv")
    page.click("#onward")
    for place in range(3):
        page.select_option(f"#role-{place}", "quasi")
        page.wait_for_selector(f"[data-column='{place}'] .preview table")
    page.click("text=Continue: how well")
    page.fill("#k", "5")
    page.wait_for_selector("#estimate dl.figures")
    page.click("text=Continue: make")
    page.click("text=Start")
    page.wait_for_url("**/result")
    page.wait_for_selector(".pair mark >> nth=0", state="attached")
    for width, _ in LOOKS:  # long cells are scrolled in their table
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(f"http://127.0.0.1:{studio.port}/result/report")
    assert "alert(1)" in page.content()
    assert look.said == []
    assert not [url for url in look.asked if "127.0.0.1" not in url and not url.startswith("data:")]
    look.context.close()
