"""Write docs/cli.md from the commands themselves, or check that it is fresh.

Run from anywhere: python scripts/cli_reference.py [--check]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from textwrap import fill

import click

from kilt.cli.commands import cli
from kilt.errors import InfeasibleError, InputError, StrictError, VerificationError

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
CODES = {
    0: "done; for `kilt verify` also: the policy is met",
    VerificationError.exit_code: "the policy is not met, or something other than stars differs from the original",
    InputError.exit_code: "something that was given cannot be used (an option, a file, a table, a configuration), "
    "or something unexpected happened",
    InfeasibleError.exit_code: "no release of this table can meet the policy",
    StrictError.exit_code: "the release has warnings, and `--strict` makes them errors",
    130: "abandoned by Ctrl-C or a signal to end (the first Ctrl-C in a search ends it, and the best is written)",
}


def page() -> str:
    """Return the whole page."""
    lines = [
        "# Command line",
        "",
        "<!-- Written by scripts/cli_reference.py: change the help of the commands, then run it. -->",
        "",
        wrapped(
            f"{cli.help} `kilt --version` prints the version, and `-h` or `--help` after any command prints its "
            "options."
        ),
        "",
        "An option that takes columns may be given once, with commas between the columns, or several times.",
        "A column whose name holds a comma is put in double quotes.",
        "Every setting can also be given in a [configuration](configuration.md).",
        "",
    ]
    for name in cli.list_commands(click.Context(cli)):
        lines += command(name, cli.commands[name])
    lines += ["## Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in sorted(CODES.items())]
    lines += [
        "",
        "An error is one sentence on standard error.",
        "If `kilt anonymize` ends with 1 to 4, nothing was written: a file that stood in that place is as it was.",
        "If it is stopped, no part of a file is left.",
    ]
    return "\n".join(lines) + "\n"


def command(name: str, made: click.Command) -> Iterator[str]:
    """Describe one command: usage, what it does, and its options in the order of its help."""
    arguments = [p for p in made.params if isinstance(p, click.Argument)]
    options = [p for p in made.params if isinstance(p, click.Option)]
    words = ["kilt", name, *(["[OPTIONS]"] if options else [])]
    words += [f"[{a.name.upper()}]" for a in arguments if a.name]
    yield from (f"## kilt {name}", "", "```text", " ".join(words), "```", "")
    for paragraph in cleandoc(made.help or "").split("\n\n"):
        text = " ".join(paragraph.split())
        example = text.removeprefix("Example: ")
        yield from (wrapped(text) if example == text else f"Example: `{example}`", "")
    if options:
        yield from ("| option | meaning |", "|---|---|")
        yield from (f"| `{_spelled(o)}` | {(o.help or '').replace('|', chr(92) + '|')} |" for o in options)
        yield ""


def wrapped(text: str) -> str:
    """Wrap a paragraph as all pages are."""
    return fill(text, 120, break_long_words=False, break_on_hyphens=False)


def _spelled(option: click.Option) -> str:
    names = ", ".join(option.opts)
    return names if option.is_flag else f"{names} {option.metavar or option.type.name.upper()}"


def main(arguments: list[str]) -> int:
    """Write the page, or with --check say whether it is fresh."""
    if arguments not in ([], ["--check"]):
        print("usage: python scripts/cli_reference.py [--check]", file=sys.stderr)
        return 2
    if not arguments:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page():
        return 0
    print("docs/cli.md is stale: run python scripts/cli_reference.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
