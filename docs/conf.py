"""How Sphinx makes a site of the pages of this folder, which are plain Markdown and can be read without it.

Nothing is loaded from elsewhere, neither when it is built nor when it is read.
"""

from __future__ import annotations

import re
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from kilt.version import NUMBER

project = "kilt"
author = "The kilt developers"
release = NUMBER
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"kilt {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False

myst_heading_anchors = 6  # links lead to headings by the same names as on other readers of Markdown

autodoc_member_order = "bysource"
default_role = "py:obj"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

DOCS = Path(__file__).parent
SECTION = re.compile(r"^## (?P<caption>.+)\n(?P<text>(?:(?!^## ).*\n?)*)", re.MULTILINE)
ITEM = re.compile(r"^- (?P<text>.*\n(?:[ \n].*\n?)*)", re.MULTILINE)
PAGE = re.compile(r"\]\(([\w/]+)\.(?:md|rst)\)")
LINK_OUTSIDE = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<path>(?:\.\./)+[^)#]+)\)")
FILE = re.compile(r"^<!-- file: (?P<name>\S+) -->\n+```(?P<kind>\w+)\n", re.MULTILINE)


def contents() -> dict[str, list[tuple[str, list[str]]]]:
    """Return what the index lists: page -> its captions, each with the pages under it.

    The first link of an item is a page of the section, and the further ones belong under that page.
    """
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    found: dict[str, list[tuple[str, list[str]]]] = {"index": []}
    for section in SECTION.finditer(index):
        items = [PAGE.findall(item["text"]) for item in ITEM.finditer(section["text"])]
        found["index"].append((section["caption"], [item[0] for item in items if item]))
        found |= {first: [("", others)] for first, *others in filter(None, items) if others}
    return found


def toctrees(page: str) -> str:
    """Return the contents of a page, which are shown at the side alone."""
    lines = []
    for caption, pages in contents().get(page, []):
        lines += ["", "```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), ""]
        lines += [*(f"/{name}" for name in pages), "```"]
    return "\n".join(lines) + "\n"


def prepare(_: Sphinx, page: str, source: list[str]) -> None:
    """Add what a plain page lacks: its contents and the names of files; files of the repository are only named."""
    text = LINK_OUTSIDE.sub(lambda link: _named(page, link["text"], link["path"]), source[0])
    text = FILE.sub(r"```{code-block} \g<kind>\n:caption: \g<name>\n\n", text)
    source[0] = text + toctrees(page)


def _named(page: str, text: str, path: str) -> str:
    file = (DOCS / page).parent.joinpath(path).resolve()
    if file.is_relative_to(DOCS):
        return f"[{text}]({path})"
    return f"{text} (`{file.relative_to(DOCS.parent).as_posix()}`)"


def without_addresses(*given: str | None) -> tuple[str, str | None] | None:
    """Show a function that is the default of an argument by its name; what has no arguments stays as it is."""
    arguments, returned = given[-2:]
    return (re.sub(r"<function (\w+)>", r"\1", arguments), returned) if arguments else None


def setup(app: Sphinx) -> None:
    """Register what is particular to these pages."""
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", prepare)
    app.connect("autodoc-process-signature", without_addresses)
