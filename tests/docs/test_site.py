"""The site is built without a warning, has every page and every public name, and loads nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import kilt
from support.paths import ROOT

DOCS = ROOT / "docs"
for package in ("sphinx", "myst_parser", "furo", "sphinx_copybutton"):
    pytest.importorskip(package, reason=f"{package} is not here: pip install 'kilt[docs]'")

LOADED = re.compile(r"""<(?:script|img|source|iframe)\b[^>]*\bsrc="([^"]*)"|<link\b[^>]*\bhref="([^"]*)\"""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", made / "trees", DOCS, made / "html"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1_800)
    assert done.returncode == 0, done.stderr
    return made / "html"


def test_every_page_is_in_the_contents(site: Path) -> None:
    contents = (site / "index.html").read_text(encoding="utf-8")
    for page in [*DOCS.rglob("*.md"), *DOCS.rglob("*.rst")]:
        name = page.relative_to(DOCS).with_suffix(".html").as_posix()
        assert (site / name).exists()
        shown = "#" if name == "index.html" else name
        assert re.search(rf'class="[^"]*reference internal" href="{shown}"', contents), f"{name} is not at the side"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        for found in LOADED.findall(page.read_text(encoding="utf-8")):
            assert not re.match(r"(?:[a-z]+:)?//", "".join(found)), f"{page.name} loads {''.join(found)}"
    for style in site.rglob("*.css"):
        assert not re.search(r"@import|url\(['\"]?(?:https?:)?//", style.read_text(encoding="utf-8")), style.name


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    reference = (site / "api.html").read_text(encoding="utf-8")
    missing = [name for name in kilt.__all__ if name != "__version__" and f'id="kilt.{name}"' not in reference]
    assert not missing


def test_a_file_of_an_example_has_its_name(site: Path) -> None:
    assert '<span class="caption-text">people.csv</span>' in (site / "ladders.html").read_text(encoding="utf-8")


def test_a_link_out_of_the_folder_names_the_file(site: Path) -> None:
    assert "benchmarks/gap.py" in (site / "solvers" / "search.html").read_text(encoding="utf-8")
