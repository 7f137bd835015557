"""The documentation is true: its examples run, its reference is fresh, its links lead somewhere.

What a page may hold: ``python`` blocks are sessions (>>> and what it prints) that share one
namespace; ``console`` blocks are commands behind ``$`` with what they print, and ``$ echo $?``
behind every command whose exit code is not 0; any other block behind a comment
``<!-- file: NAME -->`` is a file. All blocks of a page run in their order in one folder, which
starts with the example hospital.csv in it, unless the page gets it itself. ``...`` stands for any text that varies.
Behind a comment ``<!-- figures vary -->``, what a search finds may differ somewhat from what is shown.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support import profiles, spark
from support.command import Done, call, without_log
from support.paths import HOSPITAL, ROOT

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md"])
WITH_LINKS = sorted(
    [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), ROOT / "benchmarks" / "README.md", ROOT / "tests" / "README.md"]
)
BLOCK = re.compile(
    r"^(?:<!-- (?:file: (?P<file>\S+)|(?P<vary>figures vary)) -->\n+)?```(?P<kind>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
KILT = """kilt() { "$PYTHON" -c 'from kilt.cli.main import main; main()' "$@"; }\n"""
SHELL = re.compile(r"[|<>;&$*?`~#()]")
QUOTED = re.compile(r"'[^']*'")
FLAGS = doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    file: str | None
    line: int
    varies: bool = False


@dataclass(frozen=True)
class Command:
    text: str
    expected: str


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(m["kind"], m["text"], m["file"], text.count("\n", 0, m.start()) + 1, m["vary"] is not None)
        for m in BLOCK.finditer(text)
    ]


def commands(text: str) -> Iterator[Command]:
    """Split a console block; a command may go on behind a backslash."""
    for each in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, expected = re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", each, re.DOTALL).groups()
        yield Command(command.strip(), expected)


def said(command: str, folder: Path) -> Done:
    """Run a command by the shell, or without one in this process: to start Python each time is for thorough runs."""
    if command.startswith("kilt ") and not SHELL.search(QUOTED.sub("", command)) and not profiles.is_thorough():
        return call(*shlex.split(command.replace("\\\n", " "))[1:], cwd=folder, together=True)
    return subprocess.run(
        ["/bin/sh", "-c", KILT + command],
        cwd=folder,
        env={**os.environ, "PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def nearly(command: Command, got: str) -> str:
    """Return what was expected in place of every line that differs from it in figures alone, and not by much.

    Of the rows of a release, only the header and their number must be as expected.
    """
    if command.text.startswith("head "):
        same = [[*text.splitlines()[:1], str(text.count("\n"))] for text in (command.expected, got)]
        return command.expected if same[0] == same[1] else got
    expected: dict[str, list[str]] = {}
    for line in command.expected.splitlines():
        expected.setdefault(without_figures(line), []).append(line)
    lines = []
    for line in got.splitlines():
        known = expected.get(without_figures(line))
        lines.append(as_near(line, known.pop(0)) if known else line)
    return "".join(f"{line}\n" for line in lines)


def without_figures(line: str) -> str:
    return FIGURE.sub("#", " ".join(line.split()))


def as_near(got: str, expected: str) -> str:
    """Return the expected line if every figure is within 5, or within a quarter, of that in it."""
    pairs = zip(
        *([float(each.replace(",", "")) for each in FIGURE.findall(line)] for line in (expected, got)), strict=True
    )
    return expected if all(abs(a - b) < max(5, a / 4) for a, b in pairs) else got


def run_console(block: Block, folder: Path) -> None:
    code = 0
    found = list(commands(block.text))
    assert found, "a console block without a command"
    for command in found:
        if command.text == "echo $?":
            got, code = f"{code}\n", 0
        else:
            assert code == 0, f"exit code {code} before: {command.text}"
            done = said(command.text, folder)
            got = done.stdout if "--log" in command.text else without_log(done.stdout)  # a panel goes away
            code = done.returncode
            got = nearly(command, got) if block.varies else got
        assert doctest.OutputChecker().check_output(command.expected, got, FLAGS), (
            f"line {block.line}: $ {command.text}\nexpected:\n{command.expected}\ngot:\n{got}"
        )
    assert code == 0, f"exit code {code} of the last command is not shown with: $ echo $?"


def run_python(block: Block, page: str, namespace: dict[str, object]) -> None:
    if ">>>" not in block.text:
        exec(compile(block.text, page, "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.text, {}, page, page, block.line)
    test.globs = namespace  # shared with the other blocks of the page
    said: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=said.append, clear_globs=False)
    assert not said, "".join(said)


@pytest.fixture
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the engine that a page is about; where there is none, the page is skipped."""
    name = name_of(request.getfixturevalue("page"))
    if name == "docs/engines/postgresql.md":
        if shutil.which("psql") is None:
            pytest.skip("there is no psql here")
        cluster = request.getfixturevalue("cluster")
        monkeypatch.setenv("PGHOST", str(cluster.folder))
        monkeypatch.setenv("PGUSER", "tester")
    elif name == "docs/engines/spark.md":
        if not spark.is_here():
            pytest.skip(spark.MISSING)
        spark.session()


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "$ kilt example hospital" not in page.read_text(encoding="utf-8"):
        shutil.copy(HOSPITAL, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.file is not None:
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif block.kind == "python":
            run_python(block, name_of(page), namespace)
        elif block.kind == "console":
            run_console(block, tmp_path)


@pytest.mark.parametrize("page", WITH_LINKS, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)} links to {link}, which does not exist"
        assert not heading or heading in headings(target), f"{name_of(page)} links to {link}, which has no such heading"


def headings(page: Path) -> set[str]:
    """Return the anchors of the headings: lower case, spaces to hyphens, other signs left out."""
    lines = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def test_every_page_is_in_the_index() -> None:
    index = DOCS / "index.md"
    linked = {(DOCS / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {name_of(page) for page in DOCS.rglob("*.md")} - {name_of(page) for page in linked} == {"docs/index.md"}


def test_command_line_reference_is_fresh() -> None:
    script = ROOT / "scripts" / "cli_reference.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "$ echo one\ntwo\n",
        "$ false\n",
        "$ false\n$ echo two\ntwo\n",
        "$ false\n$ echo $?\n0\n",
        "$ kilt verify\nkilt: ...\n",
        "no command\n",
    ],
)
def test_a_wrong_console_block_fails(text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_console(Block("console", text, None, 1), tmp_path)


def test_figures_may_vary_somewhat_if_the_page_says_so(tmp_path: Path) -> None:
    shown = "$ printf 'k=5  %s stars\\n' 1,200.5\nk=5 1,100 stars\n$ echo done in 3 s\ndone in ... s\n"
    run_console(Block("console", shown, None, 1, varies=True), tmp_path)
    for wrong in (
        Block("console", shown, None, 1),
        Block("console", shown.replace("1,100", "600"), None, 1, varies=True),
    ):
        with pytest.raises(AssertionError):
            run_console(wrong, tmp_path)


def test_rows_of_a_release_may_vary_if_the_page_says_so(tmp_path: Path) -> None:
    (tmp_path / "release.csv").write_text("zip,age\n021**,34\n")
    run_console(Block("console", "$ head -2 release.csv\nzip,age\n02***,*\n", None, 1, varies=True), tmp_path)
    with pytest.raises(AssertionError):
        run_console(Block("console", "$ head -2 release.csv\nzip,sex\n021**,34\n", None, 1, varies=True), tmp_path)


@pytest.mark.parametrize("text", [">>> 1 + 1\n3\n", ">>> 1 / 0\n", "assert False\n"])
def test_a_wrong_python_block_fails(text: str) -> None:
    with pytest.raises(AssertionError):
        run_python(Block("python", text, None, 1), "page", {})
